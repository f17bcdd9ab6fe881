package show

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"agentleague/duel"
	"agentleague/host"
	"agentleague/internal/term"
	"agentleague/league/view"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/referee"
	"agentleague/rpc"
	"agentleague/seat"
)

// A Console is a strategy that prints the results of its matches and of the league.
type Console struct {
	player.Strategy
	Err io.Writer

	mu sync.Mutex
	id string // "": not registered yet; matches learned now are past ones
}

// Learn prints the result of a match.
func (s *Console) Learn(m protocol.PlayerMatch) {
	if l, ok := s.Strategy.(player.Learner); ok {
		l.Learn(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id != "" {
		s.tell(seat.Over(&m))
		s.bill(m.Usage)
	}
}

// bill describes a match's use of a language model; nil: none.
func (s *Console) bill(u *protocol.Usage) {
	if u == nil {
		return
	}
	v := view.UsageView{Usage: *u}
	text := fmt.Sprintf("It asked %s: %s", v.Name(), v.Tokens())
	if cost := v.Cost(); cost != "" {
		text += ", " + cost
	}
	fmt.Fprintln(s.Err, term.Plain(text+"; "+v.Wait()+"; "+v.Share()+"."))
}

// Hear prints the result of the league. Complaints of referees and the manager are in the log, which is shown too.
func (s *Console) Hear(m protocol.Message) {
	if l, ok := s.Strategy.(player.Listener); ok {
		l.Hear(m)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m := m.(type) {
	case *protocol.LeagueRegisterResponse:
		if m.PlayerID != nil {
			s.id = *m.PlayerID
		}
	case *protocol.LeagueCompleted:
		s.tell(seat.Final(m, s.id))
		if m.NextLeagueID != "" {
			fmt.Fprintln(s.Err, term.Plain("It plays on in the next season, "+m.NextLeagueID+"."))
		}
	}
}

// Close closes the strategy.
func (s *Console) Close() error { return host.CloseStrategy(s.Strategy) }

func (s *Console) tell(n seat.News) { fmt.Fprintln(s.Err, n.Text) }

// A ConsoleRecorder prints the results of its referee's matches, once they are stored.
type ConsoleRecorder struct {
	referee.Recorder
	Err io.Writer
}

// Record stores a match and prints its result.
func (r *ConsoleRecorder) Record(ctx context.Context, f *referee.Finished) error {
	if err := r.Recorder.Record(ctx, f); err != nil {
		return err
	}
	m := &f.Record
	text := fmt.Sprintf("%s, %s against %s: %s", m.MatchID, m.PlayerAID, m.PlayerBID, verdict(m.Result, term.Brief))
	fmt.Fprintln(r.Err, term.Plain(text))
	return nil
}

// A Commentary shows a match while it is played: a line for each message between the referee and a player, and the
// board as spectators see it. It never shows a choice: the other player may not have chosen yet.
type Commentary struct {
	Err     io.Writer
	Players [2]*duel.Contestant
	Match   *duel.Match
	mu      sync.Mutex
	drawn   boards
}

// matchMessageTypes are the messages in a commentary.
var matchMessageTypes = []protocol.Type{
	protocol.TypeGameInvitation, protocol.TypeGameJoinAck, protocol.TypeChooseParityCall, protocol.TypeChooseParityResponse,
	protocol.TypeGameMoveCall, protocol.TypeGameMoveResponse, protocol.TypeGameError, protocol.TypeGameErrorAck,
	protocol.TypeGameOver, protocol.TypeGameOverAck,
}

// Announce names the players.
func (c *Commentary) Announce() {
	a, b := c.Players[0], c.Players[1]
	fmt.Fprintf(c.Err, "%s  %s: %s %s against %s %s\n", c.Match.ID, c.Match.Game, a.ID, a.Name, b.ID, b.Name)
}

// Observe shows a message of the referee.
func (c *Commentary) Observe(m rpc.Message) {
	player := c.player(m)
	if player == "" {
		return
	}
	from, to, what := player, "referee", ""
	if m.Sent {
		from, to = to, from
	}
	var refusal *protocol.Refusal
	switch {
	case errors.As(m.Err, &refusal):
		what = refusal.Error()
	case m.Err != nil:
		what = "no answer: " + m.Err.Error()
	case m.Message != nil && slices.Contains(matchMessageTypes, m.Message.Head().MessageType):
		what = string(m.Message.Head().MessageType)
	default:
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if what == string(protocol.TypeGameMoveCall) {
		c.drawn.draw(c.Err, "", c.Match.Spectate())
	}
	fmt.Fprintf(c.Err, "  %s  %-7s → %-7s  %s\n", time.Now().UTC().Format(time.TimeOnly), from, to, term.Cut(what, 400))
}

// player returns the player that sent or received a message, "" for another agent.
func (c *Commentary) player(m rpc.Message) string {
	for _, s := range c.Players {
		if m.Peer == s.Endpoint {
			return s.ID
		}
	}
	if m.Message == nil || m.Sent {
		return ""
	}
	role, id := protocol.ParseSender(m.Message.Head().Sender)
	if role != protocol.RolePlayer {
		return ""
	}
	return id
}
