package gametest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentleague/game"
)

// seatsToMove requires that the list of seats to move is empty if and only if the match is over, and that it names each
// seat at most once.
func seatsToMove(p position) error {
	seats := p.state.ToMove()
	if _, over := p.state.Outcome(); over != (len(seats) == 0) {
		return fmt.Errorf("over is %v, but seats %v are to move", over, seats)
	}
	for i, seat := range seats {
		if seat < 0 || int(seat) >= p.seats || slices.Contains(seats[:i], seat) {
			return fmt.Errorf("seats %v are to move, want each of %d at most once", seats, p.seats)
		}
	}
	return nil
}

// viewsAsk requires a known question and options for a seat to move, and none for others.
func viewsAsk(p position) error {
	for _, seat := range p.state.ToMove() {
		v := p.state.View(seat)
		if !slices.Contains(p.info.MoveTypes, v.Ask) || len(v.Options) == 0 {
			return fmt.Errorf("seat %d: asked for %q with %d options, want one of %q and some",
				seat, v.Ask, len(v.Options), p.info.MoveTypes)
		}
	}
	for _, seat := range p.strangers() {
		if v := p.state.View(seat); v.Ask != "" || len(v.Options) > 0 {
			return fmt.Errorf("seat %d: asked for %q with %d options, want neither", seat, v.Ask, len(v.Options))
		}
	}
	for i, v := range p.views() {
		if v.Seat != game.Seat(i) || v.Turn != p.turn || !json.Valid(v.Context) {
			return fmt.Errorf("seat %d: view says seat %d, turn %d, context %q; want turn %d and JSON",
				i, v.Seat, v.Turn, v.Context, p.turn)
		}
	}
	return nil
}

// viewsHaveTexts requires that the text of a view, which players sign, is deterministic and differs between seats.
func viewsHaveTexts(p position) error {
	whose := map[string]game.Seat{}
	for i, v := range p.views() {
		seat, text := game.Seat(i), v.Text()
		for range 8 { // an order that chance gives does not stay for long
			if again := p.state.View(seat).Text(); again != text {
				return fmt.Errorf("seat %d: looked at again it is %s, want %s", seat, again, text)
			}
		}
		if other, taken := whose[text]; taken {
			return fmt.Errorf("seats %d and %d have one text: %s", other, seat, text)
		}
		whose[text] = seat
	}
	return nil
}

// optionsAreLegal requires Check to accept all options of a view.
func optionsAreLegal(p position) error {
	for _, seat := range p.state.ToMove() {
		for _, m := range p.state.View(seat).Options {
			if err := p.state.Check(seat, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// garbageIsIllegal requires Check to refuse moves that are illegal in every game.
func garbageIsIllegal(p position) error {
	for _, seat := range p.state.ToMove() {
		for _, m := range p.garbage(seat) {
			if err := refused(p, seat, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// strangersAreRefused requires that Check refuses legal moves from seats that are not to move.
func strangersAreRefused(p position) error {
	moves := []game.Move{nil}
	for _, m := range p.someMoves() {
		moves = append(moves, m)
	}
	for _, seat := range p.strangers() {
		for _, m := range moves {
			if err := refused(p, seat, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// refused requires that Check returns a short [*game.IllegalMove] for m that names seat.
func refused(p position, seat game.Seat, m game.Move) error {
	err := p.state.Check(seat, m)
	if illegal, ok := errors.AsType[*game.IllegalMove](err); !ok || illegal.Seat != seat || illegal.Why == "" {
		return fmt.Errorf("seat %d: move %.64q: got error %v, want an *IllegalMove of that seat that says why", seat, m, err)
	}
	if n := len(err.Error()); n > 512 {
		return fmt.Errorf("seat %d: move %.64q: an error of %d bytes, want 512 or fewer", seat, m, n)
	}
	return nil
}

// wrongSeatsAreRefused requires that Apply refuses a missing seat and an additional one.
func wrongSeatsAreRefused(p position) error {
	for _, missing := range p.state.ToMove() {
		moves := p.someMoves()
		delete(moves, missing)
		if p.state.Apply(moves) == nil {
			return fmt.Errorf("moves without seat %d are applied", missing)
		}
	}
	for _, extra := range p.strangers() {
		moves := p.someMoves()
		moves[extra] = anyOf(moves)
		if p.state.Apply(moves) == nil {
			return fmt.Errorf("a further move of seat %d is applied", extra)
		}
	}
	if p.state.Apply(nil) == nil {
		return errors.New("no moves at all are applied")
	}
	return nil
}

// anyOf returns one of the moves, or nil.
func anyOf(moves map[game.Seat]game.Move) game.Move {
	for _, m := range moves {
		return m
	}
	return nil
}

// illegalMovesAreRefused requires that Apply refuses an illegal move of any single seat.
func illegalMovesAreRefused(p position) error {
	good := p.someMoves()
	for _, seat := range p.state.ToMove() {
		for _, bad := range p.garbage(seat) {
			moves := maps.Clone(good)
			moves[seat] = bad
			if p.state.Apply(moves) == nil {
				return fmt.Errorf("seat %d: move %.64q is applied", seat, bad)
			}
		}
	}
	return nil
}

// outcomeIsComplete requires a score for each seat, and a sentence without unknown placeholders.
func outcomeIsComplete(p position) error {
	o, over := p.state.Outcome()
	if !over {
		return nil
	}
	if len(o.Scores) != p.seats {
		return fmt.Errorf("%d scores, want one for each of %d seats", len(o.Scores), p.seats)
	}
	if s := o.Sentence(make([]string, p.seats)); o.Reason == "" || strings.ContainsAny(s, "{}") {
		return fmt.Errorf("reason %q, want a sentence with no places but {0} to {%d}", o.Reason, p.seats-1)
	}
	return nil
}

// returnedIsOwned overwrites all values that a state returned. The caller then checks that the state is unchanged.
func returnedIsOwned(p position) error {
	overwriteNumbers(p.state.ToMove())
	for _, v := range p.views() {
		overwrite(v.Context)
		for _, m := range v.Options {
			overwrite(m)
		}
		clear(v.Options)
	}
	o, _ := p.state.Outcome()
	overwriteNumbers(o.Scores)
	clear(o.Details)
	return nil
}

// overwriteNumbers sets all elements to a number that is neither a seat nor a score.
func overwriteNumbers[N ~int](numbers []N) {
	for i := range numbers {
		numbers[i] = -12345
	}
}
