package game

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shownBytes limits the part of a refused move that an error repeats: the move is untrusted and ends up in logs and
// answers.
const shownBytes = 64

// IllegalMove is the error for a move that the rules do not allow.
type IllegalMove struct {
	Seat Seat
	Move Move
	Why  string // the expected form
}

// Error shows at most the first 64 bytes of the move, on one line.
func (e *IllegalMove) Error() string {
	return fmt.Sprintf("seat %d: illegal move %s: %s", e.Seat, shown(e.Move), e.Why)
}

// shown returns at most shownBytes of m in printable form, with an ellipsis if m is longer.
func shown(m Move) string {
	if len(m) == 0 {
		return "(none)"
	}
	if len(m) <= shownBytes {
		return printable(string(m))
	}
	return printable(string(m[:shownBytes])) + "…"
}

// printable replaces every unprintable character by a question mark.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// CheckMove implements Check for most games. It returns an [*IllegalMove] unless it is seat's turn and read, which
// parses the move, returns no error. read is not called for a move out of turn.
func CheckMove[T any](s State, seat Seat, m Move, read func(Move) (T, error)) error {
	if !slices.Contains(s.ToMove(), seat) {
		return &IllegalMove{Seat: seat, Move: m, Why: "it is not this seat's turn"}
	}
	if _, err := read(m); err != nil {
		return &IllegalMove{Seat: seat, Move: m, Why: err.Error()}
	}
	return nil
}

// CheckMoves returns an error unless moves contains exactly one legal move for every seat in
// s.ToMove. Implementations of Apply call it first.
func CheckMoves(s State, moves map[Seat]Move) error {
	want := s.ToMove()
	if len(want) == 0 {
		return errors.New("the match is over: want no more moves")
	}
	for seat := range moves {
		if !slices.Contains(want, seat) {
			return outOfTurn(want, moves)
		}
	}
	for _, seat := range want {
		if err := checkMove(s, seat, moves); err != nil {
			return err
		}
	}
	return nil
}

// outOfTurn returns an error that names the first seat in moves that is not in want, or nil.
func outOfTurn(want []Seat, moves map[Seat]Move) error {
	for _, seat := range slices.Sorted(maps.Keys(moves)) {
		if !slices.Contains(want, seat) {
			return fmt.Errorf("seat %d: a move out of turn, want moves of seats %v", seat, want)
		}
	}
	return nil
}

// checkMove returns an error unless moves contains a legal move for seat.
func checkMove(s State, seat Seat, moves map[Seat]Move) error {
	m, ok := moves[seat]
	if !ok {
		return fmt.Errorf("seat %d: no move, want moves of seats %v", seat, s.ToMove())
	}
	return s.Check(seat, m)
}
