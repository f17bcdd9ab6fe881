// Package files is the SHARED/ tree: what a league is told, what it shows and what it says, all of it in files
// that a person can read.
//
//	config/  written once, then only read      ─▶ config.Reader   see package config
//	data/    the state of leagues and agents   ─▶ …Repository     documents that are replaced whole
//	                                              Records         what a referee must not lose
//	logs/    one JSON object a line            ─▶ Log             a handler for log/slog
//
// Everything starts with [Open]. The truth about a league is in its journal, which is not here: whatever a repository
// keeps can be made again. Records, locks and the admin's token cannot.
//
// Ids come over the wire and end up in paths, so each is checked with [config.CheckID] before it does. In a league that
// is not the root's default one, the files of players and agents are in a folder of that league's name.
package files
