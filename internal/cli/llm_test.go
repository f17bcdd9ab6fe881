package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentleague/league/sheet"
	"agentleague/player/minds/llm/llmtest"
	"agentleague/protocol"
	"agentleague/store"
)

// llmLeague plays a league of one model, which a server of the test is, and another player; it returns its root.
func llmLeague(t *testing.T, s *llmtest.Server, args ...string) string {
	t.Helper()
	root := t.TempDir()
	var out, errs bytes.Buffer
	args = append([]string{"run", "--root", root, "--port", "0", "--players", "2", "--referees", "1", "--strategy", "llm:tiny,random",
		"--llm-url", s.URL, "--json"}, args...)
	if status := run(t.Context(), args, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	return root
}

// remembered is the only match in the history of P01.
func remembered(t *testing.T, root string) protocol.PlayerMatch {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "data/players/*/P01/history.json")) // of a league that is not the root's own
	if err != nil || len(found) == 0 {
		found = []string{filepath.Join(root, "data/players/P01/history.json")}
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	var history store.History
	if err := json.Unmarshal(text, &history); err != nil || len(history.Matches) != 1 || history.Matches[0].Usage == nil {
		t.Fatalf("the history is %s, %v", text, err)
	}
	return history.Matches[0]
}

func TestALeagueAccountsForItsLanguageModel(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Good(0))
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("sk-of-the-test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	root := llmLeague(t, s, "--game", "tic_tac_toe", "--llm-price", "2,10,1", "--llm-key-file", key)
	u, count := *remembered(t, root).Usage, s.Count()
	cost := 2000*(count.Input-count.Cached) + 1000*count.Cached + 10_000*count.Output
	if u.Model != "tiny" || u.Requests != count.Requests || u.InputTokens != count.Input || u.CachedTokens != count.Cached ||
		u.OutputTokens != count.Output || u.CostNanoUSD != cost || u.LatencyUS < int(count.Took.Microseconds()) || u.Fallbacks != 0 {
		t.Errorf("the history has %+v, the server counted %+v, which costs %d", u, count, cost)
	}
	for what, text := range map[string]string{
		"players": said(t, root, "export", "players", "--json"), "results": said(t, root, "export", "results", "--json"),
	} {
		var got struct {
			Players []sheet.PlayerRow
			Results []sheet.ResultRow
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, p := range got.Players {
			if p.Usage != nil && *p.Usage == u && p.ID == "P01" {
				found++
			}
		}
		for _, r := range got.Results {
			if r.UsageA != nil && *r.UsageA == u || r.UsageB != nil && *r.UsageB == u {
				found++
			}
		}
		if found != 1 {
			t.Errorf("export %s does not tell %+v: %s", what, u, text)
		}
	}
	said(t, root, "verify")
	if page := said(t, root, "export", "report"); len(page) == 0 {
		t.Error("no report")
	}
	tells(t, root, "sk-of-the-test")
}

// tells fails if a file of a root contains a secret.
func tells(t *testing.T, root, secret string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestALeagueGoesOnWhenItsModelFails(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Says("{}"), llmtest.Reply{Status: 401, Body: `{"error":{"message":"the account is closed"}}`})
	root := llmLeague(t, s, "--llm-fallback", "always:odd")
	m := remembered(t, root)
	if m.Usage.Fallbacks != 1 || string(m.MyChoice) != `"odd"` || m.Usage.Priced {
		t.Errorf("got %s with %+v, want odd by the fallback and no cost", m.MyChoice, *m.Usage)
	}
	text := ""
	err := filepath.WalkDir(filepath.Join(root, "logs"), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			b, _ := os.ReadFile(path)
			text += string(b)
		}
		return err
	})
	if err != nil || !strings.Contains(text, "LLM_FALLBACK") || !strings.Contains(text, "status 401: the account is closed") {
		t.Errorf("the log does not say why the fallback played (%v)", err)
	}
}

func TestABudgetOfTheLeagueIsSaidAndKept(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Good(0))
	if u := remembered(t, llmLeague(t, s, "--llm-budget-tokens", "60")).Usage; u.Fallbacks != 1 || u.InputTokens != 0 {
		t.Errorf("got %+v, want the fallback without a question", *u)
	}
}

