package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// eachKit runs a test for each language.
func eachKit(t *testing.T, test func(t *testing.T, lang, dir string)) {
	t.Parallel()
	for lang, tool := range tools {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			need(t, tool)
			test(t, lang, newKit(t, lang, "Kit"))
		})
	}
}

// Each kit accepts only its manager and that manager's referees. It signs its answers, never changes them, and keeps
// its identity after a kill.
func TestKitsBelieveOnlyTheirManager(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		m := newKitManager(t)
		k := startKit(t, lang, dir, m.url)
		<-m.joined
		k.prints(t, "Kit is P01 in "+kitLeague)
		head := protocol.SHA256("the line that starts the league")
		k.hearsItsManager(t, m, head)
		first := k.playsUnder(t, m, head)
		moved := k.moves(t, m, 1, "R2M1")
		m.signed("R2M1", head, moved, moveOf(1, moved))
		k.refusesASecondCopy(t, lang, dir)

		k.kill()
		k = startKit(t, lang, dir, m.url)
		if p := <-m.joined; p["auth_token"] != nil || p["sender"] != "player:"+kitPlayer || p["league_id"] != kitLeague {
			t.Errorf("started again it registers as %v in %v with %v, want %s without a token", p["sender"], p["league_id"], p["auth_token"], kitPlayer)
		}
		again := k.answers(t, m.referees("game-flow/move_request.json", nil), protocol.TypeChooseParityResponse)
		if !reflect.DeepEqual(again["proof"], first["proof"]) || again["parity_choice"] != first["parity_choice"] {
			t.Errorf("started again it answers %v, before %v", again, first)
		}
		if same := k.moves(t, m, 1, "R2M1"); !reflect.DeepEqual(same["proof"], moved["proof"]) {
			t.Errorf("started again it moves %v, before %v", same, moved)
		}
		next := k.moves(t, m, 3, "R2M1")
		m.signed("R2M1", head, next, moveOf(1, moved), moveOf(3, next))
		k.hearsTheEnd(t, m)
		k.playsUnderAForeignReferee(t, m)
		k.signsTheEnd(t, m, dir, head)
	})
}

// hearsItsManager sends news with the right token, and with tokens of earlier messages.
func (k *runningKit) hearsItsManager(t *testing.T, m *kitManager, head string) {
	k.identifies(t, m)
	told := object{"seal": m.seal, "head": head}
	k.answers(t, m.says("game-flow/round_announcement.json", told), protocol.TypeRoundAnnouncementAck)
	other := object{"seal": m.seal, "head": protocol.SHA256("another past")} // the first head that was received is kept
	k.answers(t, m.says("game-flow/round_announcement.json", other), protocol.TypeRoundAnnouncementAck)
	for file, token := range map[string]string{
		"game-flow/round_announcement.json":      m.l("ROUND_ANNOUNCEMENT", 2.0),
		"game-flow/league_standings_update.json": m.l("ROUND_ANNOUNCEMENT", 1.0),
		"game-flow/round_completed.json":         "tok_manager_other",
		"game-flow/league_completed.json":        m.l("ROUND_COMPLETED", 0.0),
		"errors/invalid_move.json":               m.l("GAME_ERROR", 1.0),
		"game-flow/game_over.json":               m.l("ROUND_ANNOUNCEMENT", 1.0),
	} {
		request := m.says(file, nil)
		p := asObject(request["params"])
		p["auth_token"] = token
		e := asObject(k.ask(t, request)["error"])
		if code := e["error_code"]; code != protocol.AuthTokenInvalid.Code && code != protocol.MatchNotFound.Code {
			t.Errorf("%s of a stranger: got %v, want it refused", file, e)
		}
		p["message_type"] = "ROUND_ANNOUNCEMENT" // the claimed type does not matter
		if p["round_id"] = 1.0; asObject(k.ask(t, request)["error"]) == nil && file != "game-flow/round_announcement.json" {
			t.Errorf("%s of a stranger that calls it an announcement: not refused", file)
		}
	}
}

// identifies has the kit sign where it is.
func (k *runningKit) identifies(t *testing.T, m *kitManager) {
	ask := example(t, "registration/identify.json", nil)
	got := asObject(k.ask(t, ask)["result"])
	signature, _ := got["signature"].(string)
	text := protocol.IdentityText(m.seal, kitPlayer, k.url, asObject(ask["params"])["challenge"].(string))
	if err := protocol.CheckSignature(m.publicKey(), text, signature); err != nil || got["agent"] != "player:"+kitPlayer {
		t.Errorf("identify is answered with %v: %v", got, err)
	}
}

