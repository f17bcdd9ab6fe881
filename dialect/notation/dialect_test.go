package notation

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agentleague/protocol"
)

// someDialect returns a dialect that chance has put together.
func someDialect(rng *rand.Rand) Dialect {
	any := func(words ...string) string { return words[rng.IntN(len(words))] }
	specs := protocol.Specs()
	d := Dialect{Row: any(slices.Concat(RowNames, []string{protocol.Canonical, ""})...), Forms: map[protocol.Type]Form{}}
	if d.Nods = rng.IntN(3) == 0; rng.IntN(3) == 0 {
		d.From = Form{Frame: any(Frames...), Body: any("", any(Bodies...)), Name: any("", "registerPlayer"), Shape: any("", "camel")}
	}
	for range rng.IntN(5) {
		f := Form{
			Frame: any(Frames...), Body: any("", any(Bodies...)), One: any("", "league.handle", "protocol/message"), Name: any("", "ping", "GAME_OVER", "league.handle", "protocol/message"),
			Shape: any("", any(Shapes...), any(Shapes...)+"."+any(Shapes...)), Path: any("", "", "/", "/a2a"),
		}
		switch rng.IntN(5) {
		case 0:
			f = Ignored
		case 1:
			f = Polled
		}
		d.Forms[specs[rng.IntN(len(specs))].Type] = f
	}
	return d
}

func TestTextOfADialectIsReadBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		d := someDialect(rng)
		text := d.String()
		back, err := Parse(text)
		if err != nil || back.String() != text || back.Row != d.Row || len(back.Forms) != len(d.Forms) ||
			back.From != d.From || back.Nods != d.Nods {
			t.Fatalf("%q: got %q, %v", text, back.String(), err)
		}
	}
}

func TestDialectTextsThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"Z":                                  `dialect "Z": use one of A, A', B, C, `,
		"A PING":                             `dialect: cannot read "PING"`,
		"A WAVE=call:wave":                   `dialect: cannot read "WAVE=call:wave"`,
		"A PING=shout:ping":                  `dialect: cannot read "PING=shout:ping"`,
		"A PING=call:ping+upside_down":       `dialect: cannot read "PING=call:ping+upside_down"`,
		"A PING=call:p<ng":                   `dialect: cannot read "PING=call:p<ng"`,
		"A PING=call:" + longText(81):        `dialect: cannot read "PING=call:` + longText(70),
		"PING=call:ping A":                   `dialect: cannot read "A"`,
		longText(60):                         `dialect "` + longText(40),
		"A PING=call/cellar:ping":            `dialect: cannot read "PING=call/cellar:ping"`,
		"A from=shout":                       `dialect: cannot read "from=shout"`,
		"A nods=yes":                         `dialect: cannot read "nods=yes"`,
		"A PING=call:ping@/x@/y":             `dialect: cannot read "PING=call:ping@/x@/y"`,
		"A GAME_INVITATION=call:a=b+wide":    `dialect: cannot read "GAME_INVITATION=call:a=b+wide"`,
		"A GAME_INVITATION=poll:handle_game": `dialect: cannot read "GAME_INVITATION=poll:handle_game"`,
	} {
		if _, err := Parse(text); err == nil || !strings.HasPrefix(err.Error(), want) {
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
		{"both have something", "A GAME_OVER=call:game_over", "A PING=call:ping",
			"A GAME_OVER=call:game_over PING=call:ping"},
		{"the newer is right", "A PING=call:ping", "A PING=call:pong", "A PING=call:pong"},
		{"another row", "A PING=call:ping", "B", "B"},
		{"no row is no other row", "A PING=call:ping", "? GAME_OVER=bare:GAME_OVER",
			"A GAME_OVER=bare:GAME_OVER PING=call:ping"},
		{"another registration", "B from=type/data PING=type:PING", "B", "B"},
		{"the same registration", "B from=type/data PING=type:PING", "B from=type/data nods",
			"B from=type/data nods PING=type:PING"},
		{"who nods", "A nods", "A PING=call:ping", "A nods PING=call:ping"},
		{"what cannot be read changes nothing", "A", "!", "A"},
		{"what could not be read is replaced", "!", "A", "A"},
	} {
		if got := Merge(c.older, c.newer); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestWhatARegistrationTellsIsReadBack(t *testing.T) {
	for want, from := range map[string]Form{
		"B":                {},
		"B from=type/data": {Frame: "type", Body: "data"},
		"B from=message/flat.league.handle:X+camel": {Frame: "message", Body: "flat", One: "league.handle", Name: "X",
			Shape: "camel"},
	} {
		if got := Spoken("B", from); got != want || SpokenIn(want+" nods PING=call:ping") != want {
			t.Errorf("got %q and %q, want %q", got, SpokenIn(want+" nods PING=call:ping"), want)
		}
	}
	for _, odd := range []Form{{Frame: "call", Name: "a b"}, {Frame: "message", One: "a:b"}, {Frame: "call", Body: "x"}} {
		if got := Spoken("A", odd); got != "A" {
			t.Errorf("%v: got %q, want the row alone", odd, got)
		}
	}
}

func TestMergingTwiceChangesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		a, b := someDialect(rng).String(), someDialect(rng).String()
		once := Merge(a, b)
		if Merge(a, a) != a || Merge(once, b) != once || Merge(once, once) != once {
			t.Fatalf("%q and %q: got %q, then %q", a, b, once, Merge(once, b))
		}
		newer, _ := Parse(b)
		got, _ := Parse(once)
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
		"A START_MATCH=call:run_match+wide":  "A START_MATCH=call:run_match+wide", // wide as well
		protocol.Canonical:                   protocol.Canonical,
		"what is this":                       "what is this",
		"A START_MATCH=poll PING=call:ping":  "A START_MATCH=poll PING=call:ping",
		"A START_MATCH=-":                    "A START_MATCH=-",
		"B ROUND_ANNOUNCEMENT=type:ROUND_AN": "B ROUND_ANNOUNCEMENT=type:ROUND_AN START_MATCH=poll",
	} {
		got := WithPolling(text)
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if fetches := strings.Contains(want, "START_MATCH=poll"); FetchesMatches(got) != fetches {
			t.Errorf("%q fetches matches: got %v, want %v", got, !fetches, fetches)
		}
	}
}

func TestShortNameOfADialect(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "?": "", "? PING=call:ping": "", "A'": "A'", "C PING=tool:ping": "C", protocol.Canonical: protocol.Canonical,
	} {
		if got := Name(text); got != want {
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
		d, err := Parse(text)
		if err != nil {
			return
		}
		once := d.String()
		again, err := Parse(once)
		if err != nil || again.String() != once || again.Row != d.Row || len(again.Forms) != len(d.Forms) {
			t.Fatalf("%q: got %q, then %q, %v", text, once, again, err)
		}
		if Merge(once, once) != once {
			t.Fatalf("%q merged with itself: %q", once, Merge(once, once))
		}
	})
}
