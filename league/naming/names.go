// Package naming compares and cleans the names of agents. It is pure.
package naming

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"agentleague/protocol"
)

// Skeleton returns the form by which names are compared: names that look alike have one skeleton. It ignores case,
// characters that are not displayed, repeated spaces and compatibility forms, and replaces look-alikes of ASCII letters
// and digits. It is idempotent. A skeleton is never displayed.
func Skeleton(name string) string {
	if isASCII(name) {
		return asciiSkeleton(name)
	}
	for range maxPasses {
		next := skeletonPass(name)
		if next == name {
			break
		}
		name = next
	}
	return name
}

// asciiSkeleton is a fast path of Skeleton for ASCII names, which need only one pass.
func asciiSkeleton(name string) string {
	b := make([]byte, 0, len(name)+8)
	for i := range len(name) {
		c := name[i]
		switch {
		case c == ' ' || c >= '\t' && c <= '\r':
			if len(b) > 0 && b[len(b)-1] != ' ' {
				b = append(b, ' ')
			}
		case c == 'm' || c == 'M':
			b = append(b, "rn"...)
		default:
			b = append(b, asciiClass[c])
		}
	}
	return strings.TrimSuffix(string(b), " ")
}

// asciiClass is asciiForm as a table, for characters with a form of one byte.
var asciiClass = func() (out [utf8.RuneSelf]byte) {
	for r := range out {
		out[r] = asciiForm(rune(r))[0]
	}
	return out
}()

// maxPasses limits the passes of Skeleton. Most names are stable after one pass, and all tested names after three.
const maxPasses = 8

// skeletonPass replaces look-alikes, then normalizes and folds the rest.
func skeletonPass(name string) string {
	name = replaceLookAlikes(name)
	if !isASCII(name) {
		name = norm.NFKD.String(cases.Fold().String(norm.NFKD.String(name)))
		name = replaceLookAlikes(name)
	}
	return strings.Join(strings.Fields(name), " ")
}

// replaceLookAlikes replaces each character by the ASCII form of its class and drops characters that are not displayed.
func replaceLookAlikes(name string) string {
	var b strings.Builder
	b.Grow(len(name) + 8)
	dotted := false // the last character already has a dot
	for _, r := range name {
		form, known := skeletonOf[r]
		switch {
		case known:
			b.WriteString(form)
		case unicode.Is(defaultIgnorable, r), r == combiningDotAbove && dotted, r == utf8.RuneError:
			continue
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
		dotted = form == "l" || form == "j"
	}
	return b.String()
}

const combiningDotAbove = '\u0307'

// skeletonOf maps a character to the ASCII form of its class.
var skeletonOf = func() map[rune]string {
	out := map[rune]string{}
	for r := rune(0); r < utf8.RuneSelf; r++ {
		out[r] = asciiForm(r)
	}
	for class := range strings.FieldsSeq(lookAlikes) {
		for _, r := range class {
			out[r] = asciiForm(rune(class[0]))
		}
	}
	for r := range out {
		if unicode.IsSpace(r) {
			delete(out, r)
		}
	}
	return out
}()

// asciiForm returns the form of an ASCII character in skeletons. Digits and letters that look alike have the same
// form, and the form of m is rn.
func asciiForm(r rune) string {
	switch r = unicode.ToLower(r); r {
	case '0':
		return "o"
	case '1', 'i', '|':
		return "l"
	case 'm':
		return "rn"
	}
	return string(r)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// defaultIgnorable is the set Default_Ignorable_Code_Point of Unicode: characters that are not displayed.
var defaultIgnorable = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00ad, 0x00ad, 1}, {0x034f, 0x034f, 1}, {0x061c, 0x061c, 1}, {0x115f, 0x1160, 1}, {0x17b4, 0x17b5, 1},
		{0x180b, 0x180f, 1}, {0x200b, 0x200f, 1}, {0x202a, 0x202e, 1}, {0x2060, 0x206f, 1}, {0x3164, 0x3164, 1},
		{0xfe00, 0xfe0f, 1}, {0xfeff, 0xfeff, 1}, {0xffa0, 0xffa0, 1}, {0xfff0, 0xfff8, 1},
	},
	R32:         []unicode.Range32{{0x1bca0, 0x1bca3, 1}, {0x1d173, 0x1d17a, 1}, {0xe0000, 0xe0fff, 1}},
	LatinOffset: 1,
}

// Blank reports whether nothing of a name is displayed.
func Blank(name string) bool { return Skeleton(name) == "" }

// Reserved reports whether a name looks like the id of an agent or a role of the league.
func Reserved(name string) bool {
	skeleton := Skeleton(name)
	word := strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(skeleton)
	return slices.Contains(reservedWords, word) || readsAsID(name)
}

// reservedWords lists the skeletons, without separators, of the words that agents may not use as names.
var reservedWords = []string{
	Skeleton("admin"), Skeleton("leaguemanager"), Skeleton("manager"), Skeleton("referee"),
}

// readsAsID reports whether a name looks like P or REF followed by a number. At least one character must be a
// digit: "Pool" has the skeleton of P001 but is a word.
func readsAsID(name string) bool {
	digit := false
	skeleton := Skeleton(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) { // of any script
			digit = true
			return '2'
		}
		return r
	}, norm.NFKD.String(name)))
	for _, prefix := range []string{"ref", "p"} {
		number, ok := strings.CutPrefix(skeleton, prefix)
		if ok && digit && len(number) >= minIDDigits && strings.Trim(number, "ol23456789") == "" {
			return true
		}
	}
	return false
}

