package mailbox

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Limits are the bounds of an [Office]. Zero values select the defaults.
type Limits struct {
	Letters     int           // open letters per mailbox; default 64
	Body        int64         // bytes of a body; default 1 MiB
	Rate        int           // bytes per second from one mailbox; default 1 MiB
	Connections int           // open connections and waiting requests per address; default 64
	New         int           // new mailboxes per minute and address; default 64
	Unused      int           // mailboxes without a registered agent per address; default 64
	UnusedFor   time.Duration // until a mailbox without a registered agent ends; default 10 minutes
}

func (l Limits) withDefaults() Limits {
	l.Letters = cmp.Or(l.Letters, 64)
	l.Body = cmp.Or(l.Body, 1<<20)
	l.Rate = cmp.Or(l.Rate, 1<<20)
	l.Connections = cmp.Or(l.Connections, 64)
	l.New = cmp.Or(l.New, 64)
	l.Unused = cmp.Or(l.Unused, 64)
	l.UnusedFor = cmp.Or(l.UnusedFor, 10*time.Minute)
	return l
}

// A Refusal is a request that a mailbox or its office refuses, with an HTTP status and a sentence for the caller.
type Refusal struct {
	Status int
	Reason string
}

func (r *Refusal) Error() string { return r.Reason }

func refuse(status int, format string, values ...any) error {
	return &Refusal{status, fmt.Sprintf(format, values...)}
}

// The errors of letters and readers.
var (
	// ErrReplaced ends a reader: a newer reader of the same mailbox has taken over.
	ErrReplaced = errors.New("a newer connection with the same key has opened this mailbox")
	// errRestarted is the outcome of a letter if its reader restarted before it answered. Like after a closed connection,
	// it is unknown whether the agent has received the letter.
	errRestarted = errors.New("the agent's end of its mailbox restarted before it answered")
	// errLate refuses an answer to a letter that is not open.
	errLate = &Refusal{http.StatusGone, "no letter of this mailbox waits for this answer: it was answered, or its deadline has passed"}
)
