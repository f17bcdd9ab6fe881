package attack_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"agentleague/protocol"
)

// relays are managers that are none. A player comes to them by mistake, and they take it to the true one as their own.
func relays() family {
	return family{name: "relays", lenient: true, scene: classroom, after: playsItOut, attacks: []attack{
		{name: "passes a registration on", want: "E022", try: func(a *arena) answer {
			seen := make(chan answer, 16)
			evil := relay(a, func(body []byte) []byte { return body }, seen)
			victim := start(a.t, "player", "--root", a.t.TempDir(), "--port", "0", "--manager", evil.URL+"/mcp",
				"--name", "Victim")
			got := <-seen
			victim.says("another manager")
			return got
		}},
		{name: "passes a registration on with its own address, and the welcome back", want: "E012",
			told: "is not of the key that was registered", try: func(a *arena) answer {
				seen := make(chan answer, 16)
				// where the player is, and the false manager
				victim, lies := make(chan string, 1), make(chan string, 1)
				between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					// the proxy listens at the endpoint that the player registered
					body, _ := io.ReadAll(r.Body)
					at, evil := <-victim, <-lies
					victim <- at
					lies <- evil
					here := strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1) + "/mcp"
					body = bytes.ReplaceAll(body, []byte(a.url), []byte(evil))
					body = bytes.ReplaceAll(body, []byte(here), []byte(at))
					forward(w, at, body)
				}))
				a.t.Cleanup(between.Close)
				evil := relay(a, func(body []byte) []byte {
					var call struct {
						Params struct {
							Meta protocol.AgentMeta `json:"player_meta"`
						}
					}
					_ = json.Unmarshal(body, &call)
					select {
					case victim <- call.Params.Meta.ContactEndpoint:
					default:
					}
					return []byte(strings.Replace(string(body), call.Params.Meta.ContactEndpoint,
						strings.Replace(between.URL, "127.0.0.1", "localhost", 1)+"/mcp", 1))
				}, seen)
				lies <- evil.URL + "/mcp"
				start(a.t, "player", "--root", a.t.TempDir(), "--port", "0", "--manager", evil.URL+"/mcp", "--name", "Victim")
				return <-seen
			}},
	}}
}

// relay is a proxy that forwards each request to the real manager after a change, and sends the answers to seen.
func relay(a *arena, change func([]byte) []byte, seen chan<- answer) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := forward(w, a.url, change(body))
		select {
		case seen <- readAny(text):
		default:
		}
	}))
	a.t.Cleanup(s.Close)
	return s
}

// forward sends a body to an endpoint and passes the answer on.
func forward(w http.ResponseWriter, to string, body []byte) []byte {
	resp, err := http.Post(to, "application/json", bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return nil
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(text)
	return text
}

func readAny(text []byte) answer { return read(&testing.T{}, text) }
