package cli

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"agentleague/protocol"
)

const guide = "../../docs/guide/writing-a-player.md"

// Every message in the guide is one of the protocol's own examples.
func TestGuideShowsTrueMessages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	var examples []any
	err = filepath.WalkDir("../../doc/message-examples", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var v any
		err = json.Unmarshal(raw, &v)
		examples = append(examples, v)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```json\n(.*?)^```").FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("the guide shows no message")
	}
	for _, b := range blocks {
		var shown any
		err := json.Unmarshal(b[1], &shown)
		known := false
		for _, e := range examples {
			known = known || reflect.DeepEqual(e, shown)
		}
		if err != nil || !known {
			t.Errorf("this is no example of the protocol (%v):\n%s", err, b[1])
		}
	}
}

// The links of the guide and the front page are valid.
func TestGuidePointsToWhatIsThere(t *testing.T) {
	t.Parallel()
	for _, page := range []string{guide, "../../README.md", "../../docs/guide/reliability.md", "../../docs/guide/leagues.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`).FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), link[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// The strategy in the guide works as it is written.
func TestGuideStrategyWorks(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	text, err := os.ReadFile(guide)
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("(?ms)^```python\n(.*?)^```").FindSubmatch(text)
	if code == nil {
		t.Fatal("the guide shows no strategy")
	}
	dir := newKit(t, "python", "Kit")
	withChoose(t, "python", dir, string(code[1]))
	k := startKit(t, "python", dir, nobody)
	last := example(t, "game-flow/game_over.json", nil)
	k.answers(t, example(t, "game-flow/game_start.json", nil), protocol.TypeGameJoinAck)
	k.answers(t, last, protocol.TypeGameOverAck)
	k.answers(t, example(t, "game-flow/game_start.json", nil), protocol.TypeGameJoinAck)
	got := k.answers(t, example(t, "game-flow/move_request.json", nil), protocol.TypeChooseParityResponse)
	said := asObject(asObject(asObject(last["params"])["game_result"])["choices"])["P02"]
	if said != "even" || got["parity_choice"] != "odd" {
		t.Errorf("against one that said %v it says %v, want the other", said, got["parity_choice"])
	}
}
