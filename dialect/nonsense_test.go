package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"agentleague/protocol"
)

// nonsenses is how many answers are made up: 4,000, or 100,000 with LEAGUE_LONG=1.
func nonsenses() int {
	if os.Getenv("LEAGUE_LONG") != "" {
		return 100_000
	}
	return 4_000
}

// A babbler makes up answers.
type babbler struct{ *rand.Rand }

// one returns one of some texts.
func (b babbler) one(of ...string) string { return of[b.IntN(len(of))] }

// word is a word that means nothing.
func (b babbler) word() string {
	var out strings.Builder
	for range 2 + b.IntN(4) {
		out.WriteString(b.one("ba", "zu", "kri", "plo", "mev", "vend", "rodd", "evem", "ODB", "schn", "ñu", "日本"))
	}
	return out.String()
}

// babble is a text of nonsense in which no option stands.
func (b babbler) babble() string {
	out := []string{b.word()}
	for range b.IntN(8) {
		out = append(out, b.one(b.word(), "uneven", "oddly", "evening", "seven", "even_odd", "even-handed", "odds", "I choose",
			"my move is", "is", "the", "not", "or", "?", "!", ".", ",", "\n", "\t", "\x1b[31m", "\x00", "“", "'", "{", "]", "\\", "🎲",
			"blue", "3", "true", "error"))
	}
	b.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return strings.Join(out, b.one(" ", " ", " ", "  ", ", "))
}

// lure is a text with an option in it that is not chosen.
func (b babbler) lure() string {
	option := b.one("even", "odd", "Even", "ODD")
	switch b.IntN(5) {
	case 4:
		return b.one(noChoiceAbroad...)
	case 0:
		return b.one("not", "never", "anything but", "isn't", "probably", "maybe", "without", "you chose", "neither") + " " + option
	case 1:
		return "even" + b.one(" or ", ", ", " and ", "/", " vs ", "; ", "\n", " | ") + "odd"
	case 2:
		return b.babble() + " if " + option + " then " + b.word()
	}
	return b.one("is it ", "should I say ", "why ", "") + option + "?"
}

// holder returns an object whose members are all of the ignored kind, except for one with nonsense.
func (b babbler) holder() string {
	f := map[string]any{b.word(): b.babble()}
	for range b.IntN(5) {
		name := b.one("id", "match_id", "timestamp", "sender", "display_name", "auth_token", "opponent_choice", "lastMove",
			"valid_options", "signature", "player_name", "conversation_id", "previous", "created_at", "error_example")
		f[name] = b.one("even", "odd", "EVEN")
	}
	return string(marshalOr(f, nil))
}

// nonsense returns an answer that is not empty and contains no choice.
func (b babbler) nonsense() string {
	text := b.one(b.babble(), b.babble(), b.lure(), b.holder())
	names := slices.Sorted(maps.Keys(framings))
	for range b.IntN(3) {
		text = framings[names[b.IntN(len(names))]](text)
	}
	return text
}

func TestNonsenseIsNeverAMove(t *testing.T) {
	t.Parallel()
	b := babbler{rand.New(rand.NewPCG(17, 2))}
	asked := askedParity()
	for range nonsenses() {
		answer := b.nonsense()
		move, sentence := sensed(asked, answer)
		if move != "" {
			t.Fatalf("%q is read as %s", answer, move)
		}
		if !isSentence(sentence) {
			t.Fatalf("%q: got %q, want a sentence in one line", answer, sentence)
		}
	}
}

// count is a text or a member with a number in it that counts something.
func (b babbler) count() string {
	n := b.one("2", "4", "7")
	return b.one(n+" seconds", "round "+n, "v"+n, n+"th", n+"."+n, "2026-0"+n+"-01", "10:0"+n, "not "+n, n+"?", "2 or 7", "1"+n,
		`{"latency_ms":`+n+`,"attempt":`+n+`}`, `{"id":`+n+`,"turn":`+n+`}`, `{"x":`+n+`,"y":`+b.one("2", "4", "7")+`,"z":0}`)
}

func TestNumberThatCountsSomethingIsNeverACell(t *testing.T) {
	t.Parallel()
	b := babbler{rand.New(rand.NewPCG(17, 4))}
	asked, names := askedMove("2", "4", "7"), slices.Sorted(maps.Keys(framings))
	for range nonsenses() / 2 {
		answer := framings[names[b.IntN(len(names))]](b.one(b.count(), b.babble()+". "+b.count(), b.babble()))
		if move, _ := sensed(asked, answer); move != "" {
			t.Fatalf("%q is read as %s", answer, move)
		}
	}
}

