package protocol

import (
	"strings"
	"testing"
)

func TestGrantIsWhatTheManagerGave(t *testing.T) {
	want := Grant{ID: "P01", Token: exTicket, League: exLeague, Native: true}
	for _, e := range registrationExamples() {
		if m, ok := e.message.(*LeagueRegisterResponse); ok && m.Status == Accepted && m.AuthToken != nil {
			if got, err := m.Granted(""); err != nil || got != want {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
		}
	}
	m := decode[*RefereeRegisterResponse](t, `{"status":"ACCEPTED","referee_id":"REF01"}`,
		Reading{Type: TypeRefereeRegisterResponse, Reply: true})
	if got, err := m.Granted(""); err != nil || got != (Grant{ID: "REF01"}) {
		t.Errorf("got %+v, %v; want REF01 and nothing else", got, err)
	}
}

func TestNoGrantWithoutAnID(t *testing.T) {
	for raw, want := range map[string]string{
		`{"status":"REJECTED","reason":"the league is full"}`:           "the league is full",
		`{"status":"REJECTED","player_id":"P01"}`:                       "no reason",
		`{"message_type":"LEAGUE_REGISTER_RESPONSE","player_id":"P01"}`: "no reason",
		`{"status":"ACCEPTED"}`:                                         "without giving an id",
		`{"status":"ACCEPTED","player_id":""}`:                          "without giving an id",
	} {
		m := decode[*LeagueRegisterResponse](t, raw, Reading{Type: TypeLeagueRegisterResponse, Reply: true})
		if got, err := m.Granted(""); err == nil || !strings.Contains(err.Error(), want) || got != (Grant{}) {
			t.Errorf("%s: got %+v, %v; want an error that says %q", raw, got, err, want)
		}
	}
}
