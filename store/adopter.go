package store

import (
	"slices"

	"agentleague/league"
	"agentleague/protocol"
)

// An Adopter keeps the records of referees that live on the same root, without a copy: see [Matches.Adopt].
type Adopter struct {
	root *Root
	into league.Records // the root's, or another that keeps records besides
	own  *Matches
}

// NewAdopter keeps records of a league from the referees on a root.
func NewAdopter(root *Root, leagueID string, into league.Records) *Adopter {
	return &Adopter{root: root, into: into, own: root.Matches(leagueID)}
}

// Adopt keeps those records of a referee that it has with their hashes, and reports of each whether it did.
func (a *Adopter) Adopt(referee string, refs []protocol.RecordRef, hashes []string) (done []bool) {
	done = a.own.Adopt(referee, refs, hashes)
	if a.into == league.Records(a.own) && !slices.Contains(done, false) {
		return done
	}
	kept, err := a.root.Records(referee)
	if err != nil {
		return done
	}
	defer kept.Close()
	for i, ref := range refs {
		if done[i] && a.into == league.Records(a.own) {
			continue
		}
		text, err := kept.Sealed(ref, hashes[i])
		done[i] = err == nil && a.into.Store(ref.MatchID, text) == nil
	}
	return done
}
