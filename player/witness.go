package player

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"agentleague/protocol"
	"agentleague/rpc/native"
)

// A Witness is a file with the published hashes (heads) of its league's log that a native player has received. If the
// log is rewritten later, they prove it.
type Witness struct {
	SchemaVersion string `json:"schema_version"`
	LeagueID      string `json:"league_id"`
	Seal          string `json:"seal"`
	PlayerID      string `json:"player_id"`
	PublicKey     string `json:"public_key"` // with which the player has signed the newest head in each answer
	Heads         []Head `json:"heads"`      // in the order of arrival
	LastUpdated   string `json:"last_updated"`
}

// A Head is the hash of a line of the league's log, as the manager published it.
type Head struct {
	What  string `json:"what"`  // which line: one of the Head constants
	Round int    `json:"round"` // of a closed round; otherwise 0
	Head  string `json:"head"`
}

// The kinds of log lines with hashes that the manager publishes.
const (
	HeadStarted   = "started"   // the league has started
	HeadRound     = "round"     // a round is closed
	HeadCompleted = "completed" // the league is over
)

// A witness collects the published hashes (heads) of the league's log for a player. Guarded by the agent's lock.
type witness struct {
	place *place
	who   *native.Applicant
	log   *slog.Logger
	was   *Witness            // the stored witness; nil: none
	keep  func(Witness) error // is called after each new head; may be nil

	heard  *Witness      // nil: no heads yet, as in most idle players
	retold map[Head]bool // lines with several different heads
}

// witnessSchema is the version of the file format of a [Witness].
const witnessSchema = "1.0.0"

// hear stores a head from the manager. Only the first head of a line is stored; a different one later is logged, since
// it may be forged by a reader of the manager's messages. If the manager itself publishes two versions of the log, the
// first head is sufficient evidence.
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
	// slices that were passed to keep earlier stay valid, since heads are only appended
	now.Heads, now.LastUpdated = append(now.Heads, h), protocol.Stamp(time.Now())
	*w.heard = now
	if w.keep == nil {
		return
	}
	if err := w.keep(now); err != nil {
		w.log.Error("what the manager sent about its log could not be saved", slog.Any("error", err))
	}
}

// of returns the stored head of a line, or nil. what and round identify the line.
func (w *Witness) of(what string, round int) *Head {
	for i := len(w.Heads) - 1; i >= 0; i-- {
		if h := &w.Heads[i]; h.Round == round && h.What == what {
			return h
		}
	}
	return nil
}

// head returns the newest head of the league's log that the player has received, or "".
func (w *witness) head() string {
	w.recall()
	if len(w.heard.Heads) == 0 {
		return ""
	}
	return w.heard.Heads[len(w.heard.Heads)-1].Head
}

// recall loads the stored witness of this league from before a restart; it ignores the file of another league.
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

// announcedHead returns the head in the announcement of a round: that of the league's start, or
// of the end of the previous round.
func announcedHead(r *protocol.RoundAnnouncement) Head {
	if r.RoundID <= 1 {
		return Head{What: HeadStarted, Head: r.LogHead}
	}
	return Head{What: HeadRound, Round: int(r.RoundID) - 1, Head: r.LogHead}
}

// sign adds the player's signature of head, the last hash of the log, to the acknowledgement of the league's end.
func (w *witness) sign(ack *protocol.Ack, head string) {
	if w.place.seal == "" || head == "" {
		return
	}
	ack.LogHead = head
	ack.Signature = protocol.Sign(w.who.Key(), protocol.FinalSignatureText(w.place.seal, w.place.id, head))
}
