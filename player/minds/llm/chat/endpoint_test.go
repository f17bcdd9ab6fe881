package chat_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/player/minds/llm/chat"
	"agentleague/rpc/rpctest"
)

func TestEndpointsAreFoundAsPeopleWriteThem(t *testing.T) {
	for _, tt := range []struct {
		kind       chat.API
		base, want string
	}{
		{chat.OpenAI, "http://localhost:11434", "http://localhost:11434/v1/chat/completions"},
		{chat.OpenAI, "http://localhost:11434/", "http://localhost:11434/v1/chat/completions"},
		{chat.OpenAI, "https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"},
		{chat.OpenAI, "https://openrouter.example/api/v1/", "https://openrouter.example/api/v1/chat/completions"},
		{chat.OpenAI, "http://h/v1/chat/completions", "http://h/v1/chat/completions"},
		{chat.OpenAI, "https://h/deployments/d?api-version=1", "https://h/deployments/d/chat/completions?api-version=1"},
		{chat.Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"},
		{chat.Anthropic, "https://gateway.example/anthropic", "https://gateway.example/anthropic/v1/messages"},
		{chat.Anthropic, "http://h/v1", "http://h/v1/messages"},
		{chat.Anthropic, "http://h/v1/messages/", "http://h/v1/messages"},
	} {
		if got, err := chat.Endpoint(tt.kind, tt.base); err != nil || got != tt.want {
			t.Errorf("%s %s: got %s, %v; want %s", tt.kind, tt.base, got, err, tt.want)
		}
	}
	for _, base := range []string{"", "localhost:11434", "ftp://h", "http://", "http://me:secret@h"} {
		if got, err := chat.Endpoint(chat.OpenAI, base); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %s, %v; want an error that tells no password", base, got, err)
		}
	}
}

func TestTheKindOfAServerIsSeenFromItsAddress(t *testing.T) {
	for base, want := range map[string]chat.API{
		"https://api.anthropic.com": chat.Anthropic, "http://localhost:8080/v1/messages": chat.Anthropic,
		"http://localhost:8080": chat.OpenAI, "https://api.openai.com/v1": chat.OpenAI, "https://notanthropic.com": chat.OpenAI,
	} {
		if got := chat.GuessAPI(base); got != want {
			t.Errorf("%s is %s, want %s", base, got, want)
		}
	}
}

func TestAServerIsMadeSureOfBeforeItIsNeeded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		model, body string
		status      int
		want, takes string // an error, or the model that is taken
	}{
		"one model":         {"", `{"data":[{"id":"only"}]}`, 200, "", "only"},
		"one that is named": {"mine", `{"data":[{"id":"only"}]}`, 200, "", "mine"},
		"several":           {"", `{"data":[{"id":"a"},{"id":"b"}]}`, 200, "name one of a, b", ""},
		"none":              {"", `{}`, 200, "does not say which models", ""},
		"no list":           {"mine", "not found", 404, "", "mine"},
		"no list, no name":  {"", "not found", 404, "does not say which models", ""},
		"a wrong key":       {"mine", `{"error":{"message":"bad key"}}`, 401, "status 401: bad key", ""},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/v1/models" {
				t.Errorf("asked for %s", r.URL.Path)
			}
			w.WriteHeader(tt.status)
			_, _ = w.Write([]byte(tt.body))
		}))
		t.Cleanup(s.Close)
		c := client(t, chat.OpenAI, s.URL)
		c.Model = tt.model
		switch err := c.Ready(t.Context()); {
		case tt.want == "" && (err != nil || c.Model != tt.takes):
			t.Errorf("%s: got %q, %v; want %q", name, c.Model, err, tt.takes)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if err := client(t, chat.OpenAI, rpctest.Nowhere()).Ready(context.Background()); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("where nobody listens: %v", err)
	}
}
