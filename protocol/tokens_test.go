package protocol

import (
	"encoding/hex"
	"strings"
	"testing"
)

// The answers were made with another implementation of HMAC-SHA256 and ed25519.
func TestTokensHaveKnownAnswers(t *testing.T) {
	for got, want := range map[string]string{
		exPlayer1: "tok_player_P01_rJMGBohug95lQ8YtAYWGA5kIc5EH8zsNQ0h6gjcwJbc",
		Ticket(exTokenKey, exLeague, "player:P01", 2): "tok_player_P01_mRHJOSPqkFLLVuTrT5oPBGq6L83ik-2GXXGRnTFxGOE",
		exReferee:                       "tok_referee_REF01_T5sbNCPWuI0YaVSzW7DPn2G6TNruMTm3mBJYAeyPZHU",
		exMatch1:                        "tok_match_MJgUEV9LsQRxnHqidhlvSg-i93EOMyJZmr0FIGKv76A",
		exL(exPlayer1, TypeGameOver, 1): "tok_manager_bTnvsq5lePmx1BMWPHVHTrqqIMTCRxJvMmJqaNIlS-E",
		exSigned(exKey1, "P01",
			"odd").Signature: "df71210ed720f8b1c2312ce85c9b82ca1612f6525dadb3e085e40c2a8f5257f381660869f7bc3dd599c7472f0aa866f4ff9cb06a9cc96e2bfbb13d72f1917c0e",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestTokensDifferByEverythingTheyAreFor(t *testing.T) {
	other := bytesFrom(1)
	tokens := []string{
		Ticket(exTokenKey, exLeague, "player:P01", 1),
		Ticket(other, exLeague, "player:P01", 1),
		Ticket(exTokenKey, "another", "player:P01", 1),
		Ticket(exTokenKey, exLeague, "player:P02", 1),
		Ticket(exTokenKey, exLeague, "referee:P01", 1),
		Ticket(exTokenKey, exLeague, "player:P01", 2),
		exPlayer1,
		MatchToken(exPlayer1, exLeague, "R1M1", 1, "REF01"),
		MatchToken(exPlayer2, exLeague, "R1M1", 1, "REF01"),
		MatchToken(exPlayer1, "another", "R1M1", 1, "REF01"),
		MatchToken(exPlayer1, exLeague, "R1M2", 1, "REF01"),
		MatchToken(exPlayer1, exLeague, "R1M1", 2, "REF01"),
		MatchToken(exPlayer1, exLeague, "R1M1", 1, "REF02"),
		ManagerToken(exPlayer1, exLeague, TypeGameOver, 1),
		ManagerToken(exPlayer1, exLeague, TypeGameOver, 2),
		ManagerToken(exPlayer1, exLeague, TypeRoundCompleted, 1),
		ManagerToken(exPlayer2, exLeague, TypeGameOver, 1),
		ManagerToken(exPlayer1, "another", TypeGameOver, 1),
	}
	for i, a := range tokens {
		for j, b := range tokens {
			if SameToken(a, b) != (i == j) {
				t.Errorf("tokens %d and %d: got same %v", i, j, i != j)
			}
			if secret := a[len(a)-43:]; i != j && strings.HasSuffix(b, secret) {
				t.Errorf("tokens %d and %d end alike", i, j)
			}
		}
	}
}

func TestTokenOwner(t *testing.T) {
	for token, want := range map[string]string{
		exPlayer1:                       "player:P01",
		exReferee:                       "referee:REF01",
		exMatch1:                        "",
		exL(exPlayer1, TypeGameOver, 1): "",
		"tok_player_P01":                "",
		"tok_ref_REF01_abc":             "",
		"tok-p01-xyz789":                "",
		"tok_":                          "",
		"tok_referee__":                 "",
		"tok_admin_x_y":                 "",
		"":                              "",
		"player_P01_x":                  "",
		"tok_player_P01_a_b_c":          "player:P01",
	} {
		if got := TokenOwner(token); got != want {
			t.Errorf("%q: got %q, want %q", token, got, want)
		}
	}
}

func TestRedactShowsNothingOfAToken(t *testing.T) {
	for _, token := range []string{exPlayer1, exMatch1, "anything", "tok"} {
		if got := Redact(token); got != "tok_…(redacted)" {
			t.Errorf("%q: got %q", token, got)
		}
	}
	if got := Redact(""); got != "" {
		t.Errorf("got %q for no token", got)
	}
}

func TestDrawHasKnownAnswers(t *testing.T) {
	for got, want := range map[string]string{
		DrawCommitment(exLeague,
			exDrawSecret): "c2dd98f435a5f7dc5561a65520f13ba34d53bfd057678d23bf696ba7aa9c09bb",
		hex.EncodeToString(
			exMatchKey): "749325cedc4696cef50a731c23408e954b40c9f7e85c22d1b656845ecad7058b",
		KeyCommitment(exMatchKey): "4f83437603655c322e88a25a1057a6611a2a3bf0ba7f973b67ada424f350eb86",
		hex.EncodeToString(DrawKey(exDrawSecret, exLeague, "R1M1", "",
			"")): "d513d91daf756963572c66fa37c1619a574c7a72c1e83e0e0fb7fe6ff47f86ae",
		KeyCommitment(DrawKey(exDrawSecret, exLeague, "R1M1", "",
			"")): "aa140d9b2c662d8524d6e58a38ecc196b0060f36db657a284964c7cd52124625",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := exDrawn(); got != 1 {
		t.Errorf("the examples draw %d, want 1", got)
	}
}
