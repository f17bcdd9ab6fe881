package referee

import (
	"time"

	"agentleague/rpc"
)

// again is how long the referee waits before it repeats what must succeed.
const again = 2 * time.Second

// Options are the parts of a referee that have defaults.
type Options struct {
	rpc.Options
	ID         string   // the id to ask for
	OnlyID     bool     // it does not register under another id
	Token      string   // a token from an earlier registration
	LeagueID   string   // the league to serve; default: the manager's own
	Version    string   // default 1.0.0
	GameTypes  []string // default even_odd
	MaxMatches int      // matches at a time; default 2
	Slots      *Slots   // shared with other referees of its process: a match that was taken on waits for one; nil: none
	Policy     Policy
	Recorder   Recorder // default: memory
	Undecided  Shelf    // where matches wait for the manager's draw; default: memory
	Meter      Meter    // default: nobody is told

	Identity     rpc.Identity             // from an earlier run; default: a new key
	KeepIdentity func(rpc.Identity) error // keeps each place before it is taken; default: nobody does
	Secret       []byte                   // the root's referee secret, by which a manager knows the organiser's referees
	JoinKey      string                   // shown in place of a token by a referee that has none yet

	// Over is called once when the manager says that the league is over; it has every record then. None: nobody is told.
	Over func()

	// Stood tells how long this process has stood still so far, as [Pulse.Stood]
	// does. By default only a deadline that is noticed late tells of it.
	Stood func() time.Duration
	// Longest tells the longest stretch that it stood still after a moment, as [Pulse.Longest] does.
	Longest func(since time.Time) time.Duration
}

// withDefaults fills in what was left at its zero value.
func (o Options) withDefaults() Options {
	if o.Version == "" {
		o.Version = "1.0.0"
	}
	if o.GameTypes == nil {
		o.GameTypes = []string{"even_odd"}
	}
	if o.MaxMatches == 0 {
		o.MaxMatches = 2
	}
	if o.Recorder == nil {
		o.Recorder = &Memory{}
	}
	if o.Undecided == nil {
		o.Undecided = &MemoryShelf{}
	}
	if o.Stood == nil {
		o.Stood = func() time.Duration { return 0 }
	}
	if o.Longest == nil {
		o.Longest = func(time.Time) time.Duration { return 0 }
	}
	if o.Meter == nil {
		o.Meter = unmetered{}
	}
	o.Policy = o.Policy.withDefaults()
	return o
}
