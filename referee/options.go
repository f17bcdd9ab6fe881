package referee

import (
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// again is the delay between retries of a call that must succeed.
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
	Meter      Meter    // default: none

	Identity     native.Identity             // from an earlier run; default: a new key
	KeepIdentity func(native.Identity) error // keeps each place before it is taken; default: none
	Secret       []byte                      // the root's referee secret, which identifies the organiser's referees to a manager
	JoinKey      string                      // shown in place of a token by a referee that has none yet

	// Over is called once when the manager announces the end of the league; it has every record then. May be nil.
	Over func()

	// Stood returns the total time that this process has stood still, as [Pulse.Stood] does. By default only a
	// deadline that is noticed late shows it.
	Stood func() time.Duration
	// Longest returns the longest standstill after a moment, as [Pulse.Longest] does.
	Longest func(since time.Time) time.Duration
}

// withDefaults fills in zero values.
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

// A Meter observes the work of a referee. Its methods are called concurrently and must not block.
type Meter interface {
	// Began reports the start of a match; its Ended follows.
	Began()
	// Asked reports that a seat is asked a question, for the first time or again.
	Asked(question protocol.Type)
	// Tried reports the duration of a try: the player's time, and separately the referee's own delay.
	Tried(question protocol.Type, agent, overhead time.Duration)
	// Ended reports that a match is over and its record durable, before its end is announced. A nil result means that
	// it was given up without a record.
	Ended(took time.Duration, result *protocol.GameResult)
}

// unmetered is the meter of a referee that has none.
type unmetered struct{}

func (unmetered) Began()                                    {}
func (unmetered) Asked(protocol.Type)                       {}
func (unmetered) Tried(_ protocol.Type, _, _ time.Duration) {}
func (unmetered) Ended(time.Duration, *protocol.GameResult) {}
