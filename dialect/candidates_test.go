package dialect

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// someDialect returns a dialect that chance has put together of forms that we offer.
func someDialect(rng *rand.Rand) notation.Dialect {
	rows := slices.Concat(notation.RowNames, []string{protocol.Canonical, ""})
	specs := protocol.Specs()
	d := notation.Dialect{Row: rows[rng.IntN(len(rows))], Forms: map[protocol.Type]notation.Form{}}
	for range rng.IntN(5) {
		t := specs[rng.IntN(len(specs))].Type
		forms := Candidates(notation.Dialect{}, t)
		f := forms[rng.IntN(len(forms))]
		switch rng.IntN(5) {
		case 0:
			f = notation.Ignored
		case 1:
			f = notation.Polled
		case 2:
			if other, _ := reshaped(f, ""); other != nil {
				f = other[rng.IntN(len(other))]
			}
		case 3:
			f.Path = "/a2a"
		}
		d.Forms[t] = f
	}
	return d
}

func TestWhatIsOfferedCanBeWrittenDown(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		d := someDialect(rng)
		text := d.String()
		back, err := notation.Parse(text)
		if err != nil || back.String() != text || back.Row != d.Row || len(back.Forms) != len(d.Forms) {
			t.Fatalf("%q: got %q, %v", text, back.String(), err)
		}
	}
}

// FuzzCandidates: for any knowledge about a peer there is a form to try.
func FuzzCandidates(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		f.Add(someDialect(rng).String())
	}
	f.Add("A PING=call:ping+wide@/mcp GAME_OVER=-")
	f.Add("? PING=:@+")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := notation.Parse(text)
		if err != nil {
			return
		}
		for _, s := range protocol.Specs() {
			if forms := Candidates(d, s.Type); len(forms) == 0 {
				t.Fatalf("%q: nothing to offer for %s", text, s.Type)
			}
		}
	})
}

func TestFirstCandidate(t *testing.T) {
	for _, c := range []struct {
		name, dialect string
		typ           protocol.Type
		want          string
	}{
		{"of an unknown agent is the specification's", "", protocol.TypeGameInvitation, "call:handle_game_invitation"},
		{"of the specification's row too", "A", protocol.TypeChooseParityCall, "call:choose_parity"},
		{"has the row's own name", "A'", protocol.TypeChooseParityCall, "call:parity_choose"},
		{"is in the frame of the row", "B", protocol.TypeChooseParityCall, "type:CHOOSE_PARITY_CALL"},
		{"is a tool", "C", protocol.TypeGameOver, "tool:receive_game_over"},
		{"is the whole message", "D", protocol.TypeGameOver, "message:GAME_OVER"},
		{"lies under data", "E", protocol.TypeGameInvitation, "data:GAME_INVITATION"},
		{"is bare", "F", protocol.TypeGameInvitation, "bare:GAME_INVITATION"},
		{"is a real MCP call", "M", protocol.TypeGameInvitation, "mcp"},
		{
			"follows a message that was understood", "A GAME_INVITATION=bare:GAME_INVITATION", protocol.TypeChooseParityCall,
			"bare:CHOOSE_PARITY_CALL",
		},
		{"stays with a real MCP server", "C GAME_INVITATION=mcp", protocol.TypeGameOver, "mcp"},
		{"learns nothing from what was not taken", "B GAME_INVITATION=-", protocol.TypeGameOver, "type:GAME_OVER"},
		{
			"stays in its row if that frame was understood", "A' GAME_INVITATION=call:handle_game_invitation",
			protocol.TypeChooseParityCall, "call:parity_choose",
		},
		{
			"follows the habit of names", "A GAME_INVITATION=call:receive_game_invitation", protocol.TypeGameOver,
			"call:receive_game_over",
		},
		{
			"does not take the specification's name for a habit", "A GAME_INVITATION=call:handle_game_invitation",
			protocol.TypeGameOver, "call:notify_match_result",
		},
		{
			"goes where messages were understood", "A GAME_INVITATION=call:handle_game_invitation@/", protocol.TypeGameOver,
			"call:notify_match_result@/",
		},
		{
			"does not follow POST /register", "A LEAGUE_REGISTER_REQUEST=rest@/register", protocol.TypeMatchResultReport,
			"call:report_match_result+wide",
		},
		{"orders a match in the widest form", "", protocol.TypeStartMatch, "call:start_match+wide"},
	} {
		d, err := notation.Parse(c.dialect)
		if err != nil {
			t.Fatal(err)
		}
		if got := Candidates(d, c.typ)[0].String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestFirstCandidateForAnUnknownPeerIsCanonical(t *testing.T) {
	for _, s := range protocol.Specs() {
		// others get those with all names
		wide := s.Type == protocol.TypeStartMatch || s.Type == protocol.TypeMatchResultReport
		if s.Method == "" || wide {
			continue
		}
		want := notation.Form{Frame: "call", Name: s.Method}
		if got := Candidates(notation.Dialect{}, s.Type)[0]; got != want {
			t.Errorf("%s: got %s, want %s", s.Type, got, want)
		}
	}
}

func TestKnownFormIsTheOnlyCandidate(t *testing.T) {
	d, _ := notation.Parse("A GAME_OVER=bare:GAME_OVER@/x")
	if got := Candidates(d, protocol.TypeGameOver); len(got) != 1 || got[0].String() != "bare:GAME_OVER@/x" {
		t.Errorf("got %v", got)
	}
}

func TestCandidatesAreDistinctAndAlwaysTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		d := someDialect(rng)
		for _, s := range protocol.Specs() {
			forms := Candidates(d, s.Type)
			if len(distinct(forms)) != len(forms) || !slices.Equal(forms, Candidates(d, s.Type)) {
				t.Fatalf("%q, %s: got %v", d, s.Type, forms)
			}
		}
	}
}

func TestRegistrationIsOfferedByPOSTRegister(t *testing.T) {
	forms := Candidates(notation.Dialect{}, protocol.TypeLeagueRegisterRequest)
	if forms[1] != (notation.Form{Frame: "rest", Path: "/register"}) {
		t.Errorf("second candidate: got %s", forms[1])
	}
	isRest := func(f notation.Form) bool { return f.Frame == "rest" }
	if slices.ContainsFunc(Candidates(notation.Dialect{}, protocol.TypeGameOver), isRest) {
		t.Error("a result is offered as a registration")
	}
}

func TestOtherArrangements(t *testing.T) {
	for complaint, want := range map[string]string{
		"":                       "full wide rounds numbers named formal spare",
		"extra fields":           "spare full wide rounds numbers named formal",
		"Invalid sender or null": "named full wide rounds numbers formal spare",
	} {
		var got []string
		forms, told := reshaped(notation.Form{Frame: "call", Name: "x"}, complaint)
		for _, f := range forms {
			got = append(got, f.Shape)
		}
		if text := strings.Join(got, " "); text != want || (told > 0) != (complaint != "") {
			t.Errorf("%q: got %s, %d told; want %s", complaint, text, told, want)
		}
	}
	for _, f := range []notation.Form{{Frame: "mcp"}, {Frame: "rest"}, {Frame: "call", Shape: "wide.full"}} {
		if got, _ := reshaped(f, ""); got != nil {
			t.Errorf("%s: got %v, want none", f, got)
		}
	}
}
