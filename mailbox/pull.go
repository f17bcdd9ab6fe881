package mailbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"agentleague/protocol"
)

// pullWait is how long a request for the next letter waits: less than proxies permit.
const pullWait = 25 * time.Second

// answerTo is the header with the id of a letter.
const answerTo = "Answer-To"

// A Site is the manager to which a request for a mailbox is addressed.
type Site struct {
	Manager string          // the address of its endpoint, as the client calls it
	Seal    string          // of its league
	Peer    string          // the client, for the limits of its address
	Life    context.Context // of the league here: its end closes the connections; nil: they end with their requests
	Others  []string        // the addresses of the other managers of the cluster, without a path
	Secure  bool            // the connection is encrypted, or does not leave this machine

	// Receive answers a message from the owner of a mailbox to the manager.
	Receive func(ctx context.Context, id string, body []byte) Answer
	// Warn tells the organizer a sentence. It may be nil.
	Warn func(text string)
	// Second is called after another process of the agent's end has opened a mailbox whose connection from an address
	// was open. It may be nil.
	Second func(id, older string)
}

// warn names a request to the organizer that was refused for its key or a bound.
func (at Site) warn(no *Refusal) {
	switch no.Status {
	case http.StatusForbidden, http.StatusTooManyRequests, http.StatusRequestEntityTooLarge:
		if at.Warn != nil {
			at.Warn("a request for a mailbox was refused: " + no.Reason)
		}
	}
}

// Serve answers a request to a path that begins with /mailboxes:
//
//	POST /mailboxes                    creates a mailbox: {"id", "secret", "endpoint", …}
//	GET  /mailboxes/ID/next            waits for the next letter
//	POST /mailboxes/ID/answer/LETTER   answers a letter
//	GET  /mailboxes/connect            a WebSocket, see [Dial]
func (o *Office) Serve(w http.ResponseWriter, r *http.Request, path string, at Site) {
	part := strings.Split(strings.Trim(path, "/"), "/")[1:]
	err := error(&Refusal{http.StatusNotFound, "want POST /mailboxes, GET /mailboxes/ID/next, POST /mailboxes/ID/answer/LETTER, " +
		"or a WebSocket at /mailboxes/connect"})
	switch {
	case len(part) == 0 && r.Method == http.MethodPost:
		err = o.create(w, at)
	case len(part) == 1 && part[0] == "connect" && r.Method == http.MethodGet:
		err = o.connect(w, r, at)
	case len(part) == 2 && part[1] == "next" && r.Method == http.MethodGet:
		err = o.next(w, r, part[0], at)
	case len(part) == 3 && part[1] == "answer" && r.Method == http.MethodPost:
		err = o.answer(w, r, part[0], part[2], at)
	}
	var no *Refusal
	if errors.As(err, &no) {
		at.warn(no)
		http.Error(w, no.Reason, no.Status)
	}
}

// create answers POST /mailboxes with a new secret.
func (o *Office) create(w http.ResponseWriter, at Site) error {
	secret := newSecret()
	id, _ := protocol.MailboxOfSecret(secret)
	if _, err := o.open(id, at.Peer); err != nil {
		return err
	}
	base := strings.TrimSuffix(at.Manager, "/mcp") + "/mailboxes/" + id
	if !at.Secure && at.Warn != nil {
		at.Warn("a mailbox is used without https: its secret can be read on the way")
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusCreated)
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(struct {
		ID       string `json:"id"`
		Secret   string `json:"secret"`
		Endpoint string `json:"contact_endpoint"`
		Next     string `json:"next"`
		Answer   string `json:"answer"`
		Manager  string `json:"manager"`
	}{id, secret, Endpoint(id), base + "/next", base + "/answer/", at.Manager})
}

// shown returns the mailbox of the secret that a request shows.
func (o *Office) shown(r *http.Request, id string, at Site) (*entry, error) {
	secret, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch of, ok := protocol.MailboxOfSecret(strings.TrimSpace(secret)); {
	case !bearer || !ok:
		return nil, &Refusal{http.StatusUnauthorized,
			"want the header Authorization: Bearer SECRET, with the secret that POST /mailboxes returned"}
	case of != id:
		return nil, &Refusal{http.StatusForbidden, "this secret is not that of the mailbox in the address"}
	}
	return o.open(id, at.Peer)
}

// next answers a request for the next letter.
func (o *Office) next(w http.ResponseWriter, r *http.Request, id string, at Site) error {
	e, err := o.shown(r, id, at)
	if err != nil {
		return err
	}
	leave, err := o.enter(id, at.Peer)
	if err != nil {
		return err
	}
	defer leave()
	e.connected(byPull, at.Peer)
	ctx, cancel := context.WithTimeout(r.Context(), pullWait)
	defer cancel()
	if at.Life != nil { // the letters of a league that moves to another manager are there
		defer context.AfterFunc(at.Life, cancel)()
	}
	reader := e.Poll()
	l, err := reader.Next(ctx)
	if err != nil {
		reader.Done()
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(l.Body)))
	h.Set(answerTo, l.ID)
	if !l.Deadline.IsZero() {
		h.Set("Deadline-Ms", strconv.FormatInt(max(0, time.Until(l.Deadline).Milliseconds()), 10))
	}
	_, err = w.Write(l.Body)
	if flush := http.NewResponseController(w).Flush(); err != nil || flush != nil || r.Context().Err() != nil {
		reader.Lost()
		return nil
	}
	reader.Done()
	return nil
}

// answer passes on the answer to a letter.
func (o *Office) answer(w http.ResponseWriter, r *http.Request, id, letter string, at Site) error {
	e, err := o.shown(r, id, at)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, o.limits.Body))
	if err != nil {
		return refuse(http.StatusRequestEntityTooLarge, "an answer has at most %d bytes (mailboxes.max_bytes)", o.limits.Body)
	}
	if !e.inlet.AllowN(time.Now(), len(body)) {
		return refuse(http.StatusTooManyRequests, "a mailbox accepts %d bytes per second (mailboxes.bytes_per_second); send less",
			o.limits.Rate)
	}
	if err := e.Answer(letter, Answer{Body: body}); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}