// isSentence reports whether a text can be shown to a person.
func isSentence(text string) bool {
	return strings.HasPrefix(text, protocol.YourAgent+" answered ") && len(text) < 400 &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// An option that is chosen in the midst of nonsense is that move or none, never another.
func TestNonsenseBesideAChoiceNeverTurnsItRound(t *testing.T) {
	t.Parallel()
	b := babbler{rand.New(rand.NewPCG(17, 3))}
	read := 0
	for range nonsenses() {
		option := b.one("even", "odd")
		said := b.one("I choose "+option, option, "My choice: "+option, strings.ToUpper(option))
		answer := b.one(said+". "+b.babble(), b.babble()+".\n\n"+said, `{"choice_of_mine":`+inJSON(said)+`,"why":`+inJSON(b.babble())+`}`)
		move, _ := sensed(askedParity(), answer)
		if move != "" && move != inJSON(option) {
			t.Fatalf("%q is read as %s", answer, move)
		}
		if move != "" {
			read++
		}
	}
	if read < nonsenses()/2 {
		t.Errorf("%d of %d choices are read, want half at least", read, nonsenses())
	}
}

// The time to decode an answer is bounded: these have the maximum size.
func TestLargeAnswersAreReadInTime(t *testing.T) {
	t.Parallel()
	const size = 256 << 10
	for name, unit := range map[string]string{
		"one option": "even ", "two options": "even odd ", "marks": "? ", "quotes": `"'`, "brackets": "[", "escapes": `\"`,
		"braces": "{'a':", "lines": "no\n", "sentences": "I choose even. ", "members": `{"a":`, "digits": "1", "tags": "<a>",
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Repeat(unit, size/len(unit))
			for _, answer := range []string{text, inJSON(text), `{"result":` + inJSON(text) + `}`} {
				if move, _ := sensed(askedParity(), answer); move != "" {
					t.Errorf("read as %s", move)
				}
			}
		})
	}
}

// FuzzSense: at most one option is recognized, and only one that the answer contains; case is ignored; recognition is
// idempotent.
func FuzzSense(f *testing.F) {
	for _, phrases := range plainWords {
		for _, p := range phrases {
			f.Add(p)
		}
	}
	for i, p := range noChoice {
		f.Add(p)
		f.Add(framings[slices.Sorted(maps.Keys(framings))[i%len(framings)]](p))
	}
	f.Fuzz(func(t *testing.T, answer string) {
		if err := lawsOfSense(answer); err != nil {
			t.Fatal(err)
		}
	})
}

func lawsOfSense(answer string) error {
	move, sentence := sensed(askedParity(), answer)
	var word string
	_ = json.Unmarshal([]byte(move), &word)
	switch plain := strings.ToLower(answer); {
	case move != "" && word != "even" && word != "odd":
		return fmt.Errorf("%q is read as %s, which was not offered", answer, move)
	case move != "" && sentence != "":
		return fmt.Errorf("%q is read as %s, and refused: %s", answer, move, sentence)
	case sentence != "" && !isSentence(sentence):
		return fmt.Errorf("%q: got %q, want a sentence in one line", answer, sentence)
	case move != "" && !strings.Contains(plain, word) && !strings.Contains(plain, `\u`) && !holdsAbroad(plain, word):
		return fmt.Errorf("%q is read as %s, which it does not hold", answer, move)
	}
	if again, _ := sensed(askedParity(), move); move != "" && again != move {
		return fmt.Errorf("%q is read as %s, and that as %q", answer, move, again)
	}
	if isASCII(answer) && !strings.ContainsAny(answer, "\\{[\"") && !strings.Contains(strings.ToLower(answer), "data:") {
		for _, other := range []string{strings.ToUpper(answer), strings.ToLower(answer)} {
			if got, _ := sensed(askedParity(), other); got != move {
				return fmt.Errorf("%q is read as %q, and %q as %q", answer, move, other, got)
			}
		}
	}
	return nil
}

// holdsAbroad reports whether a text holds a word of another language for a parity.
func holdsAbroad(text, parity string) bool {
	for word, means := range otherParities {
		if means == parity && strings.Contains(plainest(text), plainest(word)) {
			return true
		}
	}
	return false
}

// plainest returns the letters of a text.
func plainest(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return r
	}, text)
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}
