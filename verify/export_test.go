package verify

import (
	"io/fs"
	"maps"
	"time"

	"agentleague/league"
	"agentleague/store"
)

// Again starts a verification of a league of which one file has changed; proofs of the other files are reused.
func Again(base *Result, root fs.FS) *Result {
	v := newResult(store.ShowRecords(root), base.LeagueID, maps.Clone(base.proofs))
	v.audit = base.audit
	return v
}

// The parts of a look.
func (v *Result) ReadLog() bool       { return v.log() }
func (v *Result) LookAt(match string) { v.match(v.audit.State.Matches[match]) }
func (v *Result) LookAtTables()       { v.projections() }
func (v *Result) Differ(d Difference) { v.differ(d) }

// Folded returns the state from the league's log.
func (v *Result) Folded() *league.State { return v.audit.State }

// Known returns the proofs of the records.
func (v *Result) Known() Proofs { return v.proofs }

// A ProofOf names a record.
type ProofOf = proofOf

// Of is the match of the record.
func (p proofOf) Of() string { return p.match }

// HeadTold exports headTold.
var HeadTold = headTold

// RestUntil has the prover read no journal before.
func (p *Prover) RestUntil(t time.Time) { p.after = t }

// Readings is how many journals the prover holds.
func (p *Prover) Readings() int { return len(p.read) }

// How much of the time a prover works.
const (
	ProofShare, ProofSpare, ReadShare, KeepRead = proofShare, minProofRest, readShare, journalLifetime
	BehindMost, LookEvery                       = maxTableDelay, tablePollInterval
)
