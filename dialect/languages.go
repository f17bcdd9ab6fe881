package dialect

// A language lists the words with which players answer in that language.
type language struct {
	even, odd []string
	leads     []string // phrases that lead to a choice
	yes, no   []string // to an invitation
}

// languages lists the languages, besides English, in which choices and answers to invitations are read.
var languages = map[string]language{
	"Arabic": {
		even: []string{"زوجي", "عدد زوجي", "رقم زوجي"}, odd: []string{"فردي", "عدد فردي", "رقم فردي"},
		leads: []string{"أختار", "اختار", "اخترت", "اختياري"},
		yes:   []string{"نعم", "موافق", "أوافق", "أنا جاهز", "جاهز"}, no: []string{"لا", "لا شكرا"},
	},
	"Chinese": {
		even: []string{"偶数", "偶數", "偶", "双数", "雙數"}, odd: []string{"奇数", "奇數", "奇", "单数", "單數"},
		leads: []string{"我选择", "我选", "我選擇", "我選", "选择", "選擇"},
		yes:   []string{"是", "是的", "好", "好的", "可以", "接受", "我接受", "我准备好了"}, no: []string{"不", "不是", "否", "拒绝", "不接受"},
	},
	"Dutch": {
		odd: []string{"oneven"}, leads: []string{"ik kies", "mijn keuze is"},
		yes: []string{"ja", "ik doe mee"}, no: []string{"nee"},
	},
	"French": {
		even: []string{"pair", "nombre pair", "un nombre pair"}, odd: []string{"impair", "nombre impair", "un nombre impair"},
		leads: []string{"je choisis", "j'ai choisi", "mon choix est", "mon choix", "je joue"},
		yes:   []string{"oui", "d'accord", "j'accepte", "je suis prêt", "je suis prête", "prêt"}, no: []string{"non", "non merci", "je refuse"},
	},
	"German": {
		even: []string{"gerade", "gerade zahl", "eine gerade zahl"}, odd: []string{"ungerade", "ungerade zahl", "eine ungerade zahl"},
		leads: []string{"ich wähle", "ich nehme", "meine wahl ist", "meine wahl", "ich setze auf"},
		yes:   []string{"ja", "ich bin dabei", "bereit", "ich bin bereit", "angenommen", "ich nehme an", "einverstanden"},
		no:    []string{"nein", "nein danke", "abgelehnt", "ich lehne ab"},
	},
	"Hebrew": {
		even: []string{"זוגי", "מספר זוגי"}, odd: []string{"אי-זוגי", "אי זוגי", "איזוגי", "מספר אי-זוגי", "מספר אי זוגי"},
		leads: []string{"אני בוחר", "אני בוחרת", "בחרתי", "הבחירה שלי היא", "הבחירה שלי"},
		yes:   []string{"כן", "מוכן", "מוכנה", "אני מוכן", "אני מוכנה", "מצטרף", "מצטרפת", "אני מצטרף", "אני מצטרפת", "מקבל", "מאשר", "בסדר"},
		no:    []string{"לא", "לא תודה", "מסרב", "מסרבת"},
	},
	"Hindi": {
		even: []string{"सम", "सम संख्या"}, odd: []string{"विषम", "विषम संख्या"},
		leads: []string{"मैं चुनता हूँ", "मैं चुनती हूँ", "मेरा चुनाव"},
		yes:   []string{"हाँ", "हां", "जी हाँ", "स्वीकार", "मैं तैयार हूँ", "तैयार"}, no: []string{"नहीं", "जी नहीं"},
	},
	"Italian": {
		even: []string{"pari", "numero pari"}, odd: []string{"dispari", "numero dispari"},
		leads: []string{"scelgo", "ho scelto", "la mia scelta è"},
		yes:   []string{"sì", "si", "accetto", "va bene", "sono pronto", "sono pronta"}, no: []string{"rifiuto"},
	},
	"Japanese": {
		even: []string{"偶数", "偶数です"}, odd: []string{"奇数", "奇数です"},
		yes: []string{"はい", "参加します"}, no: []string{"いいえ"},
	},
	"Polish": {
		even: []string{"parzysta", "parzyste", "parzysty"}, odd: []string{"nieparzysta", "nieparzyste", "nieparzysty"},
		leads: []string{"wybieram"}, yes: []string{"tak", "akceptuję"}, no: []string{"nie", "odmawiam"},
	},
	"Portuguese": {
		even: []string{"par", "número par"}, odd: []string{"ímpar", "impar", "número ímpar", "número impar"},
		leads: []string{"escolho", "eu escolho", "minha escolha é"},
		yes:   []string{"sim", "aceito", "eu aceito", "estou pronto", "estou pronta"}, no: []string{"não", "nao", "recuso"},
	},
	"Russian": {
		even:  []string{"чётное", "четное", "чёт", "чет", "чётный", "четный", "чётное число", "четное число"},
		odd:   []string{"нечётное", "нечетное", "нечёт", "нечет", "нечётный", "нечетный", "нечётное число", "нечетное число"},
		leads: []string{"я выбираю", "выбираю", "мой выбор", "ставлю на"},
		yes:   []string{"да", "согласен", "согласна", "готов", "готова", "я готов", "я готова", "принимаю"}, no: []string{"нет", "отказываюсь"},
	},
	"Spanish": {
		even: []string{"par", "número par", "numero par"}, odd: []string{"impar", "número impar", "numero impar"},
		leads: []string{"elijo", "yo elijo", "escojo", "mi elección es", "mi eleccion es"},
		yes:   []string{"sí", "si", "acepto", "estoy listo", "estoy lista", "de acuerdo", "vale"}, no: []string{"rechazo"},
	},
	"Turkish": {
		even: []string{"çift", "çift sayı"}, odd: []string{"tek sayı"},
		leads: []string{"seçiyorum"}, yes: []string{"evet", "hazırım", "kabul ediyorum"}, no: []string{"hayır"},
	},
	"Ukrainian": {
		even: []string{"парне", "парне число"}, odd: []string{"непарне", "непарне число"},
		leads: []string{"я обираю", "обираю"}, yes: []string{"так", "готовий", "готова"}, no: []string{"ні"},
	},
}
