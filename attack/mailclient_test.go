package attack_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/coder/websocket"

	"agentleague/mailbox"
	"agentleague/protocol"
)

// A pulled is a mailbox that is read by HTTP requests.
type pulled struct {
	ID, Secret, Next, Answer string
	Endpoint                 string `json:"contact_endpoint"`
	letter                   string // a call for a choice, which is not answered yet
}

func (a *arena) reader() *pulled { return a.cast["reader"].(*pulled) }

// reads answers all letters, calls for a choice only once it may.
func (p *pulled) reads(ctx context.Context, asked chan<- string, may <-chan struct{}) {
	for ctx.Err() == nil {
		status, body, letter := p.do(ctx, "", http.MethodGet, p.Next, p.Secret, "")
		if status != http.StatusOK {
			continue
		}
		answers := chooses("even")
		if strings.Contains(body, string(protocol.TypeChooseParityCall)) {
			select {
			case asked <- letter:
			default:
			}
			select {
			case <-may:
			case <-ctx.Done():
			}
		}
		p.do(ctx, "", http.MethodPost, p.Answer+letter, p.Secret, answers)
	}
}

// chooses is an answer to any letter.
func chooses(parity string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"status":"ok","accept":true,"parity_choice":%q}}`, parity)
}

// do makes a request from an address with a secret. Status 0 means that the test has ended.
func (*pulled) do(ctx context.Context, from, method, url, secret, body string) (status int, text, letter string) {
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return 0, err.Error(), ""
	}
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	resp, err := callerAt(from).Do(r)
	if err != nil {
		return 0, err.Error(), ""
	}
	defer resp.Body.Close()
	out, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(out), resp.Header.Get("Answer-To")
}

// callerAt returns a client whose connections come from an address.
func callerAt(from string) *http.Client {
	dialer := &net.Dialer{}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, at string) (net.Conn, error) {
		return dialer.DialContext(ctx, "tcp4", at)
	}}}
}

func (a *arena) asks(method, url, secret, body string) answer {
	return a.asksFrom("", method, url, secret, body)
}

// asksFrom makes a request, and returns its status as the code of the answer.
func (a *arena) asksFrom(from, method, url, secret, body string) answer {
	a.t.Helper()
	status, text, _ := (*pulled)(nil).do(a.t.Context(), from, method, url, secret, body)
	return answer{Code: fmt.Sprint(status), text: text}
}

// box opens a mailbox from an address.
func (a *arena) box(from string) *pulled {
	a.t.Helper()
	p := &pulled{}
	status, text, _ := p.do(a.t.Context(), from, http.MethodPost, strings.TrimSuffix(a.url, "/mcp")+"/mailboxes", "", "")
	if err := json.Unmarshal([]byte(text), p); err != nil {
		a.t.Fatalf("status %d: %s", status, text)
	}
	return p
}

// calls posts a call for a choice to the address at which referees reach a player with a mailbox.
func (a *arena) calls(name, token string) answer {
	a.t.Helper()
	id := a.idOf(name)
	m := forged(protocol.TypeChooseParityCall, "referee:REF01", token, message{"round_id": 1, "match_id": a.matchOf(id), "player_id": id,
		"game_type": "even_odd"})
	body, _ := json.Marshal(message{"jsonrpc": "2.0", "id": 1, "method": "choose_parity", "params": m})
	return a.asks(http.MethodPost, protocol.RelayAddress(strings.TrimSuffix(a.url, "/mcp"), leagueID, id), "", string(body))
}

// own is a key of the attacker.
func own() ed25519.PrivateKey {
	_, key, _ := ed25519.GenerateKey(nil)
	return key
}

func (a *arena) link(from string) *mailbox.Link { return a.linkOf(own(), from) }

// linkOf opens the mailbox of a key.
func (a *arena) linkOf(key ed25519.PrivateKey, from string) *mailbox.Link {
	a.t.Helper()
	link, err := mailbox.Dial(context.WithoutCancel(a.t.Context()), mailbox.Config{Manager: a.url, Key: key, Client: callerAt(from),
		Deliver: func(context.Context, []byte) mailbox.Answer { return mailbox.Answer{Body: []byte(chooses("odd"))} }})
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(link.Close)
	return link
}

// sends sends a message to the manager over a link.
func (a *arena) sends(link *mailbox.Link, method string, m message) answer {
	a.t.Helper()
	body, _ := json.Marshal(message{"jsonrpc": "2.0", "id": 1, "method": method, "params": m})
	got, err := link.Send(a.t.Context(), body)
	if err != nil {
		a.t.Fatal(err)
	}
	return read(a.t, got.Body)
}

// dials opens a WebSocket from an address, without a handshake.
func (a *arena) dials(from string) (*websocket.Conn, *http.Response, error) {
	return websocket.Dial(a.t.Context(), strings.TrimSuffix(a.url, "/mcp")+"/mailboxes/connect", &websocket.DialOptions{HTTPClient: callerAt(from)})
}

// handshakes opens the mailbox of a key, or of another one whose public key it shows.
func (a *arena) handshakes(key ed25519.PrivateKey, shown string) *websocket.Conn {
	a.t.Helper()
	conn, _, err := a.dials("")
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = conn.CloseNow() })
	conn.SetReadLimit(8 << 20)
	var hello struct{ Nonce, Manager, Seal string }
	_, text, err := conn.Read(a.t.Context())
	if err == nil {
		err = json.Unmarshal(text, &hello)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	if shown == "" {
		shown = protocol.PublicKey(key)
	}
	public, _ := protocol.ParsePublicKey(shown)
	nonce := strings.Repeat("0", 32)
	signed := strings.Join([]string{"league.mailbox.v1", hello.Manager, hello.Seal, mailbox.OfKey(public), hello.Nonce, nonce}, "\n")
	text, _ = json.Marshal(message{"type": "open", "key": shown, "nonce": nonce, "instance": "1", "signature": protocol.Sign(key, signed)})
	if err := conn.Write(a.t.Context(), websocket.MessageText, text); err != nil {
		a.t.Fatal(err)
	}
	return conn
}

// closing reads until the manager closes a connection, and returns the status that the reason stands for.
func closing(ctx context.Context, conn *websocket.Conn) answer {
	for {
		_, _, err := conn.Read(ctx)
		if err == nil {
			continue
		}
		got := answer{text: err.Error()}
		switch {
		case websocket.CloseStatus(err) == websocket.StatusMessageTooBig, strings.Contains(err.Error(), "mailboxes.max_bytes"):
			got.Code = "413"
		case websocket.CloseStatus(err) == websocket.StatusPolicyViolation:
			got.Code = "403"
		}
		return got
	}
}

// closedAfter opens a mailbox, does something with its connection, and returns why the manager closes it.
func (a *arena) closedAfter(do func(conn *websocket.Conn)) answer {
	a.t.Helper()
	conn := a.handshakes(own(), "")
	do(conn)
	return closing(a.t.Context(), conn)
}

// letters sends many letters to the manager at once, and returns the status of the first that is refused.
func (a *arena) letters(n int) answer {
	a.t.Helper()
	conn := a.handshakes(own(), "")
	register := forged(protocol.TypeLeagueRegisterRequest, "player:x", "", message{"player_meta": message{"display_name": "Pit",
		"contact_endpoint": "http://192.0.2.1:9/mcp", "public_key": "x"}})
	for i := range n {
		body, _ := json.Marshal(message{"jsonrpc": "2.0", "id": 1, "method": "register_player", "params": register})
		text, _ := json.Marshal(message{"type": "letter", "id": fmt.Sprint(i), "body": string(body)})
		if err := conn.Write(a.t.Context(), websocket.MessageText, text); err != nil {
			a.t.Fatal(err)
		}
	}
	for range n + 1 { // and the frame that opens the mailbox
		_, text, err := conn.Read(a.t.Context())
		var f struct{ Status int }
		if err != nil || json.Unmarshal(text, &f) != nil {
			return answer{text: fmt.Sprint(err)}
		}
		if f.Status == http.StatusTooManyRequests {
			return answer{Code: "429", text: string(text)}
		}
	}
	return answer{text: "none was refused"}
}
