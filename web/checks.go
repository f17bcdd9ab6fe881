package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"agentleague/league"
	"agentleague/protocol"
)

// checks holds the newest checks. They run in the background, so that a user can leave the page and return.
type checks struct {
	mu   sync.Mutex
	last int
	all  []*checkView // oldest first
}

const (
	maxChecks           = 32
	maxConcurrentChecks = 2 // under way at a time
	checkTimeout        = 2 * time.Minute
)

// A checkOrder requests a check: of an endpoint, or of a player of the league.
type checkOrder struct {
	Endpoint string `json:"endpoint"`
	Role     string `json:"role"` // player, referee or empty
	PlayerID string `json:"player_id"`
}

// of starts a check of an agent: of an agent of the league by its id, or of any other by its address. next is the
// address of the page of the check.
func (c *checks) of(m Season, o *Options, order checkOrder) (next string, answer any, err error) {
	if order.PlayerID != "" {
		m.Read(func(st *league.State) {
			if a := st.Agents[order.PlayerID]; a != nil {
				order.Endpoint, order.Role = a.Endpoint, string(a.Role)
			}
		})
	}
	role, err := roleOf(order.Role)
	if err == nil {
		order.Endpoint, err = endpointOf(order.Endpoint)
	}
	if err != nil {
		return "", nil, err
	}
	v, err := c.start(o, m.ID(), order, role)
	return "/leagues/" + m.ID() + "/checks/" + v.ID, v, err
}

// start begins a check.
func (c *checks) start(site *Options, league string, o checkOrder, role protocol.Role) (checkView, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	running := 0
	for _, v := range c.all {
		if !v.Running() {
			continue
		}
		if running++; v.Endpoint == o.Endpoint && v.PlayerID == o.PlayerID {
			return *v, nil // the same check is under way
		}
	}
	if running >= maxConcurrentChecks {
		return checkView{}, &problem{Status: http.StatusTooManyRequests, What: "Too many checks are running.", Do: "Wait until they have finished and try again."}
	}
	c.last++
	v := &checkView{LeagueID: league, checkHead: checkHead{
		ID: strconv.Itoa(c.last), Endpoint: o.Endpoint, Role: string(role), PlayerID: o.PlayerID, State: checkRunning,
		Started: time.Now().UTC().Format(time.RFC3339),
	}}
	c.all = append(c.all, v)
	if len(c.all) > maxChecks {
		c.all = slices.Delete(c.all, 0, 1)
	}
	id := v.ID
	site.Go(func(ctx context.Context) {
		c.run(ctx, id, func(ctx context.Context) (protocol.Report, error) { return site.tryOut(ctx, league, o.Endpoint, role) })
	})
	return *v, nil
}

// tryOut checks an agent, and plays a practice match with it if it is a player that has not registered here.
func (o *Options) tryOut(ctx context.Context, league, endpoint string, role protocol.Role) (protocol.Report, error) {
	r, err := o.Check(ctx, endpoint, role)
	if err != nil || r.Role != protocol.RolePlayer || o.Practise == nil {
		return r, err
	}
	r.Practice, err = o.Practise(ctx, league, r.URL)
	if err != nil { // the report is useful without it
		r.Practice = &protocol.Practice{Said: "No practice match could be played: " + err.Error() + "."}
	}
	return r, nil
}

// run runs a check, with a timeout, and stores its result.
func (c *checks) run(ctx context.Context, id string, check func(context.Context) (protocol.Report, error)) {
	ctx, cancel := context.WithTimeoutCause(ctx, checkTimeout, errSlowCheck)
	defer cancel()
	r, err := check(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.all {
		if v.ID != id {
			continue
		}
		if v.State = checkDone; err != nil {
			v.State, v.Error = checkFailed, said(err.Error(), 400)
			return
		}
		r = plainReport(r)
		v.Report, v.Verdict, v.Name = &r, r.Verdict, r.Agent
		v.checkHead.Role = cmp.Or(v.checkHead.Role, string(r.Role))
	}
}

// errSlowCheck is the cause with which a check is cancelled after its timeout: an agent that delays every step could
// otherwise keep it running for hours.
var errSlowCheck = &problem{Status: http.StatusGatewayTimeout, What: "The check took longer than two minutes " +
	"and was stopped."}

// look returns the check of a league with that id.
func (c *checks) look(league, id string) (checkView, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range c.all {
		if v.ID == id && v.LeagueID == league {
			return *v, true
		}
	}
	return checkView{}, false
}

// heads lists summaries of the checks of a league, the newest first.
func (c *checks) heads(league string) (out []checkHead) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, v := range slices.Backward(c.all) {
		if v.LeagueID == league {
			out = append(out, v.checkHead)
		}
	}
	return out
}

// roleOf parses an agent's role; "" means to be detected.
func roleOf(text string) (protocol.Role, error) {
	switch role := protocol.Role(text); role {
	case "", protocol.RolePlayer, protocol.RoleReferee:
		return role, nil
	}
	return "", badRequest("An agent is a player or a referee, not "+said(text, 32)+".", "Choose player or referee.")
}

// endpointOf parses the address of an agent. The path may be omitted.
func endpointOf(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || len(text) > 500 || u.User != nil {
		return "", badRequest("This is not the address of an agent.", "Use an address such as http://localhost:8101/mcp.")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/mcp"
	}
	u.Fragment = ""
	return u.String(), nil
}
