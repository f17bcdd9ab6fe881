package referee_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/referee"
)

// A meter stores its calls.
type meter struct {
	mu    sync.Mutex
	asked map[protocol.Type]int
	lines []string

	agent, overhead time.Duration
}

func (m *meter) note(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lines = append(m.lines, fmt.Sprintf(format, args...))
}

func (m *meter) Began() { m.note("began") }

func (m *meter) Asked(question protocol.Type) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked == nil {
		m.asked = map[protocol.Type]int{}
	}
	m.asked[question]++
}

func (m *meter) Tried(question protocol.Type, agent, overhead time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agent += agent
	m.overhead += overhead
}

func (m *meter) Ended(took time.Duration, result *protocol.GameResult) {
	if result == nil {
		m.note("given up after %v", took)
		return
	}
	m.note("%s after %v %v", result.Status, took, result.Forfeits)
}

func (m *meter) told() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.lines, ", ")
}

func TestMeterHearsEveryTryAndTheEnd(t *testing.T) {
	var m meter
	withReferee(t, setting{opts: referee.Options{Meter: &m}}, func(h *harness) {
		muteChoice(h.players["P01"])
		h.play(order())
		asked := map[protocol.Type]int{}
		rec, _ := h.record()
		for _, e := range rec.Transcript {
			asked[e.MessageType]++
		}
		for _, question := range []protocol.Type{protocol.TypeGameInvitation, protocol.TypeChooseParityCall} {
			if m.asked[question] != asked[question] || asked[question] == 0 {
				t.Errorf("%s: told %d, on record %d", question, m.asked[question], asked[question])
			}
		}
		if got := m.asked[protocol.TypeChooseParityCall]; got != 5 { // P01 four times, P02 once
			t.Errorf("told of %d choices, want 5", got)
		}
		if got, want := m.told(), "began, TECHNICAL_LOSS after 2m6s map[P01:E001]"; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	})
}

func TestMeterHearsOfAMatchThatIsGivenUp(t *testing.T) {
	var m meter
	withReferee(t, setting{opts: referee.Options{Meter: &m}}, func(h *harness) {
		for _, p := range h.players {
			n := 0
			p.asked = func(ctx context.Context, _ *protocol.ChooseParityCall) (protocol.Message, error) {
				if n++; n == 1 {
					return never(ctx)
				}
				return p.parity(quoted("odd")), nil
			}
		}
		if _, err := h.start(order()); err != nil {
			t.Error(err)
		}
		pass(5 * time.Second)
		second := order()
		second.Attempt = 2
		if _, err := h.start(second); err != nil {
			t.Error(err)
		}
		h.referee.Wait()
		told := m.told()
		for _, want := range []string{"began, began, ", "given up after 5s", "DRAW after 0s map[]"} {
			if !strings.Contains(told, want) {
				t.Errorf("told %q, want %q in it", told, want)
			}
		}
	})
}
