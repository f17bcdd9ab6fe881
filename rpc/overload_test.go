package rpc_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"agentleague/protocol"
	"agentleague/rpc"
)

// A station is a peer with a bounded capacity: it serves one call after the other, and sheds load above a short queue,
// at a hundredth of the cost of an answer.
type station struct {
	mu    sync.Mutex
	until time.Time // it is busy
	good  int       // calls served

	service, shed, queue time.Duration
}

func (s *station) take() (wait time.Duration, served bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.until.Before(now) {
		s.until = now
	}
	if time.Until(s.until) > s.queue {
		s.until = s.until.Add(s.shed)
		return 0, false
	}
	s.until = s.until.Add(s.service)
	s.good++
	return time.Until(s.until), true
}

func (s *station) served() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.good
}

// answer serves a ping or a registration.
func (s *station) answer(_ context.Context, _ rpc.From, m protocol.Message) (protocol.Message, error) {
	wait, served := s.take()
	if !served {
		return nil, protocol.Errorf(protocol.RateLimited, "overloaded")
	}
	time.Sleep(wait)
	if m.Head().MessageType == protocol.TypePing {
		return &protocol.Pong{Envelope: protocol.Envelope{MessageType: protocol.TypePong}, Status: "ok"}, nil
	}
	return &protocol.LeagueRegisterResponse{Admission: protocol.Admission{
		Envelope: protocol.Envelope{MessageType: protocol.TypeLeagueRegisterResponse}, Status: protocol.Accepted}}, nil
}

// A wireless is a network in virtual time on which every call goes to one node.
type wireless struct{ to *rpc.Node }

func (w wireless) Post(ctx context.Context, _, _ string, body []byte) (int, []byte, error) {
	return http.StatusOK, w.to.Answer(ctx, rpc.From{Addr: "127.0.0.1"}, body), nil
}

func (w wireless) Sleep(ctx context.Context, _ string, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (w wireless) Probe(context.Context, string) error        { return nil }
func (w wireless) Addresses(context.Context, string) []string { return nil }
func (w wireless) Random(b []byte)                            { _, _ = rand.Read(b) }

// goodput returns the calls that a peer with a capacity of 20 calls per second serves in 40 seconds, at a given rate of
// new calls, half of them registrations. A refused call is retried until it is served.
func goodput(t *testing.T, offered int) (good int) {
	synctest.Test(t, func(t *testing.T) {
		s := &station{service: time.Second / 20, shed: time.Second / 2000, queue: time.Second / 2}
		b := rpc.NewNode("league_manager", rpc.Options{Limits: rpc.Limits{Agent: -1, Open: -1, Failed: -1}})
		b.Handle(protocol.TypePing, s.answer)
		b.Handle(protocol.TypeLeagueRegisterRequest, s.answer)
		a := rpc.NewNode("player:P01", rpc.Options{Network: wireless{b}})
		const length = 40 * time.Second
		ctx, stop := context.WithTimeout(t.Context(), length)
		defer stop()
		var calls sync.WaitGroup
		for n := range offered * int(length/time.Second) {
			time.Sleep(time.Second / time.Duration(offered))
			calls.Go(func() {
				var m protocol.Message = ping()
				if n%2 == 1 {
					m = &protocol.LeagueRegisterRequest{Envelope: protocol.Envelope{
						MessageType: protocol.TypeLeagueRegisterRequest}}
				}
				_, _ = a.CallUntil(ctx, at("B"), 2*time.Second, m)
			})
		}
		<-ctx.Done()
		good = s.served()
		calls.Wait()
	})
	return good
}

// Without a retry budget the retries of the refused calls take the capacity: at ten times the load a fifth is left.
func TestGoodputSurvivesTenfoldLoad(t *testing.T) {
	peak, overloaded := goodput(t, 20), goodput(t, 200)
	t.Logf("%d calls served at the capacity, %d at ten times the load", peak, overloaded)
	if float64(overloaded) < 0.8*float64(peak) {
		t.Errorf("%d calls served at ten times the load, want at least 0.8 of %d", overloaded, peak)
	}
}