// playsUnder plays under a native referee: strangers are refused, and a false complaint gets no second answer.
func (k *runningKit) playsUnder(t *testing.T, m *kitManager, head string) object {
	for _, token := range []string{"tok_match_wrong", protocol.MatchToken(m.token(), kitLeague, "R1M1", 2, kitReferee), protocol.MatchToken(m.token(), kitLeague, "R1M1", 1, "REF02"), m.l("GAME_INVITATION", 1.0)} {
		k.refuses(t, example(t, "game-flow/game_start.json", object{"auth_token": token}), protocol.AuthTokenInvalid)
	}
	k.refuses(t, m.referees("game-flow/move_request.json", nil), protocol.MatchNotFound)
	k.answers(t, m.referees("game-flow/game_start.json", nil), protocol.TypeGameJoinAck)
	k.refuses(t, example(t, "game-flow/move_request.json", object{"auth_token": "tok_match_wrong"}), protocol.AuthTokenInvalid)
	first := k.answers(t, m.referees("game-flow/move_request.json", nil), protocol.TypeChooseParityResponse)
	m.signed("R1M1", head, first, choiceOf(first))
	k.refuses(t, example(t, "errors/invalid_move.json", object{"auth_token": "tok_match_wrong"}), protocol.AuthTokenInvalid)
	for range 6 {
		k.answers(t, m.referees("errors/invalid_move.json", object{"affected_player": kitPlayer}), protocol.TypeGameErrorAck)
		again := k.answers(t, m.referees("game-flow/move_request.json", nil), protocol.TypeChooseParityResponse)
		if again["parity_choice"] != first["parity_choice"] || !reflect.DeepEqual(again["proof"], first["proof"]) {
			t.Fatalf("after a false E004 it says %v, first %v", again, first)
		}
	}
	for _, key := range []any{nil, "xyz", protocol.SHA256("my own")} { // an attacker that has read the token does not have the draw key
		lie := object{"fairness": object{"commitment": "", "key": key}}
		k.answers(t, m.referees("game-flow/game_over.json", lie), protocol.TypeGameOverAck)
		again := k.answers(t, m.referees("game-flow/move_request.json", nil), protocol.TypeChooseParityResponse)
		if !reflect.DeepEqual(again["proof"], first["proof"]) {
			t.Fatalf("after a false end it says %v, first %v", again, first)
		}
	}
	k.answers(t, m.referees("game-flow/game_start.json", object{"match_id": "R2M1", "game_type": "tic_tac_toe"}), protocol.TypeGameJoinAck)
	return first
}

func (k *runningKit) moves(t *testing.T, m *kitManager, turn int, match string) object {
	t.Helper()
	view := fmt.Sprintf("the position in turn %d, \"ü\"", turn)
	return k.answers(t, m.referees("game-flow/game_move_call.json", object{"match_id": match, "turn": turn, "view": view}), protocol.TypeGameMoveResponse)
}

// choiceOf and moveOf are an answer as it is signed.
func choiceOf(answer object) protocol.SignedAnswer {
	return protocol.SignedAnswer{Move: fmt.Sprintf("%q", answer["parity_choice"])}
}

func moveOf(turn int, answer object) protocol.SignedAnswer {
	view := fmt.Sprintf("the position in turn %d, \"ü\"", turn)
	return protocol.SignedAnswer{Turn: turn, View: protocol.ViewHash(view), Move: fmt.Sprint(asObject(answer["move_data"])["choice"])}
}

// hearsTheEnd sends the end of two matches: by their referee, and by the manager.
func (k *runningKit) hearsTheEnd(t *testing.T, m *kitManager) {
	k.refuses(t, example(t, "game-flow/game_over.json", object{"auth_token": "tok_match_wrong"}), protocol.AuthTokenInvalid)
	k.answers(t, m.referees("game-flow/game_over.json", nil), protocol.TypeGameOverAck)
	k.prints(t, "R1M1 against P02: ")
	k.answers(t, m.says("game-flow/league_standings_update.json", nil), protocol.TypeStandingsUpdateAck)
	k.answers(t, m.says("game-flow/game_over.json", object{"match_id": "R2M1", "result": "LOSS"}), protocol.TypeGameOverAck)
	k.prints(t, "R2M1 against Agent Beta (P02): LOSS. ")
	k.prints(t, "\n  See "+strings.TrimSuffix(m.url, "/mcp")+"/leagues/"+kitLeague+"/matches/R2M1\n")
	if said := k.said.String(); strings.Contains(said, "/matches/R1M1") {
		t.Errorf("it prints %q, want the page of lost matches only", said)
	}
	for _, match := range []string{"R1M1", "R2M1"} {
		k.refuses(t, m.referees("game-flow/move_request.json", object{"match_id": match}), protocol.MatchNotFound)
	}
}

