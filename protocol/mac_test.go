package protocol

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

func TestHMACIsThatOfTheStandardLibrary(t *testing.T) {
	for _, keySize := range []int{0, 1, 32, 63, 64, 65, 200} {
		for _, size := range []int{0, 1, 55, 64, 447, 448, 449, 512, 513, 5000} {
			key, text := strings.Repeat("k", keySize), strings.Repeat("t", size)
			std := hmac.New(sha256.New, []byte(key))
			std.Write([]byte("first\n" + text + "\n"))
			got := macLines(key, "first", text, "")
			if !hmac.Equal(got[:], std.Sum(nil)) {
				t.Errorf("key of %d bytes, line of %d: got another HMAC", keySize, size)
			}
			if same := macLines([]byte(key), "first", text, ""); same != got {
				t.Errorf("key of %d bytes: it differs by the key's type", keySize)
			}
		}
	}
}

func TestHashesOfAMatchMakeOneObjectEach(t *testing.T) {
	bout := AnswerContext{Seal: exSeal, Match: exMatch, Attempt: 1, Referee: "REF01", Player: "P02", Head: exHead}
	chain := bout.NewChain()
	secret := sha256.Sum256(nil)
	for name, make := range map[string]func(){
		"MatchToken":    func() { MatchToken(exPlayer1, exLeague, "R1M1", 1, "REF01") },
		"ManagerToken":  func() { ManagerToken(exPlayer1, exLeague, TypeGameOver, 1) },
		"KeyCommitment": func() { KeyCommitment(secret[:]) },
		"NewChain":      func() { bout.NewChain() },
		"Then":          func() { chain.ThenHash(1, "", `"even"`) },
	} {
		if n := testing.AllocsPerRun(100, make); n > 1 {
			t.Errorf("%s: %v objects", name, n)
		}
	}
	for name, make := range map[string]func(){
		"Mask":      func() { maskSecret(exReferee, exLeague, "R1M1", 1, "draw", secret) },
		"SameToken": func() { SameToken(exPlayer1, exPlayer2) },
	} {
		if n := testing.AllocsPerRun(100, make); n > 0 {
			t.Errorf("%s: %v objects", name, n)
		}
	}
}

func FuzzHexText(f *testing.F) {
	f.Add([]byte{}, "")
	f.Add([]byte{0, 255}, "00ff")
	f.Fuzz(func(t *testing.T, b []byte, text string) {
		if got, want := hexText(b), hex.EncodeToString(b); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}
