package foreign_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"agentleague/interop/foreign"
	"agentleague/rpc/rpctest"
)

func TestRandomPersonasCoverEveryAxis(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(500) {
		p := foreign.Random(seed)
		if err := p.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again := foreign.Random(seed); !reflect.DeepEqual(p, again) {
			t.Fatalf("seed %d gives %+v and %+v", seed, p, again)
		}
		v := reflect.ValueOf(p)
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Name != "Name" && f.Name != "Names" {
				seen[fmt.Sprintf("%s=%v", f.Name, v.Field(i))]++
			}
		}
		for kind, name := range p.Names {
			seen[string(kind)+"="+name]++
		}
	}
	for axis, want := range map[string]int{
		"Framing": 11, "Body": 9, "One": 5, "Spelling": 4, "Camel": 2, "Path": 7, "Serves": 3, "Model": 3, "League": 2, "Registration": 6, "RegisterName": 2,
		"LeagueVersion": 2, "Twice": 2, "OwnID": 4, "IDs": 4, "StrictTop": 2,
		"Refuses": 12, "Busy": 2, "Health": 2, "Reply": 8, "Join": 6, "Choice": 5, "Ack": 6, "Token": 5,
		"RoundID": 3, "Time": 5,
		"GAME_INVITATION": 5, "CHOOSE_PARITY_CALL": 6, "GAME_OVER": 6, "ROUND_ANNOUNCEMENT": 6, "LEAGUE_STANDINGS_UPDATE": 6,
	} {
		got := 0
		for value := range seen {
			if strings.HasPrefix(value, axis+"=") {
				got++
			}
		}
		if got != want {
			t.Errorf("%s has %d values in 500 personas, want %d", axis, got, want)
		}
	}
}

func TestRandomPersonasAnswerTheirOwnDialect(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		persona := foreign.Random(seed)
		if persona.Framing == foreign.FramingMCP {
			continue
		}
		persona.ListenLate = 0
		p := newPlayer(t, persona)
		if err := p.Register(t.Context(), newFakeManager(t, generous(p.Framing)).URL+"/mcp"); err != nil {
			t.Errorf("%+v: %v", persona, err)
			continue
		}
		referee := newFakeManager(t, `{"status":"ok"}`)
		if persona.Names[foreign.Round] != "" {
			say(t, p, foreign.Round, `"matches":[{"match_id":"R1M1","referee_endpoint":"`+referee.URL+`/mcp"}]`)
		}
		joinStatus, joined := say(t, p, foreign.Invitation, `"match_id":"R1M1"`)
		if persona.Callback.Join {
			rpctest.Eventually(t, "the join by call", func() bool { return strings.Contains(referee.last(), "GAME_JOIN_ACK") })
			joined = referee.last()
		}
		choiceStatus, chosen := say(t, p, foreign.Choice, `"match_id":"R1M1"`)
		if persona.Callback.Choice {
			rpctest.Eventually(t, "the choice by call", func() bool {
				return strings.Contains(referee.last(), "CHOOSE_PARITY_RESPONSE") || strings.Contains(referee.last(), "PARITY_CHOICE")
			})
			chosen = referee.last()
		}
		overStatus, _ := say(t, p, foreign.Result, `"match_id":"R1M1"`)
		yes := strings.Contains(joined, "accept") || strings.Contains(joined, "ACCEPTED") ||
			strings.Contains(joined, "ACK") || strings.Contains(joined, "READY")
		choice := strings.Contains(chosen, "even") || strings.Contains(chosen, "odd")
		if joinStatus != 200 || choiceStatus != 200 || overStatus != 200 || !yes || !choice ||
			len(p.Guesses(foreign.Invitation, foreign.Choice, foreign.Result)) > 0 {
			t.Errorf("seed %d %+v: %d %s, %d %s, %d", seed, persona, joinStatus, joined, choiceStatus, chosen, overStatus)
		}
	}
}
