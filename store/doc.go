// Package store reads and writes the SHARED/ tree: the configuration, state and records of leagues.
//
//	config/  written once, then only read      ─▶ config.Reader   see package config
//	data/    the state of leagues and agents   ─▶ Document        documents that are replaced whole
//	                                              Records         the records that a referee must not lose
//	logs/    one JSON object a line            ─▶ Root.Logs       see package store/logs
//
// Everything starts with [Open]. The source of truth of a league is its journal, which is not here: a document's
// content can be derived again. Records, locks and the admin's token cannot.
//
// It fills the interfaces of the layers above from these files, so that they need not know of files:
//
//	league/manager ─▶ Projector, Records ─┐
//	referee        ─▶ Recorder, Shelf ────┼─▶ Root ─▶ data/…
//	player         ─▶ Memory, AnswerBook ─┘
//
// Ids arrive over the wire and end up in paths, so each is first checked with [config.CheckID]. In a league other
// than the root's default one, the files of players and agents are in a folder of that league's name.
package store
