package attack_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"agentleague/protocol"
	"agentleague/rpc/rpctest"
)

// floods is the address from which connections and mailboxes are opened without end.
const floods = "127.0.0.9"

// letterboxes are the mailboxes of two players of a league in its first round, whose keys an attacker does not have. One
// is read by `league connect`, the other one by HTTP requests.
func letterboxes() family {
	refused := func(status int) string { return fmt.Sprint(status) }
	const named = "a request for a mailbox was refused: "
	return family{name: "letterboxes", scene: postOffice, lenient: true, attacks: []attack{
		{name: "opens it with another key", want: refused(403), told: named + "signature: it is not of this text", try: func(a *arena) answer {
			return closing(a.t.Context(), a.handshakes(own(), protocol.PublicKey(a.cast["connected"].(ed25519.PrivateKey))))
		}},
		{name: "registers with it over an own connection", want: "E024", try: func(a *arena) answer {
			link := a.link("")
			return a.sends(link, "register_player", forged(protocol.TypeLeagueRegisterRequest, "player:x", "", message{
				"player_meta": message{"display_name": "Mallory", "version": "1", "game_types": []string{"even_odd"},
					"contact_endpoint": a.agent(protocol.RolePlayer, "Connected").Endpoint}}))
		}},
		{name: "registers with it over HTTP", want: "E024", try: func(a *arena) answer {
			return a.register(registration{name: "Mallory", endpoint: a.agent(protocol.RolePlayer, "Reader").Endpoint})
		}},
		{name: "reads it without a secret", want: refused(401), try: func(a *arena) answer {
			return a.asks(http.MethodGet, a.reader().Next, "", "")
		}},
		{name: "reads it with the secret of another one", want: refused(403), told: named + "this secret is not that of", try: func(a *arena) answer {
			return a.asks(http.MethodGet, a.reader().Next, a.box("").Secret, "")
		}},
		{name: "answers its letter with the secret of another one", want: refused(403), told: named + "this secret is not that of", try: func(a *arena) answer {
			return a.asks(http.MethodPost, a.reader().Answer+a.reader().letter, a.box("").Secret, chooses("odd"))
		}},
		{name: "answers its letter at another mailbox", want: refused(410), try: func(a *arena) answer {
			own := a.box("")
			return a.asks(http.MethodPost, own.Answer+a.reader().letter, own.Secret, chooses("odd"))
		}},
		{name: "answers its letter over an own connection", want: "", try: func(a *arena) answer {
			conn := a.handshakes(own(), "")
			text, _ := json.Marshal(message{"type": "answer", "id": a.reader().letter, "body": chooses("odd")})
			if err := conn.Write(a.t.Context(), websocket.MessageText, text); err != nil {
				a.t.Fatal(err)
			}
			return answer{}
		}},
		{name: "calls its player without a token", want: refused(403), told: "does not show the token of a match of", try: func(a *arena) answer {
			return a.calls("Connected", "")
		}},
		{name: "calls its player with an invented token", want: refused(403), told: "does not show the token of a match of", try: func(a *arena) answer {
			return a.calls("Connected", "tok_match_made_up")
		}},
		{name: "calls its player with the token of another player's match", want: refused(403), told: "does not show the token of a match of",
			try: func(a *arena) answer { return a.calls("Connected", capturedM(a)) }},
		{name: "calls a player at its own port by way of the manager", want: refused(403), try: func(a *arena) answer {
			return a.calls("Alpha", capturedM(a))
		}},
		{name: "posts a large answer", want: refused(413), told: named + "an answer has at most", try: func(a *arena) answer {
			own := a.box("")
			return a.asks(http.MethodPost, own.Answer+a.reader().letter, own.Secret, strings.Repeat("x", 2<<20))
		}},
		{name: "sends a large letter", want: refused(413), told: named + "a letter has at most", try: func(a *arena) answer {
			return a.closedAfter(func(conn *websocket.Conn) {
				_ = conn.Write(a.t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"type":"letter","id":"1","body":%q}`, strings.Repeat("x", 1<<20+1)))
			})
		}},
		{name: "sends a large frame", want: refused(413), told: named + "a letter has at most", try: func(a *arena) answer {
			return a.closedAfter(func(conn *websocket.Conn) {
				_ = conn.Write(a.t.Context(), websocket.MessageText, bytes.Repeat([]byte(" "), 4<<20))
			})
		}},
		{name: "sends 200 letters at once", want: refused(429), told: named + "64 letters", try: func(a *arena) answer { return a.letters(200) }},
		{name: "opens 65 connections", want: refused(429), told: "connections of your address wait", try: func(a *arena) answer {
			for range 64 {
				conn, _, err := a.dials(floods)
				if err != nil {
					a.t.Fatal(err)
				}
				defer conn.CloseNow()
			}
			_, resp, err := a.dials(floods)
			if resp == nil {
				a.t.Fatal(err)
			}
			return answer{Code: fmt.Sprint(resp.StatusCode)}
		}},
		{name: "opens 65 mailboxes", want: refused(429), told: "mailboxes of your address have no registered agent", try: func(a *arena) answer {
			for range 64 {
				a.box(floods)
			}
			return a.asksFrom(floods, http.MethodPost, strings.TrimSuffix(a.url, "/mcp")+"/mailboxes", "", "")
		}},
	}, after: func(a *arena) {
		a.stand().release()
		a.cast["answer"].(func())()
		s := a.finish(0)
		honest(a.t, s)
		choosesOnly(a.t, s, map[string]string{a.idOf("Reader"): "even", a.idOf("Connected"): "even"})
	}}
}

// pickpockets have the key of a player's mailbox, and the player is connected.
func pickpockets() family {
	return family{name: "pickpockets", each: true, lenient: true, attacks: []attack{
		{name: "opens the mailbox with its key", want: "", told: "a second program has opened the mailbox of", try: func(a *arena) answer {
			thief := a.linkOf(a.cast["connected"].(ed25519.PrivateKey), "")
			victim := a.cast["connect"].(*process)
			victim.says("a newer connection with the same key has opened this mailbox; it has the key in " + a.cast["key file"].(string))
			<-victim.exited
			a.cast["again"].(func())() // the same key takes its mailbox back
			select {
			case <-thief.Done():
			case <-time.After(rpctest.Patience):
				a.t.Error("the connection of the thief is not ended")
			}
			return answer{}
		}},
	}, scene: func(t *testing.T, strict bool) *arena {
		a := newArena(t, strict, settings{})
		a.referee("Referee Alpha", "--max-matches", "8")
		a.seat("Beta", "odd", false)
		a.connected()
		return a
	}, after: heirsEnd}
}

// postOffice is a league in its first round. Connected and Reader have mailboxes, Alpha has its own port; all were asked.
func postOffice(t *testing.T, strict bool) *arena {
	a := newArena(t, strict, settings{})
	a.referee("Referee Alpha", "--max-matches", "8")
	s := &stand{alpha: a.seat("Alpha", "odd", true), beta: a.seat("Beta", "odd", true)}
	release := a.connected().hold()
	t.Cleanup(release)
	s.release = func() { close(s.alpha.gate); close(s.beta.gate); release() }
	a.cast["stand"] = s
	p := a.box("")
	a.cast["reader"] = p
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"register_player","params":{"message_type":"LEAGUE_REGISTER_REQUEST",
		"player_meta":{"display_name":"Reader","contact_endpoint":%q}}}`, p.Endpoint)
	if _, text, _ := p.do(t.Context(), "", http.MethodPost, a.url, p.Secret, body); !strings.Contains(text, protocol.Accepted) {
		t.Fatal(text)
	}
	asked, may := make(chan string, 1), make(chan struct{})
	go p.reads(a.t.Context(), asked, may)
	a.cast["answer"] = sync.OnceFunc(func() { close(may) })
	a.start()
	p.letter = <-asked
	s.alpha.await(t, protocol.TypeChooseParityCall)
	s.alpha.invitation = s.alpha.newest(protocol.TypeGameInvitation).Head().AuthToken
	rpctest.Eventually(t, "Connected is asked", func() bool { return len(a.cast["program"].(*stranger).was(protocol.TypeChooseParityCall)) > 0 })
	return a
}

// connected adds a third-party player behind `league connect`.
func (a *arena) connected() *stranger {
	a.t.Helper()
	program, file := newStranger(a.t, 0, "even"), filepath.Join(a.t.TempDir(), "mailbox.key")
	a.cast["program"], a.cast["key file"] = program, file
	begin := func() (own string) {
		p := start(a.t, "connect", program.url, "--to", a.url, "--key", file, "--port", "0")
		p.says("as its manager's: http://")
		_, own, _ = strings.Cut(p.said(), "as its manager's: ")
		a.cast["connect"] = p
		own, _, _ = strings.Cut(own, "\n")
		return own
	}
	own := begin()
	a.cast["again"] = func() { begin() }
	seed, err := os.ReadFile(file)
	if err != nil {
		a.t.Fatal(err)
	}
	raw, _ := hex.DecodeString(strings.TrimSpace(string(seed)))
	a.cast["connected"] = ed25519.NewKeyFromSeed(raw)
	got := a.register(registration{name: "Connected", endpoint: program.url, to: own})
	if got.Status != protocol.Accepted {
		a.t.Fatal(got.text)
	}
	program.is(got.id())
	return program
}
