package formattest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"agentleague/format"
)

// checkNext checks the laws of a round, or of the end.
func (l *league) checkNext(f format.Field, r format.Round, more bool) error {
	if err := l.sameAgain(f, r, more); err != nil {
		return err
	}
	if !more {
		return nil
	}
	left, resting := l.pairsAbsent()
	if err := errors.Join(l.withinHorizon(f), validRound(f, r, left, resting), l.explained(f, r)); err != nil {
		return err
	}
	if l.format.Name() == "swiss/1" {
		return l.checkSwiss(f, r)
	}
	return nil
}

// pairsAbsent reports whether the format pairs players that left, or that rest: a round robin and a gauntlet give
// walkovers against those whose matches count, and a knockout knows no rest.
func (l *league) pairsAbsent() (left, resting bool) {
	switch l.format.Name() {
	case "round_robin/1", "gauntlet/1":
		return true, false
	case "knockout/1":
		return false, true
	}
	return false, false
}

// sampled reports whether a round is left out by the laws that look at a few rounds of a large league.
func (l *league) sampled(f format.Field) bool { return len(f.Players) > 32 && f.Round%16 != 1 }

// sameAgain requires the same bytes for the same facts in another order, and that the input is not changed.
func (l *league) sameAgain(f format.Field, r format.Round, more bool) error {
	if l.sampled(f) {
		return nil
	}
	if again := l.field(f.Round); !slices.Equal(again.Players, f.Players) || !slices.Equal(again.Results, f.Results) {
		return errors.New("the format changed the field")
	}
	shuffled := f
	shuffled.Players, shuffled.Results = slices.Clone(f.Players), slices.Clone(f.Results)
	l.rng.Shuffle(len(f.Players), reflect.Swapper(shuffled.Players))
	l.rng.Shuffle(len(f.Results), reflect.Swapper(shuffled.Results))
	again, still := l.format.Next(l.settings, shuffled)
	if one, two := text(r), text(again); more != still || !bytes.Equal(one, two) {
		return fmt.Errorf("in another order of players and results: got %v %s, want %v %s", still, two, more, one)
	}
	return nil
}

func text(r format.Round) []byte {
	b, _ := json.Marshal(r) // strings and numbers always encode
	return b
}

// withinHorizon requires that the round is not after the horizon.
func (l *league) withinHorizon(f format.Field) error {
	if l.sampled(f) {
		return nil
	}
	rounds, known := l.format.Horizon(l.settings, f)
	if (known || rounds > 0) && f.Round > rounds {
		return fmt.Errorf("the league has another round, want its end after round %d (known: %v)", rounds, known)
	}
	return nil
}

// validRound requires that all players are of the field and can play, and that no player is named twice.
func validRound(f format.Field, r format.Round, left, resting bool) error {
	places := map[string]format.Player{}
	for _, p := range f.Players {
		places[p.ID] = p
	}
	seen := map[string]bool{}
	use := func(id string, left, resting bool) error {
		p, known := places[id]
		gone := p.Left > 0 && p.Left <= f.Round
		switch {
		case !known || p.Joined > f.Round:
			return fmt.Errorf("%q is not a player of this round", id)
		case seen[id]:
			return fmt.Errorf("%s is named twice in %s", id, text(r))
		case gone && !left:
			return fmt.Errorf("%s has left, and is in %s", id, text(r))
		case p.Resting && !gone && !resting:
			return fmt.Errorf("%s rests, and is in %s", id, text(r))
		}
		seen[id] = true
		return nil
	}
	for _, p := range r.Pairs {
		one, two := places[p.A], places[p.B]
		if one.Left > 0 && one.Left <= f.Round && two.Left > 0 && two.Left <= f.Round {
			return fmt.Errorf("both players of %v have left", p)
		}
		if err := errors.Join(use(p.A, left, resting), use(p.B, left, resting)); err != nil {
			return err
		}
	}
	for _, id := range r.Byes {
		if err := use(id, false, resting); err != nil {
			return err
		}
	}
	for _, id := range r.Resting {
		if err := use(id, false, true); err != nil {
			return err
		}
	}
	return nil
}

// explained requires a reason for each pair and each bye, which names earlier meetings.
func (l *league) explained(f format.Field, r format.Round) error {
	reasons := l.format.Explain(l.settings, f, r)
	if len(reasons) != len(r.Pairs)+len(r.Byes) {
		return fmt.Errorf("%d reasons for %d pairs and %d byes", len(reasons), len(r.Pairs), len(r.Byes))
	}
	for k, reason := range reasons {
		want := format.Pairing{}
		if k < len(r.Pairs) {
			want = r.Pairs[k]
		} else {
			want.A = r.Byes[k-len(r.Pairs)]
		}
		if reason.Pairing != want || reason.Why == "" {
			return fmt.Errorf("reason %+v, want one for %v", reason, want)
		}
	}
	return nil
}
