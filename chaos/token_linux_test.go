package chaos_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// window is how many consecutive characters of a token count as the token.
const window = 12

// TestLongNoTokenTravels plays two seasons with a manager, two referees, two players and a kit in each language, all of
// them processes. They are killed, restarted and moved, and while the manager is down an impostor listens on its port.
// Then it searches all bytes on the network, all files and all terminals for the tokens.
func TestLongNoTokenTravels(t *testing.T) {
	t.Parallel()
	if !onOwnNetwork(t) {
		return
	}
	(&lan{t}).must("link set lo up")
	wire := startCapture(t)
	rng := rand.New(rand.NewPCG(7, 29))
	s := openSeason(t, rng, 2, 5, 2, 300*time.Millisecond, `"seasons":2`)
	players := s.returners(rng)
	second := leagueID + "_2"
	for i, id := range []string{leagueID, second} {
		rpctest.Eventually(t, "the first result of "+id, func() bool { return recordedIn(s.root, id) > 0 })
		if i == 0 {
			s.learnIDs(players)
		}
		s.impersonateManager(id, players)
		for n, p := range players {
			if n%2 == i {
				p.args[p.port] = port()
			}
			p.kill()
			p.start()
		}
		for _, a := range s.agents {
			if a.args[0] == "referee" {
				a.kill()
				a.start()
			}
		}
		rpctest.Eventually(t, "the end of "+id, func() bool {
			st, err := stateOf(s.root, id)
			return err == nil && st.Completed()
		})
	}
	places := []string{s.root}
	for _, p := range players {
		if p.dir != "" {
			places = append(places, p.dir)
		} else {
			places = append(places, p.args[2]) // player --root FOLDER
		}
	}
	s.visitPages(leagueID, second)
	texts := map[string][]byte{}
	for _, a := range s.agents {
		a.kill()
		texts["the terminal of "+a.name] = []byte(a.said())
	}
	tokens := tokensOf(t, s.root, leagueID, second)
	for _, dir := range places {
		for name, text := range filesIn(t, dir) {
			texts[name] = text
			for _, kept := range keptToken.FindAllString(string(text), -1) {
				tokens[kept] = name
			}
		}
	}
	size, flows := 0, 0
	for f, text := range wire.all() {
		texts[fmt.Sprintf("%v to %v", f.from, f.to)] = text
		size, flows = size+len(text), flows+1
	}
	if len(tokens) < 2*7 || size < 1<<20 {
		t.Errorf("%d tokens and %d bytes on the network: not what two seasons of seven agents have", len(tokens), size)
	}
	found := 0
	for where, text := range texts {
		for _, hit := range search(text, tokens) {
			if found++; found <= 20 {
				t.Errorf("%s: %s", where, hit)
			}
		}
	}
	t.Logf("%d tokens, %d bytes in %d streams, %d files and terminals: %d places with a part of a token", len(tokens), size,
		flows, len(texts)-flows, found)
}

// keptToken is a token of a native agent, as an agent could have kept it in a file.
var keptToken = regexp.MustCompile(`tok_(player|referee)_[A-Za-z0-9]+_[A-Za-z0-9_-]{43}`)

func recordedIn(root, id string) int {
	if st, err := stateOf(root, id); err == nil {
		return st.Recorded
	}
	return 0
}

