package rpc

import (
	"slices"
	"strings"

	"agentleague/protocol"
)

// handlers are the handlers of a node: individual ones by type, and one for all types of a repertoire. Individual
// ones take precedence. A process may host ten thousand players, and a map or a handler for each of their dozen types
// would be a tenth of their memory.
type handlers struct {
	own    handlings
	shared *Repertoire // nil: none
	all    Handler     // of its types
}

// A handling is how one type of message is answered.
type handling struct {
	of     protocol.Type
	answer Handler // nil: as all of a repertoire are
	open   bool    // it needs no token
}

// handlings are sorted by type.
type handlings []handling

// A Repertoire is the types of messages that all agents of one kind answer. It is made once and does not change.
type Repertoire struct{ kinds handlings }

// NewRepertoire returns a repertoire of types that need a token, or are checked by their handlers, and of open ones,
// which need none.
func NewRepertoire(checked, open []protocol.Type) *Repertoire {
	r := &Repertoire{}
	for _, t := range checked {
		r.kinds.at(t)
	}
	for _, t := range open {
		r.kinds.at(t).open = true
	}
	return r
}

// put makes h answer the messages of type t, replacing the previous handler.
func (s *handlers) put(t protocol.Type, h Handler) { s.own.at(t).answer = h }

// find returns how a type is answered, or nil.
func (s *handlers) find(t protocol.Type) *handling {
	if h := s.own.find(t); h != nil || s.shared == nil {
		return h
	}
	return s.shared.kinds.find(t)
}

// by returns the handler for the result of find; nil: none.
func (s *handlers) by(h *handling) Handler {
	switch {
	case h == nil:
		return nil
	case h.answer == nil:
		return s.all
	default:
		return h.answer
	}
}

// open reports whether a type is answered without a token.
func (s *handlers) open(t protocol.Type) bool {
	h := s.find(t)
	return h != nil && h.open
}

// types are all that are answered, sorted.
func (s *handlers) types() (all []protocol.Type) {
	for _, h := range s.own {
		all = append(all, h.of)
	}
	if s.shared != nil {
		for _, h := range s.shared.kinds {
			all = append(all, h.of)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// find returns the handling of a type, or nil.
func (s handlings) find(t protocol.Type) *handling {
	if i, there := s.search(t); there {
		return &s[i]
	}
	return nil
}

// at returns the handling of a type, which is put in if there is none. It may be changed until the next is put in.
func (s *handlings) at(t protocol.Type) *handling {
	i, there := s.search(t)
	if !there {
		*s = slices.Insert(*s, i, handling{of: t})
	}
	return &(*s)[i]
}

func (s handlings) search(t protocol.Type) (int, bool) {
	return slices.BinarySearchFunc(s, t, func(h handling, t protocol.Type) int { return strings.Compare(string(h.of), string(t)) })
}
