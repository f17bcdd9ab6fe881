// Package config is the files below config/ of a root as Go values: their shapes, their defaults, and what may stand in
// them.
//
//	system.json                ─▶ System             what all agents and leagues share
//	leagues/<league_id>.json   ─▶ League             the settings of one league
//	games/games_registry.json  ─▶ Games              the games that can be played
//	agents/agents_config.json  ─▶ Agents             the agents that are known beforehand
//	defaults/referee.json      ─▶ RefereeDefaults    what a new referee starts with
//	defaults/player.json       ─▶ PlayerDefaults     what a new player starts with
//
// Every key has a reader, and a test in internal/cli that shows what it changes; docs/guide/configuration.md lists
// them. [Reader.StartPlayer] and [Reader.StartReferee] are what an agent is started with, [Reader.Warnings] what in the
// files has no effect, [Reader.Values] every value in force with its line, and [Peek] reads a root without touching it.
//
// [Open] writes the files that are missing and returns a [Reader] of all of them. Every default stands in one place:
// the default files in defaults/, which are part of the program. What somebody's own file leaves out has the value of
// the default file; what is wrong in it is an error that names the file, the line and the field:
//
//	config/system.json:14: timeouts.move_timeout_sec: want a number of seconds, got "30s"
//
// [Decode], [Document] and [List] read and write the JSON documents of data/ in the same way.
package config
