package protocol

import (
	"testing"
	"time"
)

// The time limits of the documents that describe league.v2. Every other message may take 10 seconds.
func TestDeadlinesAreThoseOfTheDocuments(t *testing.T) {
	limits := map[Type]time.Duration{
		TypeRefereeRegisterRequest: 10 * time.Second,
		TypeLeagueRegisterRequest:  10 * time.Second,
		TypeGameInvitation:         5 * time.Second, // GAME_JOIN_ACK
		TypeChooseParityCall:       30 * time.Second,
		TypeGameMoveCall:           30 * time.Second,
		TypeGameOver:               5 * time.Second,
		TypeMatchResultReport:      10 * time.Second,
		TypeLeagueQuery:            10 * time.Second,
		TypeWelcome:                5 * time.Second, // of native agents
		TypeIdentify:               5 * time.Second,
	}
	for _, s := range Specs() {
		want := limits[s.Type]
		if want == 0 && s.Reply != "" {
			want = 10 * time.Second
		}
		if s.Deadline != want {
			t.Errorf("%s: got %v, want %v", s.Type, s.Deadline, want)
		}
	}
}
