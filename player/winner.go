package player

import (
	"encoding/json"
	"strings"
	"unicode"

	"agentleague/protocol"
)

// Third-party referees name the winner of a match by id, by display name or by its seat. An ambiguous result stays
// unknown: it is never counted as a loss.

// unknown is the result of a match whose winner cannot be determined.
const unknown = ""

// pairNames identifies a player and its opponent in a match.
type pairNames struct {
	id, name        string
	opponent, rival string // the opponent's id and its name; "": unknown
	seat            string // PLAYER_A or PLAYER_B; "": not given by the referee
	scored          bool   // the message is from an agent of ours, which always has the points in it
}

// results maps the words in messages to a player's result.
var results = map[string]string{
	"WIN": protocol.Win, "WON": protocol.Win, "VICTORY": protocol.Win,
	"LOSS": protocol.Loss, "LOSE": protocol.Loss, "LOST": protocol.Loss, "DEFEAT": protocol.Loss,
	"DRAW": protocol.Draw, "DRAWN": protocol.Draw, "TIE": protocol.Draw, "TIED": protocol.Draw,
	"TECHNICAL_LOSS": protocol.TechnicalLoss,
}

// nobodies are the values of the field winner that mean that no player has won.
var nobodies = map[string]bool{"DRAW": true, "TIE": true, "NONE": true, "NULL": true, "NOBODY": true}

// calledIn returns s with the id that the result over uses for the player. A third-party referee may have taken this
// player for another one: if the choices are those of the opponent and of one unknown name, that name stands for this
// player.
func (s pairNames) calledIn(over *protocol.GameOver) pairNames {
	others, rivals := []string{}, 0
	for name := range over.GameResult.Choices {
		switch mine, theirs := s.means(name); {
		case mine || seatOf(name) != "":
			return s
		case theirs:
			rivals++
		default:
			others = append(others, name)
		}
	}
	if rivals == 1 && len(others) == 1 {
		s.id = others[0]
	}
	return s
}

// resultFor returns the player's result of a match: from the result field if it has a known word, or else from the
// winner, the choices and the points.
func (s pairNames) resultFor(over *protocol.GameOver) string {
	if word, ok := results[strings.ToUpper(strings.TrimSpace(over.Result))]; ok {
		return word
	}
	r := over.GameResult
	shown := s.shown(r)
	switch word, sure := s.named(r.WinnerPlayerID); {
	case word != unknown && (sure || shown == unknown || shown == word):
		return s.unless(word, r)
	case word != unknown: // a place in the match, against the figures
		return shown
	case r.WinnerPlayerID != nil && *r.WinnerPlayerID != "":
		return s.unless(shown, r)
	case r.Status == protocol.Draw || r.Status == protocol.TechnicalLoss:
		return r.Status
	}
	return shown
}

// unless returns word, but a technical loss instead of a loss if r is the result of a match that ended by forfeit.
func (s pairNames) unless(word string, r protocol.GameResult) string {
	if word == protocol.Loss && r.Status == protocol.TechnicalLoss {
		return protocol.TechnicalLoss
	}
	return word
}

// named derives the player's result from the name of the winner. sure is false if that name is only a seat, since some
// referees give both players the same seat, or part of a sentence.
func (s pairNames) named(winner *string) (word string, sure bool) {
	if winner == nil || strings.TrimSpace(*winner) == "" {
		return unknown, false
	}
	mine, theirs := s.means(*winner)
	switch {
	case mine && theirs:
		return unknown, false
	case mine:
		return protocol.Win, true
	case theirs:
		return protocol.Loss, true
	case nobodies[strings.ToUpper(strings.TrimSpace(*winner))]:
		return protocol.Draw, true
	}
	switch mine, theirs := s.mentioned(*winner); {
	case mine && !theirs:
		return protocol.Win, false
	case theirs && !mine:
		return protocol.Loss, false
	}
	switch at := seatOf(*winner); {
	case at == "" || seatOf(s.seat) == "":
		return unknown, false
	case at == seatOf(s.seat):
		return protocol.Win, false
	}
	return protocol.Loss, false
}

