package jetstream_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"agentleague/engine"
	"agentleague/engine/line"
)

// A process that stores the first line of a log and dies before it is written has determined the first line.
func TestFirstLineThatWasNotedIsTheFirst(t *testing.T) {
	c := start(t, 1)
	e := c.open(c.options("p"))
	text := line.Append(nil, 1, line.Hash{}, time.Now(), line.Ready([]byte(`["noted"]`)))
	conn, err := nats.Connect(c.nodes[0].ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	api, _ := js.New(conn)
	for _, log := range []string{"read", "append"} {
		note := append(line.AppendHead(nil, 1, line.Of(text)), text...)
		if _, err := api.Publish(t.Context(), "p.head."+log, note); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Append(t.Context(), "append", 0, []byte(`["second"]`)); !errors.Is(err, engine.ErrFenced) {
		t.Errorf("append of another first line: got %v, want %v", err, engine.ErrFenced)
	}
	for _, log := range []string{"read", "append"} {
		var got []string
		for entry, err := range e.Read(t.Context(), log, 0) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(entry.Data))
		}
		if len(got) != 1 || got[0] != `["noted"]` {
			t.Errorf("%s: got %q, want the line that was noted", log, got)
		}
	}
}

// A process that finds a log empty, and then is slow to begin it, detects that others have begun it, unless their lines
// are gone.
func TestLogThatOthersHaveBegunIsTheirs(t *testing.T) {
	c := start(t, 1)
	o := c.options("p")
	slow, quick := c.open(o), c.open(o)
	for _, log := range []string{"begun", "lost"} {
		for _, err := range slow.Read(t.Context(), log, 0) {
			t.Fatalf("%s is to be empty, and has an entry, %v", log, err)
		}
	}
	for n := range uint64(2) {
		if _, err := quick.Append(t.Context(), "begun", n, []byte("[1]")); err != nil {
			t.Fatal(err)
		}
	}
	_ = quick.Close() // with that its head is at 2
	conn, err := nats.Connect(c.nodes[0].ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	api, _ := js.New(conn)
	if _, err := api.Publish(t.Context(), "p.head.lost", line.AppendHead(nil, 2, line.Hash{1})); err != nil {
		t.Fatal(err)
	}
	for log, want := range map[string]error{"begun": engine.ErrFenced, "lost": engine.ErrDamaged} {
		if _, err := slow.Append(t.Context(), log, 0, []byte("[2]")); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", log, err, want)
		}
	}
	n := 0
	for _, err := range slow.Read(t.Context(), "begun", 0) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	if n != 2 {
		t.Errorf("%d entries can be read, want 2", n)
	}
}

// A log without its head may have lost its end, which cannot be detected.
func TestLogWithoutItsHeadIsRefused(t *testing.T) {
	c := start(t, 1)
	o := c.options("p")
	e := c.open(o)
	if _, err := e.Append(t.Context(), "league", 0, []byte("[1]")); err != nil {
		t.Fatal(err)
	}
	_ = e.Close()
	conn, err := nats.Connect(c.nodes[0].ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	api, _ := js.New(conn)
	heads, err := api.Stream(t.Context(), "P_HEAD")
	if err == nil {
		err = heads.Purge(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	e = c.open(o)
	for _, err := range e.Read(t.Context(), "league", 0) {
		if !errors.Is(err, engine.ErrDamaged) {
			t.Fatalf("read: got %v, want %v", err, engine.ErrDamaged)
		}
	}
	if _, err := e.Append(t.Context(), "league", 1, []byte("[2]")); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf("append: got %v, want %v", err, engine.ErrDamaged)
	}
}
