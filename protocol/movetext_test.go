package protocol

import (
	"bytes"
	"encoding/json"
	"testing"
)

// generalMoveText is a move's text by the general means alone.
func generalMoveText(move json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, move) != nil {
		return string(move)
	}
	return out.String()
}

// moveAgrees compares the functions for moves with the general ones.
func moveAgrees(t *testing.T, move, other json.RawMessage) {
	t.Helper()
	want := generalMoveText(move)
	if got := MoveText(move); got != want {
		t.Errorf("%q: got the text %q, want %q", move, got, want)
	}
	if got := string(AppendMoveText([]byte("x"), move)); got != "x"+want {
		t.Errorf("%q: got %q appended, want %q", move, got, "x"+want)
	}
	if got := SameMove(move, other); got != (want == generalMoveText(other)) {
		t.Errorf("%q is the same as %q: got %v", move, other, got)
	}
	sealed, err := SealMove(move)
	general, wrong := json.Marshal(move)
	if string(sealed) != string(general) || (err == nil) != (wrong == nil) || err != nil && err.Error() != wrong.Error() {
		t.Errorf("%q: got %s, %v sealed, want %s, %v", move, sealed, err, general, wrong)
	}
}

func TestMovesAreWrittenAsByEncodingJSON(t *testing.T) {
	moves := []string{"", "null", `"even"`, ` "even" `, `{"a": [1, 2]}`, `{"a":[1,2]}`, `"<"`, "\"\u2028\"", "{", `"\ud800"`, "\"\xff\"", "1e9"}
	for _, a := range moves {
		for _, b := range moves {
			moveAgrees(t, json.RawMessage(a), json.RawMessage(b))
		}
	}
	moveAgrees(t, nil, nil)
}

func FuzzMoveText(f *testing.F) {
	f.Add([]byte(` {"a":1} `), []byte(`{"a":1}`))
	f.Fuzz(func(t *testing.T, a, b []byte) { moveAgrees(t, a, b) })
}

func TestATokenIsComparedAsItIsMade(t *testing.T) {
	match := MatchToken("tok_player_P01_x", "L", "R1M1", 2, "REF01")
	manager := ManagerToken("tok_player_P01_x", "L", TypeRoundCompleted, 7)
	for _, c := range []struct {
		shown          string
		match, manager bool
	}{{match, true, false}, {manager, false, true}, {"", false, false}, {match + "x", false, false}, {match[1:], false, false}} {
		if got := IsMatchToken(c.shown, "tok_player_P01_x", "L", "R1M1", 2, "REF01"); got != c.match {
			t.Errorf("%s: is it the match's: got %v", c.shown, got)
		}
		if got := IsManagerToken(c.shown, "tok_player_P01_x", "L", TypeRoundCompleted, 7); got != c.manager {
			t.Errorf("%s: is it the manager's: got %v", c.shown, got)
		}
	}
	for _, wrong := range []bool{
		IsMatchToken(match, "tok_player_P01_x", "L", "R1M1", 1, "REF01"), IsMatchToken(match, "tok_player_P01_x", "L", "R1M1", 2, "REF02"),
		IsManagerToken(manager, "tok_player_P01_x", "L", TypeRoundCompleted, 8), IsManagerToken(manager, "tok_player_P01_y", "L", TypeRoundCompleted, 7),
	} {
		if wrong {
			t.Error("the token of another is taken")
		}
	}
}

func TestOnlyThePromisedKeyOpens(t *testing.T) {
	promised := KeyCommitment([]byte{1, 2, 3})
	for key, want := range map[string]bool{"010203": true, "01020A": false, "0102": false, "": false, "01020": false, "zz": false} {
		if Opens(promised, key) != want {
			t.Errorf("%q opens it: got %v", key, !want)
		}
	}
	if !Opens(KeyCommitment(nil), "") {
		t.Error("no key does not open the promise of none")
	}
}
