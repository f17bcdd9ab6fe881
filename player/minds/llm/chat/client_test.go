package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentleague/player/minds/llm/chat"
	"agentleague/player/minds/llm/llmtest"
)

const schema = `{"type":"object","properties":{"move":{"enum":["even","odd"]}},"required":["move"]}`

var kinds = []chat.API{chat.OpenAI, chat.Anthropic}

// client asks a server, in a shape.
func client(t *testing.T, kind chat.API, base string) *chat.Client {
	t.Helper()
	at, err := chat.Endpoint(kind, base)
	if err != nil {
		t.Fatal(err)
	}
	return &chat.Client{Endpoint: at, API: kind, Model: "tiny", Key: "secret-key"}
}

func question() chat.Request {
	return chat.Request{System: "Play.", Turns: []chat.Turn{{Role: chat.User, Text: "Which?"}}, Schema: json.RawMessage(schema),
		MaxTokens: 64}
}

// within is a context that ends soon enough.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestAnAnswerComesWithTheServersCount(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for name, reply := range map[string]llmtest.Reply{
			"whole": llmtest.Good(1), "streamed": {Pick: true, Move: 1, Streams: true},
			"after a thought": {Pick: true, Move: 1, Thinks: "<think>odd, even {…}</think>\n"},
		} {
			s := llmtest.New(t, reply)
			c := client(t, kind, s.URL)
			for n := range 2 {
				before := s.Count()
				a, tries, err := c.Ask(within(t, time.Minute), question())
				count := s.Count()
				want := chat.Tokens{Input: count.Input - before.Input, Cached: count.Cached - before.Cached, Output: count.Output - before.Output}
				if err != nil || tries != 1 || strings.TrimSpace(a.Text) != `{"move": "odd"}` || a.Tokens != want || !a.Counted ||
					a.Model != "scripted" || a.Cut {
					t.Errorf("%s, %s, %d: got %+v, %d tries, %v; want tokens %+v", kind, name, n, a, tries, err, want)
				}
				if n == 1 && a.Tokens.Cached == 0 {
					t.Errorf("%s, %s: no token came from the cache: %+v", kind, name, a.Tokens)
				}
			}
		}
	}
}

func TestARequestShowsTheKeyTheSchemaAndTheLimit(t *testing.T) {
	t.Parallel()
	for kind, want := range map[chat.API]struct{ path, header, key, schema string }{
		chat.OpenAI:    {"/v1/chat/completions", "Authorization", "Bearer secret-key", `"response_format":{"type":"json_schema"`},
		chat.Anthropic: {"/v1/messages", "X-Api-Key", "secret-key", `"output_config":{"format":{"type":"json_schema"`},
	} {
		s := llmtest.New(t, llmtest.Good(0))
		if _, _, err := client(t, kind, s.URL).Ask(within(t, time.Minute), question()); err != nil {
			t.Fatal(err)
		}
		got := s.Requests()[0]
		if got.Path != want.path || got.Header.Get(want.header) != want.key || !strings.Contains(got.Body, want.schema) || got.MaxTokens != 64 {
			t.Errorf("%s: got %+v, want %+v", kind, got, want)
		}
	}
}

func TestWhatIsNoAnswerIsAnError(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for name, tt := range map[string]struct {
			reply llmtest.Reply
			want  string
		}{
			"an empty object":    {llmtest.Reply{Body: `{}`}, "gave no answer"},
			"an empty text":      {llmtest.Says(" "), "gave no answer"},
			"no JSON":            {llmtest.Reply{Body: `<html>`}, "its answer is not that of a"},
			"a list":             {llmtest.Reply{Body: `[1]`}, "its answer is not that of a"},
			"a refusal":          {llmtest.Reply{Refuses: true, Text: "I will not play."}, "the model refuses: I will not play."},
			"a streamed refusal": {llmtest.Reply{Refuses: true, Text: "I will not play.", Streams: true}, "the model refuses: I will not play."},
			"a broken stream":    {llmtest.Reply{Pick: true, Streams: true, Breaks: true}, "broke off"},
			"a wrong key":        {llmtest.Reply{Status: 401, Body: `{"error":{"message":"Incorrect API key provided: secret-key."}}`}, "status 401: Incorrect API key provided: (the key)."},
			"an unknown model":   {llmtest.Reply{Status: 404, Body: `{"error":"model 'tiny' not found"}`}, "status 404: model 'tiny' not found"},
			"a page":             {llmtest.Reply{Status: 403, Body: "<h1>No\nentry</h1>"}, "status 403: <h1>No entry</h1>"},
			"somewhere else":     {llmtest.Reply{Redirect: "http://127.0.0.1:9/"}, "status 307"},
			"too long":           {llmtest.Says(strings.Repeat("x", 5<<20)), "longer than 4 MiB"},
		} {
			s := llmtest.New(t, tt.reply)
			c := client(t, kind, s.URL)
			c.Tries = 1
			_, _, err := c.Ask(within(t, time.Minute), question())
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s, %s: got %v, want %q", kind, name, err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret-key") {
				t.Errorf("%s, %s: the error tells the key: %v", kind, name, err)
			}
		}
	}
}

