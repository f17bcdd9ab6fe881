// Package backup writes a league to one file and restores it at another data directory or on another engine, in the
// middle of a season.
//
//	root ── Take ─▶ spring.zip ── Open ─▶ Archive ── Restore ─▶ root, or a cluster's engine
//
// The file is a zip with the names of the data directory's files: the settings, the log line by line, the records of
// matches, the rules if they are a file, the seats and identities of agents that the data directory hosts, the secrets
// from which tokens and draws are derived, and manifest.json with the SHA-256 of each. The derived documents, table,
// rounds and agents, are left out.
//
// A backup may be taken while a manager writes. The log is read first. Then Take waits until the records of its results
// are stored, checks their hashes, and reads them without the records that the log does not mention yet, so the backup
// is a consistent snapshot. A restored log has the same lines and hashes as the old one, so that tokens, seals,
// signatures and players' witnesses remain valid.
package backup
