package rpc

import (
	"slices"
	"strings"

	"agentleague/protocol"
)

// handlers are what a node answers, sorted by type. A process may host ten thousand players with a dozen handlers each, and
// a map of them takes twice the memory.
type handlers []handling

// A handling is how one type of message is answered.
type handling struct {
	of     protocol.Type
	answer Handler
	open   bool // it needs no token
}

// put makes h answer the messages of type t, whatever did before.
func (s *handlers) put(t protocol.Type, h Handler) {
	at, there := s.at(t)
	if !there {
		*s = slices.Insert(*s, at, handling{of: t})
	}
	(*s)[at].answer = h
}

// find returns how a type is answered, or nil. It may be changed until the next is put.
func (s handlers) find(t protocol.Type) *handling {
	if at, there := s.at(t); there {
		return &s[at]
	}
	return nil
}

func (s handlers) at(t protocol.Type) (int, bool) {
	return slices.BinarySearchFunc(s, t, func(h handling, t protocol.Type) int { return strings.Compare(string(h.of), string(t)) })
}

// answering returns who answers a type; nil: nobody does.
func (s handlers) answering(t protocol.Type) Handler {
	if h := s.find(t); h != nil {
		return h.answer
	}
	return nil
}

// open reports whether a type is answered without a token.
func (s handlers) open(t protocol.Type) bool {
	h := s.find(t)
	return h != nil && h.open
}
