package dialect

import (
	"net/url"
	"path"
	"strings"

	"agentleague/protocol"
)

// Some agents have a path for each message, and no method: POST /game_invitation. They register with POST /register,
// as do others that then speak JSON-RPC. A nonexistent path tells them apart: it answers like every other nonexistent
// path.

// byREST reports whether a peer has registered with POST /register.
func (k known) byREST() bool { return rowNamed(k.Row).Name == "G" || k.From.Frame == "rest" }

// restForms lists the paths below base at which a peer may take a message.
func (k known) restForms(base string, t protocol.Type, spellings ...spelling) (forms []protocol.Form) {
	names := k.names(rowOf("call"), t).common
	a := axesOf(k.From)
	a.frame = "rest"
	for _, s := range spellings {
		for _, f := range names {
			to := strings.TrimRight(base, "/") + "/" + s.write(f.Name)
			forms = append(forms, a.dress(protocol.Form{Frame: "rest", Shape: f.Shape, Path: to}))
		}
	}
	return forms
}

// restLearned lists the paths of a message that are beside those of messages which the peer has understood.
func (k known) restLearned(t protocol.Type) []protocol.Form {
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

// baseOf returns the path below which an agent with that endpoint has others.
func baseOf(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil {
		return ""
	}
	return strings.TrimRight(u.Path, "/")
}
