package protocol

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestAnOptionalMemberIsAValueNullOrLeftOut(t *testing.T) {
	type message struct {
		Number Optional[int] `json:"drawn_number,omitzero"`
	}
	for text, want := range map[string]Optional[int]{
		`{}`: {}, `{"drawn_number":null}`: {Null: true}, `{"drawn_number":8}`: Present(8),
	} {
		var got message
		if err := json.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got.Number, want) {
			t.Errorf("%s is read as %+v, %v; want %+v", text, got.Number, err, want)
		}
		if again, err := json.Marshal(got); err != nil || string(again) != text {
			t.Errorf("%s is written as %s, %v", text, again, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"drawn_number":"eight"}`), new(message)); err == nil {
		t.Error("a text is read as a number")
	}
}

// The two ways in which messages are written and read agree about such a member.
func TestAnOptionalMemberIsTheSameByPlan(t *testing.T) {
	for number, want := range map[Optional[int]]string{
		{}: ``, {Null: true}: `"drawn_number":null,`, Present(8): `"drawn_number":8,`,
	} {
		over := &GameOver{Envelope: Envelope{
			Protocol: Version, MessageType: TypeGameOver, Sender: "referee:REF01", Timestamp: "2025-01-15T10:15:00Z",
			ConversationID: "c", MatchID: "R1M1",
		}, Result: Draw, DrawnNumber: number, GameResult: GameResult{DrawnNumber: number, Status: Draw}}
		quickly, ok := quickly(nil, over)
		slowly, err := marshalGeneral(over)
		if !ok || err != nil || string(quickly) != string(slowly) || strings.Count(string(quickly), "drawn_number") !=
			2*min(1, len(want)) || !strings.Contains(string(quickly), want) {
			t.Errorf("got %s and %s, %v; want %s twice", quickly, slowly, err, want)
		}
		read, ok := quick(quickly, Reading{Type: TypeGameOver})
		if !ok || !reflect.DeepEqual(read.(*GameOver).DrawnNumber, number) {
			t.Errorf("%s is read by plan as %+v, %v", quickly, read, ok)
		}
	}
}

func TestOnlyEvenOddTellsThatNothingWasDrawn(t *testing.T) {
	if got := DrawMember[int](EvenOdd, nil); !got.Null {
		t.Errorf("got %+v in %s, want null", got, EvenOdd)
	}
	if got := DrawMember[int]("tic_tac_toe", nil); !got.IsZero() {
		t.Errorf("got %+v in tic_tac_toe, want none", got)
	}
	if got := DrawMember("another_game_that_draws", new(3)); got.Value == nil || *got.Value != 3 {
		t.Errorf("got %+v, want what was drawn", got)
	}
}
