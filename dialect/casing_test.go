package dialect

import (
	"encoding/json"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

func TestNamesAreReadInEverySpelling(t *testing.T) {
	for _, s := range protocol.Specs() {
		for _, name := range wordingOf(s.Type).calls {
			f := notation.Form{Name: name}
			for _, how := range []spelling{snake, camel, pascal, kebab} {
				spelt := how.write(f.Name)
				if back := snakeOf(spelt); back != f.Name {
					t.Errorf("%s is spelt %s, and read as %s", f.Name, spelt, back)
				}
			}
		}
	}
	for name, want := range map[string]spelling{
		"register": "", "register_player": snake, "registerPlayer": camel, "RegisterPlayer": pascal, "register-player": kebab,
		"LEAGUE_REGISTER_REQUEST": "", "league.register": "", "": "", "protocol/message": "",
	} {
		if got := spellingOf(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestMembersComeBackFromTheOtherSpelling(t *testing.T) {
	const ours = `{"choices":{"P01":"even","my_id":"odd"},"message_type":"GAME_OVER","matches":[{"match_id":"R1M1"}]}`
	theirs := respell(json.RawMessage(ours), camels, maxDepth)
	const want = `{"choices":{"P01":"even","my_id":"odd"},"matches":[{"matchId":"R1M1"}],"messageType":"GAME_OVER"}`
	if string(theirs) != want {
		t.Errorf("got %s, want %s", theirs, want)
	}
	f, _ := protocol.ParseFields(theirs)
	_, back, changed := inSnake(theirs, f)
	if !changed || textAt(back, "message_type") != "GAME_OVER" || textAt(back, "choices.my_id") != "odd" {
		t.Errorf("got %v", back)
	}
}

func TestSurveyHoldsNoMessage(t *testing.T) {
	for _, row := range Rows {
		if row.Frame == "mcp" {
			continue
		}
		d := notation.Dialect{Row: row.Name}
		for _, form := range Survey(d, Candidates(d, protocol.TypeGameInvitation)[0], nil, protocol.TypeGameInvitation) {
			var top map[string]any
			if err := json.Unmarshal(Knock(form, 1), &top); err != nil || top["match_id"] != nil || top["conversation_id"] != nil {
				t.Errorf("%s, %s: got %s, %v", row.Name, form, Knock(form, 1), err)
			}
		}
	}
}
