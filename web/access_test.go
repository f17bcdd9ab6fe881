package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentleague/engine/sim"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/web/session"
	"agentleague/web/webtest"
)

// openOwned opens a league with three native players and a foreign one in the middle of its first round, and returns a
// function for the keys of their owners; for the foreign one, its ticket.
func openOwned(t *testing.T, more ...league.Event) (h *fakeLeague, token func(id string) string) {
	t.Helper()
	log := sim.New(1).Open(sim.Options{})
	foreign := registered(protocol.RolePlayer, 4, "Dan")
	foreign.Key = ""
	key, err := log.Secret(t.Context(), "token."+fakeLeagueID)
	if err != nil {
		t.Fatal(err)
	}
	own := protocol.AgreementKey(key)
	events := []league.Event{
		league.Created{LeagueID: fakeLeagueID, GameType: "even_odd", Cycles: 1, Scoring: protocol.DefaultScoring,
			Tiebreakers: league.Tiebreakers, DrawCommitment: strings.Repeat("c0", 32)},
		registered(protocol.RoleReferee, 1, "Referee Alpha"), registered(protocol.RolePlayer, 1, "Ada"),
		registered(protocol.RolePlayer, 2, "Ben"), registered(protocol.RolePlayer, 3, "Cleo"), foreign,
		league.Started{Players: []string{"P01", "P02", "P03", "P04"}}, league.RoundOpened{Round: 1},
	}
	h = &fakeLeague{m: openOn(t, log, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), append(events, more...))}
	return h, func(id string) string {
		var a league.Registered
		var agreement protocol.Agreement
		h.m.Read(func(s *league.State) {
			a = s.Agents[id].Registered
			agreement = league.TermsOf(s).Agreement(a)
		})
		if a.Key == "" {
			return protocol.Ticket(key, fakeLeagueID, protocol.Sender(a.Role, id), a.Generation)
		}
		token, err := agreement.Token(own, a.AgreementKey)
		if err != nil {
			t.Fatal(err)
		}
		return protocol.OwnerKey(token, fakeLeagueID, id)
	}
}

func checking(o *Options) {
	o.Check = func(context.Context, string, protocol.Role) (protocol.Report, error) { return aReport, nil }
}

