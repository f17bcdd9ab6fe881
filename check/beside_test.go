package check_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentleague/check"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// caller serves a player that acknowledges every message and answers by callback, at a port that it has stored.
func caller(t *testing.T, port int) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked struct {
			Params struct {
				Type         protocol.Type `json:"message_type"`
				Match        string        `json:"match_id"`
				Conversation string        `json:"conversation_id"`
			}
		}
		_ = json.Unmarshal(body, &asked)
		answer := map[protocol.Type]string{
			protocol.TypeGameInvitation:   `"message_type":"GAME_JOIN_ACK","accept":true`,
			protocol.TypeChooseParityCall: `"message_type":"CHOOSE_PARITY_RESPONSE","parity_choice":"even"`,
		}[asked.Params.Type]
		if answer != "" {
			call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"answer","params":{%s,"match_id":%q,"conversation_id":%q,"player_id":"P01"}}`,
				answer, asked.Params.Match, asked.Params.Conversation)
			resp, err := http.Post(fmt.Sprintf("http://localhost:%d/mcp", port), "application/json", strings.NewReader(call))
			if err == nil {
				_ = resp.Body.Close()
			}
		}
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":{"status":"received"}}`)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp"
}

// checkCaller checks such a player, and returns how a step went.
func checkCaller(t *testing.T, port int, id string) protocol.CheckStep {
	t.Helper()
	short := map[protocol.Type]time.Duration{}
	for _, spec := range protocol.Specs() {
		short[spec.Type] = 200 * time.Millisecond
	}
	r, err := check.Run(t.Context(), caller(t, port), check.Options{
		Role: protocol.RolePlayer, Callbacks: port, Deadlines: short, Patience: time.Second, Grace: 300 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range r.Steps {
		if step.ID == id {
			return step
		}
	}
	t.Fatalf("no step is %s: %+v", id, r.Steps)
	return protocol.CheckStep{}
}

func TestPlayerIsHeardAtThePortThatItKnowsByHeart(t *testing.T) {
	t.Parallel()
	if step := checkCaller(t, rpctest.Port(), "P25"); step.Status == protocol.Fail {
		t.Errorf("got %+v, want its answer to be heard", step)
	}
}

func TestCheckSaysThatAPlayerMayHaveCalledWhereItCouldNotListen(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	step := checkCaller(t, port, "P22")
	if want := fmt.Sprintf("if it calls its referee at port %d, end what uses that port", port); step.Status != protocol.Fail ||
		!strings.Contains(step.Detail, want) {
		t.Errorf("got %+v, want %s", step, want)
	}
}
