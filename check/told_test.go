package check_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"agentleague/check"
	"agentleague/player"
	"agentleague/protocol"
)

// An interrupted check reports the steps so far, and that it was interrupted.
func TestAnInterruptedCheckTellsWhatItHas(t *testing.T) {
	t.Parallel()
	url := serve(t, player.New("Agent Alpha", first, player.Options{}).Node)
	ctx, stop := context.WithCancelCause(t.Context())
	begun := 0
	r, err := check.Run(ctx, url, check.Options{
		Begin: func(check.Step) { begun++ },
		Step: func(s protocol.CheckStep) {
			if s.ID == "P05" {
				stop(errors.New("enough"))
			}
		},
	})
	if err != nil || !r.Interrupted || len(r.Steps) != 5 || begun != 6 || r.Passed != 5 ||
		!strings.HasPrefix(r.Verdict, "interrupted; so far it conforms") {
		t.Errorf("got %v, %+v after %d steps began", err, r, begun)
	}
}

// An exception, the most frequent mistake, is reported as HTTP 500.
func TestHTTP500IsToldAsThat(t *testing.T) {
	t.Parallel()
	node := player.New("Agent Alpha", first, player.Options{}).Node
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("CHOOSE_PARITY_CALL")) {
			http.Error(w, "KeyError: 'match'\nTraceback", http.StatusInternalServerError)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		node.ServeHTTP(w, r)
	}))
	for _, strict := range []bool{true, false} {
		r, err := check.Run(t.Context(), url, check.Options{Strict: strict})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.Steps {
			if want := "the agent answered HTTP 500 to choose_parity (it said: “KeyError: 'match' Traceback”)"; s.ID == "P25" &&
				(s.Status != protocol.Fail || !strings.Contains(s.Detail, want)) {
				t.Errorf("%s %s: %s", s.Status, s.ID, s.Detail)
			}
			if s.ID == "P25" && (!strings.HasPrefix(s.Received, "500 KeyError") || !strings.Contains(s.Sent, `"method":"choose_parity"`)) {
				t.Errorf("the evidence is not the exchange that failed: %s\n%s", s.Sent, s.Received)
			}
		}
	}
}

// An agent that answers with its own words can play; the report lists the form of the specification.
func TestChoiceInWordsIsToldAsADifference(t *testing.T) {
	t.Parallel()
	node := player.New("Agent Alpha", first, player.Options{}).Node
	for answer, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"result":"I choose even"}`:          `got the words "I choose even"`,
		`{"jsonrpc":"2.0","id":1,"result":{"parity_choice":"Even"}}`: `want "even" as parity_choice, got "Even"`,
	} {
		url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if bytes.Contains(body, []byte("CHOOSE_PARITY_CALL")) {
				_, _ = io.WriteString(w, answer)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			node.ServeHTTP(w, r)
		}))
		r, err := check.Run(t.Context(), url, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(r.Steps, func(s protocol.CheckStep) bool { return s.ID == "P26" })
		if i < 0 || !strings.Contains(r.Steps[i].Detail, want) {
			t.Errorf("%s: got %+v, want %s", answer, r.Steps, want)
		}
	}
}
