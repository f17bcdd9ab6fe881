package dialect

import (
	"strings"
	"unicode"

	"agentleague/protocol"
)

// A toolSense describes how to recognize tools for a message type.
type toolSense struct {
	core   string   // words that mean it, each with its weight: "join:50"
	needs  []string // of each of these lists of words the name has one
	filler string   // words that change nothing
	never  string   // words that no such tool has in its name
	tells  string   // an argument that only such a tool has, in place of the required words
	about  string   // words in a description that speak for it; "": it is found by its name alone
}

// Words that occur in the names of many unrelated tools: fillers are ignored, the others rule a tool out.
const (
	toolFillers = " a an the my your our me on for to of and or handle receive process notify notification do make " +
		"take get give" +
		" return submit send new next player agent bot tool call request message msg game match mcp league python " +
		"node ts go v1 v2 "
	toolLooksBack = " history histories past previous last log logs stats statistics stat list count record " +
		"records register" +
		" registration registered reset clear delete undo health ping status version help rules rule describe explain show" +
		" config configure settings set state states test debug validate valid check is verify legal available possible " +
		"analyze" +
		" analyse evaluate simulate opponent opponents info about score scores leaderboard standings standing query search "
	toolEnded = " complete completed completion end ended ends ending over finish finished closed done "
)

// toolSenses describes, by message type, tools that have none of the known names.
var toolSenses = map[protocol.Type]toolSense{
	protocol.TypeGameInvitation: {
		core: "invitation:60 invite:60 invited:60 invites:60 invitations:60 join:50 joins:50 accept:40 enter:35 " +
			"enrol:30 enroll:30 " +
			"ready:30 challenge:30 challenged:30 start:30 begin:30",
		filler: " play playing even odd evenodd response ",
		never: toolLooksBack + toolEnded + " league season tournament leave decline reject cancel sent turn move " +
			"choose parity choice" +
			" round result error ",
		about: "invit join accept take part",
	},
	protocol.TypeChooseParityCall: {
		core:   "parity:50 " + toolMoveWords,
		filler: " even odd evenodd number ",
		never: toolLooksBack + toolEnded + " invite invitation invited join accept standings result error round " +
			"league season tournament ",
		about: "parity even odd choose choice pick move play turn",
	},
	protocol.TypeGameMoveCall: {
		core:   toolMoveWords,
		filler: " tic tac toe tictactoe board cell square ",
		never: toolLooksBack + toolEnded + " invite invitation invited join accept standings result error round " +
			"league season tournament" +
			" parity ",
		about: "move play choose choice pick turn board",
	},
	protocol.TypeGameOver: {
		core: "result:40 results:40 outcome:40 over:40 gameover:60 finished:40 finish:40 end:40 ended:40 ends:40 " +
			"completed:40 complete:40",
		filler: " report reported final update has is was ",
		never: " get list history show last query fetch round league season tournament standings error submit all " +
			"past previous ",
	},
	protocol.TypeRoundAnnouncement: {
		core: "announcement:45 announce:45 announced:45 round:40",
		needs: []string{"announcement announce announced start started starts begin begins new notify notification " +
			"on handle receive update"},
		filler: " start started starts begin begins update schedule ",
		never:  toolEnded + " get list history show result results query fetch current completed league season tournament ",
	},
	protocol.TypeRoundCompleted: {
		core: "round:40", needs: []string{toolEnded}, filler: toolEnded + " is has ", never: " get list history show " +
			"query fetch is ",
	},
	protocol.TypeLeagueCompleted: {
		core: "league:40 season:40 tournament:40", needs: []string{toolEnded}, filler: toolEnded + " has ",
		never: " get list history show query fetch is round ",
	},
	protocol.TypeLeagueStandingsUpdate: {
		core:   "standings:40 standing:40 leaderboard:40 ranking:40 rankings:40 table:40 scoreboard:40",
		needs:  []string{"update updated updates notify notification on handle receive new announce"},
		filler: " update updated updates announce tournament season ",
		never:  " get list history show query fetch ", tells: "standings",
	},
	protocol.TypeGameError: {
		core: "error:40", needs: []string{"game match notify notification on handle receive"}, filler: " report ",
		never: " get list history show last log league query fetch ",
	},
	protocol.TypeLeagueError: {
		core: "error:40", needs: []string{"league season tournament"}, filler: " report season tournament ",
		never: " get list history show last log game match query fetch ",
	},
}

// toolMoveWords are words, with weights, in names of tools that decide on a move.
const toolMoveWords = "choose:45 choice:40 chooses:40 pick:40 picks:40 select:40 selection:35 decide:40 " +
	"decision:35 move:45 play:40 " +
	"turn:35 bet:30 guess:35 predict:30 prediction:30 action:30 act:30 answer:30"

// otherTools are further names of tools, whose words alone do not show the purpose, by message type.
var otherTools = map[protocol.Type]string{
	protocol.TypeGameInvitation: "new_game new_match start_new_game start_new_match",
}

// carries are the names of tools that take any message.
var carries = map[string]bool{
	"handle_message": true, "receive_message": true, "process_message": true, "on_message": true, "message": true,
	"send_message": true, "protocol_message": true, "handle": true, "league_message": true, "handle_league_message": true,
	"receive": true,
}

// spelledOut splits a name in any spelling into lower-case words: choose_parity, chooseParity and Choose-Parity give
// "choose" and "parity"; HTTPMove gives "http" and "move".
func spelledOut(name string) []string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			b.WriteByte(' ')
			continue
		case unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// plainName converts a name in any spelling to snake case.
func plainName(name string) string { return strings.Join(spelledOut(name), "_") }
