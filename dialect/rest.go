package dialect

import (
	"net/url"
	"path"
	"strings"

	"agentleague/dialect/notation"
	"agentleague/protocol"
)

// Some agents have a path for each message instead of a method: POST /game_invitation. They register with POST
// /register, as do other agents that speak JSON-RPC afterwards. The two kinds are told apart by a request to the
// registered endpoint: a REST agent answers it as it answers any nonexistent path.

// byREST reports whether the peer has registered with POST /register.
func (k known) byREST() bool { return rowNamed(k.Row).Name == "G" || k.From.Frame == "rest" }

// restForms lists encodings with the paths below base at which a peer may take a message, in each of the spellings.
func (k known) restForms(base string, t protocol.Type, spellings ...spelling) (forms []notation.Form) {
	names := k.names(rowOf("call"), t).common
	a := axesOf(k.From)
	a.frame = "rest"
	for _, s := range spellings {
		for _, f := range names {
			to := strings.TrimRight(base, "/") + "/" + s.write(f.Name)
			forms = append(forms, a.dress(notation.Form{Frame: "rest", Shape: f.Shape, Path: to}))
		}
	}
	return forms
}

// restLearned lists encodings with paths next to those at which the peer has understood other messages.
func (k known) restLearned(t protocol.Type) []notation.Form {
	for _, other := range learnedFrom {
		f, ok := k.Forms[other]
		if !ok || f.Frame != "rest" || other.Registers() {
			continue
		}
		base, name := path.Split(f.Path)
		if spellingOf(name) == kebab {
			return k.restForms(base, t, kebab, snake)
		}
		return k.restForms(base, t, snake, kebab)
	}
	return nil
}

// baseOf returns the path of an endpoint, below which a REST agent has its other paths; "" if it is invalid.
func baseOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.Path, "/")
}
