package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"agentleague/engine"
	"agentleague/engine/sim"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/protocol"
	"agentleague/rpc"
)

// quiet is a network without agents: the manager's broadcasts are dropped.
type quiet struct{ rpc.Network }

func (quiet) Post(ctx context.Context, _, _ string, _ []byte) (int, []byte, error) {
	<-ctx.Done()
	return 0, nil, context.Cause(ctx)
}
func (quiet) Probe(context.Context, string) error { return nil }

// A fakeLeague is a league whose log was written by a test.
type fakeLeague struct {
	m       *manager.Manager
	records map[string]protocol.MatchRecord
	removed error    // the error for each record; nil: records has it
	asked   []string // matches whose record was requested
}

const fakeLeagueID = "fake"

func (h *fakeLeague) Leagues() []string                                 { return []string{fakeLeagueID} }
func (h *fakeLeague) League(id string) (Season, bool)                   { return asSeason(h.m), id == fakeLeagueID }
func (h *fakeLeague) Create(context.Context, NewLeague) (string, error) { return "", errors.New("no") }

func (h *fakeLeague) record(_ context.Context, _, match string) (protocol.MatchRecord, error) {
	h.asked = append(h.asked, match)
	if h.removed != nil {
		return protocol.MatchRecord{}, h.removed
	}
	rec, ok := h.records[match]
	if !ok {
		return rec, errors.New("there is none")
	}
	return rec, nil
}

