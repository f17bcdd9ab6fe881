package llm_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/duel"
	"agentleague/player"
	"agentleague/player/minds/llm"
	"agentleague/player/minds/llm/chat"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc/rpctest"
)

// startLlama runs the server until the test ends, and returns its address.
func startLlama(t *testing.T) string {
	t.Helper()
	dir, err := rpctest.PythonPackages("requirements.txt")
	dir = filepath.Join(rpctest.OrWithout(t, dir, err), "packages")
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	cmd := exec.CommandContext(ctx, "python3", "testdata/llama.py", t.TempDir())
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir, "PYTHONDONTWRITEBYTECODE=1")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	_, errIn := cmd.StdinPipe() // it ends when that does
	out, err := cmd.StdoutPipe()
	if err := errors.Join(errIn, err, cmd.Start()); err != nil {
		stop()
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	line, _ := lines.ReadString('\n')
	drained := make(chan struct{})
	go func() { defer close(drained); _, _ = io.Copy(io.Discard, lines) }()
	end := func() { stop(); <-drained; _ = cmd.Wait() }
	if !strings.HasPrefix(line, "http://") {
		end()
		t.Fatalf("llama.cpp said %q\n%s", line, problems.String())
	}
	t.Cleanup(end)
	return strings.TrimSpace(line)
}

// A counted holds the token counts of llama.cpp since its start.
type counted struct{ prompt, output int }

// count reads the server's own figures.
func count(t *testing.T, at string) counted {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return counted{figure(t, text, "llamacpp:prompt_tokens_total"), figure(t, text, "llamacpp:tokens_predicted_total")}
}

func figure(t *testing.T, text []byte, name string) int {
	t.Helper()
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
	}
	t.Fatalf("no figure %s in\n%s", name, text)
	return 0
}

// A witness is a strategy, and the history of its player.
type witness struct {
	*llm.Mind
	mu   sync.Mutex
	past []protocol.PlayerMatch
}

func (w *witness) Learn(m protocol.PlayerMatch) {
	w.Mind.Learn(m)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.past = append(w.past, m)
}

// TestLlamaPlays plays with a real server and two kinds of prompts. With one the server follows the schema; with the
// other it does not, so that a random model returns no valid move and the fallback plays. The recorded usage equals the
// server's counts.
func TestLlamaPlays(t *testing.T) {
	t.Parallel()
	at := startLlama(t)
	price := &llm.Price{Input: 1, Cached: 0.5, Output: 2}
	for _, tt := range []struct {
		kind     chat.API
		game     string
		fallback bool
	}{{chat.OpenAI, "even_odd", false}, {chat.OpenAI, "tic_tac_toe", false}, {chat.Anthropic, "even_odd", true}} {
		endpoint, err := chat.Endpoint(tt.kind, at)
		if err != nil {
			t.Fatal(err)
		}
		mind, err := llm.New(&chat.Client{Endpoint: endpoint, API: tt.kind}, llm.Options{Price: price, MaxTokens: 48})
		if err != nil {
			t.Fatal(err)
		}
		if err := mind.Ready(t.Context()); err != nil {
			t.Fatalf("%s: %v", tt.kind, err)
		}
		before := count(t, at)
		u := playMatch(t, mind, tt.game)
		after := count(t, at)
		if u.InputTokens-u.CachedTokens != after.prompt-before.prompt || u.OutputTokens != after.output-before.output || u.OutputTokens == 0 {
			t.Errorf("%s, %s: the history has %+v, the server counted from %+v to %+v", tt.kind, tt.game, u, before, after)
		}
		cost := 1000*(u.InputTokens-u.CachedTokens) + 500*u.CachedTokens + 2000*u.OutputTokens
		if !u.Priced || u.CostNanoUSD != cost || u.Model != "tiny" || u.Uncounted != 0 {
			t.Errorf("%s, %s: %+v, want a cost of %d", tt.kind, tt.game, u, cost)
		}
		if fell := u.Fallbacks > 0; fell != tt.fallback || u.Requests < u.Moves-1 {
			t.Errorf("%s, %s: %d of %d moves by the fallback, want some: %v", tt.kind, tt.game, u.Fallbacks, u.Moves, tt.fallback)
		}
	}
}

// playMatch plays a match of a strategy and returns the usage in its history.
func playMatch(t *testing.T, mind *llm.Mind, game string) protocol.Usage {
	t.Helper()
	w := &witness{Mind: mind}
	match := duel.New([2]*duel.Contestant{{ID: "P01", Name: "Llama", Strategy: w}, {ID: "P02", Name: "Random", Strategy: player.Random(nil)}},
		duel.Options{Game: game, Policy: referee.Policy{MoveTimeout: 30 * time.Second},
			Logger: func(string) *slog.Logger { return slog.New(slog.DiscardHandler) }})
	_, rec, err := match.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(rec.Result.Forfeits) > 0 || len(w.past) != 1 || w.past[0].Usage == nil || rec.Usage["P01"] != *w.past[0].Usage {
		t.Fatalf("forfeits %v; the record has %+v, the history %+v", rec.Result.Forfeits, rec.Usage, w.past)
	}
	for _, try := range rec.Tries {
		if try.Outcome != protocol.Answered {
			t.Errorf("a try ended with %s", try.Outcome)
		}
	}
	return *w.past[0].Usage
}
