package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/protocol"
)

// A tool is a tool of a server of the tests: its schema, and its answer to a call.
type tool struct {
	name, schema string
	answer       func(s *mcp.ServerSession, arguments map[string]any) (string, error)
}

// answers is a tool that gives one answer.
func answers(name, schema, answer string) tool {
	return tool{name, schema, func(*mcp.ServerSession, map[string]any) (string, error) { return answer, nil }}
}

// ofMatch is the schema of most tools.
const ofMatch = `{"type":"object","properties":{"match_id":{"type":"string"},"round_id":{"type":"integer"}},"required":["match_id"]}`

// requires is the schema of a tool with one required argument.
func requires(name, schema string) string {
	return fmt.Sprintf(`{"type":"object","properties":{"match_id":{"type":"string"},%q:%s},"required":[%q]}`, name, schema, name)
}

// serverOf is a server with some tools.
func serverOf(tools ...tool) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "habits", Version: "1"}, nil)
	for _, one := range tools {
		server.AddTool(&mcp.Tool{Name: one.name, InputSchema: json.RawMessage(one.schema)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				var arguments map[string]any
				_ = json.Unmarshal(r.Params.Arguments, &arguments)
				text, err := one.answer(r.Session, arguments)
				if err != nil {
					text = err.Error()
				}
				return &mcp.CallToolResult{IsError: err != nil, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
			})
	}
	return server
}

// plays is part of what enlist prints of a server that plays its practice match.
const plays = "It played a practice match of "

// TestHabitsOfMCPServers enlists servers with the habits of the servers that people have written, and holds the outcome
// of each: it plays its practice match, or the reason is printed.
func TestHabitsOfMCPServers(t *testing.T) {
	t.Parallel()
	l := &leagueOf{t: t, root: t.TempDir()}
	l.manager = l.start("manager", "--port", "0", "--start-after", "1h")
	l.run("create", "board", "--game", "tic_tac_toe", "--manager", l.manager)
	key := filepath.Join(l.root, "key.txt")
	if err := os.WriteFile(key, []byte(theToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range habits() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &leagueOf{t: t, root: l.root, manager: l.manager}
			inner := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return c.server }, nil)
			mux := http.NewServeMux()
			mux.Handle(c.at, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if c.allowed != nil && !c.allowed(r) {
					http.Error(w, "unauthorized", http.StatusUnauthorized)
					return
				}
				inner.ServeHTTP(w, r)
			}))
			address := strings.Replace(c.url, "http://HERE", listening(t, mux), 1)
			if user, here, ok := strings.Cut(address, "@http://"); ok {
				address = "http://" + strings.TrimPrefix(user, "http://") + "@" + here
			}
			args := append([]string{"enlist", address, "--manager", l.manager, "--name", name}, c.args...)
			for i := range args {
				args[i] = strings.Replace(args[i], "KEYFILE", key, 1)
			}
			got := l.says(args...)
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			}
			if strings.Contains(got, theToken) {
				t.Errorf("it prints the secret: %s", got)
			}
		})
	}
	t.Cleanup(func() { l.tokensAreApart("key.txt") })
}

// A habit is a server, how it is enlisted, and what enlist prints.
type habit struct {
	server  *mcp.Server
	at, url string // the path of the server, and the URL with http://HERE for its address
	allowed func(*http.Request) bool
	args    []string
	want    []string
}

