package attack_test

import (
	"testing"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc/rpctest"
)

// The families of this file and its neighbours attack a league in its first round: every match has been joined, every
// player has been asked, and none has answered yet.

// A stand is the set of participants of such a league.
type stand struct {
	alpha, beta *seated   // native, of this process
	gamma       *stranger // of another make
	visitor     *stranger // a referee of another make that has nothing to do
	release     func()
}

func (a *arena) stand() *stand { return a.cast["stand"].(*stand) }

// midgame is a league in its first round: Alpha and Beta are native and play even and odd, Delta is a native process,
// Gamma is foreign and plays even. One referee, the organiser's, judges.
func midgame(t *testing.T, strict bool) *arena {
	a := newArena(t, strict, settings{})
	a.referee("Referee Alpha", "--max-matches", "8")
	s := &stand{
		alpha: a.seat("Alpha", "even", true), beta: a.seat("Beta", "odd", true), gamma: newStranger(t, 0, "even"),
		visitor: newStranger(t, 0, ""),
	}
	a.player("Delta", 0)
	go1 := s.gamma.hold()
	s.gamma.join(a, protocol.RolePlayer, "Gamma")
	s.visitor.join(a, protocol.RoleReferee, "Visitor")
	s.release = func() { close(s.alpha.gate); close(s.beta.gate); go1() }
	t.Cleanup(func() { go1() })
	a.cast["stand"] = s
	a.start()
	s.alpha.await(t, protocol.TypeChooseParityCall)
	s.beta.await(t, protocol.TypeChooseParityCall)
	s.alpha.invitation = s.alpha.newest(protocol.TypeGameInvitation).Head().AuthToken
	rpctest.Eventually(t, "Gamma is asked", func() bool { return len(s.gamma.was(protocol.TypeChooseParityCall)) > 0 })
	return a
}

// goesOn releases all answers, and checks that the league ends as without the attack.
func goesOn(a *arena) {
	a.t.Helper()
	s := a.stand()
	if n := a.state().Recorded; n > 0 {
		a.t.Errorf("%d matches have a result although nobody has answered", n)
	}
	s.release()
	end := a.finish(0)
	honest(a.t, end)
	if file, ok := a.cast["witness"].(string); ok { // if the attack targeted it
		if said, status := run(a.t, "verify", "--root", a.root, "--witness", file); status != 0 {
			a.t.Errorf("the player's witness contradicts the log:\n%s", said)
		}
	}
	choosesOnly(a.t, end, map[string]string{s.alpha.ID(): "even", s.beta.ID(): "odd", s.gamma.name: "even"})
}

// choosesOnly wants each of some players to have made one choice, in all its matches.
func choosesOnly(t testing.TB, s *league.State, want map[string]string) {
	t.Helper()
	for id, m := range s.Matches {
		for _, player := range []string{m.A, m.B} {
			if got := string(m.Outcome.Result.Choices[player]); want[player] != "" && got != `"`+want[player]+`"` {
				t.Errorf("%s: %s is said to have chosen %s, and chose %s", id, player, got, want[player])
			}
		}
	}
}

// latecomers register when the league has started.
func latecomers() family {
	return family{name: "latecomers", scene: midgame, after: goesOn, attacks: []attack{
		{name: "a player of another make", want: "E019", try: func(a *arena) answer {
			return a.register(registration{name: "Late", endpoint: newStranger(a.t, 0, "odd").url})
		}},
		{name: "a player with the name of a native one", want: "E022", told: "code={code}", try: func(a *arena) answer {
			return a.register(registration{name: "Delta", endpoint: newStranger(a.t, 0, "odd").url})
		}},
		{name: "a player with the name of a foreign one", want: "E022", told: "code={code}", try: func(a *arena) answer {
			return a.register(registration{name: "Gamma", endpoint: newStranger(a.t, 0, "odd").url})
		}},
		{name: "at a foreign player's endpoint under another name, which changes nothing", want: "",
			try: func(a *arena) answer {
				return a.register(registration{name: "Renamed", endpoint: a.stand().gamma.url})
			}},
		{name: "a referee of another make", want: "E019", try: func(a *arena) answer {
			return a.register(registration{role: protocol.RoleReferee, name: "Late", endpoint: newStranger(a.t, 0, "").url})
		}},
		{name: "a native referee without the secret", want: "E019", try: func(a *arena) answer {
			return a.judge("Late", referee.Options{}, nil).enter(a)
		}},
		{name: "a native referee with another secret", want: "E019", try: func(a *arena) answer {
			return a.judge("Late", referee.Options{Secret: make([]byte, 32)}, nil).enter(a)
		}},
		{name: "a native referee with the organiser's name and no secret", want: "E022", told: "code={code}",
			try: func(a *arena) answer {
				return a.judge("Referee Alpha", referee.Options{}, nil).enter(a)
			}},
	}}
}
