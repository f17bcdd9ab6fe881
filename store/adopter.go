package store

import (
	"slices"

	"agentleague/league"
	"agentleague/protocol"
)

// An Adopter counts match records of referees on the same data directory. It does not copy the records in the logs of
// referees (see [Matches.Adopt]), unless the league's records are also stored elsewhere; it copies those of earlier
// versions.
type Adopter struct {
	root *Root
	into league.Records // the data directory's, or another that keeps records besides
	own  *Matches
}

// NewAdopter returns an Adopter for the referees on a data directory. It stores the records of a league in into.
func NewAdopter(root *Root, leagueID string, into league.Records) *Adopter {
	return &Adopter{root: root, into: into, own: root.Matches(leagueID)}
}

// Adopt marks records of a referee as counted if the referee's log has them with the given hashes. It copies the
// others from the referee's files of an earlier version. It reports for each record whether it is now stored.
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
