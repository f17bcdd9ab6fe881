package protocol

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"math"
	"strconv"
	"time"
)

// A MatchRecord is the complete record of one attempt at a match, kept by its
// referee. Its hash is part of the report.
type MatchRecord struct {
	SchemaVersion string    `json:"schema_version"`
	MatchID       string    `json:"match_id"`
	LeagueID      string    `json:"league_id"`
	RoundID       int       `json:"round_id"` // from 1
	GameType      string    `json:"game_type"`
	RefereeID     string    `json:"referee_id"`
	PlayerAID     string    `json:"player_A_id"`
	PlayerBID     string    `json:"player_B_id"`
	Attempt       int       `json:"attempt"`      // from 1; each has a separate record
	LastUpdated   string    `json:"last_updated"` // when the referee wrote it
	Lifecycle     Lifecycle `json:"lifecycle"`    // when it was in which state
	// every message, in the order in which the referee saw them
	Transcript []TranscriptEntry `json:"transcript"`
	// whether it has every message; an incomplete one proves nothing
	TranscriptComplete bool `json:"transcript_complete"`
	// every question, with how long its answer took
	Tries    []Try                    `json:"tries,omitempty"`
	Moves    []PlayedMove             `json:"moves"`            // those that count
	Signed   map[string]SignedAnswers `json:"signed,omitempty"` // by player id
	Usage    map[string]Usage         `json:"usage,omitempty"`  // by the ids of players that reported it
	Fairness Fairness                 `json:"fairness"`         // promise and key of the draw
	Result   GameResult               `json:"result"`
	ReportTo string                   `json:"report_to,omitempty"` // which manager it is for
}

// A Lifecycle holds the times at which a match entered its states.
type Lifecycle struct {
	State       string       `json:"state"`
	CreatedAt   string       `json:"created_at"`   // when the order came
	StartedAt   string       `json:"started_at"`   // when both had joined
	CompletedAt string       `json:"completed_at"` // when the result was settled
	Transitions []Transition `json:"state_transitions"`
}

// A Transition is one change of a match's state.
type Transition struct {
	State     string `json:"state"`
	Timestamp string `json:"timestamp"`
}

// A TranscriptEntry is one message of a match, tokens redacted.
type TranscriptEntry struct {
	Seq         int             `json:"seq"`       // from 1, without a gap
	Timestamp   string          `json:"timestamp"` // by the referee's clock
	MessageType Type            `json:"message_type"`
	From        string          `json:"from"`
	To          string          `json:"to"`
	Message     json.RawMessage `json:"message"` // as it was sent, but for tokens

	plain bool `tight:"message"` // the message is unambiguous for every reader: see MarkPlain
}

// MarkPlain marks the message as the plain output of [EncodePlain], with changes only within strings that are not
// names: it is UTF-8, it has no space between its parts, and no member occurs twice in it at any depth. A record then
// copies it; without the mark it checks all that.
func (e *TranscriptEntry) MarkPlain() { e.plain = true }

// A Try is one attempt to get an answer from a player. The player's time
// and the referee's own delay are recorded separately.
type Try struct {
	Stage    int    `json:"stage"` // those of one stage are asked at once, and wait for each other; 1 is the invitation
	PlayerID string `json:"player_id"`
	Asked    Type   `json:"message_type"` // by which message
	SentAt   string `json:"sent_at"`
	// until the answer came, or as long as it was waited for; the network's time is in it
	AgentMS    float64 `json:"agent_ms"`
	OverheadMS float64 `json:"overhead_ms"` // in which the referee's process stood still or was not ready
	Outcome    string  `json:"outcome"`     // ANSWERED, or the failure
	// it did not count: the referee was late itself, or was still detecting the dialect
	Void bool `json:"void,omitempty"`
}

// The outcomes of a try that are not errors of the player.
const (
	Answered = "ANSWERED"
	CutShort = "CUT_SHORT" // the match ended first
)

