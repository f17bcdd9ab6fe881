package web

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"agentleague/league"
	"agentleague/league/view"
	"agentleague/protocol"
	"agentleague/web/replay"
)

// The limits of third-party texts, in characters.
const (
	nameMost  = view.NameMost
	shownMost = 160
	causeMost = 500 // the class of a cause, and the agent's answer
)

// said returns a text of an agent in a form that a page can show. The template escapes it.
func said(text string, most int) string { return view.Clean(text, most) }

// shown returns a text of an agent in a form for a line of a page.
func shown(text string) string { return said(text, shownMost) }

// nameShown returns an agent's name, cut to fit on a line.
func nameShown(name string) string { return said(name, 48) }

// A NameView is an agent's id and name.
type NameView struct {
	ID   string `json:"id"`
	Name string `json:"display_name"`
}

// nameOf returns an agent's id and name in a form for a page.
func nameOf(s *league.State, id string) NameView {
	if a := s.Agents[id]; a != nil {
		return NameView{id, nameShown(a.Name)}
	}
	return NameView{ID: id}
}

// title returns the name of an agent, or its id.
func (n NameView) title() string { return cmp.Or(n.Name, n.ID) }

// replay returns the name for the package replay.
func (n NameView) replay() replay.Name { return replay.Name{ID: n.ID, Name: n.Name} }

// named replaces the ids of players in a sentence by their names.
func named(text string, players ...NameView) string {
	for _, p := range players {
		text = replay.Called(text, p.replay())
	}
	return text
}

// cause returns the reason why a player failed, as the reader may see it. Only an insider, the organizer or the owner
// of the player, reads the agent's answer.
func cause(text string, insider bool) string {
	if text = strings.Replace(text, protocol.YourAgent, "its agent", 1); insider {
		return said(protocol.RedactIn(text), causeMost)
	}
	return said(protocol.RedactText(text), causeMost)
}

// took formats a duration for people: 0.4 ms, 31 ms, 2.1 s.
func took(ms float64) string {
	switch {
	case ms < 0.05:
		return "less than 0.1 ms"
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	case ms < 60_000:
		return fmt.Sprintf("%.1f s", ms/1000)
	}
	return (time.Duration(ms) * time.Millisecond).Round(time.Second).String()
}

// endingWords returns a player's outcome in words.
func endingWords(outcome string) string { return view.Ending{Letter: view.Letter(outcome)}.Word() }

// movesOf lists a player's moves in a match with a result.
func movesOf(out *league.ResultRecorded, id string) string {
	return shown(strings.Join(view.MovesOf(out, id), ", "))
}

// capital returns a text with an upper-case first letter.
func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(r)) + text[size:]
}

// plainLines cleans a third-party text of several lines.
func plainLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = said(line, 2000)
	}
	return strings.Join(lines[:min(len(lines), 100)], "\n")
}

// describeHead returns a league in a sentence, for links to its pages.
func describeHead(h view.LeagueHead) string {
	switch {
	case len(h.Champions) > 0:
		return h.GameName + ", " + strconv.Itoa(h.Players) + " players. Champion: " + h.Champions[0].Name + "."
	case h.Rounds > 0:
		return fmt.Sprintf("%s, %d players, round %d of %d.", h.GameName, h.Players, h.Round, h.Rounds)
	}
	return fmt.Sprintf("%s. %d players have joined.", h.GameName, h.Players)
}
