package host

import (
	"sync"
	"time"

	"agentleague/config"
	"agentleague/protocol"
)

// Deadlines are how long an agent waits for an answer of each kind, as the configuration says. What a referee asks in a
// match has its time in [Env.Policy]; how long a manager looks for an agent that registers is the manager's own affair.
// The map is shared by all that have the same configuration, and not to be changed.
func Deadlines(t config.Timeouts) map[protocol.Type]time.Duration {
	if known, ok := deadlines.Load(t); ok {
		return known.(map[protocol.Type]time.Duration)
	}
	known, _ := deadlines.LoadOrStore(t, readDeadlines(t))
	return known.(map[protocol.Type]time.Duration)
}

// deadlines are those of the configurations that this process has seen: there are few, and many agents of each.
var deadlines sync.Map // of config.Timeouts

// readDeadlines is how long an answer to each message may take, by the timeouts of config/system.json. Messages
// that none of them names keep the protocol's own deadline.
func readDeadlines(t config.Timeouts) map[protocol.Type]time.Duration {
	out := map[protocol.Type]time.Duration{}
	for _, s := range protocol.Specs() {
		switch {
		case s.Reply == "":
		case s.Type == protocol.TypeRefereeRegisterRequest:
			out[s.Type] = t.RegisterRefereeTimeoutSec.Duration()
		case s.Type == protocol.TypeLeagueRegisterRequest:
			out[s.Type] = t.RegisterPlayerTimeoutSec.Duration()
		case s.Type == protocol.TypeMatchResultReport, s.Type == protocol.TypeMatchMovesReport:
			out[s.Type] = t.MatchResultTimeoutSec.Duration()
		case s.Reply == protocol.TypeLeagueQueryResponse, s.Reply == protocol.TypeQueryStandingsResponse:
			out[s.Type] = t.LeagueQueryTimeoutSec.Duration()
		case s.Deadline == generic:
			out[s.Type] = t.GenericResponseTimeoutSec.Duration()
		}
	}
	return out
}

// generic is what the protocol gives every answer that has no time of its own.
const generic = 10 * time.Second
