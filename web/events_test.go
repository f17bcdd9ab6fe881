package web

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"agentleague/league"
	"agentleague/league/manager"
)

// A stream is the data that a viewer receives.
type stream struct {
	answer *http.Response
	lines  *bufio.Scanner
}

func listen(ctx context.Context, url, lastSeen string) (*stream, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	if lastSeen != "" {
		r.Header.Set("Last-Event-ID", lastSeen)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return nil, fmt.Errorf("%s: %s", answer.Status, text)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(make([]byte, 0, 4096), 4<<20)
	return &stream{answer, lines}, nil
}

// next returns the next event.
func (s *stream) next() (id uint64, data string, err error) {
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch field {
		case "id":
			id, _ = strconv.ParseUint(value, 10, 64)
		case "data":
			data = value
		case "":
			if id > 0 {
				return id, data, nil
			}
		}
	}
	return 0, "", fmt.Errorf("the stream has ended: %w", s.lines.Err())
}

// until reads up to an entry and checks that none is missing.
func (s *stream) until(t *testing.T, after, last uint64) (text string) {
	t.Helper()
	for after < last {
		id, data, err := s.next()
		if err != nil || id != after+1 {
			t.Fatalf("after entry %d comes %d (%v)", after, id, err)
		}
		after, text = id, text+data
	}
	return text
}

func TestTheLogIsSentFromAnyEntryOnAndThenLive(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 5})
	events := siteOf(t, m) + "/api/v1/leagues/ten/events"
	all, err := listen(t.Context(), events, "")
	if err != nil {
		t.Fatal(err)
	}
	seen := m.Sequence()
	history := all.until(t, 0, seen)
	for _, secret := range []string{"conv-secret", "nonce", "token", "127.0.0.1:1"} {
		if strings.Contains(history, secret) {
			t.Errorf("everybody is told %q", secret)
		}
	}
	first := m.Sequence()
	for n := range 6 {
		order := []func(context.Context, string) error{m.Orders.Pause, m.Orders.Resume}[n%2]
		if err := order(t.Context(), "a test"); err != nil {
			t.Fatal(err)
		}
	}
	live := all.until(t, seen, first+6)
	if !strings.Contains(live, "Paused") || !strings.Contains(live, "Resumed") {
		t.Errorf("live came %s", live)
	}
	middle, err := listen(t.Context(), events, fmt.Sprint(first+2))
	if err != nil {
		t.Fatal(err)
	}
	middle.until(t, first+2, first+6)
	query, err := listen(t.Context(), events+"?after="+fmt.Sprint(first-1), "")
	if err != nil {
		t.Fatal(err)
	}
	query.until(t, first-1, first+6)
	foreign, err := listen(t.Context(), events, "999999") // an entry of another log
	if err != nil {
		t.Fatal(err)
	}
	foreign.until(t, 0, first+6)
	if _, err := listen(t.Context(), events+"?after=soon", ""); err == nil || !strings.Contains(err.Error(), "400") {
		t.Errorf("a wrong number is answered with %v", err)
	}
}

// A viewer whose connection is cut repeatedly, and that continues at its position, misses nothing and receives nothing
// twice.
func TestAViewerThatIsCutOffMissesNothing(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "ten", names: agents(10), started: true, rounds: 1})
	events := siteOf(t, m) + "/api/v1/leagues/ten/events"
	from := m.Sequence()
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		for n := range 200 {
			_ = []func(context.Context, string) error{m.Orders.Pause, m.Orders.Resume}[n%2](t.Context(), "a test")
		}
	}()
	seen := from
	for cuts := 0; seen < from+200; cuts++ {
		ctx, cut := context.WithCancel(t.Context())
		s, err := listen(ctx, events, fmt.Sprint(seen))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 1+cuts%9 && seen < from+200; n++ {
			id, _, err := s.next()
			if err != nil || id != seen+1 {
				t.Fatalf("after entry %d comes %d (%v)", seen, id, err)
			}
			seen = id
		}
		cut()
	}
	<-wrote
}

func TestTooManyViewersAreToldToComeLater(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "ten"})
	server := siteWith(t, Options{
		Host: &leagues{ids: []string{"ten"}, open: map[string]*manager.Manager{"ten": m}}, Viewers: 2,
	})
	events := server + "/api/v1/leagues/ten/events"
	for range 2 {
		if _, err := listen(t.Context(), events, ""); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := listen(t.Context(), events, ""); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("the third is answered with %v", err)
	}
}

