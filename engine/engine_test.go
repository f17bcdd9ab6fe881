package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"agentleague/engine"
)

func TestNamesCannotLeaveTheirFolder(t *testing.T) {
	good := []string{"league_2025_even_odd", "L", "a.b-c_9", "-", strings.Repeat("x", engine.MaxName)}
	for _, name := range good {
		if err := engine.CheckName(name); err != nil {
			t.Errorf("CheckName(%q) = %v, want nil", name, err)
		}
	}
	bad := []string{"", "a/b", `a\b`, ".", "..", "a..b", ".hidden", "end.", "a b", "a\x00b", "a\n", "C:",
		"*", "ä", "\xff",
		strings.Repeat("x", engine.MaxName+1)}
	for _, name := range bad {
		if err := engine.CheckName(name); !errors.Is(err, engine.ErrName) {
			t.Errorf("CheckName(%q) = %v, want ErrName", name, err)
		}
	}
}

func TestAppendNeedsANameAndBytes(t *testing.T) {
	if err := engine.CheckAppend("log", nil); !errors.Is(err, engine.ErrEmpty) {
		t.Errorf("no bytes: %v, want ErrEmpty", err)
	}
	if err := engine.CheckAppend("a/b", []byte("x")); !errors.Is(err, engine.ErrName) {
		t.Errorf("bad name: %v, want ErrName", err)
	}
	if err := engine.CheckAppend("log", []byte("x")); err != nil {
		t.Errorf("good append: %v", err)
	}
}

func TestClaimNeedsAHolderAndTime(t *testing.T) {
	for _, c := range []struct {
		key, holder string
		ttl         time.Duration
		want        error
	}{
		{"key", "", time.Second, engine.ErrLease},
		{"key", "me", 0, engine.ErrLease},
		{"key", "me", -time.Second, engine.ErrLease},
		{"a/b", "me", time.Second, engine.ErrName},
		{"key", "me", time.Second, nil},
	} {
		if err := engine.CheckAcquire(c.key, c.holder, c.ttl); !errors.Is(err, c.want) {
			t.Errorf("CheckAcquire(%q, %q, %v) = %v, want %v", c.key, c.holder, c.ttl, err, c.want)
		}
	}
}

func TestHeldErrorNamesTheHolder(t *testing.T) {
	err := fmt.Errorf("manager: %w", &engine.HeldError{Key: "league_x", Holder: "lm-2"})
	if got, want := err.Error(), "manager: league_x is held by lm-2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	var held *engine.HeldError
	if !errors.As(err, &held) || held.Holder != "lm-2" {
		t.Errorf("errors.As finds %+v", held)
	}
}
