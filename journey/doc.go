// Package journey is only tests: four people use the product as its guides describe, command by command.
//
//	README.md, docs/guide/*.md ──▶ fenced blocks of shell commands ──▶ processes on an own network, from an empty folder
//
// Each command is taken from the Markdown word for word, except for the substitutions of one table. A command of these
// guides that no journey runs fails the tests, unless it is in the table of commands that are left out, with the reason.
package journey
