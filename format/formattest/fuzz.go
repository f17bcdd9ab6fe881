package formattest

import (
	"fmt"
	"testing"

	"agentleague/format"
)

// Fuzz feeds fields of arbitrary bytes to all formats: no method may panic, and pairs must be valid.
func Fuzz(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("swiss league of a few players with results"))
	for seed := range 20 {
		b := make([]byte, 40+20*seed)
		for i := range b {
			b[i] = byte((i + 1) * (seed + 3) * 2654435761 >> 16)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, name := range format.Names() {
			if err := checkBytes(name, bytesOf{b[:min(len(b), mostBytes)]}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// mostBytes is the maximum size of a field, so that each takes milliseconds.
const mostBytes = 2000

// bytesOf makes numbers of bytes.
type bytesOf struct{ left []byte }

// next returns the next byte, or 0 at the end.
func (b *bytesOf) next() int {
	if len(b.left) == 0 {
		return 0
	}
	first := b.left[0]
	b.left = b.left[1:]
	return int(first)
}

// small returns a number from -2 to 13, and sometimes a huge one.
func (b *bytesOf) small() int {
	if n := b.next(); n < 250 {
		return n%16 - 2
	} else {
		return (n - 252) << 40
	}
}

// id returns the id of one of 32 players, or of none.
func (b *bytesOf) id() string {
	if n := b.next() % 34; n > 0 {
		return fmt.Sprintf("P%02d", n)
	}
	return ""
}

// checkBytes calls all methods of a format.
func checkBytes(name string, b bytesOf) error {
	f, _ := format.ByName(name)
	s := b.settings(name)
	field := b.field()
	_ = f.Check(s)
	_ = f.Joinable(s, field)
	f.Horizon(s, field)
	f.Rank(s, field)
	format.Seeds(s, field)
	format.Discounted(s, field)
	r, _ := f.Next(s, field)
	f.Explain(s, field, r)
	seen := map[string]bool{}
	for _, p := range r.Pairs {
		if p.A == p.B || seen[p.A] || seen[p.B] || p.A == "" || p.B == "" {
			return fmt.Errorf("a player twice, or none, in %s", text(r))
		}
		seen[p.A], seen[p.B] = true, true
	}
	return nil
}

// settings returns settings with wrong values among them.
func (b *bytesOf) settings(name string) format.Settings {
	words := []string{"", "rating", "lot", "win", "keep", "seed", "half", "?"}
	word := func() string { return words[b.next()%len(words)] }
	return format.Settings{
		Format: name, Rounds: b.small(), Legs: b.small(), Seeding: word(), Bye: word(),
		Late: format.Late{Until: b.small(), Missed: word()}, Gauntlet: format.Gauntlet{Challengers: b.small()},
		Knockout:   format.Knockout{BestOf: b.small(), Extra: b.small(), Decide: word(), ThirdPlace: b.next()%2 == 0},
		Ladder:     format.Ladder{RestAfter: b.small(), Matches: b.small()},
		Withdrawal: format.Withdrawal{BeforeHalf: word()},
	}
}

// field returns a field with wrong and repeated facts among them.
func (b *bytesOf) field() format.Field {
	f := format.Field{Round: b.small()}
	for range b.next() % 48 {
		f.Players = append(f.Players, format.Player{
			ID: b.id(), Seed: b.small(), Points: b.small(), Rating: b.small() * 100, Deviation: b.small() * 10,
			Joined: b.small() / 4, Left: max(b.small()-8, 0), Resting: b.next()%8 == 0,
		})
	}
	for len(b.left) > 0 {
		f.Results = append(f.Results, format.Played{
			Round: b.small(), A: b.id(), B: b.id(), Winner: b.id(), Unplayed: b.next()%8 == 0,
		})
	}
	return f
}
