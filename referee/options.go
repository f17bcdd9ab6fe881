package referee

import (
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// retryInterval is the interval of retries of calls that must succeed.
const retryInterval = 2 * time.Second

// Options configures a referee. Zero values select the defaults.
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
	Mailbox      native.OpenMailbox          // see [native.ApplicantOptions]
	KeepIdentity func(native.Identity) error // keeps each place before it is taken; default: none
	Secret       []byte                      // the root's referee secret, which identifies the organiser's referees to a manager
	JoinKey      string                      // shown in place of a token by a referee that has none yet

	// Over is called once when the manager announces the end of the league, and has all records. It may be nil.
	Over func()

	// Suspended returns the total time for which this process was suspended, see [Pulse.Suspended]. If nil, the referee
	// detects suspensions only by deadlines that it notices late.
	Suspended func() time.Duration
	// Longest returns the longest suspension of this process since a time, see [Pulse.Longest].
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
	if o.Suspended == nil {
		o.Suspended = func() time.Duration { return 0 }
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

// A Meter collects metrics of a referee. Its methods are called concurrently and must not block.
type Meter interface {
	// Began reports the start of a match. Exactly one call of Ended follows.
	Began()
	// Asked reports that a call with a question is sent to a seat, including retries.
	Asked(question protocol.Type)
	// Tried reports the duration of a try: the player's time, and the referee's overhead.
	Tried(question protocol.Type, agent, overhead time.Duration)
	// Ended reports the end of a match, after its record is durable and before the result is announced. result is nil
	// if the match was cancelled without a record.
	Ended(took time.Duration, result *protocol.GameResult)
}

// unmetered is the no-op meter.
type unmetered struct{}

func (unmetered) Began()                                    {}
func (unmetered) Asked(protocol.Type)                       {}
func (unmetered) Tried(_ protocol.Type, _, _ time.Duration) {}
func (unmetered) Ended(time.Duration, *protocol.GameResult) {}
