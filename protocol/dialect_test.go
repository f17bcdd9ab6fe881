package protocol

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// someDialect returns a dialect that chance has put together.
func someDialect(rng *rand.Rand) Dialect {
	d := Dialect{Row: append(rowNames(), "")[rng.IntN(len(Rows)+2)], Forms: map[Type]Form{}}
	for range rng.IntN(5) {
		s := table[rng.IntN(len(table))]
		forms := Dialect{}.Candidates(s.Type)
		f := forms[rng.IntN(len(forms))]
		switch rng.IntN(5) {
		case 0:
			f = Deaf
		case 1:
			f = Polled
		case 2:
			if other, _ := f.Reshaped(""); other != nil {
				f = other[rng.IntN(len(other))]
			}
		case 3:
			f.Path = "/a2a"
		}
		d.Forms[s.Type] = f
	}
	return d
}

func TestTextOfADialectIsReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		d := someDialect(rng)
		text := d.String()
		back, err := ParseDialect(text)
		if err != nil || back.String() != text || back.Row != d.Row || len(back.Forms) != len(d.Forms) {
			t.Fatalf("%q: got %q, %v", text, back.String(), err)
		}
	}
}

func TestDialectTextsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"Z":                                  `dialect "Z": want one of A, A', B, C, `,
		"A PING":                             `dialect: cannot read "PING"`,
		"A WAVE=call:wave":                   `dialect: cannot read "WAVE=call:wave"`,
		"A PING=shout:ping":                  `dialect: cannot read "PING=shout:ping"`,
		"A PING=call:ping+upside_down":       `dialect: cannot read "PING=call:ping+upside_down"`,
		"A PING=call:p<ng":                   `dialect: cannot read "PING=call:p<ng"`,
		"A PING=call:" + longText(81):        `dialect: cannot read "PING=call:` + longText(70),
		"PING=call:ping A":                   `dialect: cannot read "A"`,
		longText(60):                         `dialect "` + longText(40),
		"A PING=call:ping@/x@/y":             `dialect: cannot read "PING=call:ping@/x@/y"`,
		"A GAME_INVITATION=call:a=b+wide":    `dialect: cannot read "GAME_INVITATION=call:a=b+wide"`,
		"A GAME_INVITATION=poll:handle_game": `dialect: cannot read "GAME_INVITATION=poll:handle_game"`,
	} {
		if _, err := ParseDialect(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func longText(n int) string { return strings.Repeat("x", n) }

func TestMergedDialects(t *testing.T) {
	for _, c := range []struct{ name, older, newer, want string }{
		{"nothing is known", "", "", ""},
		{"news of nothing", "A PING=call:ping", "", "A PING=call:ping"},
		{"the first news", "", "B", "B"},
		{"both have something", "A GAME_OVER=call:game_over", "A PING=call:ping", "A GAME_OVER=call:game_over PING=call:ping"},
		{"the newer is right", "A PING=call:ping", "A PING=call:pong", "A PING=call:pong"},
		{"another row", "A PING=call:ping", "B", "B"},
		{"no row is no other row", "A PING=call:ping", "? GAME_OVER=bare:GAME_OVER", "A GAME_OVER=bare:GAME_OVER PING=call:ping"},
		{"what cannot be read changes nothing", "A", "!", "A"},
		{"what could not be read is replaced", "!", "A", "A"},
	} {
		if got := MergeDialects(c.older, c.newer); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMergingTwiceChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		a, b := someDialect(rng).String(), someDialect(rng).String()
		once := MergeDialects(a, b)
		if MergeDialects(a, a) != a || MergeDialects(once, b) != once || MergeDialects(once, once) != once {
			t.Fatalf("%q and %q: got %q, then %q", a, b, once, MergeDialects(once, b))
		}
		newer, _ := ParseDialect(b)
		got, _ := ParseDialect(once)
		for typ, form := range newer.Forms {
			if got.Forms[typ] != form {
				t.Fatalf("%q and %q: %s is %s, want the newer %s", a, b, typ, got.Forms[typ], form)
			}
		}
	}
}

func TestWhoComesForMatches(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "? START_MATCH=poll",
		"A":                                  "A START_MATCH=poll",
		"A START_MATCH=call:run_match+wide":  "A START_MATCH=call:run_match+wide", // it is told too
		Canonical:                            Canonical,
		"what is this":                       "what is this",
		"A START_MATCH=poll PING=call:ping":  "A START_MATCH=poll PING=call:ping",
		"A START_MATCH=-":                    "A START_MATCH=-",
		"B ROUND_ANNOUNCEMENT=type:ROUND_AN": "B ROUND_ANNOUNCEMENT=type:ROUND_AN START_MATCH=poll",
	} {
		got := ComesForMatches(text)
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if fetches := strings.Contains(want, "START_MATCH=poll"); FetchesMatches(got) != fetches {
			t.Errorf("%q fetches matches: got %v, want %v", got, !fetches, fetches)
		}
	}
}

func TestShortNameOfADialect(t *testing.T) {
	for text, want := range map[string]string{"": "", "?": "", "? PING=call:ping": "", "A'": "A'", "C PING=tool:ping": "C", Canonical: Canonical} {
		if got := DialectName(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzParseDialect(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		f.Add(someDialect(rng).String())
	}
	f.Add("A PING=call:ping+wide@/mcp GAME_OVER=-")
	f.Add("? PING=:@+")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ParseDialect(text)
		if err != nil {
			return
		}
		once := d.String()
		again, err := ParseDialect(once)
		if err != nil || again.String() != once || again.Row != d.Row || len(again.Forms) != len(d.Forms) {
			t.Fatalf("%q: got %q, then %q, %v", text, once, again, err)
		}
		if MergeDialects(once, once) != once {
			t.Fatalf("%q merged with itself: %q", once, MergeDialects(once, once))
		}
		for _, s := range table {
			if forms := d.Candidates(s.Type); len(forms) == 0 {
				t.Fatalf("%q: nothing to offer for %s", once, s.Type)
			}
		}
	})
}

func TestFirstCandidate(t *testing.T) {
	for _, c := range []struct {
		name, dialect string
		typ           Type
		want          string
	}{
		{"of an unknown agent is the specification's", "", TypeGameInvitation, "call:handle_game_invitation"},
		{"of the specification's row too", "A", TypeChooseParityCall, "call:choose_parity"},
		{"has the row's own name", "A'", TypeChooseParityCall, "call:parity_choose"},
		{"is in the frame of the row", "B", TypeChooseParityCall, "type:CHOOSE_PARITY_CALL"},
		{"is a tool", "C", TypeGameOver, "tool:receive_game_over"},
		{"is the whole message", "D", TypeGameOver, "message:GAME_OVER"},
		{"lies under data", "E", TypeGameInvitation, "data:GAME_INVITATION"},
		{"is bare", "F", TypeGameInvitation, "bare:GAME_INVITATION"},
		{"is a real MCP call", "M", TypeGameInvitation, "mcp"},
		{"follows a message that was understood", "A GAME_INVITATION=bare:GAME_INVITATION", TypeChooseParityCall, "bare:CHOOSE_PARITY_CALL"},
		{"stays with a real MCP server", "C GAME_INVITATION=mcp", TypeGameOver, "mcp"},
		{"learns nothing from what was not taken", "B GAME_INVITATION=-", TypeGameOver, "type:GAME_OVER"},
		{"stays in its row if that frame was understood", "A' GAME_INVITATION=call:handle_game_invitation", TypeChooseParityCall, "call:parity_choose"},
		{"follows the habit of names", "A GAME_INVITATION=call:receive_game_invitation", TypeGameOver, "call:receive_game_over"},
		{"does not take the specification's name for a habit", "A GAME_INVITATION=call:handle_game_invitation", TypeGameOver, "call:notify_match_result"},
		{"goes where messages were understood", "A GAME_INVITATION=call:handle_game_invitation@/", TypeGameOver, "call:notify_match_result@/"},
		{"does not follow POST /register", "A LEAGUE_REGISTER_REQUEST=rest@/register", TypeMatchResultReport, "call:report_match_result+wide"},
		{"orders a match in the widest form", "", TypeStartMatch, "call:start_match+wide"},
	} {
		d, err := ParseDialect(c.dialect)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Candidates(c.typ)[0].String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestFirstCandidateForAnUnknownPeerIsCanonical(t *testing.T) {
	for _, s := range table {
		if s.Method == "" || s.Type == TypeStartMatch || s.Type == TypeMatchResultReport { // who is not ours gets those with all names
			continue
		}
		if got := (Dialect{}).Candidates(s.Type)[0]; got != canonicalForm(s.Type) {
			t.Errorf("%s: got %s, want %s", s.Type, got, canonicalForm(s.Type))
		}
	}
}

func TestKnownFormIsTheOnlyCandidate(t *testing.T) {
	d, _ := ParseDialect("A GAME_OVER=bare:GAME_OVER@/x")
	if got := d.Candidates(TypeGameOver); len(got) != 1 || got[0].String() != "bare:GAME_OVER@/x" {
		t.Errorf("got %v", got)
	}
}

func TestCandidatesAreDistinctAndAlwaysTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		d := someDialect(rng)
		for _, s := range table {
			forms := d.Candidates(s.Type)
			if len(distinct(forms)) != len(forms) || !slices.Equal(forms, d.Candidates(s.Type)) {
				t.Fatalf("%q, %s: got %v", d, s.Type, forms)
			}
		}
	}
}

func TestRegistrationIsOfferedByPOSTRegister(t *testing.T) {
	forms := Dialect{}.Candidates(TypeLeagueRegisterRequest)
	if forms[1] != (Form{Frame: "rest", Path: "/register"}) {
		t.Errorf("second candidate: got %s", forms[1])
	}
	if slices.ContainsFunc(Dialect{}.Candidates(TypeGameOver), func(f Form) bool { return f.Frame == "rest" }) {
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
		forms, told := (Form{Frame: "call", Name: "x"}).Reshaped(complaint)
		for _, f := range forms {
			got = append(got, f.Shape)
		}
		if text := strings.Join(got, " "); text != want || (told > 0) != (complaint != "") {
			t.Errorf("%q: got %s, %d told; want %s", complaint, text, told, want)
		}
	}
	for _, f := range []Form{{Frame: "mcp"}, {Frame: "rest"}, {Frame: "call", Shape: "wide.full"}} {
		if got, _ := f.Reshaped(""); got != nil {
			t.Errorf("%s: got %v, want none", f, got)
		}
	}
}
