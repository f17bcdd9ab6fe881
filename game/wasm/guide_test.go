package wasm

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"testing"

	"agentleague/game/wasm/wasmtest"
)

// The guide shows a request to the example, and its answer.
func TestGuideShowsWhatTheExampleAnswers(t *testing.T) {
	text, err := os.ReadFile("../../docs/guide/adding-a-game.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?ms)^```json\n(\\{\"op\".*?)\n```.*?^```json\n(.*?)\n```").FindSubmatch(text)
	if shown == nil {
		t.Fatal("the guide shows no request and answer")
	}
	m, err := compile(t.Context(), wasmtest.Build(t, wasmtest.Chomp))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := m.call(shown[1])
	if err != nil {
		t.Fatal(err)
	}
	if got, want := decoded(t, answer), decoded(t, shown[2]); !reflect.DeepEqual(got, want) {
		t.Errorf("got %s, and the guide has %s", answer, shown[2])
	}
}

func decoded(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}
