package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
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
	disk              Disk
}

// open starts all parts and measures memory, which needs no slices.
func (s *stage) open(ctx context.Context) (err error) {
	s.Progress(fmt.Sprintf("memory of a match: %d at once", s.Held))
	if s.held, err = memoryInFlight(ctx, s.Program, filepath.Join(s.Folder, "held"), s.Held); err != nil {
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
	s.disk, err = diskOf(s.small.root, s.verified[0].Results)
	return err
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

// result sums up all slices. Ratios are of neighbouring slices and not of averages, since a slow phase of the machine
// affects both.
func (s *stage) result() Result {
	rates, cpus, allocs := each(s.league, slice.exchangeRate), each(s.league, slice.cpu), each(s.league, slice.allocs)
	r := Result{
		System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(), Players: s.Players, InFlight: s.InFlight,
		Slices: s.Slices, SliceSec: s.Slice.Seconds(),
		MatchesPerSec:     figure(each(s.league, slice.rate)),
		ExchangesPerMatch: figure(each(s.league, slice.exchangesPerMatch)), ExchangesPerSec: figure(rates),
		StdPerSec: figure(s.stdRate), NullPerSec: figure(s.nullRate),
		RatioStd: figure(ratios(rates, s.stdRate)), RatioNull: figure(ratios(rates, s.nullRate)),
		AllocsPerMatch:    byRole(s.league, mallocs, func(x slice) float64 { return x.matches }),
		AllocsPerExchange: byRole(s.league, mallocs, slice.exchanges),
		CPUMsPerMatch:     figure(cpus),
		CPUUsPerExchange:  byRole(s.league, cpu, func(x slice) float64 { return x.exchanges() / 1e6 }),
		StdCPUUs:          measured(s.stdCPU), CPURatioStd: measured(ratios(each(s.league, slice.exchangeCPU), s.stdCPU)),
		ReadsAndWritesPerMatch: measured(each(s.league, slice.io)),
		RefereeWritesPerMatch:  measured(each(s.league, slice.refereeWrites)),
		P50Ms:                  s.p50, P99Ms: s.p99, RSSPerIdlePlayer: s.idle, RSSPerMatchInFlight: s.held, Disk: s.disk,
		WrongTokensRefused: s.refused(), Verified: s.verified,
		Unsigned: s.unsignedResult(), Crowd: s.crowdResult(cpus, allocs),
	}
	r.Bars, r.Held = bars(r)
	return r
}

// refused counts the messages with a wrong token.
func (s *stage) refused() (n int) {
	for _, played := range [][]slice{s.league, s.apart, s.plain, s.crowd} {
		for _, x := range played {
			n += x.refused
		}
	}
	return n
}

// unsignedResult compares the leagues with and without signatures.
func (s *stage) unsignedResult() Unsigned {
	rates := each(s.plain, slice.rate)
	return Unsigned{
		MatchesPerSec: figure(rates), CPUMsPerMatch: figure(each(s.plain, slice.cpu)),
		Ratio: figure(ratios(each(s.apart, slice.rate), rates)),
	}
}

// crowdResult compares the CPU and the objects of a match in the larger and the smaller league.
func (s *stage) crowdResult(cpus, allocs []float64) Crowd {
	crowdCPU, crowdAllocs := each(s.crowd, slice.cpu), each(s.crowd, slice.allocs)
	return Crowd{
		Players: s.Crowd, MatchesPerSec: figure(each(s.crowd, slice.rate)),
		AllocsPerMatch: figure(crowdAllocs), CPUMsPerMatch: figure(crowdCPU),
		AllocsRatio: figure(ratios(crowdAllocs, allocs)), CPURatio: figure(ratios(crowdCPU, cpus)),
	}
}

// byRole divides the usage of each kind of process by the work done.
func byRole(of []slice, used func(usage) float64, done func(slice) float64) Roles {
	role := func(agent int) *Figure {
		return figure(each(of, func(s slice) float64 { return used(s.used[agent]) / done(s) }))
	}
	return Roles{
		Referee: role(referee), Players: role(players), Manager: role(manager),
		Total: figure(each(of, func(s slice) float64 { return s.sum(used) / done(s) })),
	}
}

// yardsticks maps the command-line argument that starts the server of a reference program to that program.
var yardsticks = map[string]yardstick{"std": std, "null": null}

// Serve runs a yardstick's server on a free loopback port until ctx ends, and calls ready with its address.
func Serve(ctx context.Context, name string, ready func(endpoint string)) error {
	y, ok := yardsticks[name]
	if !ok {
		return fmt.Errorf("unknown yardstick %q: use std or null", name)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ready(l.Addr().String())
	return y.serve(ctx, l)
}
