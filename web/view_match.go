package web

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/advice"
	"agentleague/web/board"
	"agentleague/web/replay"
)

// A MatchView is the view of a match's page. While the match is in play it has the players and the spectator's view,
// but no messages: choices are secret until all are made.
type MatchView struct {
	LeagueID string         `json:"league_id"`
	MatchID  string         `json:"match_id"`
	Round    int            `json:"round_id"`
	GameType string         `json:"game_type"`
	Status   string         `json:"status"` // SCHEDULED, PENDING, or how it ended
	A        ContestantView `json:"player_A"`
	B        ContestantView `json:"player_B"`
	Referee  NameView       `json:"referee"`
	Attempts []TakenView    `json:"attempts"` // all assignments to referees
	Reason   string         `json:"reason,omitempty"`
	Why      string         `json:"pairing,omitempty"` // why these players met
	Started  string         `json:"started_at,omitempty"`
	Ended    string         `json:"completed_at,omitempty"`

	Recorded  bool              `json:"record_known"`                // the referee's record is here
	Removed   string            `json:"record_removed_at,omitempty"` // the records of the league were removed then
	Complete  bool              `json:"transcript_complete"`
	Timeline  []Line            `json:"timeline"`
	Stages    []StageView       `json:"stages"`
	Positions []replay.Position `json:"positions,omitempty"`
	Draw      *DrawView         `json:"draw,omitempty"`
	Live      *LiveView         `json:"live,omitempty"` // of a match in play

	Story   string `json:"story,omitempty"`       // the match in a sentence
	Mistake int    `json:"losing_turn,omitempty"` // the turn of the move that lost the match, from 1; 0: unknown

	Basis     string    `json:"proof,omitempty"`     // the basis of the result: proven, judged, unproven or disputed
	Hosted    bool      `json:"hosted,omitempty"`    // a player runs in the manager's process
	Contested []Contest `json:"contested,omitempty"` // objections to the result
	Annulled  int       `json:"annulled,omitempty"`  // the number of annulled results
	CanAnnul  bool      `json:"-"`

	Proof     *Proof `json:"verification,omitempty"` // the last verification, if there is one
	Sequence  uint64 `json:"sequence"`               // of the log, up to which the view is current
	Before    string `json:"-"`                      // the match before it, and after it, in its round
	After     string `json:"-"`
	CanVerify bool   `json:"-"`

	moves   []protocol.PlayedMove // in the log
	choices [2][]string           // of player A and player B, in words
}

// Title returns the page title.
func (v MatchView) Title() string { return "Match " + v.MatchID }

// Describe returns the sentence that a link to the page is shown with.
func (v MatchView) Describe() string {
	return v.A.title() + " against " + v.B.title() + ": " + cmp.Or(v.Story, v.StatusWords())
}

// Marks returns the badges of the result.
func (v MatchView) Marks() []*view.Badge { return view.BadgesOf(v.Basis, v.Hosted) }

// Over reports whether there is a result.
func (v MatchView) Over() bool { return v.A.Ending != "" }

// InPlay reports whether a referee has the match and there is no result yet.
func (v MatchView) InPlay() bool { return v.Status == "PENDING" && !v.Over() }

// Thinking returns a player of a match in play; nil if nothing is known of it.
func (v MatchView) Thinking(id string) *LivePlayer {
	if v.Live != nil {
		for i := range v.Live.Players {
			if v.Live.Players[i].ID == id {
				return &v.Live.Players[i]
			}
		}
	}
	return nil
}

// StatusWords returns the status of the match in words.
func (v MatchView) StatusWords() string {
	winner := ""
	for _, side := range []ContestantView{v.A, v.B} {
		if side.Ending == protocol.Win {
			winner = cmp.Or(side.Name, side.ID) + " wins"
		}
	}
	switch v.Status {
	case protocol.Win:
		return winner
	case protocol.Draw:
		return "draw"
	case protocol.TechnicalLoss:
		if winner == "" {
			return "nobody wins"
		}
		return winner + " by forfeit"
	case "PENDING":
		return "in play"
	}
	return "not started"
}

// Named replaces the ids of the two players in a sentence by their names.
func (v MatchView) Named(text string) string { return named(text, v.A.NameView, v.B.NameView) }

// Forfeits returns the players that lost by forfeit.
func (v MatchView) Forfeits() (out []ContestantView) {
	for _, side := range []ContestantView{v.A, v.B} {
		if side.Forfeit != nil {
			out = append(out, side)
		}
	}
	return out
}

// MarkLook returns the style class of the player's mark.
func (s ContestantView) MarkLook() string { return board.MarkLook(s.Mark) }

// Cause returns the reason of the player's forfeit.
func (s ContestantView) Cause() string { return cmp.Or(s.Detail, s.Meaning) }

