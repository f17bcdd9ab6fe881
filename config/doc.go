// Package config reads the files below config/ of a data directory as Go values, with their schema, defaults and
// validation.
//
//	system.json                ─▶ System             shared by all agents and leagues
//	leagues/<league_id>.json   ─▶ League             the settings of one league
//	games/games_registry.json  ─▶ Games              the games that can be played
//	agents/agents_config.json  ─▶ Agents             the agents that are configured in advance
//	defaults/referee.json      ─▶ RefereeDefaults    the settings of a new referee
//	defaults/player.json       ─▶ PlayerDefaults     the settings of a new player
//
// Every key has a reader, and a test in internal/cli that shows its effect; docs/guide/configuration.md lists them.
// [Reader.StartPlayer] and [Reader.StartReferee] are the settings of an agent, [Reader.Warnings] the entries without
// effect, [Reader.Values] every value in force with its line, and [Peek] reads a data directory without changing it.
//
// [Open] writes missing files and returns a [Reader] of all of them. Every default is defined once: in the default
// files in defaults/, which are part of the program. Omitted keys have the value of the default file; an error names
// the file, the line and the field:
//
//	config/system.json:14: timeouts.move_timeout_sec: want a number of seconds, got "30s"
//
// [Decode], [Document] and [List] read and write the JSON documents of data/ in the same way.
package config
