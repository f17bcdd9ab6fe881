package rpc

import (
	"context"
	"slices"
	"testing"

	"agentleague/protocol"
)

// named is a handler that returns its name.
func named(name string) Handler {
	return func(context.Context, From, protocol.Message) (protocol.Message, error) {
		return &protocol.Ack{Status: name}, nil
	}
}

func TestANodesOwnHandlersComeBeforeItsRepertoire(t *testing.T) {
	shared := NewRepertoire([]protocol.Type{protocol.TypeGameOver, protocol.TypePing}, []protocol.Type{protocol.TypeGetPlayerState})
	var one, other handlers
	one.put(protocol.TypePing, named("own"))
	one.own.at(protocol.TypePing).open = true
	one.shared, one.all = shared, named("all")
	other.shared, other.all = shared, named("other")
	for _, c := range []struct {
		of   *handlers
		t    protocol.Type
		want string // "": no answer
		open bool
	}{
		{&one, protocol.TypePing, "own", true},
		{&one, protocol.TypeGameOver, "all", false},
		{&one, protocol.TypeGetPlayerState, "all", true},
		{&one, protocol.TypeWelcome, "", false},
		{&other, protocol.TypePing, "other", false},
		{&handlers{}, protocol.TypePing, "", false},
	} {
		h, got := c.of.by(c.of.find(c.t)), ""
		if h != nil {
			reply, _ := h(t.Context(), From{}, nil)
			got = reply.(*protocol.Ack).Status
		}
		if got != c.want || c.of.open(c.t) != c.open {
			t.Errorf("%s: answered by %q, open %t; want %q, %t", c.t, got, c.of.open(c.t), c.want, c.open)
		}
	}
	want := []protocol.Type{protocol.TypeGameOver, protocol.TypeGetPlayerState, protocol.TypePing}
	if got := one.types(); !slices.Equal(got, want) {
		t.Errorf("it answers %v, want %v", got, want)
	}
}
