package verify

import (
	"fmt"
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// A Proof is the verification of one match, step by step.
type Proof struct {
	MatchID string
	Steps   []Step
}

// A Step is one check. Its status is PASS, FAIL or SKIP.
type Step struct{ Status, Name, Detail string }

// Add appends a step.
func (p *Proof) Add(status, name, detail string) {
	p.Steps = append(p.Steps, Step{status, name, detail})
}

// OK reports whether there are steps and none failed.
func (p Proof) OK() bool {
	return len(p.Steps) > 0 && !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Status == protocol.Fail })
}

// awaits reports whether the only difference is a file that a manager has yet to write.
func (v *Result) awaits() bool {
	return len(v.Differences) > 0 && !slices.ContainsFunc(v.Differences, func(d Difference) bool { return !d.behind })
}

// proof verifies one match of a journal that was read, step by step.
func (v *Result) proof(match string, sound bool) (Proof, error) {
	p := Proof{MatchID: match}
	const chain = "Every line of the journal has the hash of the line before"
	if !sound {
		p.Add(protocol.Fail, chain, v.told(0))
		return p, nil
	}
	p.Add(protocol.Pass, chain, fmt.Sprintf("%d lines of data/leagues/%s/journal.jsonl were read.", v.Lines, v.LeagueID))
	m := v.audit.State.Matches[match]
	if m == nil || m.Outcome == nil {
		return p, protocol.Errorf(protocol.MatchNotFound, "%s has no result yet", match)
	}
	v.Differences = nil // differences of the journal are reported with their steps
	name := "data/matches/" + v.LeagueID + "/" + m.ID + ".json"
	switch {
	case m.Outcome.Attempt == 0:
		v.own(name, m)
		v.step(&p, 0, "The record follows from the journal", "The match was not played: a player had left the league.")
	case !v.audit.Provable(m):
		p.Add(protocol.Skip, "The draw can be proven", "The referee is not one of this program's, which commit to "+
			"their draws; its result is accepted as reported.")
	case m.Outcome.RecordSHA256 == "":
		v.own(name, m)
		v.step(&p, 0, "The record follows from the journal", "A guest judged the match and sent the moves before the "+
			"draw; the league drew the number and decided.")
		v.proveSigned(&p, m)
	default:
		v.proveDraw(&p, name, m)
	}
	return p, nil
}

// proveDraw runs all checks of a match that one of our referees played.
func (v *Result) proveDraw(p *Proof, name string, m *league.Match) {
	doc := v.copies(name, m)
	v.step(p, 0, "The record is the one that was reported", "Its SHA-256 is "+m.Outcome.RecordSHA256+", as in line "+
		fmt.Sprint(v.audit.Line[m.ID])+" of the journal.")
	if doc == nil {
		return
	}
	before := len(v.Differences)
	if err := v.prove(m, doc); err != nil {
		v.differ(Difference{File: name, What: err.Error()})
	}
	v.step(p, before, "The result follows from the moves and the draw",
		"The match was played again by the rules: same key, same moves, same result. Both invitations had the SHA-256 "+
			"of the key before anyone chose.")
	v.proveSigned(p, m)
	before = len(v.Differences)
	for _, f := range v.audit.Findings {
		if f.Line == v.audit.Line[m.ID] && f.Field == m.ID+".draw_key" {
			v.differ(Difference{File: "journal.jsonl", Line: f.Line, Field: f.Field, Want: f.Want, Found: f.Got, What: f.What})
		}
	}
	const secret = "The key follows from the league's secret"
	if _, revealed := v.audit.DrawKey(m); !revealed && !v.audit.State.Completed() {
		p.Add(protocol.Skip, secret, "The league committed to its secret before anyone registered; it is revealed "+
			"when the league is over.")
		return
	}
	for _, f := range v.audit.Findings {
		if f.Field == "draw_secret" {
			v.differ(Difference{File: "journal.jsonl", Line: f.Line, Field: f.Field, Want: f.Want, Found: f.Got, What: f.What})
		}
	}
	v.step(p, before, secret, "It is derived from the revealed secret, the match and both players' contributions; "+
		"the league committed to the secret before anyone registered.")
}

// proveSigned checks that the players' signatures cover the result, and adds other findings of the journal about the
// match.
func (v *Result) proveSigned(p *Proof, m *league.Match) {
	const signed = "The players signed their moves"
	before := len(v.Differences)
	for _, f := range v.audit.Findings {
		if f.Line == v.audit.Line[m.ID] && f.About(m.ID) && f.Field != m.ID+".draw_key" {
			v.differ(Difference{File: "journal.jsonl", Line: f.Line, Field: f.Field, Want: f.Want, Found: f.Got, What: f.What})
		}
	}
	if len(v.Differences) == before && m.Proof != league.Proven {
		p.Add(protocol.Skip, signed, league.ProofWords(m.Proof))
		return
	}
	v.step(p, before, signed, fmt.Sprintf("The signatures of %s and %s were checked with their registered keys; "+
		"they cover the league's seal and the part of its log that each of them knew.", m.A, m.B))
}

// step adds a step that fails if there are more than before differences.
func (v *Result) step(p *Proof, before int, name, detail string) {
	if len(v.Differences) > before {
		p.Add(protocol.Fail, name, v.told(before))
		return
	}
	p.Add(protocol.Pass, name, detail)
}

// told lists the differences after the first before ones.
func (v *Result) told(before int) string {
	var out []string
	for _, d := range v.Differences[before:] {
		out = append(out, protocol.Plain(d.String()))
	}
	return strings.Join(out, "; ")
}
