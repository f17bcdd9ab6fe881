package rpc

import (
	"bytes"
	"slices"
	"sync"

	"agentleague/protocol"
)

// A tongue is what a node knows of how one peer wants to be spoken to.
type tongue struct {
	mu      sync.Mutex
	given   string // what was known when it was last asked for
	dialect protocol.Dialect
	failed  map[protocol.Type]failures
	nods    map[protocol.Form][]byte // what it says to anything, by frame and path; nil: nothing
}

// failures are the forms of a message that were not understood, the best of them first.
type failures struct {
	forms []protocol.Form
	soft  int // how many of them the peer failed at, rather than refused
}

// tongueOf returns the tongue of a peer. What others have learned of it is
// added; if they say that it speaks otherwise now, that is right.
func (n *Node) tongueOf(to Peer) *tongue {
	n.mu.Lock()
	t := n.tongues[to.Endpoint]
	if t == nil {
		t = &tongue{dialect: protocol.Dialect{Forms: map[protocol.Type]protocol.Form{}}, failed: map[protocol.Type]failures{}}
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
		t.dialect, t.failed = protocol.Dialect{Row: said.Row, Forms: map[protocol.Type]protocol.Form{}}, map[protocol.Type]failures{}
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

// search goes on where the last call to the peer stopped: with the forms that
// have not failed, or if all have, with the one that did best.
func (t *tongue) search(endpoint string, typ protocol.Type) *search {
	t.mu.Lock()
	defer t.mu.Unlock()
	failed := t.failed[typ].forms
	open := slices.DeleteFunc(t.dialect.Candidates(typ), func(f protocol.Form) bool { return slices.Contains(failed, f) })
	left := protocol.MaxCandidates - len(failed)
	if len(failed) > 0 && (len(open) == 0 || left <= 0) {
		open, left = slices.Clone(failed[:1]), 1
	}
	return newSearch(endpoint, typ, open, left)
}

// nod returns what the peer says to anything in a frame, if that is known. Who
// says the same to anything in another frame is taken to nod in this one too.
func (t *tongue) nod(place protocol.Form, gist []byte) (nod []byte, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if nod, known = t.nods[place]; known {
		return nod, true
	}
	for _, other := range t.nods {
		if other != nil && bytes.Equal(other, gist) {
			return other, true
		}
	}
	return nil, false
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

// refused notes a form that was not understood. One that the peer failed at, or
// answered with nothing that helps, may still have been the right one.
func (t *tongue) refused(typ protocol.Type, form protocol.Form, softly bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.failed[typ]
	if slices.Contains(f.forms, form) {
		return
	}
	at := len(f.forms)
	if softly {
		at = f.soft
		f.soft++
	}
	f.forms = slices.Insert(f.forms, at, form)
	t.failed[typ] = f
}

// exhausted notes that no form of a message was understood. News that a peer
// has no method for are not offered again.
func (t *tongue) exhausted(spec protocol.Spec) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if protocol.IsAck(spec.Reply) && t.failed[spec.Type].soft == 0 {
		t.dialect.Forms[spec.Type] = protocol.Deaf
	}
}
