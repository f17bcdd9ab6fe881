package league

import (
	"agentleague/protocol"
	"time"
)

// An Order is a recorded order of the admin.
type Order struct {
	At   time.Time
	What string // created, enlisted, start, pause, resume, drain, cancel, withdraw, rest, invite, readmit, rename, merge or annul
	ID   string // of the agent or match that it is about, if it is about one
	By   string // the requesting user; "": not in the log
}

// orderOf returns the order that an event records; ok is false if it records none.
func orderOf(at time.Time, e Event) (o Order, ok bool) {
	o.At = at
	switch e := e.(type) {
	case Created:
		o.What, o.By = "created", e.By
	case Registered:
		o.What, o.ID, o.By = "enlisted", e.ID, e.By
	case StartOrdered:
		o.What, o.By = "start", e.By
	case Paused:
		o.What, o.By = "pause", e.By
	case Resumed:
		o.What, o.By = "resume", e.By
	case Drained:
		o.What, o.By = "drain", e.By
	case Cancelled:
		o.What, o.By = "cancel", e.By
	case Withdrawn:
		o.What, o.ID, o.By = "withdraw", e.ID, e.By
	case Invited:
		o.What, o.ID, o.By = "invite", e.Name, e.By
	case Readmitted:
		o.What, o.ID, o.By = "readmit", e.ID, e.By
	case Renamed:
		o.What, o.ID, o.By = "rename", e.ID, e.By
	case mergedEvent:
		o.What, o.ID, o.By = "merge", e.Kept, e.By
	case playerRested:
		o.What, o.ID, o.By = "rest", e.ID, e.By
	case Annulled:
		o.What, o.ID, o.By = "annul", e.Match, e.By
	}
	return o, o.What != "" && (o.By != "" || o.What != "created" && o.What != "enlisted")
}

// Origin sanitizes and truncates text that names the origin of an order, such as a client, for the log.
func Origin(by string) string { return Clip(protocol.Plain(by)) }

// ErrOver returns the error for an order to a league that is over.
func ErrOver() error { return protocol.Errorf(protocol.LeagueAlreadyComplete, "the league is over") }