// A hub remembers the newest, and no more than it may.
func TestAHubIsBounded(t *testing.T) {
	t.Parallel()
	h := &hub{viewers: 1, pending: chunk{first: 1}}
	const entries = 1500
	for seq := uint64(1); seq <= entries; seq++ {
		e := league.Happened{Seq: seq, At: time.Now()}
		for range 20 {
			e.Events = append(e.Events, league.MatchAssigned{Match: strings.Repeat("x", 190)})
		}
		h.add(t.Context(), e)
	}
	h.mu.Lock()
	h.flush()
	if h.size > hubBytes+2*chunkBytes || h.size < hubBytes/2 {
		t.Errorf("%d bytes are remembered, want about %d", h.size, hubBytes)
	}
	h.mu.Unlock()
	if _, _, _, known := h.after(0); known {
		t.Error("the first entry is remembered for ever")
	}
	for seq := uint64(entries - 10); seq < entries; {
		p, last, _, known := h.after(seq)
		if want := fmt.Sprintf("id: %d\n", seq+1); !known || !strings.HasPrefix(string(p.body), want) {
			t.Fatalf("after %d comes %.40q (%v), want %q", seq, p.body, known, want)
		}
		seq = last
	}
}

// The events with gzip equal those without, from any start.
func TestEventsArePackedForWhoeverUnpacks(t *testing.T) {
	t.Parallel()
	m := seasonOf(t, seasonPlan{id: "over", names: agents(8), started: true, rounds: 7})
	events, last := siteOf(t, m)+"/api/v1/leagues/over/events", m.Sequence()
	hear := func(encoding string, after uint64) (text string) {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		r, _ := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprint(events, "?after=", after), nil)
		r.Header.Set("Accept-Encoding", encoding) // set explicitly, so that the client does not decompress
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body := io.Reader(answer.Body)
		if got := answer.Header.Get("Content-Encoding"); (got == "gzip") != (encoding == "gzip") {
			t.Errorf("asked for %q, got %q", encoding, got)
		} else if got != "" {
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		for lines := bufio.NewScanner(body); lines.Scan(); {
			if text += lines.Text() + "\n"; lines.Text() == fmt.Sprint("id: ", last) {
				return text
			}
		}
		t.Fatalf("%q after %d: the stream has ended", encoding, after)
		return ""
	}
	for _, after := range []uint64{0, 1, last - 1} {
		if plain, packed := hear("identity", after), hear("gzip", after); plain != packed ||
			!strings.Contains(plain, fmt.Sprint("\nid: ", after+1, "\n")) {
			t.Errorf("after %d: %d bytes, and %d that were packed", after, len(plain), len(packed))
		}
	}
}

// Pieces fit into any body, in any order.
func FuzzPieces(f *testing.F) {
	f.Add([]byte("id: 1\n"), []byte(":\n\n"), uint8(3))
	f.Fuzz(func(t *testing.T, a, b []byte, order uint8) {
		packed, want := []byte(packHead), []byte(nil)
		for range 8 {
			next := a
			if order&1 == 1 {
				next = b
			}
			packed, want, order = append(packed, packPiece(next)...), append(want, next...), order>>1
		}
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) || !bytes.Equal(got, want) {
			t.Errorf("got %q (%v), want %q", got, err, want)
		}
	})
}

func TestNoticesAreJSON(t *testing.T) {
	t.Parallel()
	for _, e := range []league.Event{
		league.Created{}, league.Epoch{}, league.Registered{Name: "\u2028\n<b>"}, league.Started{},
		league.ResultRecorded{Match: "R1M1"}, league.Completed{},
	} {
		text := string(appendEvent(nil, league.Happened{Seq: 7, Events: []league.Event{e}}))
		_, data, _ := strings.Cut(text, "data: ")
		var n Notice
		if err := json.Unmarshal([]byte(data), &n); err != nil || n.Seq != 7 || n.Events[0].Kind == "" ||
			strings.Count(text, "\n") != 3 {
			t.Errorf("%T: %q (%v)", e, text, err)
		}
	}
}
