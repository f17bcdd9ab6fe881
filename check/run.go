package check

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
	"agentleague/rpc"
)

// ErrUnreachable is in the error of a check of an agent that does not answer at all.
var ErrUnreachable = errors.New("nothing answers there")

// Run checks the agent at an endpoint. With an empty endpoint it waits for one to register with the checker's
// manager. An error means that the check could not be made; faults of the agent are in the report. If ctx ends early,
// the report has the steps so far, and states so.
func Run(ctx context.Context, endpoint string, o Options) (protocol.Report, error) {
	start := time.Now()
	s := newSession(endpoint, o.withDefaults())
	closeManager, err := s.openManager(ctx)
	if err != nil {
		return protocol.Report{}, err
	}
	defer func() {
		for _, stop := range s.closers {
			stop()
		}
		closeManager()
	}()
	if err := s.find(ctx); err != nil {
		return protocol.Report{}, err
	}
	r := protocol.Report{URL: s.peer.Endpoint, Role: s.role, Strict: o.Strict, Steps: []protocol.CheckStep{}}
	for _, step := range stepsFor(s) {
		if o.Begin != nil {
			o.Begin(step)
		}
		done := s.take(ctx, step)
		if r.Interrupted = ctx.Err() != nil; r.Interrupted {
			break
		}
		r.Steps = append(r.Steps, done)
		if o.Step != nil {
			o.Step(done)
		}
	}
	r.Agent, r.Dialect = s.agent, s.dialect()
	if s.met != nil {
		r.Calls = s.met.Calls
	}
	r.Elapsed = time.Since(start).Seconds()
	return judged(r), nil
}

// stepsFor are the steps for the agent's role.
func stepsFor(s *session) []Step {
	if s.met != nil {
		return ToolSteps()
	}
	return Steps(s.role)
}

// find determines the agent's address and role.
func (s *session) find(ctx context.Context) error {
	given := s.peer.Endpoint != ""
	if !given {
		if err := s.await(ctx); err != nil {
			return err
		}
	}
	u, err := url.Parse(s.peer.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return fmt.Errorf("%q is not the address of an agent; use one such as http://localhost:8101/mcp", s.peer.Endpoint)
	}
	probe, cancel := context.WithTimeout(ctx, s.Patience)
	defer cancel()
	if err := s.node.Alive(probe, s.peer.Endpoint); err != nil && !s.listens(probe) {
		return fmt.Errorf("%s: %w (%s); start the agent first, or check the port in the URL", s.peer.Endpoint, ErrUnreachable,
			rpc.Unreached(err))
	}
	if _, _, err := s.network.Post(probe, s.peer.Endpoint, "ping", fmt.Appendf(nil, pingRequest, "1")); rpc.Permanent(err) != nil {
		return fmt.Errorf("%s: %s", s.peer.Endpoint, protocol.AsError(rpc.Permanent(err)).Detail)
	}
	if given && (u.Path == "" || u.Path == "/") { // a registered path is taken literally
		s.peer.Endpoint = s.settlePath(probe)
	}
	return s.findRole(ctx)
}

// settlePath finds the path of an agent whose address was given without one.
func (s *session) settlePath(ctx context.Context) string {
	for _, path := range []string{"/mcp", "/", "/MCP"} {
		url := placed(s.peer.Endpoint, path)
		status, _, err := s.network.Post(ctx, url, "ping", fmt.Appendf(nil, pingRequest, "1"))
		if err == nil && status != http.StatusNotFound && status != http.StatusMethodNotAllowed {
			return url
		}
	}
	return placed(s.peer.Endpoint, "/mcp")
}

// await waits for an agent to register. It is spoken to as it has spoken, unless the check is strict.
func (s *session) await(ctx context.Context) error {
	peer, role, err := s.manager.await(ctx, s.Wait)
	if err != nil {
		return err
	}
	s.peer.Endpoint, s.role = peer.Endpoint, role
	if !s.Strict {
		s.peer.Dialect = peer.Dialect
	}
	if s.Role != "" && s.Role != s.role {
		return fmt.Errorf("a %s has registered, not a %s", s.role, s.Role)
	}
	return nil
}

// listens gives an agent that has just registered a moment to begin to listen.
func (s *session) listens(ctx context.Context) bool {
	if !s.manager.registered() {
		return false
	}
	for s.node.Alive(ctx, s.peer.Endpoint) != nil {
		if s.node.Sleep(ctx, "", 200*time.Millisecond) != nil {
			return false
		}
	}
	return true
}

// take takes one step.
func (s *session) take(ctx context.Context, step Step) protocol.CheckStep {
	s.mu.Lock()
	s.current = nil
	s.mu.Unlock()
	start := time.Now()
	f := step.run(ctx, s)
	out := protocol.CheckStep{
		ID: step.ID, Name: step.Name, Clause: step.Clause, Quote: step.Quote(),
		Status: f.level.status(s.Strict), Detail: printable(f.detail),
		Elapsed: time.Since(start).Seconds(),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f.at == nil {
		f.at = s.current
	}
	if f.level != skipped {
		out.Sent, out.Received = f.at.request(), f.at.answer()
	}
	if out.Status == protocol.Fail || out.Status == protocol.Warn {
		out.Fix = step.Fix
		if f.no != nil && f.no.Cause().Advice != "" && dialect.BlameOf(f.no) != dialect.BlameForm {
			out.Fix = f.no.Cause().Advice + ". " + step.Fix
		}
	}
	return out
}

// dialect describes the dialect that was used for the agent.
func (s *session) dialect() string {
	if s.Strict {
		return protocol.Canonical
	}
	return s.node.Dialect(s.peer)
}

// judged counts the steps of a report and sets its verdict.
func judged(r protocol.Report) protocol.Report {
	for _, step := range r.Steps {
		switch step.Status {
		case protocol.Pass:
			r.Passed++
		case protocol.Fail:
			r.Failed++
		case protocol.Warn:
			r.Warned++
		default:
			r.Skipped++
		}
	}
	r.Score = fmt.Sprintf("%d/%d", r.Passed, r.Passed+r.Failed+r.Warned)
	switch {
	case r.Failed > 0:
		r.Verdict = fmt.Sprintf("does not conform: %s", count(r.Failed, "step failed", "steps failed"))
	case r.Passed == 0:
		r.Verdict = "nothing could be checked"
	case r.Warned > 0:
		r.Verdict = fmt.Sprintf("can play, but differs from the specification in %s", count(r.Warned, "step", "steps"))
	default:
		r.Verdict = "conforms"
	}
	if r.Interrupted {
		r.Verdict = "interrupted; so far it " + r.Verdict
	}
	switch {
	case r.Failed == 0 && r.Skipped > len(r.Steps)/4:
		r.Verdict = fmt.Sprintf("only partly checked: %d of %d steps could not be checked; so far it %s",
			r.Skipped, len(r.Steps), r.Verdict)
	case r.Skipped > 0:
		r.Verdict += fmt.Sprintf("; %s not checked", count(r.Skipped, "step was", "steps were"))
	}
	return r
}

// openManager opens the checker's own manager, with which the agent may register.
func (s *session) openManager(ctx context.Context) (stop func(), err error) {
	m := newFakeManager(s.node, s.hear)
	if stop, err = m.open(ctx, s.Port); err != nil {
		return nil, fmt.Errorf("the checker's own manager cannot listen: %w", hintedError(err, s.Hints.Port))
	}
	s.manager = m
	s.hearBeside(ctx)
	if s.Ready != nil {
		s.Ready(m.url)
	}
	return stop, nil
}
