// Package store reads and writes the SHARED/ tree: the configuration, state and records of leagues.
//
//	config/  written once, then only read      ─▶ config.Reader   see package config
//	data/    the state of leagues and agents   ─▶ Document        documents that are replaced whole
//	                                              Records         the records that a referee must not lose
//	logs/    one JSON object a line            ─▶ Root.Logs       see package store/logs
//
// Everything starts with [Open]. The source of truth of a league is its journal, in package journal. The documents here
// are derived from it and can be written again. Records, locks and the admin's token cannot.
//
// The types here implement interfaces of the layers above, which are thereby independent of files:
//
//	league/manager ─▶ Projector, Records ─┐
//	referee        ─▶ Recorder, Shelf ────┼─▶ Root ─▶ data/…
//	player         ─▶ Memory, AnswerBook ─┘
//
// Ids arrive over the wire and become parts of paths, so each is checked first with [config.CheckID]. In a league other
// than the data directory's default one, the files of players and agents are in a folder with that league's name.
package store
