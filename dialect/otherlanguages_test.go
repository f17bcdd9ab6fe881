package dialect

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// abroad has answers in other languages that contain a clear choice.
var abroad = map[string][]string{
	"even": {
		"זוגי", "זוּגִי", "\u200fזוגי.", "אני בוחר זוגי", "הבחירה שלי: זוגי", "gerade", "Ich wähle gerade.", "GERADE!", "pair",
		"Je choisis pair", "par", "Elijo par", "Escolho par.", "чётное", "Я выбираю четное", "偶数", "我选择偶数。", "我选双数", "زوجي",
		"أختار زوجي", "सम", "pari", "Scelgo pari",
	},
	"odd": {
		"אי-זוגי", "אי זוגי", "אי־זוגי", "אני בוחרת אי-זוגי", "ungerade", "Ich nehme ungerade", "impair", "Mon choix est impair", "impar",
		"ímpar", "i\u0301mpar", "нечётное", "Выбираю нечет", "奇数", "選擇奇數", "فردي", "विषम", "dispari", "oneven",
	},
}

// noChoiceAbroad has answers in other languages with two options, none, or an unclear choice.
var noChoiceAbroad = []string{
	"זוגי או אי-זוגי", "לא זוגי", "זוגי, אי זוגי", "אי", "nicht gerade", "gerade oder ungerade", "Ich denke gerade nach", "pair ou impair",
	"par o impar", "par ou ímpar", "не чётное", "чётное или нечётное", "偶数还是奇数", "不是偶数", "偶数奇数", "زوجي أو فردي", "सम या विषम", "тек",
	"Ich wähle nicht gerade", "je ne choisis pas pair", "une paire", "parité", "зоопарк",
}

func TestChoicesInOtherLanguagesAreAMoveInEveryFraming(t *testing.T) {
	t.Parallel()
	for want, phrases := range abroad {
		for _, phrase := range phrases {
			for name, frame := range framings {
				if got, why := sensed(askedParity(), frame(phrase)); got != inJSON(want) {
					t.Errorf("%s: %q: got %q (%s), want %s", name, phrase, got, why, want)
				}
			}
		}
	}
	for _, phrase := range noChoiceAbroad {
		for name, frame := range framings {
			if got, _ := sensed(askedParity(), frame(phrase)); got != "" {
				t.Errorf("%s: %q is read as %s, want no move", name, phrase, got)
			}
		}
	}
}

func TestJoinsInOtherLanguagesAreRead(t *testing.T) {
	t.Parallel()
	for want, phrases := range map[string][]string{
		"yes": {"כן", "אני מצטרף", "Ja", "oui !", "sí", "¡Sí!", "sim", "да", "是的", "نعم", "हाँ", "d'accord"},
		"no":  {"לא", "nein", "Non.", "não", "нет", "不", "لا", "नहीं"},
		"":    {"כן או לא", "jein", "ja oder nein", "да нет", `{"lang":"ja","port":8101}`, `{"language":"si","name":"Fox"}`},
	} {
		for _, phrase := range phrases {
			for _, name := range []string{"plain text", "JSON text", "result", "nested", "content"} {
				if got, why := joinedBy(framings[name](phrase)); got != want {
					t.Errorf("%s: %q: got %q (%s), want %q", name, phrase, got, why, want)
				}
			}
		}
	}
}

// TestWordOfAnyLanguageMeansOneThing holds that no word of one language means the other option, or the other answer, in another.
func TestWordOfAnyLanguageMeansOneThing(t *testing.T) {
	t.Parallel()
	meant := map[string]string{}
	note := func(language, meaning string, words []string) {
		for _, word := range words {
			key := plainOtherLanguage(word)
			if before := meant[key]; key == "" || before != "" && before != meaning {
				t.Errorf("%s: %q means %q and %q", language, word, meaning, before)
			}
			meant[key] = meaning
		}
	}
	for name, l := range languages {
		note(name, "even", l.even)
		note(name, "odd", l.odd)
		note(name, "yes", l.yes)
		note(name, "no", l.no)
	}
}

// TestTwoOptionsOfAnyLanguageAreNoMove combines words of all languages with all separators.
func TestTwoOptionsOfAnyLanguageAreNoMove(t *testing.T) {
	t.Parallel()
	b := babbler{rand.New(rand.NewPCG(17, 5))}
	all := append(append([]string{"even", "odd"}, abroad["even"]...), abroad["odd"]...)
	for range nonsenses() / 4 {
		first, second := b.one(all...), b.one(all...)
		if parityOf(first) == parityOf(second) {
			continue
		}
		answer := b.one(first+b.one(", ", "\n", " / ", "。")+second, fmt.Sprintf(`{"a":%s,"b":%s}`, inJSON(first), inJSON(second)),
			fmt.Sprintf(`[%s,%s]`, inJSON(first), inJSON(second)))
		if got, _ := sensed(askedParity(), answer); got != "" {
			t.Fatalf("%q is read as %s, want no move", answer, got)
		}
	}
}

// parityOf is the parity of one of the texts above.
func parityOf(text string) string {
	if text == "even" || text == "odd" {
		return text
	}
	return parityInOtherLanguage(text)
}

func TestAnswersInTagsAreRead(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"<answer>even</answer>": `"even"`,
		"<think>Even or odd? Maybe odd.</think>\n<answer>even</answer>": `"even"`,
		"<thinking>The last was odd.</thinking>even":                    `"even"`,
		"My answer: <choice> Odd </choice>":                             `"odd"`,
		"<final_answer>I choose odd.</final_answer>":                    `"odd"`,
		"No doubt: even":                            `"even"`,
		"Without a doubt, odd!":                     `"odd"`,
		"<answer>even</answer><answer>odd</answer>": "",
		"<answer>even or odd</answer>":              "",
		"<answer>not even</answer>":                 "",
		"<think>even</think>":                       "",
		"<answer>even</choice>":                     "",
		"<p>even</p>":                               "",
		"<html><answer>even</answer></html>":        "",
		"No doubt that is odd":                      "",
		"No, doubt: even":                           "",
	} {
		for _, name := range []string{"plain text", "JSON text", "result", "content", "nested"} {
			if got, _ := sensed(askedParity(), framings[name](answer)); got != want {
				t.Errorf("%s: %q: got %q, want %q", name, answer, got, want)
			}
		}
	}
}
