package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
)

// An agent between two seasons stays at the same address, and requests during the change are delayed.
func TestADoorStaysOpenBetweenTwoSeasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := NewPathMux()
		shared.Open("http://localhost:1/mcp", http.NotFoundHandler())
		listener := &keptListener{Listener: shared.takeAt("/p/P01")}
		season := func(name string) (end func()) {
			ctx, stop := context.WithCancel(t.Context())
			at := Serve(ctx, listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, name) }))
			synctest.Wait()
			return func() {
				stop()
				if err := <-at.Ended; err != nil {
					t.Errorf("%s ended with %v", name, err)
				}
			}
		}
		ask := func() string {
			w := httptest.NewRecorder()
			shared.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/p/P01/mcp", nil))
			return w.Body.String()
		}
		end := season("first")
		if got := ask(); got != "first" {
			t.Errorf("got %q from the first season", got)
		}
		end()
		between := make(chan string)
		go func() { between <- ask() }()
		synctest.Wait()
		end = season("second")
		if got := <-between; got != "second" {
			t.Errorf("what came in between got %q, want the second season's answer", got)
		}
		end()
		if err := listener.shut(); err != nil {
			t.Error(err)
		}
	})
}

func TestOneThatAFurtherSeasonRefusesIsLeftOut(t *testing.T) {
	no := errors.New("registration is closed: the league has started")
	for _, c := range []struct {
		name  string
		agent Agent
		err   error
		out   bool
	}{
		{"in its first season", Agent{}, no, false},
		{"in a further one", Agent{further: true, LeagueID: "autumn_2"}, no, true},
		{"let in", Agent{further: true}, nil, false},
		{"told to end", Agent{further: true}, context.Canceled, false},
	} {
		got := c.agent.admitted(c.err)
		if out := (*LeftOutError)(nil); errors.As(got, &out) != c.out || !errors.Is(got, c.err) {
			t.Errorf("%s: got %v, want %v, left out: %v", c.name, got, c.err, c.out)
		}
	}
}

func TestAnAgentGoesOnOnlyWhereItCan(t *testing.T) {
	for next, want := range map[string]string{"autumn_2": "autumn_2", "": "", "../x": "", "autumn": ""} {
		if got := (Agent{LeagueID: "autumn"}).goesOn(next); got != want {
			t.Errorf("after autumn it goes on in %q, want %q", got, want)
		}
	}
	if got := (Agent{OneSeason: true}).goesOn("autumn_2"); got != "" {
		t.Errorf("an agent for one season goes on in %q", got)
	}
}
