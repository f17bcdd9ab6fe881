package manager_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/dialect/profile"
	"agentleague/game"
	"agentleague/game/catalog"
	"agentleague/league"
	"agentleague/league/manager"
	"agentleague/player"
	"agentleague/protocol"
	"agentleague/rpc"
	"agentleague/rpc/rpctest"
)

// A traffic records the frames of leagues as JSON values, by kind: each message of a native agent that was answered under its
// type, with the members of its frame as @jsonrpc, @method and @id and the type of its answer as @reply, and all of them also
// under "*"; a request without an answer under TYPE/unanswered; whole frames under "request" and "answer"; and the answer to
// each exchange under the name of the exchange.
type traffic struct {
	mu    sync.Mutex
	seen  map[string][]any
	scene string // before each kind: which league it is of
}

func (c *traffic) add(kind string, value any) {
	c.seen[c.scene+kind] = append(c.seen[c.scene+kind], value)
}

func (c *traffic) hear(request, answer []byte) {
	var req, reply map[string]any
	if json.Unmarshal(request, &req) != nil {
		return
	}
	_ = json.Unmarshal(answer, &reply)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add("request", req)
	message, _ := req["params"].(map[string]any)
	result, _ := reply["result"].(map[string]any)
	seen := map[string]any{"@jsonrpc": req["jsonrpc"], "@method": req["method"], "@id": req["id"]}
	if reply == nil { // there was no answer, or it was too late
		c.add(fmt.Sprint(message["message_type"], "/unanswered"), message)
		return
	}
	seen["@reply"] = fmt.Sprint(result["message_type"])
	c.message(message, seen)
	if _, foreign := result["foreign"]; foreign {
		return
	}
	c.add("answer", reply)
	for _, m := range []any{result, member(reply["error"], "data")} {
		if m, ok := m.(map[string]any); ok && m != nil {
			c.message(m, map[string]any{"@jsonrpc": reply["jsonrpc"], "@id": reply["id"]})
		}
	}
}

func (c *traffic) message(m, seen map[string]any) {
	for k, v := range m {
		seen[k] = v
	}
	c.add(fmt.Sprint(m["message_type"]), seen)
	c.add("*", seen)
}

func member(v any, name string) any {
	object, _ := v.(map[string]any)
	return object[name]
}

// at returns the values at a path of dots, in which [] stands for each element and * for each member.
func at(v any, path string) (out []any, missing string) {
	if path == "" || path == "." {
		return []any{v}, ""
	}
	name, rest, _ := strings.Cut(path, ".")
	name, each := strings.CutSuffix(name, "[]")
	object, ok := v.(map[string]any)
	if !ok {
		return nil, name
	}
	var next []any
	if name == "*" {
		for _, m := range object {
			next = append(next, m)
		}
	} else if m, ok := object[name]; ok {
		next = []any{m}
	} else {
		return nil, name
	}
	if each {
		list, ok := next[0].([]any)
		if !ok {
			return nil, name + "[]"
		}
		next = list
	}
	for _, n := range next {
		found, missing := at(n, rest)
		if missing != "" {
			return nil, name + "." + missing
		}
		out = append(out, found...)
	}
	return out, ""
}

