package config

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// readers is how each kind of config file is read.
var readers = []func(name string, text []byte) (any, error){
	func(name string, text []byte) (any, error) { return readSystem(name, text) },
	func(name string, text []byte) (any, error) { return readAgents(name, text) },
	func(name string, text []byte) (any, error) { return readLeague(name, text, "spring") },
	func(name string, text []byte) (any, error) { return readGames(name, text) },
	func(name string, text []byte) (any, error) { return readRefereeDefaults(name, text) },
	func(name string, text []byte) (any, error) { return readPlayerDefaults(name, text) },
}

var told = regexp.MustCompile(`^config/x\.json:[1-9]\d*: .*(want .+, got |is given twice$|not JSON: )`)

// FuzzConfig: a file is either valid, and then the same after it was written and read again, or results in an error
// with the place.
func FuzzConfig(f *testing.F) {
	for i, name := range []string{"system", "agents", "league", "", "referee", "player"} {
		if name != "" {
			f.Add(embedded(name), uint8(i))
		}
	}
	for _, text := range []string{
		`{"league_id":"spring"}`, `{"timeouts":{"move_timeout_sec":"30s"}}`,
		`{"players":[{"player_id":"P01","active":null}]}`, `{"games":[{"valid_choices":{"a b":[]}}]}`,
		`{"timeouts":null}`, `{"players":[null]}`, "{\"a\":1,\"a\":2}", `{"network":{"default_player_port_range":[1,2,3]}}`,
		"\ufeff{}", "[[[[", `{"Timeouts":{"MOVE_TIMEOUT_SEC":-1}}`,
		`{"games":[{"game_type":"x","min_players":1,"max_players":1}]}`, `{"":{"":{}}}`,
		"{\"scoring\":{\"win_points\":\n99999999999999999999}}",
	} {
		for i := range readers {
			f.Add([]byte(text), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, kind uint8) {
		read := readers[int(kind)%len(readers)]
		v, err := read("config/x.json", text)
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !told.MatchString(line) {
					t.Errorf("%q does not say where or what", line)
				}
			}
			return
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if w, err := read("config/x.json", again); err != nil || !same(v, w) {
			t.Errorf("got %+v, %v; want %+v", w, err, v)
		}
	})
}

// same compares the encodings of two values: an empty list equals an absent one.
func same(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return reflect.TypeOf(a) == reflect.TypeOf(b) && string(x) == string(y)
}
