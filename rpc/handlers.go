package rpc

import (
	"slices"
	"strings"

	"agentleague/protocol"
)

// handlers are the handlers of a node: individual ones by type, and one shared by all types of a repertoire. Individual
// ones take precedence. Sharing saves memory, since a process may host ten thousand players with a dozen types each.
type handlers struct {
	own    handlings
	shared *Repertoire // nil: none
	all    Handler     // of its types
}

// A handling is the handler of one message type, and whether it needs a token.
type handling struct {
	of     protocol.Type
	answer Handler // nil: as all of a repertoire are
	open   bool    // it needs no token
}

// handlings are sorted by type.
type handlings []handling

// A Repertoire is the set of message types that all agents of one kind handle. It is immutable.
type Repertoire struct{ kinds handlings }

// NewRepertoire returns a repertoire. Open types are answered without a token and rate-limited by address; the
// handlers of the checked types authenticate the sender.
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

// put registers h as the handler of messages of type t, replacing the previous handler.
func (s *handlers) put(t protocol.Type, h Handler) { s.own.at(t).answer = h }

// find returns the entry for messages of type t, or nil.
func (s *handlers) find(t protocol.Type) *handling {
	if h := s.own.find(t); h != nil || s.shared == nil {
		return h
	}
	return s.shared.kinds.find(t)
}

// by returns the handler for a result of find, or nil.
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

// open reports whether messages of a type need no token.
func (s *handlers) open(t protocol.Type) bool {
	h := s.find(t)
	return h != nil && h.open
}

// types returns all message types that have a handler, sorted.
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

// at returns the entry of a type, adding it if necessary. The pointer is valid until the next entry is added.
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
