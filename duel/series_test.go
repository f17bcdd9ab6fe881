package duel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/game"
	"agentleague/host"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rating"
	"agentleague/referee"
	"agentleague/rpc"
)

func silent(string) *slog.Logger { return slog.New(slog.DiscardHandler) }

// side is a player that is played here.
func side(name string, choose player.StrategyFunc) Side {
	return Side{Name: name, New: func(*rand.Rand) (player.Strategy, error) { return choose, nil }}
}

// first plays the first legal move, last the last one.
func first(_ context.Context, v game.View) (game.Move, error) { return v.Options[0], nil }

func last(_ context.Context, v game.View) (game.Move, error) {
	return v.Options[len(v.Options)-1], nil
}

// seen keeps the records of a series.
type seen struct {
	mu   sync.Mutex
	recs []protocol.MatchRecord
}

func (s *seen) keep(_ string, doc []byte) error {
	rec, err := protocol.ParseRecord(doc)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recs = append(s.recs, rec)
	return err
}

func TestASeriesAddsUpWithSeatsSwappedAndDrawsPaired(t *testing.T) {
	for _, unpaired := range []bool{false, true} {
		var kept seen
		s := &Series{
			Options: Options{Game: "even_odd", Logger: silent, Seed: "a seed"}, Sides: [2]Side{side("even", first), side("odd", last)},
			Games: 31, Tables: 3, Unpaired: unpaired, Keep: kept.keep,
		}
		got, err := s.Play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c := got.Results()
		if got.Games != 31 || c.Wins+c.Draws+c.Losses != 31 || got.Score.Games() != 31 || len(kept.recs) != 31 {
			t.Errorf("unpaired %v: %d games, %+v, %d in the score, %d records; want 31", unpaired, got.Games, c, got.Score.Games(), len(kept.recs))
		}
		if got.Seats[0].Wins+got.Seats[0].Losses+got.Seats[0].Draws != 16 {
			t.Errorf("unpaired %v: %+v, want the first seat in 16 of 31 games", unpaired, got.Seats)
		}
		if want := float64(c.Wins) + float64(c.Draws)/2; got.Score.Points() != want {
			t.Errorf("unpaired %v: %v points, want %v", unpaired, got.Score.Points(), want)
		}
		keys := map[string]int{}
		for _, r := range kept.recs {
			keys[r.Fairness.Key]++
		}
		if want := map[bool]int{false: 16, true: 31}[unpaired]; len(keys) != want {
			t.Errorf("unpaired %v: %d different draws, want %d", unpaired, len(keys), want)
		}
		if got.Moves[0].Answers != 31 || got.Moves[0].P50 <= 0 || got.Moves[0].Max < got.Moves[0].P99 {
			t.Errorf("unpaired %v: answers %+v", unpaired, got.Moves[0])
		}
	}
}