// means reports whether a name identifies the player, and whether it identifies the opponent. Ids are compared first;
// display names count only if the name is neither's id.
func (s pairNames) means(name string) (mine, theirs bool) {
	if role, id := protocol.ParseSender(name); role == protocol.RolePlayer && id != "" {
		name = id
	}
	if name == s.id || name == s.opponent {
		return name == s.id, name == s.opponent
	}
	same := func(other string) bool { return other != "" && strings.EqualFold(strings.TrimSpace(name), other) }
	return same(s.name), same(s.rival)
}

// mentioned reports whether a sentence such as "P01 wins" contains the player's id, and whether it contains the
// opponent's.
func (s pairNames) mentioned(sentence string) (mine, theirs bool) {
	for word := range strings.FieldsFuncSeq(sentence, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }) {
		mine, theirs = mine || word == s.id, theirs || word == s.opponent
	}
	return mine, theirs
}

// seatOf normalizes the name of a seat, such as PLAYER_A, player_a or player1. It returns "" for any other word.
func seatOf(word string) string {
	letters := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(word))
	switch letters {
	case "playera", "player1", "a":
		return protocol.SeatA
	case "playerb", "player2", "b":
		return protocol.SeatB
	}
	return ""
}

// shown derives the player's result from the choices and the drawn parity, or else from the points.
func (s pairNames) shown(r protocol.GameResult) string {
	mine, theirs := s.sides(r.Choices)
	own, other, parity := textOf(mine), textOf(theirs), parityOf(r)
	switch {
	case !isParity(own) || !isParity(other):
		return s.byPoints(r.Score)
	case own == other:
		return protocol.Draw
	case parity == "":
		return s.byPoints(r.Score)
	case own == parity:
		return protocol.Win
	}
	return protocol.Loss
}

// sides returns the player's own choice, whose key is its id, name or seat, and the opponent's choice, under any other
// key. nil means unknown.
func (s pairNames) sides(choices map[string]json.RawMessage) (own, other json.RawMessage) {
	for name, choice := range choices {
		if mine, theirs := s.means(name); mine && !theirs || !mine && !theirs && seatOf(name) != "" && seatOf(name) == seatOf(s.seat) {
			own = choice
		} else {
			other = choice
		}
	}
	if len(choices) != 2 || own == nil {
		return own, nil
	}
	return own, other
}

// byPoints derives the player's result from the points of both players.
func (s pairNames) byPoints(score map[string]int) string {
	own, other, found := 0, 0, 0
	for name, points := range score {
		if mine, theirs := s.means(name); mine && !theirs {
			own, found = points, found+1
		} else {
			other = points
		}
	}
	switch {
	case len(score) != 2 || found != 1:
		return unknown
	case own > other:
		return protocol.Win
	case own < other:
		return protocol.Loss
	}
	return protocol.Draw
}

// pointsFor returns the player's points in a match. Third-party referees often omit them: then the score of the match
// is used, or else the protocol's default scoring.
func (s pairNames) pointsFor(over *protocol.GameOver) int {
	if s.scored || over.PointsEarned != 0 {
		return over.PointsEarned
	}
	if s.byPoints(over.GameResult.Score) != unknown {
		for name, points := range over.GameResult.Score {
			if mine, _ := s.means(name); mine {
				return points
			}
		}
	}
	return map[string]int{
		protocol.Win: protocol.DefaultScoring.Win, protocol.Draw: protocol.DefaultScoring.Draw,
	}[s.resultFor(over)]
}

// parityOf returns the drawn parity in a result, or "" if unknown.
func parityOf(r protocol.GameResult) string {
	if said := r.NumberParity.Value; said != nil && isParity(strings.ToLower(*said)) {
		return strings.ToLower(*said)
	}
	if r.DrawnNumber.Value == nil {
		return ""
	}
	return map[bool]string{true: "even", false: "odd"}[*r.DrawnNumber.Value%2 == 0]
}

func isParity(word string) bool { return word == "even" || word == "odd" }

// textOf returns a choice in lower case, or "" if it is not a JSON string.
func textOf(choice json.RawMessage) string {
	var text string
	_ = json.Unmarshal(choice, &text)
	return strings.ToLower(text)
}