// Words returns the player's outcome in words.
func (s ContestantView) Words() string { return endingWords(s.Ending) }

// A TakenView is an attempt at a match.
type TakenView struct {
	Attempt int      `json:"attempt"`
	Referee NameView `json:"referee"`
}

// A ContestantView is a player in a match.
type ContestantView struct {
	NameView
	Ending  string         `json:"result,omitempty"` // WIN, DRAW, LOSS, TECHNICAL_LOSS
	Points  *int           `json:"points,omitempty"`
	Moves   string         `json:"moves,omitempty"`
	Clock   string         `json:"-"` // the time that it has used
	Mark    string         `json:"-"` // on the board, such as X
	Forfeit *advice.Advice `json:"forfeit,omitempty"`
	Meaning string         `json:"meaning,omitempty"` // of the forfeit
	Detail  string         `json:"detail,omitempty"`  // the referee's last description: see [cause]

	Usage *view.UsageView `json:"usage,omitempty"` // of a language model, as reported by the player
}

// A DrawView is the draw of a match with its proof.
type DrawView struct {
	Number     *int   `json:"number"`
	Parity     string `json:"parity,omitempty"`
	Key        string `json:"key"`
	Commitment string `json:"commitment"`
	Promise    string `json:"draw_commitment"`       // the league's, from before the first registration
	Secret     string `json:"draw_secret,omitempty"` // revealed when the league is over
}

// matchView returns the view of a match from the log and, if there is one, its record. Insider reports whether the
// reader may see the answers of a player's agent.
func matchView(s *league.State, id string, record func(attempt int) (protocol.MatchRecord, bool),
	insider func(player string) bool) (MatchView, bool) {
	found, ok := view.MatchOf(s, id)
	if !ok {
		return MatchView{}, false
	}
	m := *found
	v := MatchView{
		LeagueID: s.Created.LeagueID, MatchID: m.ID, Round: m.Round, GameType: s.Created.GameType, Status: "SCHEDULED",
		A: ContestantView{NameView: nameOf(s, m.A)}, B: ContestantView{NameView: nameOf(s, m.B)},
		Referee:  nameOf(s, m.Attempt().Referee),
		Attempts: []TakenView{}, Timeline: []Line{}, Stages: []StageView{},
	}
	v.Before, v.After = adjacent(s, m)
	v.Hosted = m.Hosted
	v.Basis, v.Contested, v.Annulled, v.CanAnnul = m.Proof, contests(&m), m.Annulled, m.Outcome != nil && !s.Completed()
	for _, a := range m.Assigned {
		v.Status = "PENDING"
		v.Attempts = append(v.Attempts, TakenView{a.Attempt, nameOf(s, a.Referee)})
	}
	if m.Outcome != nil {
		v.over(s, m)
		rec, known := record(m.Outcome.Attempt)
		if !known || rec.MatchID != m.ID || rec.Attempt != m.Outcome.Attempt {
			rec = s.RecordFromLog(&m)
		}
		v.recorded(&rec, known, m, insider)
	}
	return v, true
}

// over fills in the result from the log.
func (v *MatchView) over(s *league.State, m league.Match) {
	r := m.Outcome.Result
	v.Status, v.Referee = r.Status, nameOf(s, m.Outcome.Referee)
	for _, side := range []*ContestantView{&v.A, &v.B} {
		side.Ending, side.Usage = r.For(side.ID), view.NewUsageView(view.UsageIn(m.Outcome, side.ID))
		points := m.Points(side.ID, s.Created.Scoring)
		side.Points, side.Moves = &points, movesOf(m.Outcome, side.ID)
		if code, forfeited := r.Forfeits[side.ID]; forfeited {
			a := advice.On(s.Created.GameType, shown(code))
			side.Forfeit, side.Meaning = &a, protocol.ForfeitMeaning(shown(code))
		}
	}
	if r.Drawn != nil || m.Outcome.DrawKey != "" {
		v.Draw = &DrawView{Number: r.Drawn, Key: m.Outcome.DrawKey, Promise: s.Created.DrawCommitment, Secret: s.DrawSecret}
	}
}