func habits() map[string]habit {
	parity := serverOf(answers("choose_parity", ofMatch, "even"))
	at := func(s *mcp.Server, want ...string) habit {
		return habit{server: s, at: "/mcp", url: "http://HERE/mcp", want: want}
	}
	with := func(h habit, args ...string) habit { h.args = args; return h }
	locked := func(url string, allowed func(*http.Request) bool, args ...string) habit {
		return habit{server: parity, at: "/mcp", url: url, allowed: allowed, args: args, want: []string{plays}}
	}
	return map[string]habit{
		"new_game, get_move, end_game": at(serverOf(answers("new_game", ofMatch, "ok"), answers("get_move", ofMatch, "odd"),
			answers("end_game", ofMatch, "ok")), "GAME_INVITATION: the tool new_game\n  CHOOSE_PARITY_CALL: the tool get_move\n  GAME_OVER: the tool end_game", plays),
		"a final answer after reasoning": at(serverOf(answers("choose_parity", ofMatch,
			"If they play odd, even may be wise. Perhaps odd is not.\n\nFinal answer: EVEN")), plays),
		"a final answer in the last line": at(serverOf(answers("choose_parity", ofMatch, "The opponent often plays even, so odd could be good?\n\n**odd**")), plays),
		"the URL of the mount without /mcp": {server: parity, at: "/bots/fox/mcp", url: "http://HERE/bots/fox",
			want: []string{"It is an MCP server at http://127.0.0.1:", "/bots/fox/mcp. What is called", plays}},
		"X-API-Key":     locked("http://HERE/mcp", func(r *http.Request) bool { return r.Header.Get("X-API-Key") == theToken }, "--header", "X-API-Key=KEYFILE"),
		"?key=":         locked("http://HERE/mcp?key="+theToken, func(r *http.Request) bool { return r.URL.Query().Get("key") == theToken }),
		"--bearer-file": locked("http://HERE/mcp", func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer "+theToken }, "--bearer-file", "KEYFILE"),
		"Basic": locked("http://fox:"+theToken+"@http://HERE/mcp", func(r *http.Request) bool {
			user, password, _ := r.BasicAuth()
			return user == "fox" && password == theToken
		}),
		"a tool that checks round <= 99": at(serverOf(tool{"choose_parity", ofMatch, func(_ *mcp.ServerSession, a map[string]any) (string, error) {
			if round, ok := a["round_id"].(float64); !ok || round < 1 || round > 99 {
				return "", fmt.Errorf("no such round: %v", a["round_id"])
			}
			return "even", nil
		}}), plays),
		"sampling inside a tool": at(serverOf(tool{"choose_parity", ofMatch, func(s *mcp.ServerSession, _ map[string]any) (string, error) {
			_, err := s.CreateMessage(context.Background(), &mcp.CreateMessageParams{MaxTokens: 1})
			return "", err
		}}), "sampling is not supported"),
		"elicitation inside a tool": at(serverOf(tool{"choose_parity", ofMatch, func(s *mcp.ServerSession, _ map[string]any) (string, error) {
			_, err := s.Elicit(context.Background(), &mcp.ElicitParams{Message: "even or odd?"})
			return "", err
		}}), "elicitation"),
		"raises an exception": at(serverOf(tool{"choose_parity", ofMatch, func(*mcp.ServerSession, map[string]any) (string, error) {
			return "", errors.New("KeyError: 'mood'")
		}}), "the tool choose_parity said: KeyError: 'mood'"),
		"legal_moves: list[str] in a number game": with(at(serverOf(tool{"make_move", requires("legal_moves", `{"type":"array","items":{"type":"string"}}`),
			func(_ *mcp.ServerSession, a map[string]any) (string, error) {
				moves, _ := a["legal_moves"].([]any)
				for _, move := range moves {
					if text, ok := move.(string); ok {
						return text, nil
					}
				}
				return "", fmt.Errorf("want texts, got %v", a["legal_moves"])
			}}), plays), "--league-id", "board"),
		"an argument without a source": at(serverOf(answers("choose_parity", requires("mood", `{"type":"string"}`), "even")),
			"the tool choose_parity requires mood, for which CHOOSE_PARITY_CALL has no value; give it a default in the server"),
		"no token in an argument": at(serverOf(tool{"handle_message", `{"type":"object","properties":{"message":{"type":"object"}},"required":["message"]}`,
			func(_ *mcp.ServerSession, a map[string]any) (string, error) {
				message, _ := a["message"].(map[string]any)
				switch {
				case message["auth_token"] != nil && message["auth_token"] != "":
					return "", errors.New("there is a token")
				case message["message_type"] == string(protocol.TypeGameInvitation):
					return `{"accept":true}`, nil
				}
				return "even", nil
			}}), plays),
		"team_fox_make_choice, ask_fox": at(serverOf(answers("team_fox_make_choice", ofMatch, "even"), answers("ask_fox", ofMatch, "even")),
			"it is not clear which tool takes CHOOSE_PARITY_CALL; its tools: ask_fox, team_fox_make_choice; name it with --tool choose_parity=NAME"),
		"team_fox_make_choice, ask_fox, once named": with(at(serverOf(answers("team_fox_make_choice", ofMatch, "even"), answers("ask_fox", ofMatch, "even")), plays),
			"--tool", "choose_parity=ask_fox"),
	}
}
