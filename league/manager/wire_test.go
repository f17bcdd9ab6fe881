package manager_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentleague/game"
	"agentleague/league"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
)

// call sends a message to the manager with a given sender, from a separate machine.
func (w *world) call(sender, token string, m protocol.Message) (protocol.Message, error) {
	name := "client of " + sender
	p := w.procs[name]
	if p == nil {
		p = w.net.Boot(name, fmt.Sprintf("http://localhost:%d/mcp", 9000+len(w.procs)))
		w.procs[name] = p
	}
	n := rpc.NewNode(sender, rpc.Options{Network: p})
	return n.Call(w.ctx, w.peer(token), m)
}

// peer returns the manager as a peer of the agent with that token: a native agent authenticates its requests with it.
func (w *world) peer(token string) rpc.Peer {
	_, id := protocol.ParseSender(protocol.TokenOwner(token))
	if a := w.state().Agents[id]; a == nil || !a.Native() || protocol.Sender(a.Role, id) != protocol.TokenOwner(token) {
		return rpc.Peer{Endpoint: managerURL, Token: token}
	}
	return rpc.Peer{Endpoint: managerURL, Dialect: protocol.Canonical,
		Auth: credulous{&protocol.Credential{Token: token, LeagueID: leagueID, AgentID: id}}}
}

// credulous authenticates requests, and reads answers that are not authenticated too.
type credulous struct{ *protocol.Credential }

func (c credulous) ReadAnswer(body []byte, want protocol.Type, conversation string) (protocol.Message, error) {
	m, err := c.Credential.ReadAnswer(body, want, conversation)
	if errors.Is(err, protocol.ErrUnauthenticated) {
		err = rpc.ErrNotAgreed
	}
	return m, err
}

// order has the admin order something.
func (w *world) order(t protocol.Type, player string) (*protocol.LeagueControlAck, error) {
	m := &protocol.Tool{Envelope: protocol.Envelope{MessageType: t, ConversationID: "conv-admin"}, PlayerID: player}
	reply, err := w.call("admin", adminToken, m)
	ack, _ := reply.(*protocol.LeagueControlAck)
	return ack, err
}

// named is an agent's introduction.
func named(name, endpoint string) protocol.AgentMeta {
	return protocol.AgentMeta{
		DisplayName: name, Version: "1.0.0", GameTypes: []string{"even_odd"}, ContactEndpoint: endpoint,
	}
}

// apply asks for a place among the players.
func (w *world) apply(sender, token, conversation string, meta protocol.AgentMeta) *protocol.LeagueRegisterResponse {
	w.t.Helper()
	reply, err := w.call(sender, token, &protocol.LeagueRegisterRequest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeLeagueRegisterRequest, ConversationID: conversation, AuthToken: token,
		}, Meta: meta,
	})
	if err != nil {
		w.t.Errorf("%s registers: %v", sender, err)
		return &protocol.LeagueRegisterResponse{}
	}
	return reply.(*protocol.LeagueRegisterResponse)
}

// await waits until the manager's state is as wanted.
func (w *world) await(within time.Duration, what string, f func(s *league.State) bool) {
	w.t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var ok bool
		w.manager.Read(func(s *league.State) { ok = f(s) })
		if ok {
			return
		}
	}
	w.t.Errorf("after %v it is still not so: %s", within, what)
}

func started(s *league.State) bool { return s.Started() }

// slow chooses after a time.
func slow(d time.Duration) player.Strategy {
	return player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
		select {
		case <-time.After(d):
			return v.Options[0], nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	})
}

// seen lists the requests to a machine, by the label of its calls, with the times.
func (w *world) seen(port int, what string) (times []time.Duration, labels []string) {
	for _, line := range w.net.Trace() {
		at, rest, _ := strings.Cut(line, " ")
		_, label, ok := strings.Cut(rest, fmt.Sprintf(" > localhost:%d ", port))
		label, arrives := strings.CutSuffix(label, " arrives")
		if !ok || !arrives || !strings.HasPrefix(label, what) {
			continue
		}
		s, _ := strconv.ParseFloat(at, 64)
		times, labels = append(times, time.Duration(s*float64(time.Second))), append(labels, label)
	}
	return times, labels
}

// logged reports whether any process has logged a text.
func (w *world) logged(text string) bool {
	w.logMu.Lock()
	defer w.logMu.Unlock()
	return strings.Contains(w.logs.String(), text)
}

// refusal returns the name of the error that an agent answered with.
func refusal(err error) string {
	var r *protocol.Refusal
	if errors.As(err, &r) {
		return fmt.Sprint(r.Name, " ", r.Code)
	}
	return fmt.Sprint(err)
}

// status asks the manager in public.
func (w *world) status() (s protocol.LeagueStatus) {
	w.t.Helper()
	w.data(protocol.TypeGetLeagueStatus, "player:nobody", "", "", protocol.QueryParams{}, "status", &s)
	return s
}

// unresponsive makes a player that plays but never answers the manager.
func (w *world) unresponsive(n int) {
	for _, t := range []protocol.Type{
		protocol.TypeRoundAnnouncement, protocol.TypeLeagueStandingsUpdate, protocol.TypeRoundCompleted,
		protocol.TypeLeagueCompleted,
	} {
		w.players[protocol.AgentID(protocol.RolePlayer, n)].Node.Handle(t,
			func(ctx context.Context, _ rpc.From, _ protocol.Message) (protocol.Message, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
	}
}

// ask sends a query.
func (w *world) query(t protocol.Type, sender, token, kind string, p protocol.QueryParams) (
	*protocol.LeagueQueryResponse, error) {
	reply, err := w.call(sender, token, &protocol.LeagueQuery{
		Envelope: protocol.Envelope{MessageType: t, ConversationID: "conv-query"}, QueryType: kind, QueryParams: p,
	})
	answer, _ := reply.(*protocol.LeagueQueryResponse)
	return answer, err
}

// data asks for something and reads one member of the answer's data.
func (w *world) data(t protocol.Type, sender, token, kind string, p protocol.QueryParams, member string, into any) {
	w.t.Helper()
	a, err := w.query(t, sender, token, kind, p)
	if err != nil || !a.Success {
		w.t.Errorf("%s %s: %+v, %v", t, kind, a, err)
		return
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(a.Data, &members); err != nil {
		w.t.Error(err)
	}
	if err := json.Unmarshal(members[member], into); err != nil {
		w.t.Errorf("%s of %s: %v", member, a.Data, err)
	}
}

// token returns T of a player that runs.
func (w *world) token(id string) string {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	places := w.identities[id].Memberships
	if len(places) == 0 {
		w.t.Fatalf("%s has no place", id)
	}
	return places[len(places)-1].Token
}
