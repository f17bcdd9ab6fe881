package dialect

import (
	"slices"
	"strconv"
	"strings"

	"agentleague/protocol"
)

// Points for rating a tool. A tool with fewer points than enough is not called: a wrong call may do harm, and the
// operator of the server can configure the right tool.
const (
	enough      = 30
	stranger    = -25 // an unrelated word in a name that fits
	speaksOf    = 10  // a word in the description that does
	mostSpoken  = 30
	remembers   = -30 // the description is about the past
	declares    = 10  // an argument that the message has
	proves      = 20  // an argument that only such a tool has
	alonePoints = 20  // nothing else on the server could be meant
)

// pickTool returns the tool that takes messages of type t: one with a known name in any spelling, or else the tool with
// the most points for name, description and arguments, or else one that takes any message.
func pickTool(t protocol.Type, tools []Tool) (Tool, bool) {
	w := wordingOf(t)
	for _, name := range slices.Concat(w.calls, w.types, strings.Fields(otherTools[t])) {
		name, _, _ = strings.Cut(name, "+")
		for _, tool := range tools {
			if plainName(tool.Name) == strings.ToLower(name) {
				return tool, true
			}
		}
	}
	if best, ok := bestTool(t, tools); ok {
		return best, true
	}
	for _, tool := range tools {
		if carries[plainName(tool.Name)] && tool.takesMessage() {
			return tool, true
		}
	}
	return Tool{}, false
}

// bestTool returns the first tool with the most points; false if none has enough.
func bestTool(t protocol.Type, tools []Tool) (best Tool, ok bool) {
	s, known := compiled[t]
	if !known {
		return Tool{}, false
	}
	might := slices.DeleteFunc(slices.Clone(tools), s.excludes)
	most := enough - 1
	for _, tool := range might {
		points := s.points(tool, len(might) == 1 && t != protocol.TypeGameInvitation)
		if points > most {
			best, most, ok = tool, points, true
		}
	}
	return best, ok
}

// A knowledge is a toolSense prepared for lookup.
type knowledge struct {
	core          map[string]int
	needs         []map[string]bool
	filler, never map[string]bool
	tells         string
	about         []string
}

// compiled holds toolSenses in that encoding, by message type.
var compiled = func() map[protocol.Type]knowledge {
	out := map[protocol.Type]knowledge{}
	for t, s := range toolSenses {
		k := knowledge{core: map[string]int{}, filler: setOf(toolFillers + s.filler), never: setOf(s.never),
			tells: s.tells, about: strings.Fields(s.about)}
		for _, word := range strings.Fields(s.core) {
			word, weight, _ := strings.Cut(word, ":")
			k.core[word], _ = strconv.Atoi(weight)
		}
		for _, need := range s.needs {
			k.needs = append(k.needs, setOf(need))
		}
		out[t] = k
	}
	return out
}()

// setOf returns the set of words in a text.
func setOf(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// excludes reports whether a tool's name contains a word that rules it out, or lacks a required word.
func (k knowledge) excludes(tool Tool) bool {
	words := spelledOut(tool.Name)
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(words, func(w string) bool { return set[w] })
	}
	lacks := slices.ContainsFunc(k.needs, func(need map[string]bool) bool { return !has(need) })
	return has(k.never) || lacks && !k.proven(tool)
}

// proven reports whether a tool has the argument that identifies tools for the message.
func (k knowledge) proven(tool Tool) bool {
	return k.tells != "" && parseSchema(tool.Schema).Properties[k.tells] != nil
}

// points rates a tool. alone reports that the server has no other candidate.
func (k knowledge) points(tool Tool, alone bool) int {
	points, odd := 0, 0
	for _, w := range spelledOut(tool.Name) {
		switch weight := k.core[w]; {
		case weight > 0:
			points = max(points, weight)
		case !k.filler[w]:
			odd++
		}
	}
	switch {
	case points > 0:
		points += odd * stranger
	case alone && len(k.about) > 0:
		points = alonePoints
	}
	if k.proven(tool) {
		points += proves
	}
	if len(k.about) == 0 { // news are for tools that are named so
		return points
	}
	return points + k.described(tool.Description) + k.declared(tool)
}

// described rates the description of a tool.
func (k knowledge) described(text string) (points int) {
	words := spelledOut(protocol.Clip(text, 2000))
	for _, about := range k.about {
		if slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, about) }) {
			points += speaksOf
		}
	}
	points = min(points, mostSpoken)
	for _, w := range words {
		if w == "history" || w == "past" || w == "previous" || w == "statistics" {
			return points + remembers
		}
	}
	return points
}

// declared rates the arguments of a tool.
func (k knowledge) declared(tool Tool) int {
	s := parseSchema(tool.Schema)
	for name := range s.Properties {
		if ofMatch[plainName(name)] || carriesMessage(name) {
			return declares
		}
	}
	return 0
}

// ofMatch are arguments that occur only within a match.
var ofMatch = setOf("match_id match matchid game_id gameid opponent opponent_id round round_id deadline " +
	"game_type role_in_match " +
	"player_id board")

// takesMessage reports whether a tool has an argument for a whole message, or takes any arguments.
func (tool Tool) takesMessage() bool {
	s := parseSchema(tool.Schema)
	if s.open() {
		return true
	}
	for name := range s.Properties {
		if carriesMessage(name) {
			return true
		}
	}
	return false
}