var utc = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$`)

// is reports whether a value is as the check wants: the name of a JSON type, utc, =LITERAL or ~EXPRESSION, with
// alternatives between bars. The check absent is for a member that must not be there.
func is(v any, check string) bool {
	if literal, ok := strings.CutPrefix(check, "="); ok {
		return v != nil && slices.Contains(strings.Split(literal, "|"), fmt.Sprint(v))
	}
	if expression, ok := strings.CutPrefix(check, "~"); ok {
		return regexp.MustCompile(expression).MatchString(fmt.Sprint(v))
	}
	return slices.ContainsFunc(strings.Split(check, "|"), func(kind string) bool {
		s, isText := v.(string)
		n, isNumber := v.(float64)
		switch kind {
		case "text":
			return s != ""
		case "utc":
			return utc.MatchString(s)
		case "int":
			return isNumber && n == float64(int(n))
		case "bool":
			_, ok := v.(bool)
			return ok
		case "object":
			_, ok := v.(map[string]any)
			return ok
		case "list":
			_, ok := v.([]any)
			return ok
		case "null":
			return v == nil && !isText
		}
		return kind == "any"
	})
}

// holds checks an expression "KIND PATH CHECK" of a requirement against all frames of that kind.
func (c *traffic) holds(expression string) error {
	words := strings.Fields(expression)
	if len(words) != 3 {
		return fmt.Errorf("want KIND PATH CHECK, got %q", expression)
	}
	frames, checked := c.seen[words[0]], 0
	for _, f := range frames {
		values, missing := at(f, words[1])
		if words[2] == "absent" {
			if checked++; missing == "" {
				return fmt.Errorf("%s has %s: %v", words[0], words[1], f)
			}
			continue
		}
		if missing != "" {
			return fmt.Errorf("%s has no %s: %v", words[0], missing, f)
		}
		for _, v := range values {
			checked++
			if !is(v, words[2]) {
				return fmt.Errorf("%s %s: got %v, want %s", words[0], words[1], v, words[2])
			}
		}
	}
	if checked == 0 {
		return fmt.Errorf("%s %s was not sent (%d frames)", words[0], words[1], len(frames))
	}
	return nil
}

// TestMessagesMeetTheRequirements plays a league of two referees, three native players, one of them late once, and a foreign
// player, sends the requests of [before], [running] and [after], plays the matches of [traffic.playLeagues], and checks the
// rows of doc/requirements.tsv that describe a message.
func TestMessagesMeetTheRequirements(t *testing.T) {
	t.Parallel()
	rows := wireRequirements(t)
	c := &traffic{seen: map[string][]any{}}
	c.playLeagues(t)
	for id, expression := range rows {
		t.Run(id, func(t *testing.T) {
			if err := c.holds(expression); err != nil {
				t.Error(err)
			}
		})
	}
}

// wireRequirements returns the expressions of the requirements that are met by messages, by id.
func wireRequirements(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../doc/requirements.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if expression, ok := strings.CutPrefix(cells[len(cells)-1], "message: "); ok {
			rows[cells[0]] = expression
		}
	}
	if len(rows) == 0 {
		t.Fatal("doc/requirements.tsv has no requirement of a message")
	}
	return rows
}

// playLeagues plays the league, one of another game, and one against each way to forfeit.
func (c *traffic) playLeagues(t *testing.T) {
	c.playEvenOdd(t, "")
	for _, name := range profile.Names()[1:] {
		c.playEvenOdd(t, name)
		c.playCrowded(t, name)
	}
	c.play(t, "tic_tac_toe/", manager.Game{Type: "tic_tac_toe", SeatMatters: true}, nil)
	c.playStrictly(t)
	for _, k := range kinds {
		if k.fails != never && k.choose != nil {
			c.play(t, k.name+"/", manager.Game{}, k.choose)
		}
	}
}

// playEvenOdd plays a league whose agents have a profile, "" for the default. The scene is the profile.
func (c *traffic) playEvenOdd(t *testing.T, name string) {
	if name != "" {
		c.scene = name + "/"
	}
	defer func() { c.scene = "" }()
	games := map[string]protocol.GameInfo{}
	for _, g := range catalog.All() {
		i := g.Info()
		games[i.Type] = protocol.GameInfo{
			DisplayName: i.Name, MoveTypes: i.MoveTypes, ValidChoices: i.ValidChoices, MinPlayers: i.MinSeats, MaxPlayers: i.MaxSeats,
		}
	}
	inWorld(t, 8, rpctest.Faults{}, manager.Options{
		Options: rpc.Options{Profile: profile.New(name, leagueID)}, StartPlayers: 4, StartReferees: 2, Games: games,
	}, func(w *world) {
		w.tap = c.hear
		w.foreign = map[string]*foreigner{}
		late := true
		random := w.strategy
		w.strategy = func(id string) player.Strategy {
			return player.StrategyFunc(func(ctx context.Context, v game.View) (game.Move, error) {
				if id == "P02" && late {
					late = false
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return random(id).Choose(ctx, v)
			})
		}
		w.bootAll(2, 3)
		w.await(time.Minute, "five agents", func(s *league.State) bool { return len(s.Agents) == 5 })
		f := w.settle("P04", 8104, canonical)
		c.exchange(w, f, before)
		w.await(time.Minute, "the start", started)
		c.exchange(w, f, running)
		if w.finish(10 * time.Minute) {
			if name == "" {
				w.ask("P01", w.tokenOf("P01"))
			} else {
				c.reportAgain(w)
			}
			c.exchange(w, f, after)
		}
	})
}

// reportAgain sends the first report of the scene once more, from the referee that sent it.
func (c *traffic) reportAgain(w *world) {
	c.mu.Lock()
	var report map[string]any
	for _, r := range c.seen[c.scene+"request"] {
		if r, _ := r.(map[string]any); report == nil && r["method"] == "report_match_result" {
			report = r
		}
	}
	c.mu.Unlock()
	_, referee := protocol.ParseSender(fmt.Sprint(member(report["params"], "sender")))
	body, _ := json.Marshal(report)
	_, answer, err := w.procs[referee].Post(w.procs[referee].Context(), managerURL, "report again", body)
	if err != nil {
		w.t.Errorf("report again: %v", err)
	}
	var frame map[string]any
	_ = json.Unmarshal(answer, &frame)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add("report_again", frame)
}

// playCrowded records the answers of a manager with a profile to registrations that it refuses.
func (c *traffic) playCrowded(t *testing.T, name string) {
	c.scene = name + "/"
	defer func() { c.scene = "" }()
	o := manager.Options{Options: rpc.Options{Profile: profile.New(name, leagueID)}, StartPlayers: 4, StartReferees: 1, MaxReferees: 1}
	inWorld(t, 8, rpctest.Faults{}, o, func(w *world) {
		w.foreign = map[string]*foreigner{}
		w.bootAll(1, 1)
		w.await(time.Minute, "two agents", func(s *league.State) bool { return len(s.Agents) == 2 })
		c.exchange(w, w.settle("P04", 8104, canonical), unwelcome)
	})
}

// playStrictly records the answers of a manager of a league in grading mode to requests that break a rule.
func (c *traffic) playStrictly(t *testing.T) {
	c.scene = "strict/"
	defer func() { c.scene = "" }()
	inWorld(t, 8, rpctest.Faults{}, manager.Options{Options: rpc.Options{Strict: true}, StartPlayers: 2, StartReferees: 1}, func(w *world) {
		w.foreign = map[string]*foreigner{}
		w.bootAll(1, 1)
		w.await(time.Minute, "two agents", func(s *league.State) bool { return len(s.Agents) == 2 })
		c.exchange(w, w.settle("P04", 8104, canonical), graded)
	})
}

// play plays a match, in which P02 chooses in its own way.
func (c *traffic) play(t *testing.T, scene string, g manager.Game, choose func(w *world, id string) player.StrategyFunc) {
	c.scene = scene
	defer func() { c.scene = "" }()
	inWorld(t, 9, rpctest.Faults{}, manager.Options{StartPlayers: 2, Game: g}, func(w *world) {
		w.tap = c.hear
		if g.Type != "" {
			w.gameTypes = []string{g.Type}
		}
		ordinary := w.strategy
		w.strategy = func(id string) player.Strategy {
			if id == "P02" && choose != nil {
				return choose(w, id)
			}
			return ordinary(id)
		}
		w.bootAll(1, 2)
		w.finish(time.Hour)
	})
}

// canonical answers as a foreign player that was written by the specification.
func canonical(method string, params map[string]json.RawMessage) (int, string) {
	if method == "parity_choose" { // in the contracts document
		method = "choose_parity"
	}
	spec, known := protocol.ByMethod(method)
	if !known {
		return 200, notFound
	}
	result := map[string]any{
		"foreign": true, "message_type": spec.Reply, "status": "ACKNOWLEDGED", "match_id": params["match_id"], "player_id": "P04",
		"accept": true, "arrival_timestamp": "2026-01-01T00:00:00Z", "parity_choice": "even",
	}
	answer, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "result": result})
	return 200, string(answer)
}

// exchange sends requests from a foreign agent's machine and records the answers.
func (c *traffic) exchange(w *world, f *foreigner, requests [][3]string) {
	for _, r := range requests {
		url := map[string]string{"manager": managerURL, "referee": "http://localhost:8001/mcp", "player": "http://localhost:8101/mcp"}[r[1]]
		body := strings.ReplaceAll(r[2], "TOKEN", f.token)
		if !strings.HasPrefix(body, "{") {
			method, params, _ := strings.Cut(body, " ")
			body = fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s,"id":"req-1"}`, method, params)
		}
		_, answer, err := f.process.Post(f.process.Context(), url, r[0], []byte(body))
		if err != nil {
			w.t.Errorf("%s: %v", r[0], err)
			continue
		}
		var frame map[string]any
		if err := json.Unmarshal(answer, &frame); err != nil {
			w.t.Errorf("%s: %v: %s", r[0], err, answer)
			continue
		}
		c.mu.Lock()
		c.add(r[0], frame)
		c.mu.Unlock()
		if token, ok := member(frame["result"], "auth_token").(string); ok {
			f.token = token
		}
	}
}
