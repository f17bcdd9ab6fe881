package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/native"
)

// Thinkers are players that join every match and never choose, so that every pair of them keeps a match in flight.
type thinkers struct {
	manager string
	base    string
	asked   atomic.Int64  // players that were asked to choose
	over    chan struct{} // closed at the end
	nodes   []*rpc.Node
	keys    []*native.Applicant // one each: players that share a port need keys
}

// memoryInFlight measures the growth of a referee for each of that number of open matches, in KiB.
func memoryInFlight(ctx context.Context, program []string, root string, held int) (float64, error) {
	a, err := openEmptyArena(ctx, program, setup{root: root, inFlight: held})
	if err != nil {
		return 0, err
	}
	defer a.close()
	server, err := rpc.Listen(0)
	if err != nil {
		return 0, err
	}
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	h := &thinkers{manager: a.manager.endpoint, base: strings.TrimSuffix(server.URL(), "/mcp"), over: make(chan struct{})}
	go func() { served <- server.Serve(ctx, h) }()
	defer func() { close(h.over); stop(); <-served }()
	if err := h.enter(ctx, 2*held); err != nil {
		return 0, err
	}
	before, err := a.referee.usage(ctx)
	if err != nil {
		return 0, err
	}
	if err := a.order(ctx, protocol.TypeStartLeague); err != nil {
		return 0, err
	}
	if err := h.thinking(ctx, 2*held); err != nil {
		return 0, err
	}
	during, err := a.referee.usage(ctx)
	return (during.rss - before.rss) / 1024 / float64(held), err
}

// enter registers players concurrently.
func (h *thinkers) enter(ctx context.Context, players int) error {
	for n := range players {
		h.nodes = append(h.nodes, h.node(n))
		h.keys = append(h.keys, native.NewApplicant(h.nodes[n], native.ApplicantOptions{Role: protocol.RolePlayer}))
	}
	failed := make([]error, players)
	var coming sync.WaitGroup
	for n := range players {
		coming.Go(func() { failed[n] = h.register(ctx, n) })
	}
	coming.Wait()
	return errors.Join(failed...)
}

// register registers one thinker as a native player with its own key, and retries until it is admitted.
func (h *thinkers) register(ctx context.Context, n int) error {
	endpoint := fmt.Sprintf("%s/p/%d/mcp", h.base, n)
	m := &protocol.LeagueRegisterRequest{
		Envelope: protocol.Envelope{
			MessageType: protocol.TypeLeagueRegisterRequest, ConversationID: "conv-thinkers-" + h.nodes[n].Nonce(12),
			LeagueID: leagueID,
		},
		Meta: protocol.AgentMeta{
			DisplayName: fmt.Sprintf("Thinker %d", n+1), Version: "1.0.0", ProtocolVersion: protocol.Release,
			GameTypes:       []string{"even_odd"},
			ContactEndpoint: endpoint, Native: true, PublicKey: h.keys[n].PublicKey(), AgreementKey: h.keys[n].AgreementKey(),
		},
	}
	under := h.keys[n].Begin(h.manager, endpoint, leagueID, m.ConversationID)
	defer under.End()
	reply, err := h.nodes[n].CallUntil(ctx, under.Peer(), time.Second, m)
	if err != nil {
		return err
	}
	_, err = reply.(*protocol.LeagueRegisterResponse).Granted(playerID(n))
	return err
}

func playerID(n int) string { return protocol.AgentID(protocol.RolePlayer, n+1) }

// node returns the node of one player.
func (h *thinkers) node(n int) *rpc.Node {
	node := rpc.NewNode(protocol.Sender(protocol.RolePlayer, playerID(n)), rpc.Options{})
	node.Handle(protocol.TypeGameInvitation, func(_ context.Context, _ rpc.From, m protocol.Message) (
		protocol.Message, error) {
		yes := true
		return &protocol.GameJoinAck{
			Envelope: answering(m, protocol.TypeGameJoinAck), PlayerID: m.(*protocol.GameInvitation).PlayerID,
			ArrivalTimestamp: protocol.Stamp(time.Now()), Accept: &yes,
		}, nil
	})
	node.Handle(protocol.TypeChooseParityCall, func(ctx context.Context, _ rpc.From, m protocol.Message) (
		protocol.Message, error) {
		h.asked.Add(1)
		select {
		case <-h.over:
		case <-ctx.Done():
		}
		return &protocol.ChooseParityResponse{
			Envelope: answering(m, protocol.TypeChooseParityResponse), PlayerID: m.(*protocol.ChooseParityCall).PlayerID,
			ParityChoice: json.RawMessage(`"even"`),
		}, nil
	})
	for _, t := range []protocol.Type{protocol.TypeRoundAnnouncement, protocol.TypeGameOver, protocol.TypeGameError} {
		spec, _ := protocol.Lookup(t)
		node.Handle(t, func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
			return &protocol.Ack{Envelope: answering(m, spec.Reply), Status: protocol.Acknowledged, PlayerID: playerID(n)}, nil
		})
	}
	return node
}

// answering returns the envelope of an answer: the same conversation, league, round and match.
func answering(m protocol.Message, t protocol.Type) protocol.Envelope {
	head := m.Head()
	return protocol.Envelope{
		MessageType: t, ConversationID: head.ConversationID, LeagueID: head.LeagueID, RoundID: head.RoundID,
		MatchID: head.MatchID,
	}
}

// ServeHTTP routes /p/7/mcp to player 7.
func (h *thinkers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var n int
	if _, err := fmt.Sscanf(r.URL.Path, "/p/%d/", &n); err != nil || n < 0 || n >= len(h.nodes) {
		http.NotFound(w, r)
		return
	}
	http.StripPrefix(fmt.Sprintf("/p/%d", n), h.nodes[n]).ServeHTTP(w, r)
}

// thinking waits until all players have been asked to choose.
func (h *thinkers) thinking(ctx context.Context, players int) error {
	ctx, cancel := context.WithTimeout(ctx, 25*time.Second) // before the first of them is late
	defer cancel()
	for int(h.asked.Load()) < players {
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("only %d of %d players were asked to choose", h.asked.Load(), players)
		}
	}
	return nil
}
