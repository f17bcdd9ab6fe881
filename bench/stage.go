package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// A stage is everything that takes turns, and what came of it.
type stage struct {
	Options
	small, large *arena
	signed       *arena // as small, but each player has a port of its own
	unsigned     *arena // the same, and they sign nothing
	std, null    *process
	python       *python
	noPython     string // why there is none

	league, crowd         []slice
	apart, plain          []slice // of those two
	stdRate, nullRate     []float64
	pythonRate, pythonCPU []float64
	stdCPU                []float64 // µs for an exchange
	idle, held            float64   // KiB
	p50, p99              float64   // ms
	syscalls              map[string]float64
	verified              []Verified
	thinking              *Thinking
	series                *Series
}

// open starts all parts and measures what needs no slices.
func (s *stage) open(ctx context.Context) (err error) {
	s.Say(fmt.Sprintf("memory of a match: %d at once", s.Held))
	if s.held, err = memoryInFlight(ctx, s.Options, filepath.Join(s.Folder, "held")); err != nil {
		return err
	}
	s.Say(fmt.Sprintf("leagues of %d and of %d players register", s.Players, s.Crowd))
	for _, l := range []struct {
		arena **arena
		setup
	}{
		{&s.small, setup{root: "small", players: s.Players, profiles: s.Profile != ""}},
		{&s.large, setup{root: "large", players: s.Crowd}},
		{&s.signed, setup{root: "signed", players: s.Players, apart: true}},
		{&s.unsigned, setup{root: "unsigned", players: s.Players, apart: true, unsigned: true}},
	} {
		l.root, l.inFlight = filepath.Join(s.Folder, l.root), s.InFlight
		if *l.arena, err = openArena(ctx, s.Program, l.setup); err != nil {
			return err
		}
	}
	if err := s.idlePlayers(ctx); err != nil {
		return err
	}
	if s.std, err = start(ctx, s.Program, "bench", "part", "std", "--json"); err != nil {
		return err
	}
	if s.null, err = start(ctx, s.Program, "bench", "part", "null", "--json"); err != nil {
		return err
	}
	if s.noPython = lookForPython(ctx, s.Python); s.noPython == "" {
		s.Say("a league in Python registers")
		if s.python, err = openPython(ctx, s.Python, filepath.Join(s.Folder, "python"), s.Players, s.InFlight); err != nil {
			return err
		}
	}
	return errors.Join(s.small.begin(ctx, s.Slice), s.signed.begin(ctx, s.Slice), s.unsigned.begin(ctx, s.Slice),
		s.large.begin(ctx, s.Slice))
}

// idlePlayers compares two processes that have done nothing but register players.
func (s *stage) idlePlayers(ctx context.Context) error {
	few, err := s.small.crowd.usage(ctx)
	if err != nil {
		return err
	}
	many, err := s.large.crowd.usage(ctx)
	if s.Crowd > s.Players {
		s.idle = (many.rss - few.rss) / 1024 / float64(s.Crowd-s.Players)
	}
	return err
}

// turn lets each part have a slice. The yardsticks come right after the league that is compared with them.
func (s *stage) turn(ctx context.Context) error {
	if err := s.yardsticks(ctx); err != nil {
		return err
	}
	for _, l := range []struct {
		arena *arena
		to    *[]slice
	}{{s.signed, &s.apart}, {s.unsigned, &s.plain}, {s.large, &s.crowd}} {
		played, err := l.arena.play(ctx, s.Slice)
		if err != nil {
			return err
		}
		*l.to = append(*l.to, played)
	}
	if s.python == nil {
		return nil
	}
	rate, cpu, err := s.python.play(ctx, s.Slice)
	s.pythonRate, s.pythonCPU = append(s.pythonRate, rate), append(s.pythonCPU, cpu)
	return err
}

// yardsticks measures the league and both of them, one after the other.
func (s *stage) yardsticks(ctx context.Context) error {
	played, err := s.small.play(ctx, s.Slice)
	if err != nil {
		return err
	}
	stdPace, err := std.pace(ctx, s.std, s.InFlight, s.Slice/2)
	if err != nil {
		return err
	}
	nullPace, err := null.pace(ctx, s.null, s.InFlight, s.Slice/2)
	if err != nil {
		return err
	}
	s.league = append(s.league, played)
	s.stdRate, s.stdCPU = append(s.stdRate, stdPace.rate), append(s.stdCPU, stdPace.cpu)
	s.nullRate = append(s.nullRate, nullPace.rate)
	return nil
}

// finish reads how long matches took, looks closer where that is wanted, ends the leagues and verifies them.
func (s *stage) finish(ctx context.Context) error {
	u, err := s.small.referee.usage(ctx)
	if err != nil {
		return err
	}
	p50, _ := quantile(u.durations, 0.5)
	p99, _ := quantile(u.durations, 0.99)
	s.p50, s.p99 = 1000*p50, 1000*p99
	if s.Syscalls {
		s.Say("system calls")
		if s.syscalls, err = s.small.syscalls(ctx, s.Slice); err != nil {
			return err
		}
	}
	if s.Profile != "" {
		s.Say("profiles, to " + s.Profile)
		if err := s.small.profile(ctx, s.Profile); err != nil {
			return err
		}
	}
	return s.verify(ctx)
}

// verify ends the leagues and derives again what they have written.
func (s *stage) verify(ctx context.Context) error {
	s.close()
	s.Say("league verify of every league")
	for _, a := range s.arenas() {
		v, err := verify(ctx, s.Program, a.root)
		if err != nil {
			return err
		}
		s.verified = append(s.verified, v)
	}
	return nil
}

// arenas are the leagues that were opened.
func (s *stage) arenas() (out []*arena) {
	for _, a := range []*arena{s.small, s.signed, s.unsigned, s.large} {
		if a != nil {
			out = append(out, a)
		}
	}
	return out
}

// close ends every process. It may be called again.
func (s *stage) close() {
	for _, a := range s.arenas() {
		a.close()
	}
	stopAll(s.std, s.null)
	if s.python != nil {
		s.python.close()
	}
}
