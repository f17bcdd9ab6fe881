package check_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"agentleague/rpc"
)

// A deviation is one thing that an agent does wrong. Every function may be nil.
type deviation struct {
	ask  func(f *deviant, request, message object)        // changes a request before the agent sees it
	tell func(f *deviant, message, answer, result object) // changes an answer; message is that of the request
	raw  func(f *deviant, w http.ResponseWriter, r *http.Request, body []byte) bool
	// changes a message of the agent; if it returns an answer, the message is not sent
	send func(f *deviant, message object) (instead []byte)
	hear func(f *deviant, message object, answer []byte) []byte
}

type object = map[string]any

// A deviant stands before a correct agent and makes it deviate.
type deviant struct {
	inner http.Handler
	deviation

	mu    sync.Mutex
	notes map[string]string
	noted chan struct{} // closed at the next note
	seen  map[string]int
	open  int

	inOrder any // see recalls

	token func() string // T of an agent that authenticates its messages, changed ones included; nil: it does not
}

func newDeviant(d deviation) *deviant {
	return &deviant{deviation: d, notes: map[string]string{}, noted: make(chan struct{}), seen: map[string]int{}}
}

// nth counts events; the first call returns 1.
func (f *deviant) nth(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen[what]++
	return f.seen[what]
}

func (f *deviant) keep(name, value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.notes[name] == "" {
		f.notes[name] = value
		close(f.noted)
		f.noted = make(chan struct{})
	}
}

// await waits until a note is kept.
func (f *deviant) await(name string) {
	for {
		f.mu.Lock()
		there, next := f.notes[name] != "", f.noted
		f.mu.Unlock()
		if there {
			return
		}
		<-next
	}
}

func (f *deviant) kept(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.notes[name]
}

// crowded reports whether more than `most` requests are in progress.
func (f *deviant) crowded(most int) (crowded bool, leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open++
	return f.open > most, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.open--
	}
}

func (f *deviant) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if f.raw != nil && f.raw(f, w, r, body) {
		return
	}
	var request object
	if r.Method != http.MethodPost || len(body) > 64<<10 || decode(body, &request) != nil ||
		bytes.Contains(body, []byte(`"a":1,"a":2`)) {
		r.Body = io.NopCloser(bytes.NewReader(body))
		f.inner.ServeHTTP(w, r)
		return
	}
	message, _ := request["params"].(object)
	if message == nil {
		message = object{}
	}
	original := clone(message)
	if f.ask != nil {
		f.ask(f, request, message)
		body, _ = json.Marshal(request)
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer := &recording{header: http.Header{}, status: http.StatusOK}
	f.inner.ServeHTTP(answer, r)
	var out object
	if f.tell != nil && decode(answer.Bytes(), &out) == nil {
		result, _ := out["result"].(object)
		f.tell(f, original, out, result)
		answer.Reset()
		_ = json.NewEncoder(answer).Encode(out)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.Bytes())
}

func clone(o object) (out object) {
	b, _ := json.Marshal(o)
	_ = decode(b, &out)
	return out
}

func decode(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}

type recording struct {
	bytes.Buffer
	header http.Header
	status int
}

func (r *recording) Header() http.Header    { return r.header }
func (r *recording) WriteHeader(status int) { r.status = status }

// hangUp ends a connection without an answer.
func hangUp(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = c.Close()
	}
}

// A hasty network changes the messages of its agent and has short timeouts.
type hasty struct {
	*rpc.HTTP
	deviant *deviant
}

func (h hasty) Sleep(ctx context.Context, label string, d time.Duration) error {
	return h.HTTP.Sleep(ctx, label, d/50)
}

func (h hasty) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	var request object
	if decode(body, &request) == nil && h.deviant.send != nil {
		if message, ok := request["params"].(object); ok {
			as := clone(message)
			if instead := h.deviant.send(h.deviant, message); instead != nil {
				return http.StatusOK, instead, nil
			}
			if !reflect.DeepEqual(message, as) {
				h.deviant.authenticate(message, as["auth_token"])
				body, _ = json.Marshal(request)
			}
		}
	}
	status, answer, err := h.HTTP.Post(ctx, url, label, body)
	if message, ok := request["params"].(object); ok && h.deviant.hear != nil {
		answer = h.deviant.hear(h.deviant, message, answer)
	}
	return status, answer, err
}

// authenticate gives a changed message a valid token for its new content, if it had a valid one before.
func (f *deviant) authenticate(m object, before any) {
	const prefix = "tok_agent_REF01_"
	if was, _ := m["auth_token"].(string); f.token == nil || !strings.HasPrefix(was, prefix) || m["auth_token"] != before {
		return
	}
	m["auth_token"] = ""
	text, _ := json.Marshal(m)
	sum := sha256.Sum256(text)
	mac := hmac.New(sha256.New, []byte(f.token()))
	part := func(name string) string { s, _ := m[name].(string); return s }
	mac.Write([]byte(strings.Join([]string{"agent", part("league_id"), part("message_type"), part("match_id"),
		part("conversation_id"), hex.EncodeToString(sum[:])}, "\n")))
	m["auth_token"] = prefix + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// listen serves a deviant on a free port.
func (f *deviant) listen(t *testing.T, inner http.Handler) string {
	t.Helper()
	f.inner = inner
	server, err := rpc.Listen(0)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, f) }()
	t.Cleanup(func() { stop(); <-ended })
	return server.URL()
}

// at reads a member by its dotted path.
func at(o object, path string) any {
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		return o[name]
	}
	inner, _ := o[name].(object)
	return at(inner, rest)
}

// put sets a member by its dotted path; nil removes it.
func put(o object, path string, value any) {
	name, rest, nested := strings.Cut(path, ".")
	switch inner, _ := o[name].(object); {
	case nested && inner != nil:
		put(inner, rest, value)
	case !nested && value == nil:
		delete(o, name)
	case !nested && o != nil:
		o[name] = value
	}
}
