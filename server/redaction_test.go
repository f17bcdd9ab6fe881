package server

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"agentleague/config"
	"agentleague/host"
	"agentleague/league"
	"agentleague/league/registration"
	"agentleague/protocol"
	"agentleague/rpc/rpctest"
	"agentleague/store"
)

// brokenAnswer is the answer of an agent that fails.
const brokenAnswer = "KeyError: hand of cards"

// TestNoSurfaceShowsAddressesOrTokens reads every surface of a running league in every role, and searches all bytes for
// the addresses of agents, for the answer of one of them, and for tokens. Only the admin reads addresses and answers,
// and on the pages the owner of an agent reads its answers; no role reads the tokens of other agents.
func TestNoSurfaceShowsAddressesOrTokens(t *testing.T) {
	t.Parallel()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, "<h1>http://%s%s failed with tok_player_P09_0123456789: %s</h1>", r.Host, r.URL.Path, brokenAnswer)
	}))
	t.Cleanup(broken.Close)
	h := newEnv(t)
	h.League.GameType, h.System.RetryPolicy.MaxRetries = "even_odd", 1
	h.System.RetryPolicy.InitialDelaySec, h.System.RetryPolicy.MaxDelaySec = 0.01, 0.01
	h.System.Timeouts.GameJoinAckTimeoutSec = 1
	c := playedWith(t, h, broken.URL+"/mcp")
	m := c.First.Manager
	match, failed, secrets := "", "", needles{}
	m.Read(func(s *league.State) {
		for id, one := range s.Matches {
			if one.Outcome != nil && strings.Contains(fmt.Sprint(one.Outcome.Result.Forfeits), "E0") {
				match = id
				for failed = range one.Outcome.Result.Forfeits {
				}
			}
		}
		if s.Completed() {
			t.Error("the league is over; want one that is being played")
		}
		secrets.addresses = append(addressesOf(s, m.Endpoint()), brokenAnswer, "it said")
	})
	tokens := tokensOf(t, h.Root)
	tokens["quoted"] = "tok_player_P09_0123456789"
	var raw []byte
	rpctest.Eventually(t, "the record of "+match, func() bool {
		var err error
		raw, err = recordsOf(h, c.First.ID())(match)
		return err == nil
	})
	if !containsAny(raw, secrets.addresses) {
		t.Fatalf("the record of %s has no address to hide:\n%s", match, raw)
	}
	for role, token := range map[string]string{
		"anonymous": "", "player": tokens["player"], "referee": tokens["referee"], "admin": tokens["admin"],
	} {
		t.Run(role, func(t *testing.T) {
			secrets := secrets
			for _, other := range tokens {
				secrets.tokens = append(secrets.tokens, other)
			}
			if role == "admin" {
				secrets.addresses = nil
			}
			shown := surfaces(t, c, match, token)
			for surface, text := range shown {
				if found := secrets.in(text); found != "" {
					t.Errorf("%s shows %s", surface, found)
				}
			}
			for _, page := range []string{"/players/" + failed, "/matches/" + match} {
				text := shown["GET /leagues/"+c.First.ID()+page]
				if !bytes.Contains(text, []byte("answered HTTP 500")) {
					t.Errorf("%s does not show that the agent answered HTTP 500:\n%s", page, text)
				}
				if role == "admin" && !bytes.Contains(text, []byte(brokenAnswer)) {
					t.Errorf("%s does not show the admin what the agent answered", page)
				}
			}
		})
	}
}