// Only the holder of a player's owner key can withdraw and check it from its page.
func TestAStudentSpeaksForTheirOwnAgentAlone(t *testing.T) {
	t.Parallel()
	h, token := openOwned(t)
	v := h.caller(t, checking)
	const ada = "/leagues/fake/players/P01"
	for _, wrong := range []string{"", "tok_player_P01_x", token("P02"), token("REF01"), "tok_admin_secret"} {
		if w := v.do(http.MethodPost, ada+"/own", "token="+wrong); w.Code != http.StatusUnauthorized || len(v.cookies) > 0 {
			t.Errorf("with %q: %d", wrong, w.Code)
		}
	}
	if w := v.do(http.MethodPost, "/leagues/fake/players/P04/own", "token="+token("P04")); w.Code !=
		http.StatusUnauthorized {
		t.Errorf("with the ticket of a foreign player: %d", w.Code)
	}
	for _, order := range []string{"/withdraw", "/check"} {
		if w := v.do(http.MethodPost, ada+order, ""); w.Code != http.StatusUnauthorized {
			t.Errorf("%s without a token: %d", order, w.Code)
		}
	}
	if text := v.page(ada); strings.Contains(text, "Your agent") || !strings.Contains(text, "Is this your agent?") {
		t.Error("a stranger is offered what is the owner's")
	}
	if w := v.do(http.MethodPost, ada+"/own", "token="+token("P01")); w.Code != http.StatusSeeOther ||
		len(v.cookies) != 1 {
		t.Fatalf("with its token: %d %s", w.Code, w.Body)
	}
	for name, value := range v.cookies {
		if !strings.HasPrefix(name, "league_owner_") || strings.Contains(value, "tok_") {
			t.Errorf("the cookie %s is %s", name, value)
		}
	}
	if text := v.page(ada); !strings.Contains(text, "Your agent") || strings.Contains(text, "tok_") {
		t.Error("the owner is not offered what is theirs, or is shown a token")
	}
	if text := v.page("/leagues/fake/players/P02"); strings.Contains(text, "Your agent") {
		t.Error("the owner of one player is taken for that of another")
	}
	for _, other := range []string{"/leagues/fake/players/P02/withdraw", "/leagues/fake/players/P02/check"} {
		if w := v.do(http.MethodPost, other, ""); w.Code != http.StatusUnauthorized {
			t.Errorf("%s: %d", other, w.Code)
		}
	}
	for _, order := range []string{"/leagues/fake/withdraw", "/leagues/fake/check"} { // the admin's
		if w := v.do(http.MethodPost, order, "player_id=P01"); w.Code != http.StatusSeeOther ||
			!strings.HasPrefix(w.Header().Get("Location"), "/login") {
			t.Errorf("%s: %d", order, w.Code)
		}
	}
	v.do(http.MethodPost, ada+"/withdraw", "")
	h.m.Read(func(s *league.State) {
		if a := s.Agents["P01"]; a.State != protocol.AgentShutdown {
			t.Errorf("the player is %s", a.State)
		}
		if o := s.Orders[len(s.Orders)-1]; o.ID != "P01" || !strings.HasPrefix(o.By, "owner of P01 via page") {
			t.Errorf("the log says %+v", o)
		}
	})
	if !strings.Contains(v.page(ada), "Your agent") {
		t.Error("the owner of a player that is out is not known any more")
	}
	if v.do(http.MethodPost, ada+"/disown", ""); len(v.cookies) > 0 || strings.Contains(v.page(ada), "Your agent") {
		t.Error("who has logged out is still known")
	}
}

// A session ends with the token that opened it.
func TestASessionEndsWithItsToken(t *testing.T) {
	t.Parallel()
	h, token := openOwned(t)
	all := &access{owners: &session.Owners{}}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/leagues/fake/players/P01/withdraw", nil)
	r.AddCookie(ownedPlayer{"P01", fakeLeagueID, all.owners.Open(fakeLeagueID, token("P01"))}.cookie(r))
	if !all.owns(r, asSeason(h.m), "P01") || all.owns(r, asSeason(h.m), "P02") {
		t.Fatal("the session is not its player's alone")
	}
	if all.owns(r, another{asSeason(h.m)}, "P01") {
		t.Error("the session outlives its token")
	}
}

// another is a league in which all places have gone to others.
type another struct{ Season }

func (another) Owner(string) string { return "" }

