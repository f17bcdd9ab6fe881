package view

import "agentleague/league"

// Pages mark each result with its basis: a symbol, its label and an explanation.

// A Badge is how a result is marked in a list.
type Badge struct{ Sign, Word, Means, Tone string }

// badges lists the marks for each basis of a result and for the label hosted, in the order of the legend.
var badges = []Badge{
	{"✓", league.Proven, league.ProofWords(league.Proven), "good"},
	{"○", league.Judged, league.ProofWords(league.Judged), ""},
	{"?", league.Unproven, league.ProofWords(league.Unproven), "warn"},
	{"!", league.Disputed, league.ProofWords(league.Disputed), "bad"},
	{"⌂", league.HostedLabel, league.HostedWords, ""},
}

// BadgesOf returns the marks of a result: its basis, and the label hosted.
func BadgesOf(proof string, hosted bool) (out []*Badge) {
	if b := BadgeOf(proof); b != nil {
		out = append(out, b)
	}
	if hosted {
		out = append(out, BadgeOf(league.HostedLabel))
	}
	return out
}

// BadgeOf returns the mark of a basis or label, or nil for an unknown one.
func BadgeOf(proof string) *Badge {
	for i, m := range badges {
		if m.Word == proof {
			return &badges[i]
		}
	}
	return nil
}

// Badges are all of them, for a legend.
func Badges() []Badge { return badges }
