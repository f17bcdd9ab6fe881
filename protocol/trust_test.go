package protocol

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestHiddenOrderIsShownToItsRefereeOnly(t *testing.T) {
	order := &StartMatch{Envelope: inMatch(Envelope{}), Attempt: 2, DrawKey: SHA256("key")}
	order.PlayerA = Contender{ID: "P01", Token: exMatch1}
	order.PlayerB = Contender{ID: "P02", Token: exMatch2}
	hidden := order.Hide(exReferee)
	if !hidden.Masked || hidden.DrawKey == order.DrawKey || hidden.PlayerA.Token == exMatch1 ||
		hidden.PlayerB.Token == exMatch2 {
		t.Errorf("something shows: %+v", hidden)
	}
	if got := hidden.Show(exReferee); !reflect.DeepEqual(got, order) {
		t.Errorf("got %+v, want %+v", got, order)
	}
	if got := hidden.Show(exPlayer1); got.DrawKey == order.DrawKey || got.PlayerA.Token == exMatch1 {
		t.Error("another token shows it too")
	}
	if order.Show(exReferee) != order || hidden.Hide(exReferee) != hidden {
		t.Error("what is shown is shown again, or what is hidden is hidden again")
	}
	guests := *order
	guests.DrawKey = ""
	if got := guests.Hide(exReferee); got.DrawKey != "" {
		t.Errorf("no key is hidden as %q", got.DrawKey)
	}
}

func TestSignedAnswersAreOfOneBout(t *testing.T) {
	b := AnswerContext{
		Seal: exSeal, Match: "R1M1", Attempt: 1, Referee: "REF01", Player: "P01",
		Commitment: KeyCommitment(exMatchKey), Head: exHead,
	}
	chain := b.NewChain().Then(0, "board", "9").Then(0, "board", "4").Then(2, "later", "8")
	good := SignedAnswers{Head: exHead, Signature: chain.Sign(exKey1), Answers: []SignedAnswer{
		{Turn: 0, View: ViewHash("board"), Move: "9"}, {Turn: 0, View: ViewHash("board"), Move: "4"},
		{Turn: 2, View: ViewHash("later"), Move: "8"},
	}}
	key := PublicKey(exKey1)
	if err := good.Check(b, key); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(b *AnswerContext, s *SignedAnswers){
		"another league":     func(b *AnswerContext, _ *SignedAnswers) { b.Seal = exHead },
		"another match":      func(b *AnswerContext, _ *SignedAnswers) { b.Match = "R1M2" },
		"another attempt":    func(b *AnswerContext, _ *SignedAnswers) { b.Attempt = 2 },
		"another referee":    func(b *AnswerContext, _ *SignedAnswers) { b.Referee = "REF02" },
		"another player":     func(b *AnswerContext, _ *SignedAnswers) { b.Player = "P02" },
		"another draw":       func(b *AnswerContext, _ *SignedAnswers) { b.Commitment = exSeal },
		"another past":       func(_ *AnswerContext, s *SignedAnswers) { s.Head = exSeal },
		"another move":       func(_ *AnswerContext, s *SignedAnswers) { s.Answers[2].Move = "7" },
		"another turn":       func(_ *AnswerContext, s *SignedAnswers) { s.Answers[2].Turn = 3 },
		"another position":   func(_ *AnswerContext, s *SignedAnswers) { s.Answers[2].View = ViewHash("board") },
		"a refused move cut": func(_ *AnswerContext, s *SignedAnswers) { s.Answers = s.Answers[1:] },
		"the order":          func(_ *AnswerContext, s *SignedAnswers) { s.Answers[0], s.Answers[1] = s.Answers[1], s.Answers[0] },
		"nothing signed":     func(_ *AnswerContext, s *SignedAnswers) { s.Answers = nil },
		"no signature":       func(_ *AnswerContext, s *SignedAnswers) { s.Signature = "" },
		"another's":          func(_ *AnswerContext, s *SignedAnswers) { s.Signature = chain.Sign(exKey2) },
	} {
		bout, signed := b, good
		signed.Answers = append([]SignedAnswer(nil), good.Answers...)
		change(&bout, &signed)
		if signed.Check(bout, key) == nil {
			t.Errorf("%s: it counts", name)
		}
	}
}

func TestKeysHaveOneForm(t *testing.T) {
	key := PublicKey(exKey1)
	if _, err := ParsePublicKey(key); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{"", key[:62], key + "00", "Z" + key[1:], "ABCDEF" + key[6:]} {
		if _, err := ParsePublicKey(bad); err == nil {
			t.Errorf("%q is taken for a key", bad)
		}
	}
}

func TestMovesAreSignedWithoutSpaces(t *testing.T) {
	for move, want := range map[string]string{
		` "even" `: `"even"`, `{ "a" : [1, 2] }`: `{"a":[1,2]}`, `4`: `4`, `no json`: `no json`,
	} {
		if got := MoveText(json.RawMessage(move)); got != want {
			t.Errorf("%s: got %s, want %s", move, got, want)
		}
	}
}
