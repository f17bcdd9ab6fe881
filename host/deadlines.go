package host

import (
	"sync"
	"time"

	"agentleague/config"
	"agentleague/protocol"
)

// Deadlines returns the configured timeouts for the answers to an agent's messages. It does not cover a referee's
// requests in a match, which [Env.Policy] has, nor the manager's call of a registering agent. The map is cached and
// shared, and must not be changed.
func Deadlines(t config.Timeouts) map[protocol.Type]time.Duration {
	if known, ok := deadlines.Load(t); ok {
		return known.(map[protocol.Type]time.Duration)
	}
	known, _ := deadlines.LoadOrStore(t, readDeadlines(t))
	return known.(map[protocol.Type]time.Duration)
}

// deadlines caches the result of Deadlines by configuration: there are few configurations and many agents.
var deadlines sync.Map // of config.Timeouts

// readDeadlines returns the timeout for the answer to each message, by the timeouts of config/system.json. Messages
// that these do not mention have the protocol's default.
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
		case s.Deadline == defaultDeadline:
			out[s.Type] = t.GenericResponseTimeoutSec.Duration()
		}
	}
	return out
}

// defaultDeadline is the protocol's default timeout for answers.
const defaultDeadline = 10 * time.Second
