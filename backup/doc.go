// Package backup puts a league into one file and takes it out again, at another root or on another engine, in the
// middle of a season.
//
//	root ── Take ─▶ spring.zip ── Open ─▶ Archive ── Restore ─▶ root, or a cluster's engine
//
// The file is a zip whose names are those of the root: the settings, the log line by line as it is, the records of
// matches, the rules where they are a file, the seats and identities of agents that the root hosts, the secrets that
// tokens and draws follow from, and manifest.json with the SHA-256 of each. What is only written for readers, the
// table, rounds and agents, is left out: it is made again.
//
// A backup may be taken while a manager writes. The log is read first and the records after it, less those that the
// log does not tell of yet; so it is the league as it was at one moment. A restored log has the same lines and hashes
// as the old one, so that tokens, seals, signatures and what players have noted of it hold.
package backup
