package host

import (
	"sync"
	"time"

	"agentleague/config"
	"agentleague/protocol"
)

// Deadlines are the configured timeouts for the answers to an agent's messages. The timeouts of a referee's questions
// in a match are in [Env.Policy]; the manager's call of a registering agent has its own timeout. The map is shared by
// all agents with the same configuration, and must not be changed.
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

// generic is the protocol's default timeout for answers.
const generic = 10 * time.Second