// playsUnderAForeignReferee has other agents invite before the referee does, and end the matches that they can.
func (k *runningKit) playsUnderAForeignReferee(t *testing.T, m *kitManager) {
	match := object{
		"match_id": "R3M1", "game_type": "even_odd", "player_A_id": kitPlayer, "player_B_id": "P02", "referee_id": "REF07",
		"referee_endpoint": "http://localhost:8007/mcp", "attempt": 1, "match_tokens": false,
	}
	k.answers(t, m.says("game-flow/round_announcement.json", object{"round_id": 3.0, "matches": []any{match}, "seal": m.seal, "head": nil}), protocol.TypeRoundAnnouncementAck)
	as := func(token string) object {
		return object{"match_id": "R3M1", "round_id": 3.0, "auth_token": token, "sender": "referee:REF07"}
	}
	var choice any
	for n := range 20 { // the last is the referee
		token := fmt.Sprint("tok_", n)
		k.answers(t, example(t, "game-flow/game_start.json", as(token)), protocol.TypeGameJoinAck)
		got := k.answers(t, example(t, "game-flow/move_request.json", as(token)), protocol.TypeChooseParityResponse)
		if n > 0 && got["parity_choice"] != choice || got["proof"] != nil {
			t.Errorf("it says %v to one and %v to another, with the proof %v", choice, got["parity_choice"], got["proof"])
		}
		choice = got["parity_choice"]
	}
	for n := range 19 {
		k.answers(t, example(t, "game-flow/game_over.json", as(fmt.Sprint("tok_", n))), protocol.TypeGameOverAck)
	}
	if got := k.answers(t, example(t, "game-flow/move_request.json", as("tok_19")), protocol.TypeChooseParityResponse); got["parity_choice"] != choice {
		t.Errorf("asked again it says %v, first %v", got["parity_choice"], choice)
	}
}

// refusesASecondCopy starts the same player once more.
func (k *runningKit) refusesASecondCopy(t *testing.T, lang, dir string) {
	out, err := kitCommand(t, lang, dir, "--port", "0", "--manager", nobody).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "Kit is already running") {
		t.Errorf("a second copy: %v, %q", err, out)
	}
}

// signsTheEnd sends the end of the league, and checks the files afterwards.
func (k *runningKit) signsTheEnd(t *testing.T, m *kitManager, dir, head string) {
	last := protocol.SHA256("the line that ends the league")
	got := k.answers(t, m.says("game-flow/league_completed.json", object{"head": last}), protocol.TypeLeagueCompletedAck)
	signature, _ := got["signature"].(string)
	text := protocol.FinalSignatureText(m.seal, kitPlayer, last)
	if err := protocol.CheckSignature(m.publicKey(), text, signature); err != nil || got["head"] != last {
		t.Errorf("the end of the league is acknowledged with %v: %v", got, err)
	}
	if err := <-k.ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	var w player.Witness
	readKept(t, filepath.Join(dir, "witness-kit.json"), &w)
	want := []player.Head{{What: player.HeadStarted, Head: head}, {What: player.HeadCompleted, Head: last}}
	if !reflect.DeepEqual(w.Heads, want) || w.Seal != m.seal || w.PlayerID != kitPlayer || w.PublicKey != m.publicKey() {
		t.Errorf("the witness file holds %+v", w)
	}
	place := kitPlace{Manager: m.url, LeagueID: kitLeague, Seal: m.seal, ManagerKey: protocol.AgreementPublic(m.own), ID: kitPlayer, Epoch: 1, Over: true,
		OwnerKey: protocol.OwnerKey(m.token(), kitLeague, kitPlayer)}
	if places := placesIn(t, dir); !reflect.DeepEqual(places, []kitPlace{place}) {
		t.Errorf("the identity file holds %+v", places)
	}
	m.withoutToken(allFiles(t, dir), []byte(k.said.String()))
}

// readKept reads a file that only its owner may read.
func readKept(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	info, _ := os.Stat(name)
	if err != nil || runtime.GOOS != "windows" && info.Mode() != fs.FileMode(0o600) {
		t.Errorf("%s: %v, %v", name, err, info)
	}
}

