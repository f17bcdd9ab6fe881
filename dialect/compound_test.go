package dialect

import (
	"strings"
	"testing"
)

func TestActionsOfPokerAreReadInWords(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"check": `"check"`, "I check.": `"check"`, "CHECK": `"check"`, "I choose to check": `"check"`, "action=check": `"check"`,
		"Bet!": `"bet"`, "I bet": `"bet"`, "I bet one chip": `"bet"`, "I will bet because I hold K": `"bet"`, `{"action":"Bet"}`: `"bet"`,
		"My action: bet": `"bet"`,
		"check or bet":   "", "I check, no bet": "", "I'd rather check than bet": "", "Let me check.": "", "Let me check the rules": "",
		"I bet you are bluffing": "", "You bet!": "", "I don't bet": "", "Raise": "", "I fold": "", "check this out": "",
	} {
		if got, why := sensed(askedMove(`"check"`, `"bet"`), answer); got != want {
			t.Errorf("%s: got %q (%s), want %q", answer, got, why, want)
		}
	}
	for answer, want := range map[string]string{
		"I fold": `"fold"`, "Fold.": `"fold"`, "I'll fold": `"fold"`, "I fold my hand": `"fold"`, "I fold because I hold the J": `"fold"`,
		"call": `"call"`, "I call": `"call"`, "I call the bet": `"call"`, "I call your bluff!": `"call"`, "I'm going to call": `"call"`,
		"call or fold": "", "I will not fold": "", "Call me maybe": "", "I call it a day": "", "fold'em": "", "my opponent will fold": "",
	} {
		if got, why := sensed(askedMove(`"call"`, `"fold"`), answer); got != want {
			t.Errorf("%s: got %q (%s), want %q", answer, got, why, want)
		}
	}
}

func TestCardsOnATableAreReadInWords(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"7": "7", "cell 7": "7", "Cell 15": "15", "card 7": "7", "I turn over card 7": "7", "I flip card 10": "10", "flip 7": "7",
		"I pick the card in cell 7": "7", "reveal 10": "10", `{"card":10}`: "10", `{"cell":15}`: "15",
		"7 and 10": "", "cells 7, 10": "", "I remember A at 7, so 10": "", "cell 7 is A": "", "turn 7": "", "card 8": "",
		"card 7 was B": "", "I turned 7": "", "is 7 the B?": "",
	} {
		if got, why := sensed(askedMove("0", "2", "4", "7", "10", "15"), answer); got != want {
			t.Errorf("%s: got %q (%s), want %q", answer, got, why, want)
		}
	}
}

// questions are options of two parts.
var questions = []string{
	`"ask:can_fly"`, `"ask:has_wings"`, `"ask:is_alive"`, `"guess:owl"`, `"guess:duck"`, `"guess:bat"`,
}

func TestOptionsOfTwoPartsAreReadInWords(t *testing.T) {
	t.Parallel()
	for want, answers := range map[string][]string{
		`"guess:owl"`: {
			"guess:owl", "GUESS:OWL", "guess owl", "Guess: owl", "guess = owl", "I guess owl.", "I guess it's an owl", "I guess the owl",
			"My guess is owl", "My guess: **owl**", "owl", "The owl.", "It is an owl", "I pick the owl", "My answer: owl",
			`{"guess":"owl"}`, `{"action":"guess","thing":"owl"}`, `{"move":"guess owl"}`, `{"choice":"owl"}`, `{"reply":"I guess an owl"}`,
			"It can fly, so I guess owl", "guess owl because owl fits", "guess owl since it flies",
		},
		`"ask:can_fly"`: {
			"ask:can_fly", "ask can_fly", "ask can fly", "Ask: can fly?", "ask(can_fly)", "can_fly", "I ask can_fly", "I will ask about can_fly",
			"I'd like to ask whether it can fly", `{"ask":"can_fly"}`, `{"type":"ask","attribute":"can_fly"}`, `{"move":"ask can_fly"}`,
		},
		"": {
			"guess owl or guess duck", "ask can_fly and guess owl", "guess owl, duck", "owl, duck", "not the owl", "guess horse",
			"ask:has_fur", "I will not guess owl", "my opponent will guess owl", "Is it an owl?", "owl?", "can fly", "Can it fly?",
			"I saw an owl on the roof", "the bird on the roof is an owl", "guess", "ask", "guess:", "ask about it", "my last guess was owl",
			`{"ask":"can_fly","guess":"owl"}`, `{"guess":["owl","duck"]}`, "guess owls", "owlish",
		},
	} {
		for _, answer := range answers {
			if got, why := sensed(askedMove(questions...), answer); got != want {
				t.Errorf("%s: got %q (%s), want %q", answer, got, why, want)
			}
		}
	}
}

func TestANameThatTwoOptionsShareHasToBeSaidInFull(t *testing.T) {
	t.Parallel()
	asked := askedMove(`"buy:wood"`, `"sell:wood"`, `"buy:gold"`)
	for answer, want := range map[string]string{
		"buy:wood": `"buy:wood"`, "sell:wood": `"sell:wood"`, "wood": "", "gold": `"buy:gold"`, "I buy gold": `"buy:gold"`,
	} {
		if got, why := sensed(asked, answer); got != want {
			t.Errorf("%s: got %q (%s), want %q", answer, got, why, want)
		}
	}
}

func TestALongAnswerIsReadQuicklyForOptionsOfTwoParts(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("the owl is it a duck ", 700)
	if got, _ := sensed(askedMove(questions...), text); got != "" {
		t.Errorf("got %s, want no move", got)
	}
}