// Milliseconds writes a duration as records do.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// Timing adds up the tries by player.
func (r *MatchRecord) Timing() map[string]Timing {
	if len(r.Tries) == 0 {
		return nil
	}
	out := map[string]Timing{}
	for _, t := range r.Tries {
		out[t.PlayerID] = out[t.PlayerID].Plus(Timing{
			1, int(math.Round(1000 * t.AgentMS)), int(math.Round(1000 * t.OverheadMS)),
		})
	}
	return out
}

// Ref names the record.
func (r *MatchRecord) Ref() RecordRef {
	return RecordRef{LeagueID: r.LeagueID, MatchID: r.MatchID, Attempt: r.Attempt}
}

// Report returns the report of the recorded result. hash is that of the record's document.
func (r *MatchRecord) Report(hash string) *MatchResultReport {
	score := map[string]json.RawMessage{}
	for id, points := range r.Result.Score {
		score[id] = json.RawMessage(strconv.Itoa(points))
	}
	return &MatchResultReport{
		Envelope: Envelope{
			MessageType: TypeMatchResultReport, ConversationID: ReportConversation(r.MatchID),
			LeagueID: r.LeagueID, RoundID: Round(r.RoundID), MatchID: r.MatchID,
		},
		GameType: r.GameType,
		Result: ReportedResult{
			Winner: r.Result.WinnerPlayerID, Score: score,
			Details: ReportDetails{
				DrawnNumber: r.Result.DrawnNumber, NumberParity: r.Result.NumberParity, Choices: r.Result.Choices,
				Status: r.Result.Status, Reason: r.Result.Reason, Forfeits: r.Result.Forfeits,
				Parity: r.Result.NumberParity, Outcome: r.Result.Ending(r.PlayerAID).Outcome,
			},
		},
		Attempt: r.Attempt, Moves: r.Moves, Signed: r.Signed, Fairness: &Fairness{Key: r.Fairness.Key}, RecordSHA256: hash,
		AgentTiming: r.Timing(), AgentUsage: r.Usage,
	}
}

// Document returns the record as indented JSON, and the hash of those bytes.
func (r *MatchRecord) Document() (doc []byte, hash string, err error) {
	line, err := r.unambiguous(nil)
	if err != nil {
		return nil, "", err
	}
	out := bytes.NewBuffer(make([]byte, 0, 2*len(line)))
	if err := json.Indent(out, line, "", "  "); err != nil {
		return nil, "", err
	}
	out.WriteByte('\n')
	return out.Bytes(), RecordHash(out.Bytes()), nil
}

// Line returns the record as a single line, without its end, and the hash of those bytes. It has the same content as
// Document in half the bytes; the reported one of the two counts.
func (r *MatchRecord) Line() (doc []byte, hash string, err error) { return r.LineIn(nil) }

// LineIn is like [MatchRecord.Line] but may overwrite room and return a slice of it.
func (r *MatchRecord) LineIn(room []byte) (doc []byte, hash string, err error) {
	if doc, err = r.unambiguous(room); err != nil {
		return nil, "", err
	}
	return doc, RecordHash(doc), nil
}

// OneLine reports whether a record's document was written by Line rather than Document.
func OneLine(doc []byte) bool { return bytes.IndexByte(doc, '\n') < 0 }

// DocumentLike returns the record as Line or Document writes it, like the other document.
func (r *MatchRecord) DocumentLike(other []byte) (doc []byte, err error) {
	if OneLine(other) {
		doc, _, err = r.Line()
		return doc, err
	}
	doc, _, err = r.Document()
	return doc, err
}

// RecordHash returns the SHA-256 of a record's bytes, as in a report.
func RecordHash(doc []byte) string {
	sum := sha256.Sum256(doc)
	return hexText(sum[:])
}

// ParseRecord reads a record's document. A member that is unknown, occurs twice or differs in case is an error: a
// record is unambiguous for every reader.
func ParseRecord(doc []byte) (r MatchRecord, err error) {
	err = StrictUnmarshal(doc, &r)
	return r, err
}
