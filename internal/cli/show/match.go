package show

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"agentleague/duel"
	"agentleague/internal/term"
	"agentleague/protocol"
	"agentleague/protocol/grid"
)

// Match prints a match as a conversation.
func Match(out io.Writer, rec protocol.MatchRecord) {
	fmt.Fprintf(out, "%s  %s, round %d: %s against %s, %s, attempt %d\n", term.Brief(rec.MatchID), term.Brief(rec.GameType), rec.RoundID, term.Brief(rec.PlayerAID), term.Brief(rec.PlayerBID), term.Brief(rec.RefereeID), rec.Attempt)
	var drawn boards
	for _, e := range rec.Transcript {
		_, at, _ := strings.Cut(strings.TrimSuffix(e.Timestamp, "Z"), "T")
		fmt.Fprintf(out, "  %s  %-14s → %-14s  %s%s\n", term.Brief(at), term.Brief(e.From), term.Brief(e.To), term.Brief(string(e.MessageType)), term.Brief(mainContent(e)))
		drawn.drawIn(out, e)
	}
	if !rec.TranscriptComplete {
		fmt.Fprintln(out, "  (the messages of this match were not recorded completely)")
	}
	for _, line := range timing(rec) {
		fmt.Fprintln(out, line)
	}
	for _, id := range []string{rec.PlayerAID, rec.PlayerBID} {
		if code, forfeited := rec.Result.Forfeits[id]; forfeited {
			fmt.Fprintf(out, "technical loss of %s: %s (%s)\n", id, term.Plain(rec.WhyForfeited(id)), cmp.Or(code, "no code"))
		}
	}
	if rec.Result.DrawnNumber.Value != nil {
		fmt.Fprintf(out, "draw: %d, from the key %s,\n      whose SHA-256 was published before anyone chose: %s\n", *rec.Result.DrawnNumber.Value, rec.Fairness.Key, rec.Fairness.Commitment)
	}
	fmt.Fprintf(out, "%s\n", term.Plain(rec.Result.Reason))
}

// mainContent is the main content of a message, after a gap; empty if the type is enough.
func mainContent(e protocol.TranscriptEntry) string {
	if text := e.Gist(); text != "" {
		return "  " + text
	}
	return ""
}

// Duel prints how a match outside of a league ended.
func Duel(out io.Writer, m *duel.Match, rec protocol.MatchRecord) {
	r, called := rec.Result, callNames(m)
	fmt.Fprintf(out, "%s\n", verdict(r, called))
	for _, s := range m.Contestants {
		if code, forfeited := r.Forfeits[s.ID]; forfeited {
			fmt.Fprintf(out, "  technical loss of %s: %s (%s)\n", called(s.ID), term.Plain(rec.WhyForfeited(s.ID)), cmp.Or(code, "no code"))
			if advice := Hint(rec.LastErrorDetail(s.ID)); advice != "" {
				fmt.Fprintf(out, "    %s\n", advice)
			}
		}
	}
	new(boards).last(out, r.Details)
	if len(rec.Moves) > 0 {
		fmt.Fprintf(out, "  moves: %s\n", term.Plain(moves(rec.Moves)))
	}
	fmt.Fprintf(out, "  score: %s %d, %s %d\n", m.Contestants[0].ID, r.Score[m.Contestants[0].ID], m.Contestants[1].ID, r.Score[m.Contestants[1].ID])
	if r.DrawnNumber.Value != nil {
		fmt.Fprintf(out, "  draw:  %d, from the key %s,\n         whose SHA-256 was published before anyone chose: %s\n", *r.DrawnNumber.Value, rec.Fairness.Key, rec.Fairness.Commitment)
	}
}

// verdict is the end of a match in a sentence. called is the name of a player in it.
func verdict(r protocol.GameResult, called func(id string) string) string {
	switch {
	case r.WinnerPlayerID != nil && r.Status == protocol.TechnicalLoss:
		return called(*r.WinnerPlayerID) + " wins: the opponent forfeited."
	case r.WinnerPlayerID != nil:
		return fmt.Sprintf("%s wins: %s.", called(*r.WinnerPlayerID), r.Reason)
	case r.Status == protocol.TechnicalLoss:
		return "Nobody wins: both forfeited."
	}
	return fmt.Sprintf("Draw: %s.", r.Reason)
}

// callNames names a player by its id and the requested name.
func callNames(m *duel.Match) func(id string) string {
	return func(id string) string {
		for _, s := range m.Contestants {
			if s.ID == id {
				return fmt.Sprintf("%s (%s)", id, s.Name)
			}
		}
		return id
	}
}

// moves lists the moves, in the order of play.
func moves(played []protocol.PlayedMove) string {
	out := make([]string, len(played))
	for i, m := range played {
		out[i] = m.PlayerID + " " + string(m.Move)
	}
	return strings.Join(out, ", ")
}