// nasty is the worst text for a name or an answer.
const nasty = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>` + "\u202egnp.exe\u0000\x1b[31m"

// openFakeLeague opens a league with that number of players of which a round has been played, except its last match.
// The first player has a nasty name and made a nasty answer in R1M1; the second has a long one.
func openFakeLeague(t *testing.T, game string, players int) *fakeLeague {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	events := []league.Event{league.Created{
		Schema: 1, LeagueID: fakeLeagueID, GameType: game, SeatMatters: game != "even_odd", Cycles: 1,
		Scoring: protocol.DefaultScoring, Tiebreakers: league.Tiebreakers,
		DrawCommitment: strings.Repeat("c0", 32),
	}, registered(protocol.RoleReferee, 1, "Referee Alpha")}
	var ids []string
	for n := 1; n <= players; n++ {
		name := fmt.Sprintf("Agent %d", n)
		switch n {
		case 1:
			name = nasty
		case 2:
			name = emoji
		}
		events = append(events, registered(protocol.RolePlayer, n, name))
		ids = append(ids, protocol.AgentID(protocol.RolePlayer, n))
	}
	h := &fakeLeague{records: map[string]protocol.MatchRecord{}}
	if players > 1 {
		events = append(events, league.Started{Players: ids}, league.RoundOpened{Round: 1})
		pairs := league.Ring{Players: ids, Cycles: 1, SeatMatters: game != "even_odd"}.Round(1)
		for i, p := range pairs {
			id := protocol.MatchID(1, i+1)
			events = append(events, league.MatchAssigned{Match: id, Referee: "REF01", Attempt: 1})
			if i == len(pairs)-1 && i > 0 {
				break
			}
			rec := played(game, id, p.A, p.B)
			h.records[id] = rec
			events = append(events, outcomeOf(rec))
		}
	}
	h.m = openLog(t, at, events)
	return h
}

func registered(role protocol.Role, n int, name string) league.Registered {
	return league.Registered{
		Role: role, ID: protocol.AgentID(role, n), Name: name, Endpoint: fmt.Sprintf("http://127.0.0.1:%d/mcp", n),
		Generation: 1, Key: fmt.Sprintf("key of %s %d", role, n), Organiser: role == protocol.RoleReferee, Capacity: 2,
	}
}

// openLog opens a league from a log with these events.
func openLog(t *testing.T, at time.Time, events []league.Event) *manager.Manager {
	t.Helper()
	return openOn(t, sim.New(1).Open(sim.Options{}), at, events)
}

// agreed returns the events of a league in which the manager and the native agents have agreed on their tokens.
func agreed(t *testing.T, log engine.Engine, events []league.Event) (out []league.Event) {
	t.Helper()
	key, err := log.Secret(t.Context(), "token."+fakeLeagueID)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		switch known := e.(type) {
		case league.Created:
			known.Schema, known.ManagerKey = league.Schema, protocol.AgreementPublic(protocol.AgreementKey(key))
			e = known
		case league.Registered:
			if known.Key != "" {
				known.AgreementKey = protocol.AgreementPublic(protocol.AgreementKey([]byte(known.Key)))
			}
			e = known
		}
		out = append(out, e)
	}
	return out
}

// openOn opens a league from a log to which these events are written.
func openOn(t *testing.T, log engine.Engine, at time.Time, events []league.Event) *manager.Manager {
	t.Helper()
	type entry struct {
		Kind  string       `json:"kind"`
		At    time.Time    `json:"at"`
		Event league.Event `json:"event"`
	}
	var batch []entry
	for _, e := range agreed(t, log, events) {
		batch = append(batch, entry{league.Kind(e), at, e})
	}
	data, err := json.Marshal(batch)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.Append(t.Context(), fakeLeagueID, 0, data); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	m, err := manager.Open(ctx, log, manager.Options{
		LeagueID: fakeLeagueID, Window: -1, Hold: true, AdminToken: "tok_admin_secret",
		Options: rpc.Options{Network: quiet{rpc.NewHTTP(1 << 20)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); m.Wait() })
	return m
}

// played is the record of a match that the second player won: in Even/Odd after a bad answer of the first, which was
// nasty, in Tic-Tac-Toe by the first column.
func played(game, id, a, b string) protocol.MatchRecord {
	rec := protocol.MatchRecord{
		SchemaVersion: "1.0.0", MatchID: id, LeagueID: fakeLeagueID, RoundID: 1, GameType: game, RefereeID: "REF01",
		PlayerAID: a, PlayerBID: b, Attempt: 1,
		Lifecycle: protocol.Lifecycle{
			State: protocol.Finished, CreatedAt: "2026-01-02T03:04:05Z", StartedAt: "2026-01-02T03:04:05Z",
			CompletedAt: "2026-01-02T03:04:09Z",
		},
		TranscriptComplete: true, Fairness: protocol.Fairness{
			Commitment: strings.Repeat("ab", 32), Key: strings.Repeat("cd", 32),
		},
	}
	say := func(t protocol.Type, from, to string, message map[string]any) {
		message["message_type"], message["auth_token"] = t, "tok_player_P01_0123456789abcdef"
		raw, _ := json.Marshal(message)
		rec.Transcript = append(rec.Transcript, protocol.TranscriptEntry{
			Seq: len(rec.Transcript) + 1, Timestamp: "2026-01-02T03:04:06Z", MessageType: t, From: from, To: to, Message: raw,
		})
	}
	try := func(stage int, who string, asked protocol.Type, ms float64, outcome string) {
		rec.Tries = append(rec.Tries, protocol.Try{
			Stage: stage, PlayerID: who, Asked: asked, SentAt: fmt.Sprintf("2026-01-02T03:04:%02d.000Z", 5+len(rec.Tries)/2),
			AgentMS: ms, OverheadMS: 0.5, Outcome: outcome,
		})
	}
	ref, pa, pb := "referee:REF01", "player:"+a, "player:"+b
	say(protocol.TypeGameInvitation, ref, pa, map[string]any{})
	say(protocol.TypeGameInvitation, ref, pb, map[string]any{})
	say(protocol.TypeGameJoinAck, pa, ref, map[string]any{"accept": true, "token": "secret of another make"})
	say(protocol.TypeGameJoinAck, pb, ref, map[string]any{"accept": true})
	try(1, a, protocol.TypeGameInvitation, 3, protocol.Answered)
	try(1, b, protocol.TypeGameInvitation, 5, protocol.Answered)
	if game == "even_odd" {
		evenOdd(&rec, say, try)
	} else {
		ticTacToe(&rec, say, try)
	}
	winner := b
	rec.Result.Status, rec.Result.WinnerPlayerID, rec.Result.Score = protocol.Win, &winner, map[string]int{a: 0, b: 3}
	return rec
}

type (
	sayer func(t protocol.Type, from, to string, message map[string]any)
	trier func(stage int, who string, asked protocol.Type, ms float64, outcome string)
)

func evenOdd(rec *protocol.MatchRecord, say sayer, try trier) {
	ref, pa, pb := "referee:REF01", "player:"+rec.PlayerAID, "player:"+rec.PlayerBID
	ask := protocol.TypeChooseParityCall
	say(ask, ref, pa, map[string]any{})
	say(ask, ref, pb, map[string]any{})
	say(protocol.TypeChooseParityResponse, pb, ref, map[string]any{"parity_choice": "even"})
	say(protocol.TypeChooseParityResponse, pa, ref, map[string]any{"parity_choice": nasty})
	say(protocol.TypeGameError, ref, pa, map[string]any{
		"error_code": "E004", "error_name": "INVALID_PARITY_CHOICE", "retryable": true, "retry_count": 1, "max_retries": 3,
		"context": map[string]any{"detail": "got " + nasty},
	})
	say(ask, ref, pa, map[string]any{})
	say(protocol.TypeChooseParityResponse, pa, ref, map[string]any{"parity_choice": "odd"})
	try(2, rec.PlayerAID, ask, 20, "E004")
	try(2, rec.PlayerBID, ask, 10, protocol.Answered)
	try(2, rec.PlayerAID, ask, 40, protocol.Answered)
	rec.Result.DrawnNumber, rec.Result.NumberParity, rec.Result.Reason =
		protocol.Present(10), protocol.Present("even"), rec.PlayerBID+" chose even, number was 10 (even)"
	rec.Moves = []protocol.PlayedMove{
		{PlayerID: rec.PlayerAID, Move: json.RawMessage(`"odd"`)}, {PlayerID: rec.PlayerBID, Move: json.RawMessage(`"even"`)},
	}
	rec.Result.Choices = map[string]json.RawMessage{rec.PlayerAID: rec.Moves[0].Move, rec.PlayerBID: rec.Moves[1].Move}
}

func ticTacToe(rec *protocol.MatchRecord, say sayer, try trier) {
	ref := "referee:REF01"
	board := make([]string, 9)
	for i, cell := range []int{1, 0, 2, 3, 4, 6} {
		who, mark := rec.PlayerAID, "X"
		if i%2 == 1 {
			who, mark = rec.PlayerBID, "O"
		}
		say(protocol.TypeGameMoveCall, ref, "player:"+who, map[string]any{
			"turn": i, "move_request": map[string]any{
				"move_type": "place_mark", "context": map[string]any{"board": append([]string{}, board...), "mark": mark},
			},
		})
		say(protocol.TypeGameMoveResponse, "player:"+who, ref, map[string]any{"move_data": map[string]any{"choice": cell}})
		try(2+i, who, protocol.TypeGameMoveCall, float64(1+i), protocol.Answered)
		board[cell] = mark
		rec.Moves = append(rec.Moves, protocol.PlayedMove{Turn: i, PlayerID: who, Move: json.RawMessage(fmt.Sprint(cell))})
	}
	for _, who := range []string{rec.PlayerAID, rec.PlayerBID} {
		say(protocol.TypeGameOver, ref, "player:"+who, map[string]any{
			"result": "WIN", "game_result": map[string]any{"details": map[string]any{"board": board, "line": []int{0, 3, 6}}},
		})
	}
	rec.Result.Reason = rec.PlayerBID + " has three O in a row, cells 0, 3 and 6"
}

// outcomeOf is the result of a record as the log has it.
func outcomeOf(rec protocol.MatchRecord) league.ResultRecorded {
	return league.ResultRecorded{
		Match: rec.MatchID, Attempt: 1, Referee: "REF01", DrawKey: rec.Fairness.Key, RecordSHA256: "00", Moves: rec.Moves,
		Timing: rec.Timing(),
		Result: league.Result{
			Status: rec.Result.Status, Winner: *rec.Result.WinnerPlayerID, Drawn: rec.Result.DrawnNumber.Value,
			Choices: rec.Result.Choices,
		},
	}
}

// A caller requests pages of a site, with its own cookies.
type caller struct {
	t       *testing.T
	site    http.Handler
	cookies map[string]string
}

func (h *fakeLeague) caller(t *testing.T, edit func(*Options)) *caller {
	o := Options{Host: h, Record: h.record, Admin: func(token string) error {
		if token != "tok_admin_secret" {
			return errors.New("no")
		}
		return nil
	}}
	if edit != nil {
		edit(&o)
	}
	return &caller{t, New(o), map[string]string{}}
}

// do sends a request and returns the answer. The body of a POST is a form, unless it is JSON.
func (v *caller) do(method, path, body string) *httptest.ResponseRecorder {
	v.t.Helper()
	r := httptest.NewRequestWithContext(v.t.Context(), method, "http://league.test:8000"+path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	w := httptest.NewRecorder()
	v.site.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if v.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		}
	}
	return w
}

// page returns a page that has to be there.
func (v *caller) page(path string) string {
	v.t.Helper()
	w := v.do(http.MethodGet, path, "")
	if w.Code != http.StatusOK {
		v.t.Fatalf("%s: status %d: %.300s", path, w.Code, w.Body)
	}
	return w.Body.String()
}

// json reads the view of a page.
func (v *caller) json(path string, into any) {
	v.t.Helper()
	if err := json.Unmarshal([]byte(v.page(api+path)), into); err != nil {
		v.t.Fatalf("%s: %v", path, err)
	}
}

func (v *caller) login() {
	v.t.Helper()
	if w := v.do(http.MethodPost, "/login", "token=tok_admin_secret&next=/"); w.Code != http.StatusSeeOther {
		v.t.Fatalf("login: %d", w.Code)
	}
}