// minIDDigits is the minimum number of digits of an id.
const minIDDigits = 2

// MayBeCalled reports whether a third-party agent may have a name: it is not reserved, or is the agent's own id.
func MayBeCalled(name, id string) bool { return !Reserved(name) || Skeleton(name) == Skeleton(id) }

// Numbered appends " (n)" to a name, and cuts the name so that the result has at most MaxLength characters.
func Numbered(name string, n int) string {
	tail := fmt.Sprintf(" (%d)", n)
	letters := []rune(name)
	return Clean(string(letters[:min(len(letters), MaxLength-len(tail))])) + tail
}

// Clean returns a name as it is displayed, cut to 64 characters. It drops control characters, among them those
// that change the direction of writing, and keeps joiners where [protocol.Plain] does. It is idempotent.
func Clean(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Zs, r):
			return ' '
		case r == zeroWidthNonJoiner || r == zeroWidthJoiner || unicode.IsPrint(r):
			return r
		}
		return -1
	}, strings.ToValidUTF8(name, ""))
	if runes := []rune(name); len(runes) > MaxLength {
		name = string(runes[:MaxLength])
	}
	plain := []rune(protocol.Plain(name))
	out := []rune{}
	for i, r := range []rune(name) {
		if plain[i] == r {
			out = append(out, r)
		}
	}
	return strings.TrimSpace(string(out))
}

// Joiners affect how letters are displayed in some scripts, and combine several emoji into one.
const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'

// lookAlikes lists the characters that look like an ASCII letter or digit, one class per word, its ASCII form
// first. It is derived from confusables.txt of Unicode Technical Standard 39, closed under upper and lower case.
// It omits characters that NFKC replaces, combining marks, letters that are written from right to left, and Warang
// Citi.
const lookAlikes = `
2ƧƨϨϩᒿꙄꙅꛯꝚꝛ
3ƷȜȝɜʒЗзӠӡⳌⳍꝪꝫꞫ𖼻𝈆
4Ꮞꮞ
5Ƽ
6БбᏮⳒⳓꮾ
7𐓒𐓺𝈒
8Ȣȣ৪੪𐌚
9৭੧୨൭ⳊⳋꝮꝯ
aɑΑαАаᎪᗅ⍺Ɑꓮꭺ𐊠𖽀
bƄƅΒβВЬвьᏏᏴᏼᑲᖯᗷꓐꞴꞵꮟ𐊂𐊡𐌁
cϲϹСсᏟᴄⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜🝌
dԀԁᎠᏧᑯᗞᗪꓒꓓꭰꮷ
eΕεЕеҼҽᎬ℮⋿ⴹꓰꬲꭼ𐊆
fϜϝՔքᖴẝꓝꞘꞙꬵ𐊇𐊥𐔥𝈓
gƍɡԌԍՑցᏀᏳᏻᶃꓖꞬꮐ
hΗηНнҺһՀհᎻᏂᕼⲎⲏꓧꮋꮒ𐋏
jʝͿϳЈјᎫᒍꓙꞲꭻ
kΚκКкᏦᛕⲔⲕꓗꮶ𐔘
lıƖǀɩɪΙιІіӀӏ١۱ᎥᏞᒪᛁ∣⍳⏽ⲒⲓⳐⳑⵏꓡꓲꙆꙇꞮꭵꮮ𐊊𐌉𐌠𐐛𐑃𐔦𖼖𖼨𝈪
mΜμϺϻМмᎷᗰᛖⲘⲙꓟꮇ𐊰𐌑
nΝՈՌոռⲚⲛꓠ𐔓
oΟΣοσОоՕօ٥۵०০੦૦ଠ୦௦౦೦ഠ൦๐໐ဝ၀ჿዐᲿᴏᴑⲞⲟⵔ〇ꓳꬽ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑓐
pΡρРрᏢᑭ⍴Ⲣⲣꓑꮲ𐊕
qԚԛԳԶգզⵕ
rƦʀГгᎡᎱᏒᖇᴦⲄⲅꓣꭇꭈꭱꮁꮢ𐒴𐓜𖼵𝈖
sƽЅѕՏտᏕᏚꓢꜱꮥꮪ𐊖𐐠𐑈𖼺
tΤτТтᎢ⊤⟙Ⲧⲧꓔꭲ𐊗𐊱𐌕𖼊🝨
uƲʋυՍսሀᑌᴜ∪⋃ꓴꞞꞟꭎꭒ𐓎𐓶𖽂
vνѴѵ٧۷Ꮩᐯᴠ∨⋁ⴸꓦꛟꮩ𐔝𑜆𖼈𝈍
wƜɯѠѡԜԝԱաᎳᏔᴡꓪꮃꮤ𑜊𑜎𑜏
x×ΧχХхᕁᕽ᙭᙮ᚷ╳⤫⤬⨯ⲬⲭⵝꓫꞳꭓ𐊐𐊴𐌗𐌢𐔧
yƔɣʏΓΥγУуҮүყᎩᎽᲧᶌỾỿⲨⲩꓬꭚꭹꮍ𐊲𖽃
zΖζᏃᴢꓜꮓ𐋵
`

// MaxLength is the maximum length of a name in characters.
const MaxLength = 64
