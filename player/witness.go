package player

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
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

// A witness keeps what the player hears of its league's log. Guarded by its agent.
type witness struct {
	place *place
	who   *rpc.Applicant
	log   *slog.Logger
	was   *Witness            // what it had heard before it was started again; nil: nothing
	keep  func(Witness) error // is told of what was heard, after each new head; nil: nobody is

	heard  *Witness      // nil: nothing has been told yet, as to most of an idle crowd
	retold map[Head]bool // lines of which another head was told than first
}

// witnessSchema is the version of the form.
const witnessSchema = "1.0.0"

// hear notes a head that the manager tells. What was told first of a line
// stands: who has read a message of the manager's can repeat it with other
// words, and a manager that tells two pasts is contradicted by the first as well.
func (w *witness) hear(h Head) {
	if w.place.seal == "" || h.Head == "" {
		return
	}
	w.recall()
	if first := w.heard.of(h.What, h.Round); first != nil {
		if line := (Head{What: h.What, Round: h.Round}); *first != h && !w.retold[line] {
			put(&w.retold, line, true)
			w.log.Warn(
				"the manager, or someone who can read its messages, sent another head than before; the first one stays",
				slog.String("what", h.What), slog.Int("round_id", h.Round), slog.String("head", protocol.Plain(h.Head)))
		}
		return
	}
	at, now := w.place, *w.heard
	now.SchemaVersion, now.LeagueID, now.Seal, now.PlayerID, now.PublicKey = witnessSchema, at.league, at.seal, at.id,
		w.who.PublicKey()
	h.Head = strings.Clone(h.Head) // it is kept for long, the message that it came in is not
	// Who was told of fewer heads may still read them: nothing but what follows them is written.
	now.Heads, now.LastUpdated = append(now.Heads, h), protocol.Stamp(time.Now())
	*w.heard = now
	if w.keep == nil {
		return
	}
	if err := w.keep(now); err != nil {
		w.log.Error("what the manager sent about its log could not be saved", slog.Any("error", err))
	}
}

// of returns the head of a line, or nil. What is told is mostly the newest once more, or new: that one is found at
// once, and the other by looking at hardly more than the numbers of the rounds, of which a league may have thousands.
func (w *Witness) of(what string, round int) *Head {
	for i := len(w.Heads) - 1; i >= 0; i-- {
		if h := &w.Heads[i]; h.Round == round && h.What == what {
			return h
		}
	}
	return nil
}

// head is the newest of the league's heads that the player has heard, or "".
func (w *witness) head() string {
	w.recall()
	if len(w.heard.Heads) == 0 {
		return ""
	}
	return w.heard.Heads[len(w.heard.Heads)-1].Head
}

// recall takes up what the player heard in this league before it was
// started again. What it heard in another stays out of it.
func (w *witness) recall() {
	if w.heard != nil && w.heard.Seal == w.place.seal && w.heard.PlayerID == w.place.id {
		return
	}
	w.heard = &Witness{Seal: w.place.seal, PlayerID: w.place.id}
	if was := w.was; was != nil && was.Seal == w.place.seal && was.PlayerID == w.place.id {
		*w.heard = *was
		w.heard.Heads = slices.Clip(was.Heads) // what was heard before is not written over, however often it is taken up
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

// sign signs what the manager says of the league's end, for its
// acknowledgement.
func (w *witness) sign(ack *protocol.Ack, head string) {
	if w.place.seal == "" || head == "" {
		return
	}
	ack.LogHead = head
	ack.Signature = protocol.Sign(w.who.Key(), protocol.LastWordText(w.place.seal, w.place.id, head))
}
