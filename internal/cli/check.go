package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"agentleague/check"
	"agentleague/dialect"
	"agentleague/internal/term"
	"agentleague/protocol"
)

// checkCommand is `league check`. Its exit status is 1 if any step failed, or if it was interrupted before all were
// taken.
func checkCommand(a *app) *cobra.Command {
	var role, junit, bearer string
	var tools []string
	var listen int
	var verbose bool
	var o check.Options
	cmd := &cobra.Command{
		Use: "check [URL]", Short: "Check whether an agent keeps to the protocol",
		Long: `Check step by step whether a player, referee or manager keeps to the protocol.

The checker speaks the agent's own dialect and warns about every difference from the
specification. With --strict it speaks only the specification, and every difference
is a failure. What failed is shown first, with what the specification says and how to
fix it, then each warning in a line; -v shows every step (docs/guide/check.md lists
them). Ctrl-C ends the check and shows the result so far.

A player that is an MCP server is recognised by its handshake and has steps of its
own; the result lists which of its tools is called for what.

A player or referee that plays only under its own manager is checked with --listen:
the checker acts as its manager and waits until it registers. Do not check an agent
in the middle of a league: it would be invited to matches that nobody plays, and if
it registers with the checker, it is told at the end that its league is over. A
manager keeps the agents that the check registers with it: check only a manager whose
league you can throw away.`,
		Example: `  league check http://localhost:8101/mcp
  league check http://localhost:8000/mcp --strict
  league check --listen 8000 --role player      then start the player as usual
  league check http://localhost:8101/mcp --junit check.xml
  league check http://localhost:9000/mcp --tool choose_parity=play`,
	}
	cmd.Flags().StringVar(&role, "role", "", "role of the agent: player, referee or manager (default: detected)")
	cmd.Flags().BoolVar(&o.Strict, "strict", false, "speak only the specification, and fail on every difference")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show every step with its details, as it ends")
	cmd.Flags().BoolVar(&o.Long, "long", false, "also run the steps that take half a minute")
	cmd.Flags().IntVar(&listen, "listen", 0,
		"act as a manager on this port, wait for an agent to register, and check it")
	cmd.Flags().IntVar(&o.Callbacks, "callbacks", 8001,
		"also take answers on this port, which some players call whatever they are told; 0: do not")
	cmd.Flags().DurationVar(&o.Wait, "wait", 5*time.Minute, "how long to wait for an agent to register")
	cmd.Flags().StringVar(&junit, "junit", "", "also write the results to this file as JUnit XML")
	cmd.Flags().StringArrayVar(&tools, "tool", nil,
		"a tool of an MCP server and what it is for, such as choose_parity=play; may be repeated")
	cmd.Flags().StringVar(&bearer, "bearer-file", "", "a file with the token that an MCP server wants to be shown")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		if o.Role, err = parseRole(role); err != nil {
			return err
		}
		if o.Tools, err = namedTools(tools); err != nil {
			return err
		}
		if o.Bearer, err = bearerIn(bearer); err != nil {
			return err
		}
		// --listen 0 is a free port, which the default value cannot tell from nothing.
		waits := cmd.Flags().Changed("listen")
		if len(args) == 0 && !waits {
			return wrongUsage("give the URL of an agent, or --listen PORT to wait for one")
		}
		if o.Port = listen; len(args) > 0 {
			return runCheck(cmd.Context(), a, args[0], o, junit, verbose)
		}
		if o.Role == protocol.RoleManager {
			return wrongUsage("--listen is for players and referees; to check a manager, give its URL")
		}
		o.Ready = func(manager string) {
			fmt.Fprintf(a.err, "waiting for an agent to register with %s\n", manager)
		}
		return runCheck(cmd.Context(), a, "", o, junit, verbose)
	}
	return cmd
}

// parseRole reads the role of an agent; an empty one is detected.
func parseRole(text string) (protocol.Role, error) {
	switch text {
	case "":
		return "", nil
	case "player", "referee":
		return protocol.Role(text), nil
	case "manager":
		return protocol.RoleManager, nil
	}
	return "", wrongUsage("--role: use player, referee or manager, got %q", text)
}

// checkHints are advice about skipped steps, in the terms of this verb.
var checkHints = check.Hints{
	Listen: "use --listen", Long: "use --long", Port: "choose another port with --listen",
	Role:    "give its role with --role",
	Bearer:  "give it with --bearer-file",
	Tool:    "name it with --tool choose_parity=NAME",
	Restart: "run `league check --listen PORT` and start it with --manager http://localhost:PORT/mcp",
}

