package jetstream_test

import (
	"errors"
	"strings"
	"testing"

	"agentleague/engine/jetstream"
)

// Open does not even connect to servers of other machines without credentials.
func TestServersOfOtherMachinesNeedCredentials(t *testing.T) {
	_, err := jetstream.Open(t.Context(), jetstream.Options{Servers: "nats://127.0.0.1:1,nats://192.0.2.1:4222"})
	if !errors.Is(err, jetstream.ErrNoCredentials) || !strings.HasPrefix(err.Error(), "192.0.2.1:4222: ") {
		t.Errorf("got %v, want %v", err, jetstream.ErrNoCredentials)
	}
	if _, err := jetstream.Open(t.Context(), jetstream.Options{Servers: "nats://127.0.0.1:1"}); err == nil || errors.Is(err, jetstream.ErrNoCredentials) {
		t.Errorf("got %v, want a connection that is refused", err)
	}
}
