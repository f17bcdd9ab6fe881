//go:build unix

package server

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentleague/config"
	"agentleague/league"
	"agentleague/mailbox"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// cpu is how long this process has run on any core.
func cpu(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// connected registers an agent with a mailbox, and returns an invitation of a referee to it. The league is over then.
func connected(t testing.TB, s *Server, agent http.Handler) []byte {
	t.Helper()
	invitation := make(chan []byte, 64)
	link, err := mailbox.Dial(context.WithoutCancel(t.Context()), mailbox.Config{
		Manager: s.Address() + "/mcp", Key: ed25519.NewKeyFromSeed(slices.Repeat([]byte{7}, ed25519.SeedSize)),
		Deliver: func(ctx context.Context, body []byte) mailbox.Answer { // as package host does
			if bytes.Contains(body, []byte(`"GAME_INVITATION"`)) {
				select {
				case invitation <- bytes.Clone(body):
				default:
				}
			}
			r, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/mcp", bytes.NewReader(body))
			r.RemoteAddr = "127.0.0.1:0"
			w := httptest.NewRecorder()
			agent.ServeHTTP(w, r)
			return mailbox.Answer{Status: w.Code, Body: w.Body.Bytes()}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(link.Close)
	answer, err := link.Send(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"register_player","params":{
		"message_type":"LEAGUE_REGISTER_REQUEST","player_meta":{"display_name":"Link","contact_endpoint":%q}}}`, link.Endpoint()))
	if err != nil || !strings.Contains(string(answer.Body), "ACCEPTED") {
		t.Fatalf("%s, %v", answer.Body, err)
	}
	rpctest.Eventually(t, "the end of the league", func() bool { return stateOf(s.First, (*league.State).Completed) })
	return <-invitation
}

// BenchmarkMailbox compares the CPU time of both sides for a referee's message to an agent with a mailbox with that for
// the same message to its own port. Both are the program's own client, server and agent.
func BenchmarkMailbox(b *testing.B) {
	h := newEnv(b)
	h.System.Mailboxes.BytesPerSecond = 1 << 30
	h.League.Bots = &config.Bots{Players: []string{"random"}, Referees: 1}
	h.League.Start = &config.Start{Players: 2, Referees: 1}
	s := openEnv(b, h)
	o := rpc.Options{}
	o.Limits.Open = 1e9
	agent := rpc.NewNode("player:P02", o)
	agent.HandleOpen(protocol.TypeGameInvitation, func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		return &protocol.GameJoinAck{Envelope: protocol.Envelope{MessageType: protocol.TypeGameJoinAck, MatchID: m.Head().MatchID},
			Accept: new(true), PlayerID: "P02"}, nil
	})
	agent.HandleOpen(protocol.TypeChooseParityCall, func(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
		return &protocol.ChooseParityResponse{Envelope: protocol.Envelope{MessageType: protocol.TypeChooseParityResponse,
			MatchID: m.Head().MatchID}, ParityChoice: json.RawMessage(`"even"`), PlayerID: "P02"}, nil
	})
	body := connected(b, s, agent)
	port, err := rpc.Listen(0)
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(b.Context()))
	ended := make(chan error, 1)
	go func() { ended <- port.Serve(ctx, agent) }()
	b.Cleanup(func() { stop(); <-ended })
	var id string
	s.First.Manager.Read(func(st *league.State) {
		for _, a := range st.Agents {
			if a.HasMailbox() {
				id = a.ID
			}
		}
	})
	referee := rpc.NewNetwork(o)
	cost := func(endpoint string) time.Duration {
		before := cpu(b)
		for range 200 {
			status, answer, err := referee.Post(b.Context(), endpoint, string(protocol.TypeGameInvitation), body)
			if status != http.StatusOK || !bytes.Contains(answer, []byte("GAME_JOIN_ACK")) || err != nil {
				b.Fatalf("%s: status %d, %s, %v", endpoint, status, answer, err)
			}
		}
		return (cpu(b) - before) / 200
	}
	direct, relayed := fmt.Sprintf("http://localhost:%d/mcp", port.Port()), protocol.RelayAddress(s.Address(), s.First.ID(), id)
	cost(direct)
	cost(relayed)
	var own, through time.Duration
	for b.Loop() {
		own += cost(direct)
		through += cost(relayed)
	}
	b.ReportMetric(own.Seconds()*1e6/float64(b.N), "direct-µs")
	b.ReportMetric(through.Seconds()*1e6/float64(b.N), "mailbox-µs")
	b.ReportMetric(float64(through)/float64(own), "ratio")
}