// A read within a read waits for ever if a writer waits between them.
func TestOwnerIsNotReadWithinARead(t *testing.T) {
	t.Parallel()
	h, token := openOwned(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/leagues/fake/matches/R1M1", nil)
	r.Header.Set("Authorization", "Bearer "+token("P01"))
	m := &unnested{Season: asSeason(h.m), t: t}
	insider := (&access{}).insider(r, m)
	m.Read(func(*league.State) {
		if !insider("P01") || insider("P02") || insider("") {
			t.Error("the request is not from the owner of P01 alone")
		}
	})
}

// An unnested league fails the test if it is read while it is read.
type unnested struct {
	Season
	t       *testing.T
	reading bool
}

func (u *unnested) Read(f func(*league.State)) {
	u.reading = true
	u.Season.Read(f)
	u.reading = false
}

func (u *unnested) Owner(secret string) string {
	if u.reading {
		u.t.Error("the owner is looked up while the league is read")
	}
	return u.Season.Owner(secret)
}

// A program shows the owner key itself.
func TestAProgramSpeaksForItsPlayer(t *testing.T) {
	t.Parallel()
	h, token := openOwned(t)
	site := siteWith(t, Options{Host: h})
	send := func(id, with string) int {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost,
			site+api+"/leagues/fake/players/"+id+"/withdraw", nil)
		r.Header.Set("Authorization", "Bearer "+with)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	if got := [2]int{send("P02", token("P03")), send("P03", token("P03"))}; got != [2]int{401, 200} {
		t.Errorf("with the token of P03: %v for P02 and for P03", got)
	}
}

// The report of a check is for the owner of the player that was checked, and for the admin.
func TestAStudentChecksTheirOwnAgent(t *testing.T) {
	t.Parallel()
	h, token := openOwned(t)
	at := siteWith(t, Options{
		Host: h, Admin: func(string) error { return http.ErrNoCookie },
		Check: func(context.Context, string, protocol.Role) (protocol.Report, error) { return aReport, nil },
	})
	b := webtest.Start(t)
	tab := b.Tab(t, webtest.Phone)
	tab.Open(at + "/leagues/fake/players/P01")
	tab.Click("#mine summary")
	tab.Type("#token", token("P01")+"\r")
	tab.Await("what the owner can do", `document.querySelector("#mine-title")`)
	tab.Shot("owner")
	tab.Click(`#mine form[action$="/check"] button`)
	tab.Await("the report", `document.querySelector("#verdict[data-state=DONE]")`)
	url := webtest.Get[string](tab, "location.href")
	if answer := get(t, strings.Replace(url, "/leagues/", "/api/v1/leagues/", 1), nil); answer.StatusCode !=
		http.StatusUnauthorized {
		t.Errorf("a stranger gets %s", answer.Status)
	}
	tab.Click(".again button")
	tab.Await("another check", `location.href !== "`+url+`" && document.querySelector("#verdict[data-state=DONE]")`)
}

// The owner of a player sees its agent's raw answer; the owner of its opponent, and other visitors, see only that it
// was an error.
func TestAnOwnerReadsWhatItsAgentAnswered(t *testing.T) {
	t.Parallel()
	const answered = "KeyError: hand"
	first, _ := openOwned(t)
	var failed, other string
	first.m.Read(func(s *league.State) { failed, other = s.Schedule.Round(1)[0].A, s.Schedule.Round(1)[0].B })
	rec := played("even_odd", "R1M1", failed, other)
	rec.Result = protocol.GameResult{Status: protocol.TechnicalLoss, WinnerPlayerID: &other,
		Forfeits: map[string]string{failed: "E009"}}
	rec.Transcript = append(rec.Transcript[:2], protocol.TranscriptEntry{
		Seq: 3, MessageType: protocol.TypeGameError, From: "referee:REF01", To: "player:" + failed,
		Message: []byte(`{"error_code":"E009","error_name":"CONNECTION_ERROR","suggestion":"Look",
			"detail":"your agent answered HTTP 500 to choose_parity (it said: “` + answered + `”)"}`),
	})
	rec.Tries = []protocol.Try{{Stage: 2, PlayerID: failed, Asked: protocol.TypeChooseParityCall, Outcome: "E009"}}
	over := outcomeOf(rec)
	over.Result.Status, over.Result.Winner, over.Result.Forfeits = protocol.TechnicalLoss, other, rec.Result.Forfeits
	h, token := openOwned(t, league.MatchAssigned{Match: "R1M1", Referee: "REF01", Attempt: 1}, over)
	h.records = map[string]protocol.MatchRecord{"R1M1": rec}
	for who, reads := range map[string]bool{failed: true, other: false, "": false} {
		site := h.caller(t, nil).site
		for _, page := range []string{"/players/" + failed, "/matches/R1M1"} {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://league.test:8000/leagues/fake"+page, nil)
			if who != "" {
				r.Header.Set("Authorization", "Bearer "+token(who))
			}
			w := httptest.NewRecorder()
			site.ServeHTTP(w, r)
			text := w.Body.String()
			if !strings.Contains(text, "answered HTTP 500 to choose_parity") || strings.Contains(text, answered) != reads {
				t.Errorf("%s shows %q what the agent answered: %v, want %v", page, who, !reads, reads)
			}
		}
	}
}
