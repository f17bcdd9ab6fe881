package mailbox

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A puller is an agent that pulls.
type puller struct {
	*world
	ID       string `json:"id"`
	Secret   string `json:"secret"`
	Endpoint string `json:"contact_endpoint"`
	Next     string `json:"next"`
	Answer   string `json:"answer"`
}

// do makes a request with the secret of the mailbox, and returns the response and its body. It is safe for concurrent use.
func (p *puller) do(t *testing.T, method, address, body string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return &http.Response{}, ""
	}
	r.Header.Set("Authorization", "Bearer "+p.Secret)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := p.client.Do(r)
	if err != nil {
		t.Error(err)
		return &http.Response{}, ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
		return &http.Response{}, ""
	}
	return resp, string(text)
}

// create opens a mailbox from an address.
func (w *world) create(t *testing.T, peer string) (*puller, int) {
	t.Helper()
	p := &puller{world: w}
	resp, text := p.do(t, http.MethodPost, "http://localhost:8000/mailboxes", "", "Peer", peer)
	if resp.StatusCode == http.StatusCreated {
		if err := json.Unmarshal([]byte(text), p); err != nil {
			t.Fatal(err)
		}
	}
	return p, resp.StatusCode
}

// post posts a letter to the agent in the background. The channel receives its answer or error.
func (p *puller) post(t *testing.T, body string) <-chan string {
	got := make(chan string, 1)
	go func() {
		_, answer, err := p.office.Post(t.Context(), p.Endpoint, []byte(body))
		if err != nil {
			answer = []byte(err.Error())
		}
		got <- string(answer)
	}()
	return got
}

func TestPull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		p, _ := w.create(t, "192.0.2.1")
		start := time.Now()
		if resp, _ := p.do(t, http.MethodGet, p.Next, ""); resp.StatusCode != http.StatusNoContent || time.Since(start) != 25*time.Second {
			t.Errorf("without a letter: status %d after %s", resp.StatusCode, time.Since(start))
		}
		got := p.post(t, "question")
		resp, body := p.do(t, http.MethodGet, p.Next, "")
		if resp.StatusCode != http.StatusOK || body != "question" {
			t.Fatalf("the letter: status %d, %q", resp.StatusCode, body)
		}
		letter := resp.Header.Get(answerTo)
		for range 2 { // the client may not have received the first response
			if resp, text := p.do(t, http.MethodPost, p.Answer+letter, "answer"); resp.StatusCode != http.StatusAccepted {
				t.Errorf("the answer: status %d, %s", resp.StatusCode, text)
			}
		}
		if a := <-got; a != "answer" {
			t.Errorf("the manager received %q", a)
		}
	})
}

func TestUnansweredLetterIsOfferedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		p, _ := w.create(t, "192.0.2.1")
		got := p.post(t, "question")
		first, _ := p.do(t, http.MethodGet, p.Next, "")
		start := time.Now()
		if again, _ := p.do(t, http.MethodGet, p.Next, ""); again.StatusCode != http.StatusNoContent {
			t.Errorf("before 30 seconds: status %d", again.StatusCode)
		}
		again, _ := p.do(t, http.MethodGet, p.Next, "")
		if again.Header.Get(answerTo) != first.Header.Get(answerTo) || time.Since(start) != 30*time.Second {
			t.Errorf("letter %q after %s", again.Header.Get(answerTo), time.Since(start))
		}
		p.do(t, http.MethodPost, p.Answer+first.Header.Get(answerTo), "one")
		if a := <-got; a != "one" {
			t.Errorf("the manager received %q", a)
		}
	})
}

func TestNewerRequestEndsTheOlder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		p, _ := w.create(t, "192.0.2.1")
		older := make(chan int, 1)
		go func() {
			resp, _ := p.do(t, http.MethodGet, p.Next, "")
			older <- resp.StatusCode
		}()
		synctest.Wait()
		go p.do(t, http.MethodGet, p.Next, "")
		if status := <-older; status != http.StatusNoContent {
			t.Errorf("the older request: status %d", status)
		}
		got := p.post(t, "x")
		time.Sleep(time.Second)
		if w.office.find(p.ID).Waiting() != 1 {
			t.Error("the letter is not open")
		}
		_ = got
	})
}

