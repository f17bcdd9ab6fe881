package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"
)

// Options are the sizes of a bench. Zero values are replaced by the defaults.
type Options struct {
	Program  []string      // the command that starts this program
	Folder   string        // an empty folder for the leagues' files, on the disk to be measured
	Players  int           // of the league; default 100
	Crowd    int           // of the larger league; default 1,000
	InFlight int           // matches at a time; default InFlightPerCore for each core
	Held     int           // matches at a time when a referee's memory is measured; default 200
	Slices   int           // default 9
	Slice    time.Duration // minimum length of a slice, which always plays a whole round; default 1 s
	Progress func(string)  // receives a line for each step; default: none
}

// InFlightPerCore is the number of matches at a time that keeps a core busy. With fewer the core waits for the disk at
// the end of each match; with more only the duration of a match grows.
const InFlightPerCore = 32

// withDefaults replaces zero values.
func (o Options) withDefaults() Options {
	for field, otherwise := range map[*int]int{
		&o.Players: 100, &o.Crowd: 1000, &o.InFlight: InFlightPerCore * runtime.NumCPU(), &o.Held: 200, &o.Slices: 9,
	} {
		if *field == 0 {
			*field = otherwise
		}
	}
	if o.Slice == 0 {
		o.Slice = time.Second
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o
}

// Run measures for about 5·Slices·Slice and half a minute.
func Run(ctx context.Context, o Options) (r Result, err error) {
	o = o.withDefaults()
	s := &stage{Options: o}
	defer s.close()
	if err := s.open(ctx); err != nil {
		return r, err
	}
	for n := range o.Slices {
		o.Progress(fmt.Sprintf("slice %d of %d", n+1, o.Slices))
		if err := s.turn(ctx); err != nil {
			return r, err
		}
	}
	if err := s.finish(ctx); err != nil {
		return r, err
	}
	return s.result(), nil
}

// A stage holds the parts that take turns, and their measurements.
type stage struct {
	Options
	small, large *arena
	signed       *arena // as small, but each player has its own port
	unsigned     *arena // as signed, without keys and signatures
	std, null    *process

	league, crowd     []slice // of small and large
	apart, plain      []slice // of signed and unsigned
	stdRate, nullRate []float64
	stdCPU            []float64 // µs an exchange
	idle, held        float64   // KiB
	p50, p99          float64   // ms
	verified          []Verified
}

// open starts all parts and measures memory, which needs no slices.
func (s *stage) open(ctx context.Context) (err error) {
	s.Progress(fmt.Sprintf("memory of a match: %d at once", s.Held))
	if s.held, err = memoryInFlight(ctx, s.Options, filepath.Join(s.Folder, "held")); err != nil {
		return err
	}
	s.Progress(fmt.Sprintf("leagues of %d and of %d players register", s.Players, s.Crowd))
	for _, l := range []struct {
		arena **arena
		setup
	}{
		{&s.small, setup{root: "small", players: s.Players}},
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
	return errors.Join(s.small.begin(ctx, s.Slice), s.signed.begin(ctx, s.Slice), s.unsigned.begin(ctx, s.Slice),
		s.large.begin(ctx, s.Slice))
}

// idlePlayers compares the memory of two crowds that have only registered.
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

// turn gives each part a slice. The yardsticks follow directly on the league that is compared with them.
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
	return nil
}

// yardsticks measures the league and both yardsticks, one after the other.
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

// finish reads the durations of matches, ends the leagues and verifies them.
func (s *stage) finish(ctx context.Context) error {
	u, err := s.small.referee.usage(ctx)
	if err != nil {
		return err
	}
	p50, _ := quantile(u.durations, 0.5)
	p99, _ := quantile(u.durations, 0.99)
	s.p50, s.p99 = 1000*p50, 1000*p99
	s.close()
	s.Progress("league verify of every league")
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

// close ends every process. It is idempotent.
func (s *stage) close() {
	for _, a := range s.arenas() {
		a.close()
	}
	stopAll(s.std, s.null)
}