// playedWith serves a league of two built-in players and one at an endpoint, until the latter has forfeited a match.
// The league is then paused.
func playedWith(t *testing.T, h *host.Env, endpoint string) *Server {
	t.Helper()
	h.League.Bots = &config.Bots{Players: []string{"random", "random"}, Referees: 1}
	h.League.Start = &config.Start{Players: 99, Referees: 1}
	c := openEnv(t, h)
	awaitReferee(t, c)
	m := c.First.Manager
	enlisted, err := m.Registrar.Enlist(t.Context(), registration.Recruit{Role: protocol.RolePlayer, Endpoint: endpoint,
		Name: "Broken", By: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	id := enlisted.ID
	rpctest.Eventually(t, "three players", func() (yes bool) {
		m.Read(func(s *league.State) { yes = len(s.Roster(protocol.RolePlayer)) == 3 })
		return yes && m.Orders.Start(t.Context(), "a test") == nil
	})
	rpctest.Eventually(t, "a forfeit", func() (yes bool) {
		m.Read(func(s *league.State) {
			for _, one := range s.Matches {
				if one.Outcome != nil {
					_, forfeited := one.Outcome.Result.Forfeits[id]
					yes = yes || forfeited
				}
			}
		})
		return yes
	})
	if err := m.Orders.Pause(t.Context(), "a test"); err != nil {
		t.Fatal(err)
	}
	return c
}

// needles are texts that no surface may show.
type needles struct{ addresses, tokens []string }

// in returns the first needle that a text has.
func (n needles) in(text []byte) string {
	for _, one := range append(append([]string{}, n.addresses...), n.tokens...) {
		if one != "" && bytes.Contains(text, []byte(one)) {
			return one
		}
	}
	return ""
}

func containsAny(text []byte, of []string) bool { return needles{addresses: of}.in(text) != "" }

// addressesOf lists host and port of every agent, or its whole endpoint if it shares the manager's port.
func addressesOf(s *league.State, manager string) (out []string) {
	own, _ := url.Parse(manager)
	for _, a := range s.Agents {
		at, err := url.Parse(a.Endpoint)
		if err == nil && at.Host != own.Host {
			out = append(out, at.Host)
		} else {
			out = append(out, a.Endpoint)
		}
	}
	return out
}

// tokensOf returns the admin's token and those of agents, by role.
func tokensOf(t *testing.T, root *store.Root) map[string]string {
	t.Helper()
	admin, err := os.ReadFile(filepath.Join(root.Dir(), "data/admin.token"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{"admin": strings.TrimSpace(string(admin))}
	names, _ := filepath.Glob(filepath.Join(root.Dir(), "data/identities/*/*.json"))
	for _, name := range names {
		text, err := os.ReadFile(name)
		id := struct {
			Role       protocol.Role
			PrivateKey string `json:"private_key"`
			Places     []store.Place
			Token      string
		}{}
		if err = errors.Join(err, json.Unmarshal(text, &id)); err == nil && len(id.Places) > 0 {
			seed, _ := hex.DecodeString(id.PrivateKey)
			own, at := protocol.AgreementKey(seed), id.Places[len(id.Places)-1]
			id.Token, err = protocol.Agreement{
				League: at.LeagueID, Seal: at.Seal, Role: id.Role, ID: at.ID, Epoch: at.Epoch, ManagerKey: at.ManagerKey,
				PublicKey:    protocol.PublicKey(ed25519.NewKeyFromSeed(seed)),
				AgreementKey: protocol.AgreementPublic(own),
			}.Token(own, at.ManagerKey)
		}
		if err != nil || id.Token == "" {
			t.Fatalf("%s: %v", name, err)
		}
		out[string(id.Role)] = id.Token
	}
	if len(out) != 3 {
		t.Fatalf("there are tokens of %d roles in %v", len(out), names)
	}
	return out
}

// surfaces reads all that a client with a token can read of a league.
func surfaces(t *testing.T, c *Server, match, token string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	site := strings.TrimSuffix(c.First.Manager.Endpoint(), "/mcp")
	at := "/leagues/" + c.First.ID()
	client := &http.Client{Transport: bearer(token)}
	pages := []string{"", "/agents", "/figures", "/run", "/seasons", "/players/P01", "/players/P02", "/players/P03",
		"/matches/" + match}
	for _, page := range pages {
		for _, path := range []string{at + page, "/api/v1" + at + page} {
			out["GET "+path] = fetched(t, client, site+path)
		}
	}
	for _, file := range []string{match + ".json", "standings.csv", "results.csv", "players.csv", "results.json", "players.json",
		"standings.json", "league.json", "report.html", "league.zip"} {
		if file != "league.zip" || token == "" {
			out["GET export/"+file] = fetched(t, client, site+at+"/export/"+file)
		}
	}
	out["GET events"] = stream(t, client, site+"/api/v1"+at+"/events")
	for _, method := range []string{"get_standings", "get_league_status", "get_schedule", "get_games"} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":{"sender":"player:P01"},"id":1}`, method)
		answer, err := client.Post(c.First.Manager.Endpoint(), "application/json", strings.NewReader(body))
		out["POST "+method] = read(t, answer, err)
	}
	session := dialText(t, c, token, "2025-06-18").session
	for _, uri := range []string{"standings", "schedule", "rounds/1", "players/P01", "players/P02", "players/P03",
		"matches/" + match, "matches/" + match + "/transcript"} {
		res, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "league://" + uri})
		if err != nil {
			t.Fatalf("%s: %v", uri, err)
		}
		out["MCP league://"+uri] = []byte(res.Contents[0].Text)
	}
	for surface, text := range out {
		if len(text) == 0 {
			t.Errorf("%s is empty", surface)
		}
	}
	return out
}

// fetched reads a page, whatever its status.
func fetched(t *testing.T, client *http.Client, at string) []byte {
	t.Helper()
	answer, err := client.Get(at)
	return read(t, answer, err)
}

// stream reads the beginning of a stream of events.
func stream(t *testing.T, client *http.Client, at string) []byte {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body) // it ends with ctx
	return text
}

func read(t *testing.T, answer *http.Response, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
