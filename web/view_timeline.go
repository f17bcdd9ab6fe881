package web

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/advice"
)

// A Line is one message of a match's timeline.
type Line struct {
	Step    int             `json:"step"` // counted from 1
	At      string          `json:"at,omitempty"`
	Type    string          `json:"message_type"`
	From    string          `json:"from"` // manager, REF01, P01
	To      string          `json:"to"`
	Gist    string          `json:"gist,omitempty"`
	Source  string          `json:"source"` // transcript: from the referee's record; log: from the league's log
	Message json.RawMessage `json:"message"`

	Try    *TryView       `json:"try,omitempty"`   // of a question: its answer
	Fault  *advice.Advice `json:"error,omitempty"` // explains the first error of a kind
	Detail string         `json:"detail,omitempty"`
	Again  bool           `json:"again,omitempty"` // its receiver got the same kind of error before

	X1, X2 int `json:"-"` // the ends of its arrow
	Board  int `json:"-"` // the newest board after this message; -1: there is none
}

// A TryView is the outcome of a question.
type TryView struct {
	Stage      int     `json:"stage"`
	PlayerID   string  `json:"player_id"`
	Asked      string  `json:"message_type"`
	AgentMS    float64 `json:"agent_ms"`
	OverheadMS float64 `json:"overhead_ms"`
	Outcome    string  `json:"outcome"`
	Void       bool    `json:"void,omitempty"`
}

func tryView(t protocol.Try) *TryView {
	return &TryView{t.Stage, t.PlayerID, string(t.Asked), t.AgentMS, t.OverheadMS, t.Outcome, t.Void}
}

// OK reports whether the question was answered correctly.
func (t TryView) OK() bool { return t.Outcome == protocol.Answered || t.Outcome == protocol.CutShort }

// Words describes the outcome of the try, and its time.
func (t TryView) Words() string {
	words := outcomeWords(t.Outcome) + " (" + took(t.AgentMS) + ")"
	switch t.Outcome {
	case protocol.Answered:
		words = "answered in " + took(t.AgentMS)
	case protocol.CutShort:
		words = "had not answered when the referee stopped waiting after " + took(t.AgentMS)
	}
	if t.OverheadMS >= 1 {
		words += " (plus " + took(t.OverheadMS) + " referee delay)"
	}
	if t.Void {
		words += ", not counted"
	}
	return words
}

// Brief is like Words for the timeline, where the next line has the error.
func (t TryView) Brief() string {
	if t.OK() || t.Void {
		return t.Words()
	}
	return "failed after " + took(t.AgentMS)
}

// outcomeWords describes the failure of a try, without a code: "did not answer in time".
func outcomeWords(code string) string {
	if words, ok := strings.CutPrefix(protocol.ForfeitMeaning(code), "it "); ok && words != "failed with "+code {
		return words
	}
	return "failed"
}

// timeline lists the messages of a match in order: the assignment, the messages of referee and players, and the
// report.
func timeline(rec *protocol.MatchRecord, assigned, report json.RawMessage) (out []Line) {
	tries := map[string][]protocol.Try{}
	for _, t := range rec.Tries {
		tries[t.PlayerID] = append(tries[t.PlayerID], t)
	}
	add := func(l Line) {
		l.Step = len(out) + 1
		l.X1, l.X2 = column(rec, l.From), column(rec, l.To)
		out = append(out, l)
	}
	if rec.RefereeID != "" && rec.Attempt > 0 {
		add(Line{
			Type: string(protocol.TypeStartMatch), From: managerLane, To: rec.RefereeID, Source: "log", Message: assigned,
			At: clock(rec.Lifecycle.CreatedAt),
		})
	}
	told := map[[2]string]string{} // the last details of an error, by receiver and kind
	for _, e := range rec.Transcript {
		l := lineOf(rec.GameType, e, tries)
		if l.Fault != nil {
			l.shorten(told)
		}
		add(l)
	}
	if rec.RefereeID != "" && rec.Attempt > 0 && report != nil {
		add(Line{
			Type: string(protocol.TypeMatchResultReport), From: rec.RefereeID, To: managerLane, Source: "log", Message: report,
			Gist: rec.Result.Status,
		})
	}
	return out
}

// shorten removes the details of an error that its receiver got before.
func (l *Line) shorten(told map[[2]string]string) {
	key := [2]string{l.To, l.Fault.Name}
	before, again := told[key]
	told[key] = l.Detail
	if !again {
		return
	}
	l.Again, l.Fault = true, nil
	if rest, same := strings.CutPrefix(l.Gist, before+"; "); same && before != "" {
		l.Gist = "the same again; " + rest
	}
}

// managerLane is the manager's name in a timeline.
const managerLane = "manager"

// questions are the messages that count as tries.
var questions = map[protocol.Type]bool{
	protocol.TypeGameInvitation: true, protocol.TypeChooseParityCall: true, protocol.TypeGameMoveCall: true,
}

// lineOf converts one entry of a transcript. The tries of a player belong to its questions, in order.
func lineOf(game string, e protocol.TranscriptEntry, tries map[string][]protocol.Try) Line {
	l := Line{
		At: clock(e.Timestamp), Type: shown(string(e.MessageType)), From: shown(bareID(e.From)), To: shown(bareID(e.To)),
		Gist: shown(protocol.RedactText(e.Gist())), Source: "transcript", Message: protocol.RedactMessage(e.Message),
	}
	if mine := tries[bareID(e.To)]; questions[e.MessageType] && len(mine) > 0 {
		tries[bareID(e.To)] = mine[1:]
		if mine[0].Asked == e.MessageType {
			l.Try = tryView(mine[0])
		}
	}
	if e.MessageType == protocol.TypeGameError {
		told := failure(e.Message)
		a := advice.On(game, shown(told.Name))
		l.Gist = strings.TrimPrefix(l.Gist, a.Name+": ") // the rest of the line names it in words
		l.Fault, l.Detail = &a, shown(protocol.RedactText(told.Detail))
	}
	return l
}

// column returns the column of an agent's line: the manager's, the first player's, the referee's, the other player's.
func column(rec *protocol.MatchRecord, id string) int {
	switch id {
	case managerLane:
		return 35
	case rec.PlayerAID:
		return 105
	case rec.PlayerBID:
		return 245
	}
	return 175
}

// Tip draws the tip of the arrow.
func (l Line) Tip() string {
	if l.X2 > l.X1 {
		return fmt.Sprintf("M%d 11L%d 16L%d 21Z", l.X2-8, l.X2, l.X2-8)
	}
	return fmt.Sprintf("M%d 11L%d 16L%d 21Z", l.X2+8, l.X2, l.X2+8)
}

// Words names the type of the message, for people.
func (l Line) Words() string { return view.Words(l.Type) }

// Bad reports whether the message is about an error.
func (l Line) Bad() bool { return l.Fault != nil || l.Again }

// Loud reports whether the message is essential to the match.
func (l Line) Loud() bool { return l.Gist != "" }

// bareID returns the id of a sender such as player:P01.
func bareID(sender string) string {
	if _, id, ok := strings.Cut(sender, ":"); ok {
		return id
	}
	return sender
}

// clock returns the time of day of a timestamp.
func clock(stamp string) string {
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return ""
	}
	return at.UTC().Format("15:04:05")
}

// messageMost limits the length of a message on the page; the API has all of it.
const messageMost = 12_000

// Text returns the message in the page's form.
func (l Line) Text() string {
	if text := string(l.Message); len(text) <= messageMost {
		return text
	}
	return strings.ToValidUTF8(string(l.Message[:messageMost]), "") + "\n… (cut; the JSON of this page has all of it)"
}
