package formattest

import (
	"slices"
	"strings"
	"testing"

	"agentleague/format"
)

// A broken format is a good one with some of its methods replaced.
type broken struct {
	format.Format
	next    func(format.Settings, format.Field, format.Round, bool) (format.Round, bool)
	explain func([]format.Reason) []format.Reason
	rank    func([]format.Place) []format.Place
	horizon func(rounds int, known bool) (int, bool)
}

func (b broken) Next(s format.Settings, f format.Field) (format.Round, bool) {
	r, more := b.Format.Next(s, f)
	if b.next != nil {
		return b.next(s, f, r, more)
	}
	return r, more
}

func (b broken) Explain(s format.Settings, f format.Field, r format.Round) []format.Reason {
	reasons := b.Format.Explain(s, f, r)
	if b.explain != nil {
		return b.explain(reasons)
	}
	return reasons
}

func (b broken) Rank(s format.Settings, f format.Field) []format.Place {
	places := b.Format.Rank(s, f)
	if b.rank != nil {
		return b.rank(places)
	}
	return places
}

func (b broken) Horizon(s format.Settings, f format.Field) (int, bool) {
	rounds, known := b.Format.Horizon(s, f)
	if b.horizon != nil {
		return b.horizon(rounds, known)
	}
	return rounds, known
}

// changed returns a Next that changes the pairs of rounds with two pairs or more.
func changed(change func(f format.Field, r *format.Round)) func(format.Settings, format.Field, format.Round, bool) (format.Round, bool) {
	return func(_ format.Settings, f format.Field, r format.Round, more bool) (format.Round, bool) {
		if more && len(r.Pairs) > 1 {
			r.Pairs = slices.Clone(r.Pairs)
			change(f, &r)
		}
		return r, more
	}
}

func TestBrokenFormatsAreReported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, of string
		broken   broken
		want     string
	}{
		{"a player twice", "swiss", broken{next: changed(func(_ format.Field, r *format.Round) { r.Pairs[0].A = r.Pairs[1].A })}, "named twice"},
		{"a stranger", "ladder", broken{next: changed(func(_ format.Field, r *format.Round) { r.Pairs[0].A = "P999" })}, "not a player"},
		{"pairs by the order of players", "swiss", broken{next: changed(func(f format.Field, r *format.Round) {
			if r.Pairs[0].A == f.Players[0].ID {
				slices.Reverse(r.Pairs)
			}
		})}, "in another order"},
		{"a changed field", "swiss", broken{next: changed(func(f format.Field, r *format.Round) { f.Players[0].Points++ })}, "changed the field"},
		{"no care for points", "swiss", broken{next: changed(func(f format.Field, r *format.Round) {
			if last := len(r.Pairs) - 1; f.Round%2 == 0 {
				r.Pairs[0].B, r.Pairs[last].B = r.Pairs[last].B, r.Pairs[0].B
			}
		})}, "pairs"},
		{"the same pairs again", "ladder", broken{next: func(s format.Settings, f format.Field, r format.Round, more bool) (format.Round, bool) {
			first, _ := format.ByName("ladder")
			f.Results, f.Round = nil, 1
			again, _ := first.Next(s, f)
			return again, more
		}}, "in the rounds"},
		{"no end", "knockout", broken{next: func(_ format.Settings, _ format.Field, r format.Round, _ bool) (format.Round, bool) { return r, true }}, "another round"},
		{"an early end", "round_robin", broken{next: func(_ format.Settings, f format.Field, r format.Round, more bool) (format.Round, bool) {
			return r, more && f.Round < 4
		}}, "met 0 times"},
		{"a late horizon", "gauntlet", broken{horizon: func(rounds int, known bool) (int, bool) { return rounds + 1, known }}, "rounds, want"},
		{"a missing reason", "round_robin", broken{explain: func(r []format.Reason) []format.Reason { return r[:len(r)-1] }}, "reasons for"},
		{"an empty reason", "gauntlet", broken{explain: func(r []format.Reason) []format.Reason {
			r[0].Why = ""
			return r
		}}, "want one for"},
		{"two winners", "knockout", broken{rank: func(p []format.Place) []format.Place {
			p[1].Place = 1
			return p
		}}, "2 winners"},
		{"a player without a place", "knockout", broken{rank: func(p []format.Place) []format.Place { return p[1:] }}, "places for"},
		{"other pairs after a withdrawal", "round_robin", broken{next: changed(func(f format.Field, r *format.Round) {
			if slices.ContainsFunc(f.Players, func(p format.Player) bool { return p.Left > 0 }) {
				slices.Reverse(r.Pairs)
			}
		})}, "from the whole log"},
	} {
		c.broken.Format, _ = format.ByName(c.of)
		var err error
		for seed := 0; seed < 60 && err == nil; seed++ {
			err = check(c.broken, seed)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}
