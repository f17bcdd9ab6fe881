package verify

import (
	"fmt"
	"slices"
	"strings"

	"agentleague/league"
	"agentleague/protocol"
)

// A Proof lists the checks by which one match was verified.
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

// OK reports whether there is at least one step and no step failed.
func (p Proof) OK() bool {
	return len(p.Steps) > 0 && !slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Status == protocol.Fail })
}

// A proving verifies one match of a journal that was read.
type proving struct {
	*Result
	Proof
}

// run verifies the match, step by step.
func (p *proving) run(sound bool) error {
	const chain = "Every line of the journal has the hash of the line before"
	if !sound {
		p.Add(protocol.Fail, chain, p.stated(0))
		return nil
	}
	p.Add(protocol.Pass, chain, fmt.Sprintf("%d lines of data/leagues/%s/journal.jsonl were read.", p.Lines, p.LeagueID))
	m := p.audit.State.Matches[p.MatchID]
	if m == nil || m.Outcome == nil {
		return protocol.Errorf(protocol.MatchNotFound, "%s has no result yet", p.MatchID)
	}
	p.Differences = nil // differences of the journal are reported with their steps
	name := "data/matches/" + p.LeagueID + "/" + m.ID + ".json"
	switch {
	case m.Outcome.Attempt == 0:
		p.own(name, m)
		p.step(0, "The record follows from the journal", "The match was not played: a player had left the league.")
	case !p.audit.Provable(m):
		p.Add(protocol.Skip, "The draw can be proven", "The referee is not one of this program's, which commit to "+
			"their draws; its result is accepted as reported.")
	case m.Outcome.RecordSHA256 == "":
		p.own(name, m)
		p.step(0, "The record follows from the journal", "A guest judged the match and sent the moves before the "+
			"draw; the league drew the number and decided.")
		p.signed(m)
	default:
		p.draw(name, m)
	}
	return nil
}

// draw runs all checks of a match whose referee was this program, of any version.
func (p *proving) draw(name string, m *league.Match) {
	doc := p.copies(name, m)
	p.step(0, "The record is the one that was reported", "Its SHA-256 is "+m.Outcome.RecordSHA256+", as in line "+
		fmt.Sprint(p.audit.Line[m.ID])+" of the journal.")
	if doc == nil {
		return
	}
	before := len(p.Differences)
	if err := p.prove(m, doc); err != nil {
		p.differ(Difference{File: name, What: err.Error()})
	}
	p.step(before, "The result follows from the moves and the draw",
		"The match was played again by the rules: same key, same moves, same result. Both invitations had the SHA-256 "+
			"of the key before anyone chose.")
	p.signed(m)
	before = len(p.Differences)
	for _, f := range p.audit.Findings {
		if f.Line == p.audit.Line[m.ID] && f.Field == m.ID+".draw_key" {
			p.differ(Difference{File: "journal.jsonl", Line: f.Line, Field: f.Field, Want: f.Want, Found: f.Got, What: f.What})
		}
	}
	const secret = "The key follows from the league's secret"
	if _, revealed := p.audit.DrawKey(m); !revealed && !p.audit.State.Completed() {
		p.Add(protocol.Skip, secret, "The league committed to its secret before anyone registered; it is revealed "+
			"when the league is over.")
		return
	}
	for _, f := range p.audit.Findings {
		if f.Field == "draw_secret" {
			p.differ(Difference{File: "journal.jsonl", Line: f.Line, Field: f.Field, Want: f.Want, Found: f.Got, What: f.What})
		}
	}
	p.step(before, secret, "It is derived from the revealed secret, the match and both players' contributions; "+
		"the league committed to the secret before anyone registered.")
}

// signed checks that the players' signatures cover the result, and reports other findings about the match.
func (p *proving) signed(m *league.Match) {
	const signed = "The players signed their moves"
	before := len(p.Differences)
	for _, f := range p.audit.Findings {
		if f.Line == p.audit.Line[m.ID] && f.About(m.ID) && f.Field != m.ID+".draw_key" {
			p.differ(Difference{File: "journal.jsonl", Line: f.Line, Field: f.Field, Want: f.Want, Found: f.Got, What: f.What})
		}
	}
	if len(p.Differences) == before && m.Proof != league.Proven {
		p.Add(protocol.Skip, signed, league.ProofWords(m.Proof))
		return
	}
	p.step(before, signed, fmt.Sprintf("The signatures of %s and %s were checked with their registered keys; "+
		"they cover the league's seal and the part of its log that each of them knew.", m.A, m.B))
}

// step adds a check. It fails if differences were added since there were before.
func (p *proving) step(before int, name, detail string) {
	if len(p.Differences) > before {
		p.Add(protocol.Fail, name, p.stated(before))
		return
	}
	p.Add(protocol.Pass, name, detail)
}

// stated describes the differences that were added since there were before.
func (p *proving) stated(before int) string {
	var out []string
	for _, d := range p.Differences[before:] {
		out = append(out, protocol.Plain(d.String()))
	}
	return strings.Join(out, "; ")
}