// recorded fills in the data of the record.
func (v *MatchView) recorded(rec *protocol.MatchRecord, known bool, m league.Match, insider func(player string) bool) {
	v.Recorded, v.Complete = known, rec.TranscriptComplete
	v.Reason = named(shown(protocol.RedactText(rec.Result.Reason)), v.A.NameView, v.B.NameView)
	v.Started, v.Ended = rec.Lifecycle.StartedAt, rec.Lifecycle.CompletedAt
	for _, side := range []*ContestantView{&v.A, &v.B} {
		if side.Forfeit != nil && side.Forfeit.Code != protocol.Declined {
			side.Detail = cause(rec.LastErrorDetail(side.ID), insider(side.ID))
		}
	}
	if v.Draw != nil {
		if v.Draw.Commitment = rec.Fairness.Commitment; rec.Result.NumberParity.Value != nil {
			v.Draw.Parity = shown(*rec.Result.NumberParity.Value)
		}
	}
	v.Timeline = append(v.Timeline, timeline(rec, assignment(m), reportOf(rec, m))...)
	v.replayed()
	v.moves = m.Outcome.Moves
	v.choices = [2][]string{view.MovesOf(m.Outcome, v.A.ID), view.MovesOf(m.Outcome, v.B.ID)}
	for _, side := range []*ContestantView{&v.A, &v.B} {
		side.Clock = thought(v.Timeline, side.ID)
	}
	if n := len(v.Positions); n > 0 {
		v.A.Mark, v.B.Mark = v.Positions[n-1].Marks()[0], v.Positions[n-1].Marks()[1]
	}
	v.Stages = append(v.Stages, stageViews(rec)...)
}

// replayed sets the positions from the messages, and marks each message with the newest position at that time.
func (v *MatchView) replayed() {
	var messages []replay.Message
	for _, l := range v.Timeline {
		m := replay.Message{Type: protocol.Type(l.Type), From: l.From, To: l.To, Body: l.Message}
		if l.Try != nil {
			m.AgentMS = l.Try.AgentMS
		}
		messages = append(messages, m)
	}
	var at []int
	v.Positions, at = replay.Positions(messages, v.A.replay(), v.B.replay())
	for i := range v.Timeline {
		v.Timeline[i].Board = at[i]
	}
}

// Moves lists the moves of the match in rows.
func (v MatchView) Moves() []replay.Row { return replay.Rows(v.Positions, v.B.ID, v.Mistake) }

// TwoViews reports whether the players saw different positions, so that the page offers both perspectives.
func (v MatchView) TwoViews() bool { return replay.TwoViews(v.Positions) }

// story returns the match in a sentence: how it was won, or the referee's reason.
func (v MatchView) story() string {
	winner, loser := v.A.replay(), v.B.replay()
	if v.B.Ending == protocol.Win {
		winner, loser = loser, winner
	}
	if v.Status == protocol.Win {
		if story := replay.Story(v.Positions, winner, loser, v.Mistake); story != "" {
			return story
		}
	}
	if reason := strings.TrimSuffix(v.Reason, "."); reason != "" {
		return capital(reason) + "."
	}
	return ""
}

// thought returns the time that a player took for its moves; "" if it is unknown.
func thought(lines []Line, player string) string {
	ms := 0.0
	for _, l := range lines {
		if l.Try != nil && l.To == player && protocol.Type(l.Type) != protocol.TypeGameInvitation {
			ms += l.Try.AgentMS
		}
	}
	if ms == 0 {
		return ""
	}
	return took(ms)
}

// sheet sets the positions of a match without a board, from its moves.
func (v *MatchView) sheet() {
	drawn, parity := "", ""
	if v.Draw != nil && v.Draw.Number != nil {
		drawn, parity = strconv.Itoa(*v.Draw.Number), v.Draw.Parity
	}
	v.Positions = replay.Sheet(v.choices, drawn, parity, v.A.replay(), v.B.replay())
	if len(v.Positions) == 0 {
		return
	}
	over := false
	for i, l := range v.Timeline {
		if over = over || l.Type == string(protocol.TypeGameOver) || l.To == managerLane; over {
			v.Timeline[i].Board = 1
		}
	}
}

// assignment returns the assignment of the match, from the log.
func assignment(m league.Match) json.RawMessage {
	for _, a := range m.Assigned {
		if a.Attempt == m.Outcome.Attempt {
			return encoded(a)
		}
	}
	return json.RawMessage("null")
}

// reportOf returns the report of the result, from the record.
func reportOf(rec *protocol.MatchRecord, m league.Match) json.RawMessage {
	return protocol.RedactMessage(encoded(rec.Report(m.Outcome.RecordSHA256)))
}

// encoded encodes a value as indented JSON, or null if it cannot be encoded.
func encoded(v any) json.RawMessage {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return json.RawMessage("null")
	}
	return b
}

// adjacent returns the matches before and after a match, in its round.
func adjacent(s *league.State, m league.Match) (before, after string) {
	all := s.InRound(m.Round)
	i := slices.IndexFunc(all, func(o *league.Match) bool { return o.ID == m.ID })
	if i > 0 {
		before = all[i-1].ID
	}
	if i >= 0 && i < len(all)-1 {
		after = all[i+1].ID
	}
	return before, after
}
