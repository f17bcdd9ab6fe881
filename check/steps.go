package check

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"strings"
	"sync"

	"agentleague/protocol"
)

// steps.txt describes its format.
//
//go:embed steps.txt
var stepsText string

// steps returns the steps by the letter of their role, and the text of the specification by section.
var steps = sync.OnceValues(func() (byRole map[byte][]task, sections map[string]string) {
	judges := map[string]judge{}
	for _, some := range []map[string]judge{
		wireSteps(), registrationSteps(), closingSteps(), playerSteps(), refereeSteps(), managerSteps(), toolSteps(),
	} {
		maps.Copy(judges, some)
	}
	byRole, sections = map[byte][]task{}, map[string]string{}
	for block := range strings.SplitSeq(stepsText, "\n\n") {
		head, lines, _ := strings.Cut(strings.TrimSpace(block), "\n")
		if strings.HasPrefix(head, "#") {
			continue
		}
		ids, title, _ := strings.Cut(head, " ")
		if ids == "section" {
			sections[title] = strings.TrimPrefix(lines, "\tspec\t")
			continue
		}
		roles := strings.TrimRight(ids, "0123456789")
		for _, role := range []byte(roles) {
			request := requests[role]
			fill := strings.NewReplacer("{call}", request.article, "{member}", request.member, "{request}", request.message)
			step, err := parseStep(string(role)+ids[len(roles):], fill.Replace(title), fill.Replace(lines))
			if err != nil {
				panic(fmt.Sprintf("check: steps.txt: %s: %v", step.ID, err))
			}
			own, shared := judges[step.ID], judges[step.ID[1:]]
			scripted := step.message != nil || step.expectations != nil
			switch {
			case scripted == (own != nil || shared != nil):
				panic(fmt.Sprintf("check: %s needs either a script or a function", step.ID))
			case scripted:
				step.judge = step.script.run
			case own != nil:
				step.judge = own
			default:
				step.judge = shared
			}
			if step.spec == "" {
				step.spec = sections[step.Clause]
			}
			byRole[role] = append(byRole[role], step)
		}
	}
	return byRole, sections
})

// requests lists, for each role, the request that the steps about envelopes make invalid: its name in a sentence, a
// string member that it needs, and its name in a script.
var requests = map[byte]struct{ article, member, message string }{
	'P': {"a call", "match_id", "call 6 1"},
	'R': {"a question", "match_id", "state 1 1"},
	'M': {"a query", "query_type", "query " + protocol.QueryStandings},
}

// A task is a step that can be taken.
type task struct {
	Step
	script
	judge judge // of a step without a script
}

// parseStep reads a step below its head.
func parseStep(id, title, lines string) (s task, err error) {
	s.ID = id
	s.Clause, s.Name, _ = strings.Cut(title, ": ")
	for line := range strings.Lines(lines) {
		key, value, _ := strings.Cut(strings.Trim(line, "\t\n"), "\t")
		switch key {
		case "fix":
			s.Fix = value
		case "spec":
			s.spec = value
		default:
			err = s.script.parse(key, value)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// run returns the finding of the step's condition if that is not a pass, and otherwise that of the step.
func (s task) run(ctx context.Context, c *session) finding {
	if need := needs[s.after]; need != nil {
		if why := need(ctx, c); why.level != passes {
			return why
		}
	}
	return s.judge(ctx, c)
}

// Steps lists the steps for a role, in order.
func Steps(role protocol.Role) []Step {
	return described(letters[role])
}

// ToolSteps lists the steps for a player that is an MCP server, in order.
func ToolSteps() []Step {
	return described('T')
}

// described returns the descriptions of the steps of a role.
func described(role byte) (out []Step) {
	byRole, _ := steps()
	for _, t := range byRole[role] {
		out = append(out, t.Step)
	}
	return out
}

// needs maps the name of a condition in a script to its judge: the step is skipped unless that passes.
var needs = map[string]judge{
	"join": func(ctx context.Context, s *session) finding { return playerCheck{s}.unbound(ctx) },
	"choice": func(ctx context.Context, s *session) finding {
		_, why := playerCheck{s}.undecided(ctx)
		return why
	},
	"question": requestable,
	"registration": func(_ context.Context, s *session) finding {
		if !s.manager.registered() {
			return skip("%s", hinted("it is not registered with the checker", s.Hints.Listen))
		}
		return pass
	},
	"match": func(ctx context.Context, s *session) finding {
		_, why := refereeCheck{s}.played(ctx)
		return why
	},
	"assignment": func(ctx context.Context, s *session) finding {
		if _, why := (refereeCheck{s}).played(ctx); why.level != passes {
			return why
		}
		if !s.manager.registered() {
			return skip("it is not registered with the checker: it does not know the checker's token")
		}
		return pass
	},
	"state": stateShown,
	"report": func(ctx context.Context, s *session) finding {
		f, why := refereeCheck{s}.played(ctx)
		if why.level == passes && len(f.reports()) == 0 {
			return skip("no report arrived")
		}
		return why
	},
	"admission": func(ctx context.Context, s *session) finding { return managerCheck{s}.admitted(ctx) },
	"referee": func(ctx context.Context, s *session) finding {
		m := managerCheck{s}
		if why := m.admitted(ctx); why.level != passes {
			return why
		}
		if m.ref(ctx).grant().ID == "" {
			return skip("no referee can register")
		}
		return pass
	},
}

// requestable returns a skip if the agent cannot get the request of its role (see requests).
func requestable(ctx context.Context, s *session) finding {
	switch s.role {
	case protocol.RoleReferee:
		return stateShown(ctx, s)
	case protocol.RoleManager:
		return managerCheck{s}.admitted(ctx)
	}
	p := playerCheck{s}
	if _, why := p.undecided(ctx); why.level != passes {
		return why
	}
	if once(&s.memo, "faults", func() reply { return p.join(ctx, s.match(6, 1)) }).err != nil {
		return skip("it does not join another match")
	}
	return pass
}

// stateShown returns a skip if the referee does not return the state of a match.
func stateShown(ctx context.Context, s *session) finding {
	f, why := refereeCheck{s}.played(ctx)
	if why.level == passes && f.state.Message == nil {
		return skip("it does not return the state of a match")
	}
	return why
}
