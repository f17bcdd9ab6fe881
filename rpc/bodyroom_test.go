package rpc_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// Requests reuse memory. Whatever happens to a call, its body never contains parts of another one.
func TestWhatACallSaysIsItsOwn(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	heard := map[string]int{}
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		req, ok := protocol.ReadRequest(body)
		if !ok {
			t.Errorf("this is no request of ours: %s", body)
			return
		}
		m := req.Message.(*protocol.RoundCompleted)
		mu.Lock()
		heard[m.ConversationID]++
		mu.Unlock()
		if want := strings.Repeat("x", len(m.LogHead)) + m.ConversationID; m.LogHead+m.ConversationID != want {
			t.Errorf("got %s", body)
		}
		if strings.HasSuffix(m.ConversationID, "0") {
			panic(http.ErrAbortHandler) // the connection is gone
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"status":"ok"}}`)
	}))
	defer peer.Close()
	n, to := rpc.NewNode("league_manager", rpc.Options{}), rpc.Peer{Endpoint: peer.URL, Dialect: protocol.Canonical}
	ctx, cancel := context.WithTimeout(t.Context(), rpctest.Patience)
	defer cancel()
	var calling sync.WaitGroup
	for k := range 8 {
		calling.Go(func() {
			for i := range 25 {
				m := &protocol.RoundCompleted{Envelope: protocol.Envelope{
					MessageType: protocol.TypeRoundCompleted, ConversationID: fmt.Sprintf("conv-%d-%d", k, i), RoundID: 1,
				}, LogHead: strings.Repeat("x", i*k*30)}
				_, err := n.Call(ctx, to, m)
				if fails := i%10 == 0; fails != (err != nil) {
					t.Errorf("call %d-%d: %v", k, i, err)
				}
			}
		})
	}
	calling.Wait()
	if len(heard) != 8*25 {
		t.Errorf("%d messages were heard, want 200", len(heard))
	}
}

// A player may think for long, and holds the buffer of the question until then.
func TestARoomForQuestionsStaysSmall(t *testing.T) {
	if !rpc.KeepsQuestion(1<<10) || rpc.KeepsQuestion(8<<10) {
		t.Error("a room of 1 KiB is to be used again, and one of 8 KiB is not")
	}
}
