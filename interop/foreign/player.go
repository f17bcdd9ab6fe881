package foreign

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// A Player serves one persona on a free port. It follows the rules of Even/Odd: it joins when invited and chooses
// "even" or "odd".
type Player struct {
	Persona
	ledger
	server  *lateServer
	calling sync.WaitGroup

	mu       sync.Mutex
	id       string
	token    string
	status   string            // the word with which it was admitted
	counter  int               // of its request ids
	playing  map[string]string // match to choice, from invitation to result
	referees map[string]string // match to endpoint, as announced
	ended    map[string]bool   // the matches with a received result
}

// NewPlayer starts a player. With ListenLate the player only reserves a port, and listens once it is registered. For
// FramingMCP use package mcpserver; NewPlayer returns an error.
func NewPlayer(persona Persona) (*Player, error) {
	if persona.Framing == FramingMCP {
		return nil, errors.New("a real MCP server is made by package mcpserver")
	}
	return newPlayer(persona, nil)
}

// NewPlayerWith starts a player that serves another HTTP handler, which may call [Player.Answer] with the unpacked
// messages.
func NewPlayerWith(persona Persona, handler func(*Player) http.Handler) (*Player, error) {
	return newPlayer(persona, handler)
}

// newPlayer starts a player, or returns an error if the persona fails [Persona.Check]. A player that listens late
// refuses connections until then.
func newPlayer(persona Persona, handler func(*Player) http.Handler) (*Player, error) {
	if err := persona.Check(); err != nil {
		return nil, err
	}
	p := &Player{Persona: persona, playing: map[string]string{}, referees: map[string]string{}, ended: map[string]bool{}}
	h := http.Handler(p)
	if handler != nil {
		h = handler(p)
	}
	p.server = &lateServer{http: &http.Server{Handler: p.route(h), ReadHeaderTimeout: 5 * time.Second}}
	if persona.ListenLate > 0 {
		return p, p.server.reserve()
	}
	return p, p.server.listen(0)
}

// Endpoint returns the URL that the player registers.
func (p *Player) Endpoint() string {
	return fmt.Sprintf("http://localhost:%d%s", p.server.port, p.Path)
}

// ID is the id that the manager granted.
func (p *Player) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.id
}

// Status returns the status word with which the manager accepted the registration.
func (p *Player) Status() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// Completed returns the number of distinct matches with a received result.
func (p *Player) Completed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.ended)
}

// Close stops the server and waits for callbacks in progress.
func (p *Player) Close() {
	p.server.close()
	p.calling.Wait()
}

// route serves the player's path and, if the persona has one, a health check. All other paths do not exist.
func (p *Player) route(own http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case p.Framing != FramingREST && r.URL.Path == orElse(p.Serves, orElse(p.Path, "/")) || p.hasPath(r.URL.Path):
			own.ServeHTTP(w, r)
		case p.Serves != "" && r.URL.Path == p.Serves+"/":
			http.Redirect(w, r, p.Serves, http.StatusTemporaryRedirect)
		case r.URL.Path == "/health" && p.Health:
			_, _ = io.WriteString(w, `{"status":"ok"}`)
		default:
			if r.Method == http.MethodPost {
				body, _ := io.ReadAll(r.Body)
				p.note(Heard{Kind: KindOf(body), Status: http.StatusNotFound, Refused: true, Body: string(body)})
			}
			http.NotFound(w, r)
		}
	})
}

// hasPath reports whether a REST persona serves a path.
func (p Persona) hasPath(at string) bool {
	if p.Framing != FramingREST {
		return false
	}
	for _, name := range p.Names {
		if at == strings.TrimSuffix(p.Path, "/")+"/"+p.Spelling.write(name) {
			return true
		}
	}
	return false
}

// ServeHTTP answers requests in the persona's framing.
func (p *Player) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if reply := otherTools(body); p.Tools && reply != nil {
		p.note(Heard{Kind: KindOf(body), Status: reply.status, Refused: true, Body: string(body)})
		reply.send(w)
		return
	}
	c, refused := p.read(r.URL.Path, body)
	reply := refused
	if refused == nil {
		reply = p.answer(c)
	} else {
		c.kind = KindOf(body)
	}
	p.note(Heard{Kind: c.kind, Status: reply.status, Refused: refused != nil, Body: string(body)})
	reply.send(w)
}
