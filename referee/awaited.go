package referee

import (
	"sync"

	"agentleague/protocol"
)

// awaited holds the START_MATCH requests that must be answered with the result of the match.
type awaited struct {
	mu             sync.Mutex
	byRef          map[protocol.RecordRef][]chan *protocol.MatchResultReport
	answerSuffices bool // the manager accepts no separate reports
}

// expect returns a channel that receives the result of the match ref, after GAME_OVER was sent to its players.
func (a *awaited) expect(ref protocol.RecordRef) <-chan *protocol.MatchResultReport {
	a.mu.Lock()
	defer a.mu.Unlock()
	result := make(chan *protocol.MatchResultReport, 1)
	if a.byRef == nil {
		a.byRef = map[protocol.RecordRef][]chan *protocol.MatchResultReport{}
	}
	a.byRef[ref] = append(a.byRef[ref], result)
	return result
}

// deliver sends the result of a match to all waiting requests. It reports whether no separate report is needed: a
// request was waiting, and the manager is known to accept no reports.
func (a *awaited) deliver(f *Finished) (suffices bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	ref := f.Record.Ref()
	if len(a.byRef[ref]) == 0 {
		return false
	}
	report, err := f.report()
	for _, result := range a.byRef[ref] {
		if err == nil {
			result <- report
		}
	}
	delete(a.byRef, ref)
	return a.answerSuffices
}

// setAnswerSuffices records that the manager accepts no separate reports: it reads results from answers.
func (a *awaited) setAnswerSuffices() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answerSuffices = true
}