// A missing or unreachable model is reported before anything is played.
func TestWithoutAModelNothingStarts(t *testing.T) {
	for _, name := range []string{"LEAGUE_LLM_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, "")
	}
	refuses := llmtest.New(t, llmtest.Reply{Status: 401, Body: `{"error":{"message":"Incorrect API key"}}`})
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"nothing is said":  {nil, "needs a language model: give its server with --llm-url"},
		"nobody is there":  {[]string{"--llm-url", "http://127.0.0.1:9", "--llm-model", "m"}, "refused"},
		"a wrong key":      {[]string{"--llm-url", refuses.URL, "--llm-model", "m"}, "status 401: Incorrect API key"},
		"no address":       {[]string{"--llm-url", "ollama"}, "want the address of a server"},
		"no key file":      {[]string{"--llm-url", refuses.URL, "--llm-key-file", "nowhere"}, "nowhere"},
		"no such fallback": {[]string{"--llm-url", refuses.URL, "--llm-fallback", "genius"}, `unknown strategy "genius"`},
		"itself":           {[]string{"--llm-url", refuses.URL, "--llm-fallback", "llm"}, "cannot be llm itself"},
		"no price":         {[]string{"--llm-url", refuses.URL, "--llm-budget-usd", "1"}, "needs the model's prices"},
		"half a price":     {[]string{"--llm-url", refuses.URL, "--llm-price", "1"}, "--llm-price: want two or three numbers"},
		"no kind":          {[]string{"--llm-url", refuses.URL, "--llm-kind", "gpt"}, "--llm-kind: use openai or anthropic"},
	} {
		for _, verb := range [][]string{{"run", "--port", "0", "--strategy", "llm"}, {"play", "llm", "random"}} {
			root := t.TempDir()
			var errs bytes.Buffer
			began := time.Now()
			status := run(t.Context(), append(append(verb, "--root", root), tt.args...), io.Discard, &errs)
			if status == 0 || !strings.Contains(errs.String(), tt.want) {
				t.Errorf("%s, %s: status %d, %s; want %q", verb[0], name, status, errs.String(), tt.want)
			}
			if _, err := os.Stat(filepath.Join(root, "data/leagues")); err == nil && verb[0] == "run" {
				if left, _ := filepath.Glob(filepath.Join(root, "data/leagues/*/journal.jsonl")); len(left) > 0 {
					t.Errorf("%s: a league was begun: %v", name, left)
				}
			}
			if took := time.Since(began); took > 2*time.Minute {
				t.Errorf("%s: it took %v", name, took)
			}
		}
	}
}

// The sampling settings are sent to the server, and the player's log has the prompts and the answers.
func TestPromptsAndAnswersAreInThePlayersLog(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Says("hm"), llmtest.Good(0))
	root := llmLeague(t, s, "--llm-temperature", "0.2", "--llm-seed", "7")
	for _, r := range s.Requests() {
		if !strings.Contains(r.Body, `"temperature":0.2,"seed":7`) {
			t.Errorf("a request without temperature and seed: %s", r.Body)
		}
	}
	log, err := os.ReadFile(filepath.Join(root, "logs/agents/P01.log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	for line := range strings.Lines(string(log)) {
		if !strings.Contains(line, `"LLM_EXCHANGE"`) {
			continue
		}
		asked++
		system := strings.Contains(line, `"system":`)
		if first := asked == 1; first != system || first != strings.Contains(line, `"answer":"hm"`) || !strings.Contains(line, `"prompt":"`) ||
			!strings.Contains(line, "R1M1") || !strings.Contains(line, `"DEBUG"`) {
			t.Errorf("line %d is %s", asked, line)
		}
	}
	if asked != 2 || len(s.Requests()) != 2 {
		t.Errorf("the log has %d exchanges of %d, want 2", asked, len(s.Requests()))
	}
	for flag, want := range map[string]string{"--llm-temperature=3": "want 0 to 2, got 3", "--llm-seed=-1": "want 0 to 2147483647, got -1"} {
		var out, errs bytes.Buffer
		if status := run(t.Context(), []string{"run", "--root", t.TempDir(), "--port", "0", "--strategy", "llm:tiny", "--llm-url", s.URL, flag}, &out, &errs); status != 2 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: status %d, %s; want %q", flag, status, errs.String(), want)
		}
	}
}