// A server's figures that cannot be true are dropped: the answer counts, and its tokens are unknown.
func TestFiguresThatTheBytesDoNotAllowAreDropped(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		for name, usage := range map[string]string{
			"negative":             `{"prompt_tokens":-1,"completion_tokens":1,"input_tokens":-1,"output_tokens":1}`,
			"negative output":      `{"prompt_tokens":1,"completion_tokens":-9,"input_tokens":1,"output_tokens":-9}`,
			"more input than sent": `{"prompt_tokens":20000,"completion_tokens":1,"input_tokens":20000,"output_tokens":1}`,
			"more output":          `{"prompt_tokens":1,"completion_tokens":5000,"input_tokens":1,"output_tokens":5000}`,
			"more cached":          `{"prompt_tokens":1,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":2},"input_tokens":-1,"cache_read_input_tokens":2,"output_tokens":1}`,
			"an overflow": `{"prompt_tokens":9223372036854775807,"completion_tokens":1,"input_tokens":9223372036854775807,
				"cache_read_input_tokens":9223372036854775807,"cache_creation_input_tokens":2,"output_tokens":1}`,
			"a fraction":         `{"prompt_tokens":0.5,"completion_tokens":1,"input_tokens":0.5,"output_tokens":1}`,
			"a number too large": `{"prompt_tokens":1e30,"completion_tokens":1,"input_tokens":1e30,"output_tokens":1}`,
			"a text":             `"many"`,
			"null":               `null`,
		} {
			s := llmtest.New(t, llmtest.Reply{Body: `{"choices":[{"message":{"content":"x"}}],"content":[{"type":"text","text":"x"}],"usage":` + usage + `}`})
			a, _, err := client(t, kind, s.URL).Ask(within(t, time.Minute), question())
			if err != nil || a.Text != "x" || a.Counted || a.Tokens != (chat.Tokens{}) {
				t.Errorf("%s, %s: got %+v, %v, want an answer without a count", kind, name, a, err)
			}
		}
	}
}

func TestWhatMayPassIsTriedAgain(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]llmtest.Reply{
		"a limit": llmtest.Limited("0"), "overload": {Status: 529, Body: `{}`}, "a fault": {Status: 503, Body: "busy"},
		"a closed connection": {Dead: true}, "nothing": {Body: `{}`}, "a broken stream": {Pick: true, Streams: true, Breaks: true},
	} {
		for _, kind := range kinds {
			s := llmtest.New(t, first, llmtest.Good(0))
			a, tries, err := client(t, kind, s.URL).Ask(within(t, time.Minute), question())
			if err != nil || tries != 2 || a.Text != `{"move": "even"}` {
				t.Errorf("%s, %s: got %q after %d tries, %v", kind, name, a.Text, tries, err)
			}
		}
	}
}

func TestAWaitThatOutlivesTheDeadlineIsNotBegun(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Limited("1800"))
	began := time.Now()
	_, tries, err := client(t, chat.OpenAI, s.URL).Ask(within(t, 20*time.Minute), question())
	fault := (*chat.Error)(nil)
	if !errors.As(err, &fault) || fault.Status != 429 || fault.After != 30*time.Minute || tries != 1 {
		t.Errorf("got %v after %d tries, want status 429 after one", err, tries)
	}
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("it took %v to find that out", took)
	}
}

func TestTheDeadlineIsForAllTriesTogether(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Reply{Status: 503, Body: "busy"})
	began := time.Now()
	if _, _, err := client(t, chat.OpenAI, s.URL).Ask(within(t, 500*time.Millisecond), question()); err == nil {
		t.Error("a busy server gave an answer")
	}
	if took := time.Since(began); took > 5*time.Second { // with all its pauses it would take six
		t.Errorf("it took %v, want no more than half a second and a bit", took)
	}
}

func TestAServerIsAskedAsItUnderstands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ says, without, with string }{
		"no schema":      {"response_format of type json_schema is not supported", "response_format", ""},
		"the newer name": {"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", `"max_tokens"`, `"max_completion_tokens":64`},
	} {
		refusal, _ := json.Marshal(map[string]any{"error": map[string]any{"message": tt.says}})
		s := llmtest.New(t, llmtest.Reply{Status: 400, Body: string(refusal)}, llmtest.Says(`{"move":"odd"}`))
		c := client(t, chat.OpenAI, s.URL)
		for range 2 { // the second time the limit is known
			if _, _, err := c.Ask(within(t, time.Minute), question()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		got := s.Requests()
		if len(got) != 3 || strings.Contains(got[1].Body, tt.without) || !strings.Contains(got[2].Body, tt.with) {
			t.Errorf("%s: %d requests, the second %s", name, len(got), got[1].Body)
		}
	}
}

func TestTheKeyGoesNowhereElse(t *testing.T) {
	t.Parallel()
	stolen := make(chan string, 10)
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		stolen <- r.Header.Get("Authorization") + r.Header.Get("x-api-key")
	}))
	t.Cleanup(thief.Close)
	for _, kind := range kinds {
		s := llmtest.New(t, llmtest.Reply{Redirect: thief.URL})
		if _, _, err := client(t, kind, s.URL).Ask(within(t, time.Minute), question()); err == nil {
			t.Errorf("%s: the redirect gave an answer", kind)
		}
	}
	select {
	case key := <-stolen:
		t.Errorf("the server that was redirected to got %q", key)
	default:
	}
}
