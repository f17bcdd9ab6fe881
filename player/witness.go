package player

import (
	"log/slog"
	"slices"
	"time"

	"agentleague/protocol"
)

// A Witness is what a native player has heard of its league's log while it
// was written, and the form of the file in which it is kept. Who rewrites the
// log later contradicts it.
type Witness struct {
	SchemaVersion string `json:"schema_version"`
	LeagueID      string `json:"league_id"`
	Seal          string `json:"seal"`
	PlayerID      string `json:"player_id"`
	PublicKey     string `json:"public_key"` // with which the player has signed the newest head in each answer
	Heads         []Head `json:"heads"`      // those that were heard first come first
	LastUpdated   string `json:"last_updated"`
}

// A Head is the hash of a line of the league's log, as the manager told it.
type Head struct {
	What  string `json:"what"`  // which line: one of the Head constants
	Round int    `json:"round"` // of a closed round; otherwise 0
	Head  string `json:"head"`
}

// The lines whose hashes are told.
const (
	HeadStarted   = "started"   // the league has started
	HeadRound     = "round"     // a round is closed
	HeadCompleted = "completed" // the league is over
)

// witnessSchema is the version of the form.
const witnessSchema = "1.0.0"

// bearWitness notes a head that the manager tells. What was told first of a line
// stands: who has read a message of the manager's can repeat it with other
// words, and a manager that tells two pasts is contradicted by the first as well.
// The caller holds the lock.
func (a *Agent) bearWitness(h Head) {
	a.recallWitness()
	if a.seal == "" || h.Head == "" {
		return
	}
	if i := slices.IndexFunc(a.witness.Heads, h.ofSameLine); i >= 0 {
		if line := (Head{What: h.What, Round: h.Round}); a.witness.Heads[i] != h && !a.retold[line] {
			a.retold[line] = true
			a.Node.Logger.Warn("the manager, or who has read its messages, tells another head than before; the first stands",
				slog.String("what", h.What), slog.Int("round_id", h.Round), slog.String("head", protocol.Plain(h.Head)))
		}
		return
	}
	w := a.witness
	w.SchemaVersion, w.LeagueID, w.Seal, w.PlayerID, w.PublicKey = witnessSchema, a.league, a.seal, a.id, a.who.PublicKey()
	w.Heads, w.LastUpdated = append(slices.Clip(w.Heads), h), protocol.Stamp(time.Now())
	a.witness = w
	if a.opts.KeepWitness == nil {
		return
	}
	if err := a.opts.KeepWitness(w); err != nil {
		a.Node.Logger.Error("what was heard of the league's log could not be kept", slog.Any("error", err))
	}
}

// ofSameLine reports whether two heads are told of one line.
func (h Head) ofSameLine(other Head) bool { return h.What == other.What && h.Round == other.Round }

// head is the newest of the league's heads that the player has heard, or "". The caller holds the lock.
func (a *Agent) head() string {
	a.recallWitness()
	if len(a.witness.Heads) == 0 {
		return ""
	}
	return a.witness.Heads[len(a.witness.Heads)-1].Head
}

// recallWitness takes up what the player heard in this league before it was
// started again. What it heard in another stays out of it. The caller holds the lock.
func (a *Agent) recallWitness() {
	if a.witness.Seal == a.seal && a.witness.PlayerID == a.id {
		return
	}
	a.witness = Witness{Seal: a.seal, PlayerID: a.id}
	if was := a.opts.Witness; was.Seal == a.seal && was.PlayerID == a.id {
		a.witness = was
	}
}

// announcedHead names the head of an announcement: the start of the league, or
// the end of the round before.
func announcedHead(r *protocol.RoundAnnouncement) Head {
	if r.RoundID <= 1 {
		return Head{What: HeadStarted, Head: r.LogHead}
	}
	return Head{What: HeadRound, Round: int(r.RoundID) - 1, Head: r.LogHead}
}

// lastWord signs what the manager says of the league's end, for its
// acknowledgement. The caller holds the lock.
func (a *Agent) lastWord(ack *protocol.Ack, head string) {
	if a.seal == "" || head == "" {
		return
	}
	ack.LogHead = head
	ack.Signature = protocol.Sign(a.who.Identity().Key, protocol.LastWordText(a.seal, a.id, head))
}
