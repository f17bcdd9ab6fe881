package dialect

// The word sets in this file decide whether a sentence makes a choice.

// vagueWords deny, doubt or reverse the statement around them.
var vagueWords = wordSet(`no not never none neither nor nobody nothing nope nah cannot cant dont doesnt didnt isnt wasnt
	wont arent wouldnt shouldnt without except excluding avoid avoiding avoids instead unlike refuse refuses
	refusing decline declines reject rejects hate hates dislike wrong false anything everything either or whether if
	unless maybe perhaps probably possibly likely unlikely presumably might may could unsure uncertain undecided between
	consider considering wonder wondering doubt depends depending was were had example versus vs until kidding joking
	error failed invalid must expected than opposite inverse contrary reverse from hardly barely scarcely almost nearly
	lose loses losing lost bad ban banned forbidden abandon wait won used previous previously earlier yesterday last`)

// certainties are phrases of certainty. Without this list their first word would count as doubt.
var certainties = [][]string{{"no", "doubt"}, {"without", "doubt"}, {"without", "a", "doubt"}, {"no", "question"}}

// asking are words with which a question begins.
var asking = wordSet("can may shall should do does did is are could what which why how who when where")

// These words give an option another meaning. Adverbial words follow the adverb "even", strange words precede an "odd"
// that means strange, settling words precede an "even" that means settled, looking words precede a "check" that means
// to look, and counted words precede a number that counts something.
var (
	adverbial = wordSet("if though so when more less better worse the a an after before while without then")
	strange   = wordSet("how very quite rather somewhat pretty bit something seems seem looks look sounds sound feels feel")
	settling  = wordSet("break breaks breaking get gets getting got")
	looking   = wordSet("me us double")
	counted   = wordSet("round turn match game player step attempt version table league retry season id port")
)

var (
	// following are words after a choice that are not a noun qualified by it.
	following = wordSet("please pls because cuz since is again thanks thank side and")
	// connecting are such words too, but only if the word before the choice introduces it.
	connecting = wordSet("against this for in to on at with by today now here next as")
	// leading are words that lead to a choice.
	leading = wordSet(`choose chooses choosing chose chosen choice pick picks picking picked select selects selecting
		selected selection go going play plays playing move moving say says saying call calling bet betting take takes taking
		want prefer vote voting guess answer parity submit submitting with on for cell square position spot box field
		number option index mark place card flip reveal uncover open =`)
	// choosingWords make a sentence count as one about choosing.
	choosingWords = wordSet(`choose chooses choosing chose chosen choice pick picks picking picked select selects selecting
		selected selection go going gonna goes play plays playing move moves answer answers say bet take taking parity vote call
		guess decide decided decision final prefer want stick settle settled lock locked submit submitted commit option side locking
		number please definitely certainly absolutely surely response reply result it`)
	ownWords = wordSet("i i'll i'm i'd i've my me mine myself we we'll we've our let's us")
	others   = wordSet(`you you're you've you'll your yours he she they them their his her him opponent opponent's opponents
		referee everyone everybody someone somebody people rival other others enemy dealer`)
	// staking words connect an action in a card game with the stake: "call your bet", "bet one chip".
	staking = wordSet("my the your one 1")
	wagered = wordSet("bet bets hand chip chips bluff card cards")

	intensive = wordSet("against but all still fairly that us them and so too")
	copulas   = wordSet("is are am be being been")
)
