package store_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"sync"
	"testing"

	"agentleague/config"
	"agentleague/protocol"
	"agentleague/store"
	"agentleague/store/logs"
)

func ptr[T any](v T) *T { return &v }

var table = protocol.Standing{
	Rank: 1, PlayerID: "P01", DisplayName: "Agent Alpha", Played: 3, Wins: 2, Draws: 1, Points: 7,
}

func TestStandingsAreWrittenAsDocumented(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		want := store.Standings{Version: 6, RoundsCompleted: 3, Standings: []store.Standing{store.Standing(table)}}
		mustSucceed(t, root.Standings(league).Save(want))
		wantDocument(t, root, "data/leagues/league_2025_even_odd/standings.json", `{
			"schema_version": "1.0.0",
			"league_id": "league_2025_even_odd",
			"version": 6,
			"rounds_completed": 3,
			"last_updated": "2026-01-01T00:00:00Z",
			"standings": [
				{"rank": 1, "player_id": "P01", "display_name": "Agent Alpha", "played": 3, "wins": 2, "draws": 1, "losses": 0, "points": 7}
			]
		}`)
		want.SchemaVersion, want.LeagueID, want.LastUpdated = "1.0.0", league, "2026-01-01T00:00:00Z"
		if got, err := root.Standings(league).Load(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, %v; want %+v", got, err, want)
		}
	})
}

func TestRoundsAreWrittenAsDocumented(t *testing.T) {
	atTime(t, "2026-01-01T00:00:31Z", func(t *testing.T) {
		root := open(t)
		want := store.Rounds{Rounds: []store.Round{{
			RoundID: 1, Status: "COMPLETED", StartedAt: "2026-01-01T00:00:00Z", CompletedAt: ptr("2026-01-01T00:00:31Z"),
			Matches: []store.RoundMatch{
				{MatchID: "R1M1", PlayerAID: "P01", PlayerBID: "P02", RefereeID: "REF01", Status: "WIN", Winner: ptr("P01")},
			},
			Summary: protocol.RoundSummary{TotalMatches: 1, Wins: 1},
		}, {
			RoundID: 2, Status: "RUNNING", StartedAt: "2026-01-01T00:00:31Z",
		}}}
		mustSucceed(t, root.Rounds(league).Save(want))
		wantDocument(t, root, "data/leagues/league_2025_even_odd/rounds.json", `{
			"schema_version": "1.0.0",
			"league_id": "league_2025_even_odd",
			"last_updated": "2026-01-01T00:00:31Z",
			"rounds": [
				{"round_id": 1, "status": "COMPLETED", "started_at": "2026-01-01T00:00:00Z", "completed_at": "2026-01-01T00:00:31Z",
				 "matches": [{"match_id": "R1M1", "player_A_id": "P01", "player_B_id": "P02", "referee_id": "REF01", "status": "WIN", "winner": "P01"}],
				 "byes": [], "summary": {"total_matches": 1, "wins": 1, "draws": 0, "technical_losses": 0}},
				{"round_id": 2, "status": "RUNNING", "started_at": "2026-01-01T00:00:31Z", "completed_at": null,
				 "matches": [], "byes": [], "summary": {"total_matches": 0, "wins": 0, "draws": 0, "technical_losses": 0}}
			]
		}`)
		got, err := root.Rounds(league).Load()
		if err != nil || got.LeagueID != league || len(got.Rounds) != 2 ||
			*got.Rounds[0].CompletedAt != "2026-01-01T00:00:31Z" {
			t.Errorf("got %+v, %v; want what was saved", got, err)
		}
	})
}

