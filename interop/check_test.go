package interop_test

import (
	"context"
	"slices"
	"testing"

	"agentleague/check"
	"agentleague/interop/foreign"
	"agentleague/protocol"
)

// roleOf is what a check takes an agent for. It ends before the first step.
func roleOf(t *testing.T, endpoint string) protocol.Role {
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	r, err := check.Run(ctx, endpoint, check.Options{Begin: func(check.Step) { stop() }})
	if err != nil {
		t.Error(err)
	}
	return r.Role
}

// Those that say nothing of themselves are known by what they answer to any message.
func TestCheckFindsTheRoleOfForeignPlayers(t *testing.T) {
	t.Parallel()
	together(t, foreign.Kinds(), 4, func(k foreign.Persona) string { return k.Name }, func(t *testing.T, k foreign.Persona) {
		if k.Name == "nods" {
			t.Skip("it says the same to anything")
		}
		if got := roleOf(t, newGuest(t, k).Endpoint()); got != protocol.RolePlayer {
			t.Errorf("it is taken for %q, want a player", got)
		}
	})
}

func TestCheckFindsTheRoleOfForeignReferees(t *testing.T) {
	t.Parallel()
	together(t, foreign.RefereeKinds(), 4, func(k foreign.RefereeKind) string { return k.Name }, func(t *testing.T, k foreign.RefereeKind) {
		if k.Start == foreign.StartPolled || k.Start == foreign.StartQuery {
			t.Skip("it takes no message")
		}
		r, err := foreign.NewReferee(k)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		if got := roleOf(t, r.Endpoint()); got != protocol.RoleReferee {
			t.Errorf("it is taken for %q, want a referee", got)
		}
	})
}

// An agent that registers with the checker is spoken to as it speaks: nothing is guessed.
func TestCheckSpeaksAsTheRegistrationDid(t *testing.T) {
	t.Parallel()
	var kinds []foreign.Persona
	for _, k := range foreign.Kinds() {
		if slices.Contains([]string{"B", "D", "F"}, k.Name) {
			kinds = append(kinds, k)
		}
	}
	together(t, kinds, 3, func(k foreign.Persona) string { return k.Name }, func(t *testing.T, k foreign.Persona) {
		ctx, stop := context.WithTimeout(t.Context(), 2*patience)
		defer stop()
		p := newGuest(t, k)
		registers := func(manager string) {
			go func() {
				if err := p.Register(ctx, manager); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}()
		}
		_, err := check.Run(ctx, "", check.Options{Ready: registers, Step: func(protocol.CheckStep) {
			if p.Count(foreign.Invitation) > 0 {
				stop()
			}
		}})
		if err != nil {
			t.Error(err)
		}
		if n := len(p.Guesses(foreign.Invitation)); n > 0 || p.Count(foreign.Invitation) == 0 {
			t.Errorf("invited %d times, after %d guesses", p.Count(foreign.Invitation), n)
		}
	})
}
