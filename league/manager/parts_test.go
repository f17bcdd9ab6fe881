package manager

import (
	"testing"

	"agentleague/league"
	"agentleague/protocol"
)

func TestMatchIsEitherLetGoOrKeptBack(t *testing.T) {
	m := newMatchTasks()
	first, second := league.MatchAssigned{Match: "R1M1", Referee: "REF01", Attempt: 1},
		league.MatchAssigned{Match: "R1M1", Referee: "REF02", Attempt: 2}
	if !m.markOrdered(first) || m.withhold(first) || !m.markOrdered(first) {
		t.Error("an attempt that was let go can be kept back")
	}
	if !m.withhold(second) || m.markOrdered(second) || !m.withhold(second) {
		t.Error("an attempt that was kept back can be let go")
	}
}

// A task that ends during a pass of the conductor is started again only if it is still due in the next pass.
func TestTaskThatEndedDuringALookWaitsForTheNext(t *testing.T) {
	var running taskGroup
	j := newJobs(&running)
	runs := 0
	for look, want := range []int{1, 2} {
		j.look(nil)
		for range 2 {
			j.once("note", func() { runs++ })
			running.Wait()
		}
		if runs != want {
			t.Errorf("after look %d it ran %d times, want %d", look+1, runs, want)
		}
		select {
		case <-j.wake:
		default:
			t.Error("the conductor does not look again")
		}
	}
}

// The conductor may have read the state just before a referee accepted. Then no referee is asked, and the conductor
// does not wait.
func TestMatchThatIsTakenIsNotOrderedAgain(t *testing.T) {
	d := &dispatcher{tasks: newMatchTasks()} // it has no referee to ask
	taken := league.MatchAssigned{Match: "R1M1", Referee: "REF01", Attempt: 1}
	d.tasks.setAccepted(taken, true)
	d.order(taken)
}

func TestEachRoundBeginsWithoutTheTasksOfTheLast(t *testing.T) {
	v := newMatchTasks()
	v.enter(1)
	v.ordered[league.MatchAssigned{Match: "R1M1", Referee: "REF01", Attempt: 1}] = true
	v.enter(1)
	if len(v.ordered) != 1 {
		t.Error("the tasks of a round are forgotten within it")
	}
	v.enter(2)
	if len(v.ordered) != 0 {
		t.Error("the tasks of a round are remembered in the next")
	}
}

func TestUnplayedMatchIsToldUnderItsNewestAttempt(t *testing.T) {
	s := begun(t, 2, 2, league.Created{})
	s.write(league.AgentState{ID: "REF01", State: protocol.AgentSuspended, Why: "silent"})
	s.write(league.Withdrawn{ID: "P01"})
	b := &broadcaster{core: &core{opts: Options{LeagueID: "league"}}}
	over := b.unplayedNews(s.state, s.state.Matches["R1M1"]).to("P02").(*protocol.GameOver)
	if over.Attempt != 2 || over.Result != protocol.Win || over.OpponentID != "P01" || over.PointsEarned != 3 ||
		over.GameResult.Status != protocol.TechnicalLoss || over.GameResult.Reason == "" {
		t.Errorf("got %+v", over)
	}
}