func TestAgentsOfALeagueAreWrittenLikeTheConfig(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		agents, err := root.Config().Agents()
		mustSucceed(t, err)
		agents.Players = append(agents.Players, config.Player{PlayerID: "P02", DisplayName: "<B & C>", Dialect: "F"})
		mustSucceed(t, root.Agents(league).Save(agents))
		wantDocument(t, root, "data/leagues/league_2025_even_odd/agents.json", `{
			"schema_version": "1.0.0",
			"league_id": "league_2025_even_odd",
			"last_updated": "2026-01-01T00:00:00Z",
			"league_manager": {"endpoint": "http://localhost:8000/mcp", "version": "1.0.0"},
			"referees": [
				{"referee_id": "REF01", "display_name": "Referee Alpha", "endpoint": "http://localhost:8001/mcp", "version": "1.0.0",
				 "game_types": ["even_odd", "tic_tac_toe"], "max_concurrent_matches": 2, "active": true}
			],
			"players": [
				{"player_id": "P01", "display_name": "Agent Alpha", "version": "1.0.0", "preferred_leagues": ["league_2025_even_odd"],
				 "game_types": ["even_odd", "tic_tac_toe"], "default_endpoint": "http://localhost:8101/mcp", "active": true},
				{"player_id": "P02", "display_name": "<B & C>", "version": "", "preferred_leagues": [],
				 "game_types": [], "default_endpoint": "", "dialect": "F", "active": false}
			]
		}`)
		if got, err := root.Agents(league).Load(); err != nil || len(got.Players) != 2 ||
			got.Players[1].DisplayName != "<B & C>" {
			t.Errorf("got %+v, %v; want what was saved", got, err)
		}
	})
}

func TestHistoryIsWrittenAsDocumented(t *testing.T) {
	atTime(t, "2026-01-01T00:00:31Z", func(t *testing.T) {
		root := open(t)
		matches := []protocol.PlayerMatch{{
			MatchID: "R1M1", RoundID: 1, Timestamp: "2026-01-01T00:00:31Z", OpponentID: "P02", Result: "WIN",
			MyChoice: json.RawMessage(`"even"`), OpponentChoice: json.RawMessage(`"odd"`), DrawnNumber: protocol.Present(8), PointsEarned: 3,
		}}
		h := store.History{DisplayName: "Agent Alpha", Stats: protocol.StatsOf(matches), Matches: matches}
		want := `{
			"schema_version": "1.0.0",
			"player_id": "P01",
			"display_name": "Agent Alpha",
			"last_updated": "2026-01-01T00:00:31Z",
			"stats": {"total_matches": 1, "wins": 1, "losses": 0, "draws": 0},
			"matches": [
				{"match_id": "R1M1", "round_id": 1, "timestamp": "2026-01-01T00:00:31Z", "opponent_id": "P02", "result": "WIN",
				 "my_choice": "even", "opponent_choice": "odd", "drawn_number": 8, "points_earned": 3}
			]
		}`
		for where, name := range map[string]string{"": "P01", league: "P01", "spring": "spring/P01"} {
			mustSucceed(t, root.History(where, "P01").Save(h))
			wantDocument(t, root, "data/players/"+name+"/history.json", want)
			if got, err := root.History(where, "P01").Load(); err != nil || got.PlayerID != "P01" ||
				!reflect.DeepEqual([]protocol.PlayerMatch(got.Matches), matches) {
				t.Errorf("got %+v, %v; want what was saved", got, err)
			}
			remove(t, root, "data/players")
		}
	})
}