func TestTheSameSeedGivesTheSameSeries(t *testing.T) {
	play := func(tables int) Tally {
		s := &Series{
			Options: Options{Game: "even_odd", Logger: silent, Seed: "seed"}, Sides: [2]Side{side("even", first), side("odd", last)},
			Games: 40, Tables: tables,
		}
		got, err := s.Play(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if a, b := play(1), play(4); a.Score != b.Score || a.Seats != b.Seats {
		t.Errorf("got %+v %+v, then %+v %+v", a.Score, a.Seats, b.Score, b.Seats)
	}
}

func TestATestStopsASeriesThatIsDecided(t *testing.T) {
	better := func(_ context.Context, v game.View) (game.Move, error) { // it takes the middle, and wins often
		for _, o := range v.Options {
			if string(o) == "4" {
				return o, nil
			}
		}
		return v.Options[0], nil
	}
	s := &Series{
		Options: Options{Game: "tic_tac_toe", Logger: silent}, Sides: [2]Side{side("better", better), side("last", last)},
		Games: 400, SPRT: &rating.SPRT{Elo0: 0, Elo1: 200},
	}
	got, err := s.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Games >= 400 || got.SPRT == nil || got.SPRT.Verdict == rating.Continue || got.Stopped == "" {
		t.Errorf("%d games, %+v, stopped %q; want a decision before the end", got.Games, got.SPRT, got.Stopped)
	}
}

// stubborn refuses to choose.
func stubborn(context.Context, game.View) (game.Move, error) {
	return nil, errors.New("no")
}

// impatient asks once, and waits a while.
var impatient = referee.Policy{MaxRetries: -1, Delay: time.Millisecond}

func TestASeriesEndsWhenAPlayerNeverPlays(t *testing.T) {
	s := &Series{
		Options: Options{Game: "even_odd", Logger: silent, Policy: impatient},
		Sides:   [2]Side{side("good", first), side("stubborn", stubborn)}, Games: 500,
	}
	got, err := s.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Games > 2*tooManyForfeits || got.Forfeits != [2]int{0, got.Games} || !strings.Contains(got.Stopped, "stubborn forfeited") {
		t.Errorf("%d games, forfeits %v, stopped %q", got.Games, got.Forfeits, got.Stopped)
	}
}

func TestAPlayerThatDiesInTheMiddleForfeitsTheRest(t *testing.T) {
	life, die := context.WithCancel(context.WithoutCancel(t.Context()))
	defer die()
	agent := player.New("Mortal", player.StrategyFunc(first), player.Options{Options: rpc.Options{Logger: silent("")}})
	server, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	at := host.Serve(life, server, agent.Node)
	s := &Series{
		Options: Options{Game: "even_odd", Logger: silent, Policy: impatient},
		Sides:   [2]Side{side("good", first), {Name: at.URL, Endpoint: at.URL}}, Games: 100,
	}
	s.Progress = func(now Tally) {
		if now.Games == 10 {
			die()
			<-at.Ended
		}
	}
	got, err := s.Play(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Games < 10+tooManyForfeits || got.Games > 10+2*tooManyForfeits || got.Forfeits[0] != 0 || got.Forfeits[1] != got.Games-10 {
		t.Errorf("%d games, forfeits %v, stopped %q; want all after the tenth", got.Games, got.Forfeits, got.Stopped)
	}
}

func TestAnInterruptedSeriesTellsWhatWasPlayed(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	s := &Series{
		Options: Options{Game: "even_odd", Logger: silent}, Sides: [2]Side{side("a", first), side("b", last)}, Games: 100_000,
		Progress: func(now Tally) {
			if now.Games >= 6 {
				stop()
			}
		},
	}
	got, err := s.Play(ctx)
	if !errors.Is(err, ErrInterrupted) || got.Games < 6 || got.Games > 100 || got.Score.Games() != got.Games {
		t.Errorf("%d games, %d in the score, %v", got.Games, got.Score.Games(), err)
	}
}

func TestAStrategyThatCannotBeMadeEndsASeries(t *testing.T) {
	broken := Side{Name: "broken", New: func(*rand.Rand) (player.Strategy, error) { return nil, errors.New("no model") }}
	s := &Series{Options: Options{Game: "even_odd", Logger: silent}, Sides: [2]Side{side("a", first), broken}, Games: 4}
	if got, err := s.Play(t.Context()); err == nil || got.Games != 0 {
		t.Errorf("%d games, %v", got.Games, err)
	}
}

func TestPacesAreThoseOfTheAnswers(t *testing.T) {
	var took []float32
	for i := range 200 {
		took = append(took, float32(200-i))
	}
	if got, want := paceOf(took), (Pace{200, 100 * time.Millisecond, 198 * time.Millisecond, 200 * time.Millisecond}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := paceOf(nil); got != (Pace{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestAGameThatNobodyWonIsHalfAPoint(t *testing.T) {
	winner := "P01"
	for _, tt := range []struct {
		winner *string
		want   float64
	}{{nil, 0.5}, {&winner, 1}, {ptr("P02"), 0}} {
		rec := protocol.MatchRecord{}
		rec.Result.WinnerPlayerID = tt.winner
		if got := pointsOf(rec, "P01"); got != tt.want {
			b, _ := json.Marshal(tt.winner)
			t.Errorf("winner %s: got %v, want %v", fmt.Sprint(string(b)), got, tt.want)
		}
	}
}

func ptr(s string) *string { return &s }
