package naming

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestNamesThatLookAlikeHaveOneSkeleton(t *testing.T) {
	for _, c := range [][]string{
		{"Agent Alpha", "agent alpha", "AGENT  ALPHA", " Agent\u00a0Alpha ", "Agent\u3000Alpha", "Ag\u200bent Al\u00adpha",
			"\u202eAgent Alpha\u202c", "\u0410g\u0435nt \u0391lph\u0430", "Ａｇｅｎｔ Ａｌｐｈａ", "𝐀𝐠𝐞𝐧𝐭 𝔸𝕝𝕡𝕙𝕒", "Agent\ufe0f Alpha",
			"Agent A1pha", "Agent AIpha", "Agent A|pha", "agen\U000E0074t alpha", "\u0251gent alpha"},
		{"Zoë", "Zoe\u0308", "ZOË", "Zo\u0435\u0308"},
		{"modern", "rnodern", "MODERN", "\u043codern"},
		{"Bob0", "bobo", "\u0412obO", "B\u03bfb\u06f5"},
		{"istanbul", "İstanbul", "ıstanbul", "ISTANBUL"},
		{"Straße", "STRASSE"},
		{"NEO", "\u039dEO"},
		{"Вася", "вася", "ВАСЯ"},
		{"", " ", "\u200b", "\u3164", "\u202e"},
	} {
		for _, name := range c {
			if got, want := Skeleton(name), Skeleton(c[0]); got != want {
				t.Errorf("%+q: got %+q, want %+q as of %+q", name, got, want, c[0])
			}
		}
	}
}

func TestNamesThatDifferHaveDifferentSkeletons(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{
		"Agent Alpha", "AgentAlpha", "Agent Beta", "Agent N", "Agent V", "Agent U", "Agent Y", "Agent 2", "Agent 12", "Agent 22",
		"Zoë", "Zoe", "Вася", "Катя", "爱丽丝", "爱丽", "שלום", "سلام", "🦊", "🐺", "Agent Alpha (2)", "Agent Alpha (3)", "a_b", "a-b",
	} {
		if other := seen[Skeleton(name)]; other != "" {
			t.Errorf("%q and %q have one skeleton", name, other)
		}
		seen[Skeleton(name)] = name
	}
	for n := range 24 {
		for m := range n {
			a, b := fmt.Sprint("player ", n), fmt.Sprint("player ", m)
			if Skeleton(a) == Skeleton(b) {
				t.Errorf("%q and %q have one skeleton", a, b)
			}
		}
	}
}

// ambiguous are letters whose upper case and lower case resemble different ASCII letters.
const ambiguous = "ΝνΥυƼƽ"

func TestLookAlikes(t *testing.T) {
	classes, seen := 0, map[rune]bool{}
	for class := range strings.FieldsSeq(lookAlikes) {
		classes++
		want := Skeleton(class[:1])
		for _, r := range class {
			if seen[r] {
				t.Errorf("%q is in two classes", r)
			}
			seen[r] = true
			if got := Skeleton(string(r)); got != want {
				t.Errorf("%q: got %q, want %q", r, got, want)
			}
			for _, other := range []rune{unicode.ToLower(r), unicode.ToUpper(r)} {
				if got := Skeleton(string(other)); got != want && !strings.ContainsRune(ambiguous, r) {
					t.Errorf("%q, another case of %q: got %q, want %q", other, r, got, want)
				}
			}
		}
	}
	if classes < 30 {
		t.Errorf("%d classes", classes)
	}
}

// TestSkeletonOfEveryCharacter checks the laws for each character of Unicode.
func TestSkeletonOfEveryCharacter(t *testing.T) {
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) && (r < 0x30000 || r > 0xdffff) {
			checkSkeleton(t, "x"+string(r)+"y")
		}
	}
}

func checkSkeleton(t *testing.T, name string) {
	t.Helper()
	skeleton := Skeleton(name)
	if again := Skeleton(skeleton); again != skeleton {
		t.Errorf("%+q: the skeleton %+q has the skeleton %+q", name, skeleton, again)
	}
	if strings.ContainsFunc(skeleton, func(r rune) bool { return unicode.Is(defaultIgnorable, r) }) {
		t.Errorf("%+q: %+q has a character that is not displayed", name, skeleton)
	}
}

func FuzzSkeleton(f *testing.F) {
	for _, name := range []string{"Agent Alpha", "\u0410lph\u0430 ", "i\u0307\u0323", "ﬁ\u200d", "\u0390\u0345", "\xff"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		checkSkeleton(t, name)
		name = strings.ToValidUTF8(name, "")
		skeleton := Skeleton(name)
		for what, other := range map[string]string{
			"spaces around it": "  " + name + "\u3000", "a zero-width space": name + "\u200b", "a soft hyphen": "\u00ad" + name,
		} {
			if got := Skeleton(other); got != skeleton {
				t.Errorf("%+q with %s: got %+q, want %+q", name, what, got, skeleton)
			}
		}
		if upper := strings.ToUpper(name); isASCII(name) && Skeleton(upper) != skeleton {
			t.Errorf("%q: the skeleton depends on case", name)
		}
		if clean := Clean(name); Clean(clean) != clean {
			t.Errorf("%+q: cleaning %+q changes it", name, clean)
		}
	})
}

func BenchmarkSkeletons(b *testing.B) {
	for what, name := range map[string]string{"ascii": "Agent Alpha %d", "mixed": "\u0410g\u0435nt Zoë %d"} {
		names := make([]string, 10_000)
		for i := range names {
			names[i] = fmt.Sprintf(name, i)
		}
		b.Run(what, func(b *testing.B) {
			for b.Loop() {
				for _, name := range names {
					Skeleton(name)
				}
			}
		})
	}
}

func TestReservedNames(t *testing.T) {
	for name, want := range map[string]bool{
		"P01": true, "p01": true, "P12345": true, "REF01": true, "ref99": true, "PO1": true, "\u042001": true, "Ｐ０１": true,
		"P\u06f0\u06f1": true, "P0\u200b1": true, "admin": true, "Admin": true, "\u0430dmin": true, "adrnin": true,
		"league_manager": true, "League Manager": true, "Referee": true, "r\u0435f\u0435r\u0435\u0435": true, "MANAGER": true,
		"Pool": false, "Pol": false, "Ref": false, "P": false, "P1": false, "Player 1": false, "Referee Alpha": false,
		"Admiral": false, "P01 (2)": false, "Referee (2)": false, "Agent P01": false, "R01": false,
	} {
		if got := Reserved(name); got != want {
			t.Errorf("%+q: got %v, want %v", name, got, want)
		}
	}
}

func TestBothWaysToTheSkeletonOfASCII(t *testing.T) {
	for _, name := range []string{"", " ", "Agent  Alpha\t1|I0O ", "Mm rn", "\x00\x7f~", "P01 (2)"} {
		if got, want := asciiSkeleton(name), skeletonPass(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