func TestStatsCountATechnicalLossAsALoss(t *testing.T) {
	got := protocol.StatsOf([]protocol.PlayerMatch{
		{Result: protocol.Win}, {Result: protocol.Draw}, {Result: protocol.Loss}, {Result: protocol.TechnicalLoss},
	})
	if want := (protocol.PlayerStats{TotalMatches: 4, Wins: 1, Draws: 1, Losses: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

const matchRecord = `{
  "schema_version": "1.0.0",
  "match_id": "R1M1",
  "league_id": "league_2025_even_odd",
  "round_id": 1,
  "game_type": "even_odd",
  "referee_id": "REF01",
  "player_A_id": "P01",
  "player_B_id": "P02",
  "last_updated": "2026-01-01T00:00:31Z",
  "lifecycle": {
    "state": "FINISHED",
    "created_at": "2026-01-01T00:00:00Z",
    "started_at": "2026-01-01T00:00:00Z",
    "completed_at": "2026-01-01T00:00:31Z",
    "state_transitions": [{"state": "WAITING_FOR_PLAYERS", "timestamp": "2026-01-01T00:00:00Z"}]
  },
  "transcript": [
    {"seq": 1, "timestamp": "2026-01-01T00:00:00Z", "message_type": "GAME_INVITATION", "from": "referee:REF01", "to": "player:P01", "message": {}}
  ],
  "result": {
    "status": "WIN", "winner_player_id": "P01", "drawn_number": 8, "number_parity": "even",
    "choices": {"P01": "even", "P02": "odd"}, "score": {"P01": 3, "P02": 0},
    "reason": "P01 chose even, number was 8 (even)"
  }
}
`

func TestMatchesAreKeptByteForByte(t *testing.T) {
	root := open(t)
	matches := root.Matches(league)
	write(t, root, "data/matches/league_2025_even_odd/R1M1.json", matchRecord) // by an earlier version
	if got, err := matches.Load("R1M1"); err != nil || string(got) != matchRecord {
		t.Errorf("got %s, %v; want %s", got, err, matchRecord)
	}
	_, err := matches.Load("R1M2")
	wantError(t, err, "match R1M2 of league_2025_even_odd: no such record")
	if !errors.Is(err, store.ErrNoRecord) {
		t.Errorf("got %v, want ErrNoRecord", err)
	}
}

func TestWhatWasNeverSavedIsEmpty(t *testing.T) {
	root := open(t)
	standings, err1 := root.Standings(league).Load()
	rounds, err2 := root.Rounds(league).Load()
	agents, err3 := root.Agents(league).Load()
	history, err4 := root.History(league, "P01").Load()
	mustSucceed(t, errors.Join(err1, err2, err3, err4))
	for _, c := range [][2]any{
		{standings, store.Standings{SchemaVersion: "1.0.0", LeagueID: league}},
		{rounds, store.Rounds{SchemaVersion: "1.0.0", LeagueID: league}},
		{agents, config.Agents{SchemaVersion: "1.0.0", LeagueID: league}},
		{history, store.History{SchemaVersion: "1.0.0", PlayerID: "P01"}},
	} {
		if !reflect.DeepEqual(c[0], c[1]) {
			t.Errorf("got %+v, want %+v", c[0], c[1])
		}
	}
	if _, err := os.Stat(path(root, "data/leagues/"+league)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that reading makes nothing", err)
	}
}

func TestEmptyListsAreListsInAFile(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		mustSucceed(t, root.Standings("x").Save(store.Standings{}))
		wantDocument(t, root, "data/leagues/x/standings.json",
			`{"schema_version":"1.0.0","league_id":"x","version":0,"rounds_completed":0,
			"last_updated":"2026-01-01T00:00:00Z","standings":[]}`)
	})
}

func TestADamagedDocumentIsNamed(t *testing.T) {
	root := open(t)
	write(t, root, "data/leagues/x/standings.json", "{\n\"standings\": [\n{\"rank\": \"first\"}]}")
	write(t, root, "data/leagues/x/rounds.json", "{\n")
	write(t, root, "data/leagues/x/agents.json", "[]")
	write(t, root, "data/players/P01/history.json", "{\n\"matches\": [{\"round_id\": \"soon\"}]}")
	_, err := root.Standings("x").Load()
	wantError(t, err, `data/leagues/x/standings.json:3: standings[0].rank: want a whole number, got "first"`)
	_, err = root.Rounds("x").Load()
	wantError(t, err, `data/leagues/x/rounds.json:1: not JSON: unexpected end of JSON input`)
	_, err = root.Agents("x").Load()
	wantError(t, err, `data/leagues/x/agents.json:1: want an object, got a list`)
	_, err = root.History("", "P01").Load()
	wantError(t, err, `data/players/P01/history.json:2: matches[0].round_id: want a whole number, got "soon"`)
	mustSucceed(t, os.Mkdir(path(root, "data/leagues/y"), 0o755))
	mustSucceed(t, os.Mkdir(path(root, "data/leagues/y/standings.json"), 0o755))
	if _, err := root.Standings("y").Load(); err == nil {
		t.Error("a folder: got no error")
	}
}

func TestNoIDLeavesTheTree(t *testing.T) {
	root := open(t)
	before := filesIn(t, root.Dir())
	for _, id := range []string{"", ".", "..", "../x", "a/b", `a\b`, ".hidden", "a b", "ü", "a\x00", "C:"} {
		ref := protocol.RecordRef{LeagueID: id, MatchID: "R1M1"}
		records, err := root.Records("REF01")
		mustSucceed(t, err)
		for what, err := range map[string]error{
			"save standings":       root.Standings(id).Save(store.Standings{}),
			"load standings":       failure(root.Standings(id).Load()),
			"save rounds":          root.Rounds(id).Save(store.Rounds{}),
			"load rounds":          failure(root.Rounds(id).Load()),
			"save agents":          root.Agents(id).Save(config.Agents{}),
			"load agents":          failure(root.Agents(id).Load()),
			"save match, league":   root.Matches(id).Store("R1M1", nil),
			"save match":           root.Matches(league).Store(id, nil),
			"load match":           failure(root.Matches(league).Load(id)),
			"save history":         root.History(league, id).Save(store.History{}),
			"load history":         failure(root.History(league, id).Load()),
			"league":               failure(root.Config().League(id)),
			"records":              failure(root.Records(id)),
			"save record":          records.Save(ref, nil, nil),
			"reported":             records.Reported(ref),
			"document":             failure(records.Document(ref)),
			"lock":                 failure(root.LockAgent(league, id, "")),
			"league log":           failure(root.Logs().League(id, nil)),
			"history, league":      failure(root.History(id, "P01").Load()),
			"lock, league":         failure(root.LockAgent(id, "P01", "")),
			"agent log, league":    failure(root.Logs().Agent("player", id, "x", nil)),
			"agent log registered": agentLog(t, root).Registered(league, id),
		} {
			if id == "" && (what == "history, league" || what == "lock, league" || what == "agent log, league") {
				continue // the default league
			}
			if err == nil {
				t.Errorf("%s with id %q: got no error", what, id)
			}
		}
	}
	remove(t, root, "data/agents/P01.lock")
	remove(t, root, "data/agents/P01.holder")
	if got := filesIn(t, root.Dir()); got != before {
		t.Errorf("got %d files, want %d as before", got, before)
	}
}

func failure[T any](_ T, err error) error { return err }

func agentLog(t testing.TB, root *store.Root) *logs.Log {
	t.Helper()
	log, err := root.Logs().Agent(protocol.RolePlayer, "", "Agent Alpha", nil)
	mustSucceed(t, err)
	return log
}

func TestReadersSeeWholeDocuments(t *testing.T) {
	root := open(t)
	rows := make([]store.Standing, 200)
	mustSucceed(t, root.Standings(league).Save(store.Standings{Version: 1, Standings: rows[:1]}))
	var writing sync.WaitGroup
	done := make(chan struct{})
	writing.Go(func() {
		defer close(done)
		for i := range 50 {
			if err := root.Standings(league).Save(store.Standings{Version: i + 1, Standings: rows[:i+1]}); err != nil {
				t.Error(err)
			}
		}
	})
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		if got, err := root.Standings(league).Load(); err != nil || got.Version != len(got.Standings) {
			t.Fatalf("got version %d with %d rows, %v", got.Version, len(got.Standings), err)
		}
	}
	writing.Wait()
	if got, _ := os.ReadDir(path(root, "data/leagues/"+league)); len(got) != 1 {
		t.Errorf("got %v, want standings.json alone", got)
	}
}

func TestADocumentThatCannotBeWrittenIsAnError(t *testing.T) {
	root := open(t)
	write(t, root, "data/leagues/x", "a file where the folder should be")
	if err := root.Standings("x").Save(store.Standings{}); err == nil {
		t.Error("got no error")
	}
	bad := store.History{Matches: []protocol.PlayerMatch{{MyChoice: json.RawMessage("{")}}}
	if err := root.History("", "P01").Save(bad); err == nil {
		t.Error("JSON that is none: got no error")
	}
}
