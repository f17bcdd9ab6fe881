package verify

import (
	"io/fs"
	"maps"
	"time"

	"agentleague/league"
	"agentleague/store"
)

// Again is a look at a league of which one file has changed since: what is known
// of the others stands.
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

// Folded is the league as its log tells it.
func (v *Result) Folded() *league.State { return v.audit.State }

// Known is what is known of the records.
func (v *Result) Known() Proofs { return v.proofs }

// A ProofOf names a record.
type ProofOf = proofOf

// Of is the match of the record.
func (p proofOf) Of() string { return p.match }

// HeadTold says when a head was told.
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
