package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// Options are what is measured.
type Options struct {
	Program  []string      // what starts the program: its path
	Folder   string        // an empty folder for the leagues' files, on the disk that is to be measured
	Players  int           // of the league; default 100
	Crowd    int           // of the league that it is compared with; default 1,000
	InFlight int           // matches at a time; default InFlightPerCore for each core
	Held     int           // matches at a time when a referee's memory is measured; default 200
	Slices   int           // default 9
	Slice    time.Duration // how long each is, if that is a round or more; default 1 s
	Python   string        // what runs Python, with what bench/python/requirements.txt names; default: no league in Python
	Profile  string        // a folder for profiles of the league's processes; default: none are taken
	Thinkers int           // players of a round that think; default: there is none
	Think    time.Duration // how long each of them thinks; default 2 s
	// PlotPlayers are the sizes of leagues for a Series; default: none is measured.
	PlotPlayers []int
	Syscalls    bool              // count all system calls too, with perf or strace
	Say         func(what string) // what is going on; default: nobody hears it
}

// InFlightPerCore is how many matches at a time keep a core busy. With fewer it waits for the disk, at the end of each
// match for its record and for the log; with more only the time that a match takes grows.
const InFlightPerCore = 32

// withDefaults fills in what was left at its zero value.
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
	if o.Think == 0 {
		o.Think = 2 * time.Second
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
	if s.thinking, s.series, err = beyond(ctx, o); err != nil {
		return r, err
	}
	return s.result(), nil
}

// beyond measures what has leagues of its own, where it is wanted.
func beyond(ctx context.Context, o Options) (t *Thinking, s *Series, err error) {
	if o.Thinkers > 0 {
		o.Say(fmt.Sprintf("%d players think for %s", o.Thinkers, o.Think))
		if t, err = thinkingRound(ctx, o); err != nil {
			return nil, nil, err
		}
	}
	if len(o.PlotPlayers) > 0 {
		s, err = measureSeries(ctx, o)
	}
	return t, s, err
}
