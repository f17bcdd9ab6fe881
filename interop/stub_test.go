package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// envelope writes a message with all that it has to begin with in strict mode.
func envelope(messageType, sender, more string) string {
	return fmt.Sprintf(`{"protocol":"league.v2","message_type":%q,"sender":%q,"timestamp":"2026-11-15T10:00:00Z","conversation_id":"conv-1",%s}`,
		messageType, sender, more)
}

// post sends a request to the league's manager and returns its answer.
func (h *testLeague) post(method, params string) string {
	h.t.Helper()
	resp, err := http.Post(h.url, "application/json",
		strings.NewReader(`{"jsonrpc":"2.0","method":"`+method+`","params":`+params+`,"id":1}`))
	if err != nil {
		h.t.Fatal(err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	_, _ = body.ReadFrom(resp.Body)
	return body.String()
}

// stub is a third-party referee that accepts every match and plays none. Ordered waits for its next order.
func stub(t *testing.T) (endpoint string, ordered func() string) {
	t.Helper()
	orders := make(chan string, 64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			Method string `json:"method"`
			Params struct {
				MatchID string `json:"match_id"`
			} `json:"params"`
		}
		_ = json.NewDecoder(r.Body).Decode(&call)
		if call.Method == "start_match" {
			orders <- call.Params.MatchID
		}
		_, _ = fmt.Fprint(w, `{"jsonrpc":"2.0","result":{"status":"ACCEPTED"},"id":1}`)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/mcp", func() string {
		t.Helper()
		select {
		case match := <-orders:
			return match
		case <-time.After(20 * time.Second):
			t.Fatal("no match was ordered")
			return ""
		}
	}
}

// enrol registers the referee of another make at an endpoint as REF01, and returns its token.
func (h *testLeague) enrol(endpoint string) (token string) {
	h.t.Helper()
	granted := h.post("register_referee", envelope("REFEREE_REGISTER_REQUEST", "referee:REF01",
		`"referee_meta":{"display_name":"Stranger","version":"1.0.0","game_types":["even_odd"],"contact_endpoint":"`+
			endpoint+`","max_concurrent_matches":2}`))
	var admission struct {
		Result struct {
			Token string `json:"auth_token"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(granted), &admission); err != nil || admission.Result.Token == "" {
		h.t.Fatalf("got %s", granted)
	}
	return admission.Result.Token
}
