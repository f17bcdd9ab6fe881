package agentleague_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentleague/league"
	"agentleague/protocol"
)

// diagrams returns the Mermaid blocks of all documents that begin with one of these words, by the name of the document.
func diagrams(t *testing.T, kind string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, file := range documents(t) {
		if !strings.Contains(read(t, file), "```mermaid\n") {
			continue
		}
		for _, text := range blocks(t, file, "mermaid") {
			if strings.HasPrefix(text, kind) {
				out[file] = append(out[file], text)
			}
		}
	}
	if len(out) == 0 {
		t.Fatalf("no document has a %s", kind)
	}
	return out
}

var (
	participant = regexp.MustCompile(`(?m)^ *participant (\w+) as (\w+)`)
	message     = regexp.MustCompile(`^ *(\w+)(-?->>)(\w+): ([A-Z_]+)`)
	constant    = regexp.MustCompile(`\b[A-Z]+(?:_[A-Z]+)+\b`)
	camel       = regexp.MustCompile(`\b(?:[A-Z][a-z]+){2,}\b`)
)

// Messages in diagrams are those of the protocol: the right agents send them, and each is answered by its reply.
func TestDiagramsHaveTheMessagesOfTheProtocol(t *testing.T) {
	t.Parallel()
	for file, texts := range diagrams(t, "sequenceDiagram") {
		for _, text := range texts {
			for _, name := range constant.FindAllString(text, -1) {
				if _, known := protocol.Lookup(protocol.Type(name)); !known {
					t.Errorf("%s: a diagram has %s, which is no message", file, name)
				}
			}
			for _, wrong := range wrongMessages(text) {
				t.Errorf("%s: %s", file, wrong)
			}
		}
	}
}

// wrongMessages tells what is wrong in a sequence of messages.
func wrongMessages(diagram string) (wrong []string) {
	role := map[string]string{}
	for _, p := range participant.FindAllStringSubmatch(diagram, -1) {
		role[p[1]] = p[2]
	}
	var asked []string // who waits for what from whom
	for line := range strings.Lines(diagram) {
		m := message.FindStringSubmatch(line)
		if m == nil {
			if strings.Contains(line, ">>") {
				wrong = append(wrong, "no message: "+strings.TrimSpace(line))
			}
			continue
		}
		from, arrow, to := m[1], m[2], m[3]
		spec, known := protocol.Lookup(protocol.Type(m[4]))
		if !known || !plays(role[from], spec.From) || !plays(role[to], spec.To) {
			wrong = append(wrong, "no such message from "+role[from]+" to "+role[to]+": "+m[4])
		}
		if arrow == "->>" {
			asked = append(asked, string(spec.Reply)+" "+to+from)
			continue
		}
		waits := slices.Index(asked, m[4]+" "+from+to)
		if waits < 0 {
			wrong = append(wrong, "nobody has asked for "+strings.TrimSpace(line))
			continue
		}
		asked = slices.Delete(asked, waits, waits+1)
	}
	for _, reply := range asked {
		wrong = append(wrong, "missing: "+reply)
	}
	return wrong
}

// plays reports whether somebody of that role may be meant where the protocol names another: an agent is a player or a
// referee.
func plays(role, named string) bool {
	either := []string{"agent", "player", "referee"}
	return role == named ||
		named == "agent" && slices.Contains(either, role) || role == "agent" && slices.Contains(either, named)
}

func TestWrongMessagesAreFound(t *testing.T) {
	const who = "sequenceDiagram\n    participant M as manager\n    participant R as referee\n"
	for text, want := range map[string]string{
		"M->>R: START_MATCH\nR-->>M: START_MATCH_ACK\n":   "",
		"M->>R: START_MATCH\n":                            "missing: START_MATCH_ACK RM",
		"R->>M: START_MATCH\nM-->>R: START_MATCH_ACK\n":   "no such message from referee to manager: START_MATCH",
		"M->>R: START_MUTCH\n":                            "no such message from manager to referee: START_MUTCH",
		"R-->>M: START_MATCH_ACK\n":                       "nobody has asked for R-->>M: START_MATCH_ACK",
		"M->>R: a match\n":                                "no message: M->>R: a match",
		"R->>M: MATCH_MOVES_REPORT\nR->>M: GAME_OVER_ACK": "missing: MATCH_MOVES_ACK MR",
	} {
		if got := strings.Join(wrongMessages(who+text), "\n"); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// States in diagrams are those of the protocol, and what changes them are its messages and the events of the log.
func TestDiagramsHaveTheStatesOfTheProtocol(t *testing.T) {
	t.Parallel()
	states := []string{
		protocol.WaitingForRegistrations, protocol.CreatingSchedule, protocol.RunningLeague, protocol.LeagueIsCompleted, protocol.LeagueIsCancelled,
		protocol.AgentInit, protocol.AgentRegistered, protocol.AgentActive, protocol.AgentSuspended, protocol.AgentShutdown,
		protocol.WaitingForPlayers, protocol.CollectingChoices, protocol.DrawingNumber, protocol.ApplyingMoves, protocol.Finished,
	}
	var events []string
	for _, e := range []league.Event{
		league.RoundOpened{}, league.MatchAssigned{}, league.ResultRecorded{}, league.Annulled{}, league.Completed{},
	} {
		events = append(events, league.Kind(e))
	}
	shown := ""
	for file, texts := range diagrams(t, "stateDiagram-v2") {
		for _, text := range texts {
			shown += text
			for _, name := range regexp.MustCompile(`\b[A-Z_]{3,}\b`).FindAllString(text, -1) {
				if _, known := protocol.Lookup(protocol.Type(name)); !known && !slices.Contains(states, name) {
					t.Errorf("%s: a diagram has %s, which is neither a state nor a message", file, name)
				}
			}
			for _, name := range camel.FindAllString(text, -1) {
				if !slices.Contains(events, name) {
					t.Errorf("%s: a diagram has %s, which is none of the events %q", file, name, events)
				}
			}
		}
	}
	for _, name := range slices.Concat(states, events) {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(shown) {
			t.Errorf("no diagram has %s", name)
		}
	}
}

// Arrows between packages in a diagram are imports.
func TestDiagramOfPackagesIsTrue(t *testing.T) {
	t.Parallel()
	imports := map[string][]string{}
	for _, p := range list(t, "linux") {
		for _, to := range p.Imports {
			imports[folder(p.ImportPath)] = append(imports[folder(p.ImportPath)], folder(to))
		}
	}
	arrows := 0
	for _, text := range diagrams(t, "flowchart")["ARCHITECTURE.md"] {
		if !strings.Contains(text, "cmd/league") {
			continue
		}
		for line := range strings.Lines(text) {
			hops := strings.Split(strings.TrimSpace(line), " --> ")
			for i := 1; i < len(hops); i++ {
				for _, from := range strings.Split(hops[i-1], " & ") {
					for _, to := range strings.Split(hops[i], " & ") {
						if arrows++; !slices.Contains(imports[from], to) {
							t.Errorf("ARCHITECTURE.md: %s does not import %s", from, to)
						}
					}
				}
			}
		}
	}
	if arrows == 0 {
		t.Error("ARCHITECTURE.md has no diagram of packages")
	}
}
