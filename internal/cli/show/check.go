package show

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"charm.land/lipgloss/v2"

	"agentleague/check"
	"agentleague/dialect"
	"agentleague/dialect/notation"
	"agentleague/internal/term"
	"agentleague/protocol"
)

// A Check shows a check while it runs, and its result.
type Check struct {
	Out, Err io.Writer
	Verbose  bool // every step is shown as it ends

	running runningStep
	last    string // why the step before was skipped
}

// Begin shows which step is running.
func (p *Check) Begin(s check.Step) { p.running.begin(p.Err, s.ID+" "+s.Name) }

// findings shows the failures in full, and then each warning in a line. With -v all of that was shown already.
func (p *Check) findings(r protocol.Report) {
	if p.Verbose {
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

// Step shows a step that has ended, if all are to be shown.
func (p *Check) Step(s protocol.CheckStep) {
	p.running.stop()
	if p.Verbose {
		p.full(s)
	}
}

// full shows one step: a line, and the details unless it passed.
func (p *Check) full(s protocol.CheckStep) {
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

// Result shows the failures, the warnings and the overall result.
func (p *Check) Result(r protocol.Report) {
	p.findings(r)
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
	if uses := ToolUses(r.Calls); uses != "" {
		p.print("what is called for what:" + uses + "\n")
	}
	p.print(fmt.Sprintf("passed %s, failed %d, warnings %d, skipped %d, in %.1f s\n", term.Bold.Render(r.Score), r.Failed, r.Warned, r.Skipped, r.Elapsed))
	p.print(colour.Render(r.Verdict) + failed(r) + "\n")
	if r.Warned > 0 && !p.Verbose {
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
	d, err := notation.Parse(text)
	if err != nil {
		return text
	}
	// Dialects have letters; the row names known agents of that dialect.
	row := dialect.Like(d)
	out := fmt.Sprintf("%s, %s", row.Name, row.Seen)
	for _, t := range slices.Sorted(maps.Keys(d.Forms)) {
		s, _ := protocol.Lookup(t)
		if f := d.Forms[t]; f == notation.Ignored {
			out += fmt.Sprintf("\n         %s: not understood in any form", t)
		} else if f.Shape = strings.TrimSuffix(f.Shape, "wide"); f != (notation.Form{Frame: "call", Name: s.Method}) {
			out += fmt.Sprintf("\n         %s: as %s", t, f)
		}
	}
	return out
}

// dialectName names the learned dialect of an agent: its row, or the most similar one.
func dialectName(text string) string {
	d, err := notation.Parse(text)
	if err != nil || d.Row != "" || len(d.Forms) == 0 {
		return notation.Name(text)
	}
	return dialect.Like(d).Name
}

// print writes in as many colours as the terminal has, and in none elsewhere.
func (p *Check) print(text string) { _, _ = lipgloss.Fprint(p.Out, text) }

// ToolUses lists the tool for each message, a line each.
func ToolUses(calls []protocol.ToolUse) (text string) {
	for _, c := range calls {
		switch {
		case c.Tool != "":
			text += fmt.Sprintf("\n  %s: the tool %s", c.Message, term.Brief(c.Tool))
		case c.Message == protocol.TypeGameInvitation:
			text += fmt.Sprintf("\n  %s: no tool, takes part in every match", c.Message)
		default:
			text += fmt.Sprintf("\n  %s: no tool, is not told", c.Message)
		}
	}
	return text
}

// A runningStep shows the current step and its duration: on a terminal in a line that changes, elsewhere in a line
// for each long step.
type runningStep struct {
	mu   sync.Mutex
	quit chan struct{}
	done chan struct{}
}

// The update interval of a terminal, and the delay of the line elsewhere.
const (
	redrawEvery = 500 * time.Millisecond
	printAfter  = 3 * time.Second
)

// begin shows a step, until stop.
func (r *runningStep) begin(w io.Writer, what string) {
	r.stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	quit, done := make(chan struct{}), make(chan struct{})
	r.quit, r.done = quit, done
	live := term.Is(w)
	go func() {
		defer close(done)
		showRunning(w, what, live, quit)
	}()
}

// stop removes the line.
func (r *runningStep) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.quit == nil {
		return
	}
	close(r.quit)
	<-r.done
	r.quit = nil
}

// showRunning shows a step until quit is closed.
func showRunning(w io.Writer, what string, live bool, quit <-chan struct{}) {
	start, printed := time.Now(), false
	tick := time.NewTicker(redrawEvery)
	defer tick.Stop()
	for {
		if live {
			fmt.Fprintf(w, "\r\x1b[K… %s, %.0f s", what, time.Since(start).Seconds())
		} else if !printed && time.Since(start) >= printAfter {
			fmt.Fprintf(w, "running %s, for %.0f s so far\n", what, time.Since(start).Seconds())
			printed = true
		}
		select {
		case <-tick.C:
		case <-quit:
			if live {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		}
	}
}

// Stop removes the line of the running step.
func (p *Check) Stop() { p.running.stop() }