// DuelObject returns a match as one JSON object. The draw can be checked with its key.
func DuelObject(m *duel.Match, rec protocol.MatchRecord, path string) map[string]any {
	r := rec.Result
	players, lost := []map[string]any{}, []map[string]any{}
	for _, s := range m.Contestants {
		players = append(players, map[string]any{"player_id": s.ID, "name": s.Name, "endpoint": s.Endpoint})
		if code, forfeited := r.Forfeits[s.ID]; forfeited {
			lost = append(lost, map[string]any{"player_id": s.ID, "error_code": code, "meaning": protocol.ForfeitMeaning(code), "detail": rec.LastErrorDetail(s.ID)})
		}
	}
	out := map[string]any{
		"match_id": rec.MatchID, "game_type": rec.GameType, "players": players, "result": r.Status, "winner": r.WinnerPlayerID,
		"score": r.Score, "choices": r.Choices, "moves": rec.Moves, "reason": r.Reason, "technical_losses": lost,
	}
	draw := map[string]any{"commitment": rec.Fairness.Commitment, "key": rec.Fairness.Key}
	if !r.DrawnNumber.IsZero() {
		draw["number"], draw["parity"] = r.DrawnNumber, r.NumberParity
	}
	out["draw"] = draw
	if path != "" {
		out["record"] = path
	}
	return out
}

// Hint returns advice for the detail of an error by which a player refused the referee of a single match, or "".
func Hint(detail string) string {
	if strings.Contains(detail, protocol.AuthTokenInvalid.Name) || strings.Contains(detail, protocol.AuthTokenMissing.Name) {
		return "It belongs to a league and answers only the referees of that league; start it without a manager to " +
			"play it here."
	}
	return ""
}

// timing describes the players' tries in each stage of a match, and which player waited for the other.
func timing(rec protocol.MatchRecord) (lines []string) {
	for _, s := range rec.Stages() {
		lines = append(lines, fmt.Sprintf("%s: %s", s.Asked, strings.Join(stageInWords(rec, s), "; ")))
	}
	return lines
}

// stageInWords describes the players of one stage, and which of them was first.
func stageInWords(rec protocol.MatchRecord, s protocol.Stage) (out []string) {
	for _, id := range []string{rec.PlayerAID, rec.PlayerBID} {
		var tries []string
		for _, t := range s.Of(id) {
			tries = append(tries, outcomeOf(t))
		}
		if len(tries) > 0 {
			out = append(out, id+" "+strings.Join(tries, ", then "))
		}
	}
	if s.First == "" {
		return out
	}
	return append(out, fmt.Sprintf("%s waited %s for %s", s.First, span(s.Waited), s.Last))
}

// outcomeOf describes the end of one try, with the player's time and the referee's own.
func outcomeOf(t protocol.Try) string {
	what := "failed with " + t.Outcome + " after "
	switch t.Outcome {
	case protocol.Answered:
		what = "answered in "
	case protocol.CutShort:
		what = "had not answered when the referee stopped waiting after "
	}
	what += span(t.Agent())
	if own := t.Overhead(); own >= resolution/2 {
		what += fmt.Sprintf(" (plus %s referee delay)", span(own))
	}
	if t.Void {
		what += ", not counted"
	}
	return what
}

// resolution is how exactly times are shown.
const resolution = 100 * time.Microsecond

// span is a length of time as people read it: 300 µs, 1.5 ms, 30 s, 1m30s.
func span(d time.Duration) string {
	switch d = d.Round(resolution); {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%v ms", float64(d)/float64(time.Millisecond))
	case d < time.Minute:
		return fmt.Sprintf("%v s", float64(d)/float64(time.Second))
	}
	return d.String()
}

// boards draws the positions of a match on a terminal, each once.
type boards struct {
	seen   map[string]string // the newest board of each viewer
	newest string
}

// draw draws the board for a viewer, if it has changed.
func (b *boards) draw(out io.Writer, to string, context json.RawMessage) {
	board, ok := grid.Read(context)
	if !ok {
		return
	}
	text := board.Text()
	if text == b.newest || text == b.seen[to] {
		return
	}
	if b.seen == nil {
		b.seen = map[string]string{}
	}
	b.seen[to], b.newest = text, text
	for line := range strings.Lines(text) {
		fmt.Fprint(out, "      ", line)
	}
}

// drawIn draws the board in a message of a match.
func (b *boards) drawIn(out io.Writer, e protocol.TranscriptEntry) {
	var m struct {
		Request struct {
			Context json.RawMessage `json:"context"`
		} `json:"move_request"`
		Result struct {
			Details json.RawMessage `json:"details"`
		} `json:"game_result"`
	}
	_ = json.Unmarshal(e.Message, &m) // an unreadable message has no board
	b.draw(out, e.To, m.Request.Context)
	b.draw(out, "", m.Result.Details)
}

// last draws the board with which a match ended.
func (b *boards) last(out io.Writer, details map[string]json.RawMessage) {
	if doc, err := json.Marshal(details); err == nil {
		b.draw(out, "", doc)
	}
}