// The mailbox of one agent is closed to all others.
func TestOnlyTheSecretOpensAMailbox(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		p, _ := w.create(t, "192.0.2.1")
		other, _ := w.create(t, "192.0.2.1")
		got := p.post(t, "question")
		resp, _ := p.do(t, http.MethodGet, p.Next, "")
		letter := resp.Header.Get(answerTo)
		stranger := &puller{world: w}
		for _, c := range []struct {
			as              *puller
			method, address string
			want            int
		}{
			{stranger, http.MethodGet, p.Next, http.StatusUnauthorized},
			{other, http.MethodGet, p.Next, http.StatusForbidden},
			{stranger, http.MethodPost, p.Answer + letter, http.StatusUnauthorized},
			{other, http.MethodPost, p.Answer + letter, http.StatusForbidden},
			{other, http.MethodPost, other.Answer + letter, http.StatusGone},
			{p, http.MethodPost, p.Answer + nonce(), http.StatusGone},
		} {
			if resp, text := c.as.do(t, c.method, c.address, "forged"); resp.StatusCode != c.want {
				t.Errorf("%s %s: status %d, want %d: %s", c.method, c.address, resp.StatusCode, c.want, text)
			}
		}
		p.do(t, http.MethodPost, p.Answer+letter, "true")
		if a := <-got; a != "true" {
			t.Errorf("the manager received %q", a)
		}
	})
}

func TestAddressesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		registered := map[string]bool{}
		w := newWorld(t, Limits{New: 8, Unused: 4, Connections: 2}, func(id string) bool { return registered[id] })
		var mine []*puller
		for i := range 6 {
			p, status := w.create(t, "192.0.2.1")
			if (status == http.StatusCreated) != (i < 4) {
				t.Errorf("mailbox %d: status %d", i, status)
			}
			mine = append(mine, p)
		}
		if _, status := w.create(t, "192.0.2.2"); status != http.StatusCreated {
			t.Errorf("another address: status %d", status)
		}
		waiting := func(p *puller) <-chan int {
			out := make(chan int, 1)
			go func() {
				resp, _ := p.do(t, http.MethodGet, p.Next, "", "Peer", "192.0.2.1")
				out <- resp.StatusCode
			}()
			synctest.Wait()
			return out
		}
		a, b := waiting(mine[0]), waiting(mine[1])
		if status := <-waiting(mine[2]); status != http.StatusTooManyRequests {
			t.Errorf("a third connection: status %d", status)
		}
		registered[mine[3].ID] = true
		c := waiting(mine[3])
		for _, status := range []int{<-a, <-b, <-c} {
			if status != http.StatusNoContent {
				t.Errorf("a waiting request: status %d", status)
			}
		}
		time.Sleep(11 * time.Minute)
		if _, status := w.create(t, "192.0.2.1"); status != http.StatusCreated {
			t.Errorf("after the end of the unused ones: status %d", status)
		}
	})
}

// An agent keeps its mailbox through a restart of the manager without creating it again.
func TestSecretOpensTheMailboxAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{}, nil)
		p, _ := w.create(t, "192.0.2.1")
		w.office = NewOffice(Limits{}, nil)
		p.post(t, "question")
		if resp, body := p.do(t, http.MethodGet, p.Next, ""); body != "question" {
			t.Errorf("status %d, %q", resp.StatusCode, body)
		}
	})
}

func TestFloodOfOneMailboxLeavesOthersAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, Limits{Letters: 4, Rate: 1000, Body: 1000}, nil)
		loud, _ := w.create(t, "192.0.2.1")
		quiet, _ := w.create(t, "192.0.2.1")
		refused := false
		for range 10 {
			resp, text := loud.do(t, http.MethodPost, loud.Answer+nonce(), strings.Repeat("x", 900))
			refused = refused || resp.StatusCode == http.StatusTooManyRequests && strings.Contains(text, "mailboxes.bytes_per_second")
		}
		if !refused {
			t.Error("the flood was not refused")
		}
		for range 4 {
			loud.post(t, "x")
		}
		synctest.Wait()
		if a := <-loud.post(t, "x"); !strings.Contains(a, "open letters") {
			t.Errorf("the fifth letter: %q", a)
		}
		got := quiet.post(t, "question")
		resp, _ := quiet.do(t, http.MethodGet, quiet.Next, "")
		quiet.do(t, http.MethodPost, quiet.Answer+resp.Header.Get(answerTo), "answer")
		if a := <-got; a != "answer" {
			t.Errorf("the quiet mailbox: %q", a)
		}
	})
}
