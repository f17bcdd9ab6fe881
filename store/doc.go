// Package store lets the layers keep things without knowing of files: it fills
// [league.Projector] and [league.Records] for a manager, [referee.Recorder] and
// [referee.Shelf] for a referee, and what a player keeps, from the files of a
// root ([files.Root]).
package store
