package store

import (
	"agentleague/files"
	"agentleague/protocol"
)

// Records keeps the records that count. It is a [league.Records].
type Records struct{ files.MatchRepository }

// Store keeps one.
func (r Records) Store(match string, document []byte) error { return r.Save(match, document) }

// Adopt copies the record of a referee that lives on the same root, if it has the one with that hash.
func Adopt(root *files.Root, referee string, ref protocol.RecordRef, hash string) bool {
	kept, err := root.Records(referee)
	if err != nil {
		return false
	}
	text, err := kept.Sealed(ref, hash)
	if err != nil {
		return false
	}
	return root.Matches(ref.LeagueID).Save(ref.MatchID, text) == nil
}