// runCheck runs a check and shows it: failures first, unless all steps are shown as they run.
func runCheck(ctx context.Context, a *app, url string, o check.Options, junit string, verbose bool) error {
	page := &checkPage{app: a, verbose: verbose}
	o.Hints = checkHints
	if !a.json {
		o.Begin, o.Step = page.begin, page.step
		defer page.running.stop()
	}
	r, err := check.Run(ctx, url, o)
	if err != nil {
		return err
	}
	page.running.stop()
	if junit != "" {
		b, err := check.JUnit(r)
		if err == nil {
			err = os.WriteFile(junit, b, 0o644)
		}
		if err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	if a.json {
		err = a.print(r)
	} else {
		page.findings(r)
		page.summary(r)
	}
	if !r.OK() || r.Interrupted {
		return errors.Join(err, errReported)
	}
	return err
}

// A checkPage shows a check.
type checkPage struct {
	app     *app
	verbose bool
	running runningStep
	last    string // why the step before was skipped
}

// begin shows which step is running.
func (p *checkPage) begin(s check.Step) { p.running.begin(p.app.err, s.ID+" "+s.Name) }

// findings shows the failures in full, and then each warning in a line. With -v all of that was shown already.
func (p *checkPage) findings(r protocol.Report) {
	if p.verbose {
		return
	}
	for _, s := range r.Steps {
		if s.Status == protocol.Fail {
			p.full(s)
		}
	}
	for _, s := range r.Steps {
		if s.Status == protocol.Warn {
			p.print(fmt.Sprintf("%s %s %s: %s\n", statusColours[s.Status].Render(s.Status), s.ID, s.Name, brief(s.Detail)))
		}
	}
	for _, s := range r.Steps {
		if s.Status == protocol.Skip {
			p.full(s)
		}
	}
}

// brief is a detail in one line.
func brief(detail string) string {
	const most = 160
	text := []rune(strings.Join(strings.Fields(detail), " "))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// statusColours are shown on a terminal that has colours; elsewhere the word alone has to do.
var statusColours = map[string]lipgloss.Style{
	protocol.Pass: lipgloss.NewStyle().Foreground(lipgloss.Green),
	protocol.Fail: lipgloss.NewStyle().Foreground(lipgloss.Red).Bold(true),
	protocol.Warn: lipgloss.NewStyle().Foreground(lipgloss.Yellow),
	protocol.Skip: term.Faint,
}

// step shows a step that has ended, if all are to be shown.
func (p *checkPage) step(s protocol.CheckStep) {
	p.running.stop()
	if p.verbose {
		p.full(s)
	}
}

// full shows one step: a line, and the details unless it passed.
func (p *checkPage) full(s protocol.CheckStep) {
	line := statusColours[s.Status].Render(s.Status) + " " + s.ID + " " + s.Name
	why := ""
	if s.Status == protocol.Skip {
		line = term.Faint.Render(s.Status + " " + s.ID + " " + s.Name)
		if s.Detail != p.last {
			why = term.Faint.Render("          "+s.Detail) + "\n"
		}
		p.last = s.Detail
	}
	if s.Status == protocol.Fail || s.Status == protocol.Warn {
		why = "          " + term.Bold.Render(s.Detail) + "\n" + explained(s)
	}
	p.print(line + "\n" + why)
}

// explained are the lines under a step, short enough to be read.
func explained(s protocol.CheckStep) string {
	const most = 360
	var out strings.Builder
	for line := range strings.Lines(check.Details(s)) {
		line = strings.TrimRight(line, "\n")
		if r := []rune(line); len(r) > most {
			line = string(r[:most]) + "…"
		}
		fmt.Fprintln(&out, term.Faint.Render("          "+line))
	}
	return out.String()
}

// summary describes the overall result.
func (p *checkPage) summary(r protocol.Report) {
	colour := statusColours[protocol.Pass]
	switch {
	case !r.OK():
		colour = statusColours[protocol.Fail]
	case r.Warned > 0:
		colour = statusColours[protocol.Warn]
	}
	agent := r.Agent
	if agent == "" {
		agent = "the agent"
	}
	p.print(fmt.Sprintf("\n%s is a %s at %s\n", term.Bold.Render(agent), check.RoleName(r.Role), r.URL))
	if r.Dialect != "" {
		p.print(fmt.Sprintf("dialect: %s\n", dialectInWords(r.Dialect)))
	}
	if uses := toolUses(r.Calls); uses != "" {
		p.print("what is called for what:" + uses + "\n")
	}
	p.print(fmt.Sprintf("passed %s, failed %d, warnings %d, skipped %d, in %.1f s\n", term.Bold.Render(r.Score), r.Failed, r.Warned, r.Skipped, r.Elapsed))
	p.print(colour.Render(r.Verdict) + failed(r) + "\n")
	if r.Warned > 0 && !p.verbose {
		p.print(term.Faint.Render("-v shows every step, and with each warning how to fix it") + "\n")
	}
}

// failed lists the steps that did.
func failed(r protocol.Report) (list string) {
	for _, s := range r.Steps {
		if s.Status == protocol.Fail {
			list += " " + s.ID
		}
	}
	if list == "" {
		return ""
	}
	return "\nfailed:" + list
}

// dialectInWords explains a dialect: its row, and further differences from the specification.
func dialectInWords(text string) string {
	if text == protocol.Canonical {
		return text + ", the specification's"
	}
	d, err := protocol.ParseDialect(text)
	if err != nil {
		return text
	}
	// Dialects have letters; the row names known agents of that dialect.
	row := dialect.Like(d)
	out := fmt.Sprintf("%s, %s", row.Name, row.Seen)
	for _, t := range slices.Sorted(maps.Keys(d.Forms)) {
		s, _ := protocol.Lookup(t)
		if f := d.Forms[t]; f == protocol.Ignored {
			out += fmt.Sprintf("\n         %s: not understood in any form", t)
		} else if f.Shape = strings.TrimSuffix(f.Shape, "wide"); f != (protocol.Form{Frame: "call", Name: s.Method}) {
			out += fmt.Sprintf("\n         %s: as %s", t, f)
		}
	}
	return out
}

// dialectName names the learned dialect of an agent: its row, or the most similar one.
func dialectName(text string) string {
	d, err := protocol.ParseDialect(text)
	if err != nil || d.Row != "" || len(d.Forms) == 0 {
		return protocol.DialectName(text)
	}
	return dialect.Like(d).Name
}

// print writes in as many colours as the terminal has, and in none elsewhere.
func (p *checkPage) print(text string) { _, _ = lipgloss.Fprint(p.app.out, text) }
