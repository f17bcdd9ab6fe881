// Package store lets the layers keep things without knowing of files: it fills
// [league.Projector] and [league.Records] for a manager, [referee.Recorder] and
// [referee.Shelf] for a referee, and what a player keeps, from the files of a
// root ([files.Root]).
//
//	league/manager ─▶ Projector, Records ─┐
//	referee        ─▶ Recorder, Shelf ────┼─▶ files.Root ─▶ data/…
//	player         ─▶ Memory, AnswerBook ─┘
//
// What follows from the log is written late and may be lost: it is written
// again from the log. What does not, a referee's record and what a player has
// signed, is on disk before anybody hears of it.
package store
