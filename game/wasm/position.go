package wasm

import (
	"encoding/json"
	"slices"

	"agentleague/game"
)

// Limits of a position, because views are sent with every turn.
const (
	maxState   = 64 << 10 // bytes of JSON
	maxContext = 32 << 10 // bytes of JSON of a view
	maxOptions = 1000     // of a seat
	maxReason  = 500      // bytes
)

// A position is a module's description of a match after a step, validated so that a referee can rely on it.
type position struct {
	state   json.RawMessage
	toMove  []game.Seat
	views   []game.View                  // by seat, then that of spectators
	legal   []map[string]json.RawMessage // by seat: its options, by their canonical texts
	outcome *game.Outcome                // nil: it is not over
}

// position checks an answer that is to be one.
func (a answer) position(info game.Info, seats, turn int) (*position, error) {
	state, ok := compact(a.State)
	if !ok || len(state) > maxState {
		return nil, failed("state: want JSON of at most %d bytes", maxState)
	}
	p := &position{state: state}
	if err := p.seat(a.ToMove, seats); err != nil {
		return nil, err
	}
	if len(a.Views) != seats {
		return nil, failed("views: want %d, one for each seat, got %d", seats, len(a.Views))
	}
	for i, v := range a.Views {
		if err := p.see(info, game.Seat(i), turn, v); err != nil {
			return nil, err
		}
	}
	if err := p.see(info, game.Seat(-1), turn, view{Context: a.Watch}); err != nil {
		return nil, err
	}
	if (a.Outcome != nil) != (len(p.toMove) == 0) {
		return nil, failed("outcome: want one when no seat is to move, and only then")
	}
	if a.Outcome == nil {
		return p, nil
	}
	return p, p.end(*a.Outcome, seats)
}

// seat records a seat to move.
func (p *position) seat(toMove []int, seats int) error {
	for _, n := range toMove {
		if n < 0 || n >= seats || slices.Contains(p.toMove, game.Seat(n)) {
			return failed("to_move: want each seat from 0 to %d at most once, got %d", seats-1, n)
		}
		p.toMove = append(p.toMove, game.Seat(n))
	}
	slices.Sort(p.toMove)
	return nil
}

// see validates and stores the view and the legal moves of a seat.
func (p *position) see(info game.Info, seat game.Seat, turn int, v view) error {
	context, ok := compact(v.Context)
	if !ok || !isObject(context) || len(context) > maxContext {
		return failed("context of seat %d: want an object of at most %d bytes", seat, maxContext)
	}
	out := game.View{Seat: seat, Turn: turn, Context: context}
	legal := map[string]json.RawMessage{}
	if slices.Contains(p.toMove, seat) {
		out.Ask = v.MoveType
		if !slices.Contains(info.MoveTypes, v.MoveType) {
			return failed("move_type of seat %d: want one of info's move_types, got %.40q", seat, v.MoveType)
		}
		for _, option := range v.Options {
			text, ok := canonical(option)
			if _, twice := legal[text]; !ok || twice || text == "null" {
				return failed("valid_options of seat %d: want each once, and not null", seat)
			}
			option, _ = compact(option) // it is JSON
			legal[text] = option
			out.Options = append(out.Options, option)
		}
	} else if v.MoveType != "" || len(v.Options) > 0 {
		return failed("view of seat %d: it is not to move and is asked to", seat)
	}
	if len(out.Options) > maxOptions || out.Ask != "" && len(out.Options) == 0 {
		return failed("valid_options of seat %d: want 1 to %d, got %d", seat, maxOptions, len(out.Options))
	}
	p.views = append(p.views, out)
	p.legal = append(p.legal, legal)
	return nil
}

// end notes how the match ended.
func (p *position) end(o outcome, seats int) error {
	switch {
	case len(o.Scores) != seats:
		return failed("outcome: scores: want %d, one for each seat, got %d", seats, len(o.Scores))
	case o.Reason == "" || len(o.Reason) > maxReason || o.Reason != plainReason(o.Reason):
		return failed("outcome: reason: want a sentence of at most %d bytes", maxReason)
	}
	p.outcome = &game.Outcome{Scores: o.Scores, Reason: o.Reason}
	for name, raw := range o.Details {
		if p.outcome.Details == nil {
			p.outcome.Details = map[string]any{}
		}
		detail, ok := compact(raw)
		if !ok || len(detail) > maxContext {
			return failed("outcome: details: %.40q: want JSON of at most %d bytes", name, maxContext)
		}
		p.outcome.Details[name] = detail
	}
	return nil
}

// view returns a copy of a seat's view.
func (p *position) view(seat game.Seat) game.View {
	v := p.views[len(p.views)-1]
	if seat >= 0 && int(seat) < len(p.views)-1 {
		v = p.views[seat]
	}
	v.Seat = seat
	v.Context = slices.Clone(v.Context)
	v.Options = slices.Clone(v.Options)
	for i, option := range v.Options {
		v.Options[i] = slices.Clone(option)
	}
	return v
}
