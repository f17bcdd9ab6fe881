package bench

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Options are what is measured.
type Options struct {
	Program  []string          // what starts the program: its path
	Folder   string            // an empty folder for the leagues' files, on the disk that is to be measured
	Players  int               // of the league; default 100
	Crowd    int               // of the league that it is compared with; default 1,000
	InFlight int               // matches at a time; default 16
	Held     int               // matches at a time when a referee's memory is measured; default 200
	Slices   int               // default 9
	Slice    time.Duration     // how long each is, if that is a round or more; default 1 s
	Say      func(what string) // what is going on; default: nobody hears it
}

func (o Options) withDefaults() Options {
	for field, otherwise := range map[*int]int{
		&o.Players: 100, &o.Crowd: 1000, &o.InFlight: 16, &o.Held: 200, &o.Slices: 9,
	} {
		if *field == 0 {
			*field = otherwise
		}
	}
	if o.Slice == 0 {
		o.Slice = time.Second
	}
	if o.Say == nil {
		o.Say = func(string) {}
	}
	return o
}

// Run measures. It takes about 5·Slices·Slice and half a minute.
func Run(ctx context.Context, o Options) (r Result, err error) {
	o = o.withDefaults()
	s := &stage{Options: o}
	defer s.close()
	if err := s.open(ctx); err != nil {
		return r, err
	}
	for n := range o.Slices {
		o.Say(fmt.Sprintf("slice %d of %d", n+1, o.Slices))
		if err := s.turn(ctx); err != nil {
			return r, err
		}
	}
	if err := s.finish(ctx); err != nil {
		return r, err
	}
	return s.result(), nil
}

// A stage is everything that takes turns, and what came of it.
type stage struct {
	Options
	small, large *arena
	signed       *arena // as small, but each player has a port of its own
	unsigned     *arena // the same, and they sign nothing
	std, null    *process

	league, crowd     []slice
	apart, plain      []slice // of those two
	stdRate, nullRate []float64
	stdCPU            []float64 // µs for an exchange
	idle, held        float64   // KiB
	p50, p99          float64   // ms
}

// open starts all parts and measures what needs no slices.
func (s *stage) open(ctx context.Context) (err error) {
	s.Say(fmt.Sprintf("memory of a match: %d at once", s.Held))
	if s.held, err = memoryInFlight(ctx, s.Options, filepath.Join(s.Folder, "held")); err != nil {
		return err
	}
	s.Say(fmt.Sprintf("leagues of %d and of %d players register", s.Players, s.Crowd))
	if s.small, err = openArena(ctx, s.Options, filepath.Join(s.Folder, "small"), s.Players); err != nil {
		return err
	}
	if s.large, err = openArena(ctx, s.Options, filepath.Join(s.Folder, "large"), s.Crowd); err != nil {
		return err
	}
	if s.signed, err = openArena(ctx, s.Options, filepath.Join(s.Folder, "signed"), s.Players, "--apart"); err != nil {
		return err
	}
	if s.unsigned, err = openArena(ctx, s.Options, filepath.Join(s.Folder, "unsigned"), s.Players, "--apart",
		"--unsigned"); err != nil {
		return err
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
	return nil
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

// finish reads how long matches took.
func (s *stage) finish(ctx context.Context) error {
	u, err := s.small.referee.usage(ctx)
	if err != nil {
		return err
	}
	p50, _ := quantile(u.durations, 0.5)
	p99, _ := quantile(u.durations, 0.99)
	s.p50, s.p99 = 1000*p50, 1000*p99
	return nil
}

func (s *stage) close() {
	for _, a := range []*arena{s.small, s.signed, s.unsigned, s.large} {
		if a != nil {
			a.close()
		}
	}
	stopAll(s.std, s.null)
}