// A kit that is refused with a code prints it once and retries until it is readmitted; before it has a token it shows
// its join key.
func TestKitsAskUntilTheyAreLetIn(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		m := newKitManager(t, func(m *kitManager, p object) []byte {
			return framed(m.rejection(p, object{
				"readmit_code": "KRTM", "reason": "P01 registered with another key; ask the organiser for `league readmit P01 KRTM`",
			}))
		})
		k := startKit(t, lang, dir, m.url, "LEAGUE_JOIN_KEY=key-of-the-invitation")
		<-m.joined
		rpctest.Eventually(t, "the place", func() bool { return strings.Contains(k.said.String(), "Kit is P01 in "+kitLeague) })
		if said := k.said.String(); strings.Count(said, "P01 registered with another key") != 1 || strings.Count(said, "KRTM") != 1 {
			t.Errorf("it prints %q, want the reason and the code once", said)
		}
		conversations := map[any]bool{}
		for _, p := range m.asked {
			conversations[p["conversation_id"]] = true
			if p["auth_token"] != "key-of-the-invitation" || asObject(p["player_meta"])["match_tokens"] != true {
				t.Errorf("it registers with %v", p)
			}
		}
		if len(m.asked) != 2 || len(conversations) != 2 {
			t.Errorf("%d registrations in %d conversations, want 2 and 2", len(m.asked), len(conversations))
		}
	})
}

// slowly is a choose that takes its time, so that a league lasts.
var slowly = map[string]string{
	"go":     "func choose(options []any, context message, history []message) any { <-time.After(time.Second / 5); return options[rand.IntN(2)] }\n",
	"python": "def choose(options, context, history):\n    import time\n    time.sleep(0.2)\n    return random.choice(options)\n",
	"node":   "export async function choose(options) { await new Promise((wake) => { setTimeout(wake, 200); }); return options[0]; }\n",
}

// A kit that is killed in the middle of a league and started again, where it was and elsewhere, is the same
// player: no match but one in hand is lost by it.
func TestKitsComeBack(t *testing.T) {
	eachKit(t, func(t *testing.T, lang, dir string) {
		withChoose(t, lang, dir, slowly[lang])
		if lang == "go" {
			imports(t, dir)
		}
		root := rootFor(t, "even_odd")
		replaceIn(t, filepath.Join(root, "config", "leagues", theLeague+".json"), `"cycles": \d+`, `"cycles": 7`)
		replaceIn(t, filepath.Join(root, "config", "system.json"), `"initial_delay_sec": [\d.]+`, `"initial_delay_sec": 0.8`)
		replaceIn(t, filepath.Join(root, "config", "system.json"), `"max_retries": \d+`, `"max_retries": 30`) // 24 s: until it is back on a busy machine, and no longer, for it moves once
		p := start(t, "manager", "--root", root, "--port", "0", "--start-when", "players=2,referees=1")
		manager := p.endpoint()
		start(t, "referee", "--root", root, "--port", "0", "--name", "Referee Alpha", "--manager", manager)
		start(t, "player", "--root", root, "--port", "0", "--name", "Built in", "--manager", manager)
		port, id := lastingPort(), ""
		k := startKitAt(t, lang, dir, manager, port)
		for n, at := range []string{port, "0"} {
			rpctest.Eventually(t, "results", func() bool { return logOf(t, root).Recorded >= 1+2*n })
			id += idOf(k)
			k.kill()
			k = startKitAt(t, lang, dir, manager, at)
		}
		select {
		case err := <-k.ended:
			if err != nil {
				t.Errorf("it ended with %v", err)
			}
		case <-time.After(rpctest.Patience):
			t.Fatal("it does not end with the league")
		}
		id += idOf(k)
		if id != strings.Repeat(id[:3], 3) {
			t.Errorf("it was %q, want the same player three times", id)
		}
		s := logOf(t, root)
		lost := 0
		for _, m := range s.Matches {
			lost += len(m.Outcome.Result.Forfeits)
		}
		if len(s.Players()) != 2 || s.Recorded != 7 || lost > 2 {
			t.Errorf("%d players, %d results, %d forfeits; want 2, 7 and at most one for each kill", len(s.Players()), s.Recorded, lost)
		}
		proven(t, root, func(m *league.Match) bool { return len(m.Outcome.Result.Forfeits) > 0 })
	})
}

// idOf returns the id in the kit's answers.
func idOf(k *runningKit) string {
	found := regexp.MustCompile(`Kit is (P\d\d) in`).FindStringSubmatch(k.said.String())
	if found == nil {
		return "???"
	}
	return found[1]
}

// imports adds the imports of the slow strategy in Go.
func imports(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, "player.go")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.Replace(string(text), "\t\"slices\"\n", "\t\"slices\"\n\t\"time\"\n", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// replaceIn changes a setting of a root.
func replaceIn(t *testing.T, file, old, now string) {
	t.Helper()
	text, err := os.ReadFile(file)
	changed := regexp.MustCompile(old).ReplaceAllLiteral(text, []byte(now))
	if err != nil || !strings.Contains(string(changed), now) {
		t.Fatalf("%s: %v\n%s", file, err, text)
	}
	if err := os.WriteFile(file, changed, 0o600); err != nil {
		t.Fatal(err)
	}
}
