package interop_test

import (
	"slices"
	"strings"
	"testing"

	"agentleague/duel"
	"agentleague/game/catalog"
	"agentleague/interop/foreign"
	"agentleague/rpc"
)

// TestLongEveryKindPlaysAPracticeMatch plays one with a player of every kind, of which nothing is known but where it is.
func TestLongEveryKindPlaysAPracticeMatch(t *testing.T) {
	t.Parallel()
	together(t, practising(append(foreign.Kinds(), foreign.MCPKind())), 4, personaName, practises)
}

// TestStrangersPlayAPracticeMatch is the same for a few.
func TestStrangersPlayAPracticeMatch(t *testing.T) {
	t.Parallel()
	together(t, practising(essential()), 4, personaName, practises)
}

// practising are the kinds that can play without a registration: their dialect is detected without it, and their
// callbacks need no values from a manager.
func practising(kinds []foreign.Persona) []foreign.Persona {
	return slices.DeleteFunc(kinds, func(kind foreign.Persona) bool {
		return showsByRegistration(kind) || kind.Callback.Proof == foreign.ProofMatch || kind.Callback.Proof == foreign.ProofOwnToken
	})
}

// practises plays a practice match with a player of a kind.
func practises(t *testing.T, kind foreign.Persona) {
	p := servePersona(t, kind)
	got, err := duel.Practise(t.Context(), catalog.Catalog{}, "even_odd", p.Endpoint(), nil, rpc.Options{})
	if err != nil || !got.OK || !strings.HasPrefix(got.Said, "It played a practice match of even_odd") {
		t.Errorf("got %+v, %v", got, err)
	}
	if p.Completed() != 1 {
		t.Errorf("it heard the end of %d matches, want 1", p.Completed())
	}
}

// showsByRegistration reports whether the dialect of a kind is visible in its registration alone: where its messages
// are, the spelling of its names, or the name of its single method.
func showsByRegistration(kind foreign.Persona) bool {
	return kind.Framing == foreign.FramingP || kind.Framing == foreign.FramingREST || kind.Body != "" ||
		kind.Spelling != "" || kind.One != ""
}

// A fault that prevents a player from playing is described in one sentence.
func TestPracticeSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	url := serveTools(t, map[string]toolFunc{"choose_parity": always("choice", "blue")})
	mixed := servePersona(t, named("mixture")[0]).Endpoint() // which only its registration shows
	for _, c := range []struct{ endpoint, want string }{
		{url, "It forfeited a practice match: "},
		{mixed, "It understood none of the forms in which players are invited: its agent answered"},
		{"http://127.0.0.1:1/mcp", "Nothing answers at http://127.0.0.1:1/mcp, so no practice match was played."},
	} {
		got, err := duel.Practise(t.Context(), catalog.Catalog{}, "even_odd", c.endpoint, nil, rpc.Options{})
		if err != nil || got.OK || !strings.HasPrefix(got.Said, c.want) {
			t.Errorf("got %+v, %v; want %q", got, err, c.want)
		}
	}
}
