package check

import (
	"context"
	"fmt"
	"time"

	"agentleague/dialect"
	"agentleague/protocol"
)

// Run checks the agent at an endpoint. With an empty endpoint it waits for an agent to register with the checker. An
// error means that the check could not run; faults of the agent are in the report. If ctx ends early, the report has
// the completed steps and states that it was interrupted.
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
	if err := (&finder{session: s}).find(ctx); err != nil {
		return protocol.Report{}, err
	}
	r := protocol.Report{URL: s.wire.peer.Endpoint, Role: s.role, Strict: o.Strict, Steps: []protocol.CheckStep{}}
	for _, step := range tasksFor(s) {
		if o.Begin != nil {
			o.Begin(step.Step)
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
	r.Agent, r.Dialect = s.agent, protocol.Canonical
	if !s.Strict {
		r.Dialect = s.node.Dialect(s.wire.peer)
	}
	if s.met != nil {
		r.Calls = s.met.Calls
	}
	r.Elapsed = time.Since(start).Seconds()
	return judged(r), nil
}

// tasksFor are the steps for the agent's role.
func tasksFor(s *session) []task {
	byRole, _ := steps()
	if s.met != nil {
		return byRole['T']
	}
	return byRole[letters[s.role]]
}

// take takes one step.
func (s *session) take(ctx context.Context, step task) protocol.CheckStep {
	s.log.begin()
	start := time.Now()
	f := step.run(ctx, s)
	out := protocol.CheckStep{
		ID: step.ID, Name: step.Name, Clause: step.Clause, Quote: step.Quote(),
		Status: f.level.status(s.Strict), Detail: printable(f.detail),
		Elapsed: time.Since(start).Seconds(),
	}
	if f.at == nil {
		f.at = s.log.last()
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

// judged returns a report with its counts and its verdict filled in.
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

// openManager serves the checker's manager until stop is called.
func (s *session) openManager(ctx context.Context) (stop func(), err error) {
	m := newFakeManager(s.node, s.log.receive)
	if m.url, stop, err = m.listen(ctx, s.Port); err != nil {
		if s.Hints.Port != "" {
			err = fmt.Errorf("%w; %s", err, s.Hints.Port)
		}
		return nil, fmt.Errorf("the checker's own manager cannot listen: %w", err)
	}
	s.manager = m
	m.listenBeside(ctx, s.Options, s.atEnd)
	if s.Ready != nil {
		s.Ready(m.url)
	}
	return stop, nil
}
