package rpc

import (
	"slices"
	"sync"

	"agentleague/protocol"
)

// A tongue is what a node knows of how one peer wants to be spoken to.
type tongue struct {
	mu      sync.Mutex
	given   string // what was known when it was last asked for
	dialect protocol.Dialect
	failed  map[protocol.Type][]protocol.Form // forms that were not understood, the best of them first
	nods    map[protocol.Form][]byte          // what it says to anything, by frame and path; nil: nothing
}

// tongueOf returns the tongue of a peer. What others have learned of it is
// added; if they say that it speaks otherwise now, that is right.
func (n *Node) tongueOf(to Peer) *tongue {
	n.mu.Lock()
	t := n.tongues[to.Endpoint]
	if t == nil {
		t = &tongue{dialect: protocol.Dialect{Forms: map[protocol.Type]protocol.Form{}}, failed: map[protocol.Type][]protocol.Form{}}
		n.tongues[to.Endpoint] = t
	}
	n.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if to.Dialect != t.given {
		t.hear(to.Dialect)
	}
	return t
}

// hear takes what another agent knows of the peer.
func (t *tongue) hear(text string) {
	said, err := protocol.ParseDialect(text)
	if err != nil {
		return
	}
	if said.Row != t.dialect.Row && said.Row != "" {
		t.dialect, t.failed = protocol.Dialect{Row: said.Row, Forms: map[protocol.Type]protocol.Form{}}, map[protocol.Type][]protocol.Form{}
	}
	for typ, form := range said.Forms {
		if _, known := t.dialect.Forms[typ]; !known {
			t.dialect.Forms[typ] = form
		}
	}
	t.given = text
}

// String writes what is known.
func (t *tongue) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dialect.String()
}

func (t *tongue) row() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dialect.Row
}

// form returns the form in which the peer understands a type, if it is known.
func (t *tongue) form(typ protocol.Type) (row string, form protocol.Form, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	form, known = t.dialect.Forms[typ]
	return t.dialect.Row, form, known
}

// candidates lists the forms that are worth offering: those that have not
// failed, or if all have, the one that did best.
func (t *tongue) candidates(typ protocol.Type) []protocol.Form {
	t.mu.Lock()
	defer t.mu.Unlock()
	failed := t.failed[typ]
	left := slices.DeleteFunc(t.dialect.Candidates(typ), func(f protocol.Form) bool { return slices.Contains(failed, f) })
	if len(failed) > 0 && (len(left) == 0 || len(failed) >= protocol.MaxCandidates) {
		return failed[:1]
	}
	return left
}

// nod returns what the peer says to anything in a frame, if that is known.
func (t *tongue) nod(place protocol.Form) (nod []byte, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	nod, known = t.nods[place]
	return nod, known
}

func (t *tongue) keepNod(place protocol.Form, nod []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.nods == nil {
		t.nods = map[protocol.Form][]byte{}
	}
	t.nods[place] = nod
}

// understood keeps a form for good.
func (t *tongue) understood(typ protocol.Type, form protocol.Form) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dialect.Forms[typ] = form
	delete(t.failed, typ)
}

// doubt notes a form that was answered with nothing that helps.
func (t *tongue) doubt(typ protocol.Type, form protocol.Form) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.failed[typ], form) {
		t.failed[typ] = append(t.failed[typ], form)
	}
}

// exhausted notes that no form of a message was understood. News that a peer
// has no method for are not offered again.
func (t *tongue) exhausted(spec protocol.Spec, s *search) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if protocol.IsAck(spec.Reply) && s.soft == nil {
		t.dialect.Forms[spec.Type] = protocol.Deaf
		return
	}
	best := s.tried
	if s.soft != nil {
		best = append([]protocol.Form{*s.soft}, best...)
	}
	t.failed[spec.Type] = append(t.failed[spec.Type], best...)
}
