package player

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"agentleague/protocol"
	"agentleague/rpc/native"
)

// A Witness has the heads of its league's log that a native player received, and is the form of the file for it. A
// log that is rewritten later contradicts it.
type Witness struct {
	SchemaVersion string `json:"schema_version"`
	LeagueID      string `json:"league_id"`
	Seal          string `json:"seal"`
	PlayerID      string `json:"player_id"`
	PublicKey     string `json:"public_key"` // with which the player has signed the newest head in each answer
	Heads         []Head `json:"heads"`      // in the order of arrival
	LastUpdated   string `json:"last_updated"`
}

// A Head is the hash of a line of the league's log, from the manager.
type Head struct {
	What  string `json:"what"`  // which line: one of the Head constants
	Round int    `json:"round"` // of a closed round; otherwise 0
	Head  string `json:"head"`
}

// The lines with published hashes.
const (
	HeadStarted   = "started"   // the league has started
	HeadRound     = "round"     // a round is closed
	HeadCompleted = "completed" // the league is over
)

// A witness collects the heads of its league's log. Guarded by its agent.
type witness struct {
	place *place
	who   *native.Applicant
	log   *slog.Logger
	was   *Witness            // the stored witness; nil: none
	keep  func(Witness) error // is called after each new head; may be nil

	heard  *Witness      // nil: no heads yet, as in most idle players
	retold map[Head]bool // lines with several different heads
}

// witnessSchema is the version of the form.
const witnessSchema = "1.0.0"

// hear records a head from the manager. The first head of a line is kept: a later one may be a forgery by a reader of
// the manager's messages, and a manager with two versions of the past is contradicted by the first as well.
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
	// The slices of earlier calls stay valid: heads are only appended.
	now.Heads, now.LastUpdated = append(now.Heads, h), protocol.Stamp(time.Now())
	*w.heard = now
	if w.keep == nil {
		return
	}
	if err := w.keep(now); err != nil {
		w.log.Error("what the manager sent about its log could not be saved", slog.Any("error", err))
	}
}

// of returns the head of a line, or nil. Most heads repeat the newest or are new: the first case is found at once,
// the other by a search over the line numbers, which may be thousands.
func (w *Witness) of(what string, round int) *Head {
	for i := len(w.Heads) - 1; i >= 0; i-- {
		if h := &w.Heads[i]; h.Round == round && h.What == what {
			return h
		}
	}
	return nil
}

// head is the newest head of the league's log that the player has received, or "".
func (w *witness) head() string {
	w.recall()
	if len(w.heard.Heads) == 0 {
		return ""
	}
	return w.heard.Heads[len(w.heard.Heads)-1].Head
}

// recall loads the witness of this league from before a restart, and ignores that of another league.
func (w *witness) recall() {
	if w.heard != nil && w.heard.Seal == w.place.seal && w.heard.PlayerID == w.place.id {
		return
	}
	w.heard = &Witness{Seal: w.place.seal, PlayerID: w.place.id}
	if was := w.was; was != nil && was.Seal == w.place.seal && was.PlayerID == w.place.id {
		*w.heard = *was
		w.heard.Heads = slices.Clip(was.Heads) // the stored heads are not overwritten
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

// sign signs the end of the league, for its acknowledgement.
func (w *witness) sign(ack *protocol.Ack, head string) {
	if w.place.seal == "" || head == "" {
		return
	}
	ack.LogHead = head
	ack.Signature = protocol.Sign(w.who.Key(), protocol.FinalSignatureText(w.place.seal, w.place.id, head))
}