// tokensOf computes the tokens of all native agents of some leagues as their manager does: from its secret and their
// keys.
func tokensOf(t *testing.T, root string, ids ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, id := range ids {
		text, err := os.ReadFile(filepath.Join(root, "data", "secrets", "token."+id))
		if err != nil {
			t.Fatal(err)
		}
		secret, err := hex.DecodeString(strings.TrimSpace(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		st, err := stateOf(root, id)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range st.Agents {
			if a.AgreementKey == "" {
				continue
			}
			token, err := league.TermsOf(st).Agreement(a.Registered).Token(protocol.AgreementKey(secret), a.AgreementKey)
			if err != nil {
				t.Fatal(err)
			}
			out[token] = id + " " + a.Name
		}
	}
	return out
}

// search returns where a text has a part of a token, in one of the forms in which bytes are written.
func search(text []byte, tokens map[string]string) (hits []string) {
	parts := map[[window]byte]string{}
	for token, whose := range tokens {
		secret := token[strings.LastIndex(token[:len(token)-42], "_")+1:]
		raw, _ := base64.RawURLEncoding.DecodeString(secret)
		forms := []string{secret, string(raw), hex.EncodeToString(raw), strings.ToUpper(hex.EncodeToString(raw)),
			base64.StdEncoding.EncodeToString(raw), hex.EncodeToString([]byte(secret))}
		for shift := range 3 { // the secret part may begin anywhere within a group of base64
			for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				coded := enc.EncodeToString([]byte(strings.Repeat("x", shift) + secret))
				forms = append(forms, coded[4:len(coded)-4])
			}
		}
		for _, form := range forms {
			for i := range len(form) - window + 1 {
				parts[[window]byte([]byte(form[i:i+window]))] = whose
			}
		}
	}
	for i := 0; i+window <= len(text); i++ {
		if whose, ok := parts[[window]byte(text[i:i+window])]; ok {
			hits = append(hits, fmt.Sprintf("%q is of the token of %s", text[max(0, i-60):min(len(text), i+window)], whose))
			i += 64
		}
	}
	return hits
}

// filesIn reads every file below a folder.
func filesIn(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "player" || d.Name() == "node_modules" {
			return err
		}
		out[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// visitPages reads the pages, the API and the exports of leagues as a visitor does, over the network.
func (s *season) visitPages(ids ...string) {
	s.t.Helper()
	base := strings.TrimSuffix(s.url, "/mcp")
	for _, id := range ids {
		for _, path := range []string{"/", "/leagues/" + id, "/leagues/" + id + "/players/P01", "/leagues/" + id + "/matches/R1M1",
			"/leagues/" + id + "/agents", "/api/v1/leagues/" + id, "/api/v1/leagues/" + id + "/matches/R1M1", "/metrics"} {
			resp, err := http.Get(base + path)
			if err != nil {
				s.t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		for _, what := range [][]string{{"players"}, {"report"}, {"results"}, {"standings"}, {"match", "R1M1"}} {
			args := append([]string{"export"}, what...)
			if out, err := run(append(args, "--manager", s.url, "--league-id", id, "--root", s.root)...); err != nil {
				s.t.Errorf("league export %v of %s: %v\n%s", what, id, err, out)
			}
		}
	}
}

// impersonateManager kills the manager and listens on its port. It accepts every registration and grants its own
// tokens. When each player has called, it stops and the manager restarts.
func (s *season) impersonateManager(id string, players []*returner) {
	s.t.Helper()
	st, err := stateOf(s.root, id)
	if err != nil {
		s.t.Fatal(err)
	}
	s.manager.kill()
	var mu sync.Mutex
	seen := map[string]int{}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		for _, p := range players {
			if strings.Contains(string(body), `"`+p.name+`"`) {
				seen[p.name]++
			}
		}
		mu.Unlock()
		answerAsManager(w, body, st)
	})}
	at := strings.TrimSuffix(strings.TrimPrefix(s.url, "http://localhost"), "/mcp")
	var listener net.Listener
	rpctest.Eventually(s.t, "the port of the manager is free", func() bool {
		listener, err = net.Listen("tcp", at)
		return err == nil
	})
	go func() { _ = server.Serve(listener) }()
	for _, p := range players {
		p.kill()
		p.start()
	}
	rpctest.Eventually(s.t, "every player registers with the impostor", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(seen) == len(players)
	})
	_ = server.Close()
	s.manager.start()
}

// answerAsManager accepts every registration and acknowledges every other message, with the public data of the real
// manager.
func answerAsManager(w http.ResponseWriter, body []byte, st *league.State) {
	var call struct {
		ID     json.RawMessage `json:"id"`
		Params struct {
			Type         string `json:"message_type"`
			Conversation string `json:"conversation_id"`
		} `json:"params"`
	}
	_ = json.Unmarshal(body, &call)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": call.ID, "result": map[string]any{
		"protocol": "league.v2", "message_type": strings.Replace(call.Params.Type, "REQUEST", "RESPONSE", 1),
		"sender": "league_manager", "timestamp": time.Now().UTC().Format(time.RFC3339),
		"conversation_id": call.Params.Conversation, "status": "ACCEPTED", "player_id": "P01", "league_id": st.Created.LeagueID,
		"auth_token": "tok_player_P01_" + strings.Repeat("x", 43), "seal": st.Seal,
	}})
}
