package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/slogtest"
	"testing/synctest"
	"time"
	"unicode"

	"agentleague/protocol"
	"agentleague/store"
	"agentleague/store/logs"
)

const agentFile = "logs/agents/P01.log.jsonl"

// registered returns a logger of P01 with all levels.
func registered(t testing.TB, root *store.Root) (*slog.Logger, *logs.Log) {
	t.Helper()
	log, err := root.Logs().Agent(protocol.RolePlayer, "", "P01", slog.LevelDebug)
	mustSucceed(t, err)
	mustSucceed(t, log.Registered("", "P01"))
	t.Cleanup(func() { log.Close() })
	return slog.New(log.Handler()), log
}

func lines(t testing.TB, root *store.Root, name string) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(read(t, root, name)) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all = append(all, m)
	}
	return all
}

// data returns the data of the only line.
func data(t testing.TB, root *store.Root) map[string]any {
	t.Helper()
	all := lines(t, root, agentFile)
	if len(all) != 1 {
		t.Fatalf("got %d lines, want 1", len(all))
	}
	d, _ := all[0]["data"].(map[string]any)
	return d
}

func TestAgentLinesAreAsDocumented(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		logger, log := registered(t, root)
		logger.Debug("received GAME_INVITATION", slog.String("event_type", "MESSAGE_RECEIVED"),
			slog.Any("message_type", protocol.TypeGameInvitation),
			slog.String("sender", "referee:REF01"), slog.String("conversation_id", "conv-r1m1-001"), slog.String("match_id", "R1M1"))
		want := `{"timestamp":"2026-01-01T00:00:00.000Z","level":"DEBUG","component":"player","agent_id":"player:P01","event_type":"MESSAGE_RECEIVED",` +
			`"message":"received GAME_INVITATION","message_type":"GAME_INVITATION","conversation_id":"conv-r1m1-001","match_id":"R1M1","data":{"sender":"referee:REF01"}}` +
			"\n"
		mustSucceed(t, log.Close())
		if got := read(t, root, agentFile); got != want {
			t.Errorf("\ngot  %s\nwant %s", got, want)
		}
	})
}

func TestLeagueLinesAreAsDocumented(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		log, err := root.Logs().League(league, nil)
		mustSucceed(t, err)
		defer log.Close()
		slog.New(log.Handler()).Info("round 1 announced to 4 players", "event_type", "ROUND_ANNOUNCEMENT_SENT", "round_id",
			1, "matches_count", 2)
		want := `{"timestamp":"2026-01-01T00:00:00.000Z","level":"INFO","component":"league_manager","agent_id":"league_manager","event_type":"ROUND_ANNOUNCEMENT_SENT",` +
			`"message":"round 1 announced to 4 players","data":{"round_id":1,"matches_count":2},"details":{"round_id":1,"matches_count":2}}` + "\n"
		if got := read(t, root, "logs/league/league_2025_even_odd/league.log.jsonl"); got != want {
			t.Errorf("\ngot  %s\nwant %s", got, want)
		}
	})
}

func TestSystemLinesAreTheOrchestrators(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		log := root.Logs().System(nil)
		defer log.Close()
		slog.New(log.Handler()).Warn("agents started")
		want := `{"timestamp":"2026-01-01T00:00:00.000Z","level":"WARN","component":"orchestrator","agent_id":"orchestrator","event_type":"AGENTS_STARTED","message":"agents started"}` +
			"\n"
		if got := read(t, root, "logs/system/orchestrator.log.jsonl"); got != want {
			t.Errorf("\ngot  %s\nwant %s", got, want)
		}
	})
}

// The handler keeps the rules of log/slog, but for one: a line always has a time.
func TestHandlerKeepsTheRulesOfSlog(t *testing.T) {
	root := open(t)
	slogtest.Run(t, func(t *testing.T) slog.Handler {
		remove(t, root, agentFile)
		logger, _ := registered(t, root)
		return logger.Handler()
	}, func(t *testing.T) map[string]any {
		line := lines(t, root, agentFile)[0]
		m := map[string]any{slog.TimeKey: line["timestamp"], slog.LevelKey: line["level"], slog.MessageKey: line["message"]}
		if strings.HasSuffix(t.Name(), "/zero-time") {
			delete(m, slog.TimeKey)
		}
		data, _ := line["data"].(map[string]any)
		for k, v := range data {
			m[k] = v
		}
		return m
	})
}

func TestEveryLevelHasAName(t *testing.T) {
	root := open(t)
	logger, _ := registered(t, root)
	for level, want := range map[slog.Level]string{slog.LevelDebug: "DEBUG", slog.LevelInfo: "INFO",
		slog.LevelInfo + 1: "INFO",
		slog.LevelWarn:     "WARN", slog.LevelError: "ERROR", slog.LevelError + 4: "ERROR"} {
		logger.Log(t.Context(), level, "x")
		logger.Info("y") // lines of level DEBUG wait for one
		all := lines(t, root, agentFile)
		if got := all[len(all)-2]["level"]; got != want {
			t.Errorf("%d: got %v, want %s", level, got, want)
		}
	}
}

func TestDebugLinesWaitForOthersAndNotForLong(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		logger, log := registered(t, root)
		logger.Debug("one")
		logger.Info("two")
		count := func(when string, want int) {
			if got := len(lines(t, root, agentFile)); got != want {
				t.Errorf("%s: got %d lines, want %d", when, got, want)
			}
		}
		count("after a line of level INFO", 2)
		logger.Debug("three")
		logger.Debug("four")
		count("before the wait", 2)
		time.Sleep(time.Second)
		synctest.Wait()
		count("after the wait", 4)
		logger.Debug(strings.Repeat("long ", 1000))
		for range 30 {
			logger.Debug(strings.Repeat("long ", 1000))
		}
		if len(lines(t, root, agentFile)) == 4 {
			t.Error("lines without end wait")
		}
		mustSucceed(t, log.Registered("", "P02"))
		count("after another id was granted", 35)
	})
}

// The more logs have waiting lines, the longer they wait, so that a crowd makes no more writes per second; but at most
// two seconds, and a single log waits as before.
func TestDebugLinesOfACrowdWaitLonger(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		var loggers []*slog.Logger
		for i := range 3000 {
			log, err := root.Logs().Agent(protocol.RolePlayer, "", fmt.Sprintf("P%04d", i), slog.LevelDebug)
			mustSucceed(t, err)
			loggers = append(loggers, slog.New(log.Handler()))
		}
		written := func(i int) bool {
			synctest.Wait()
			_, err := os.Stat(filepath.Join(root.Dir(), fmt.Sprintf("logs/agents/P%04d.log.jsonl", i)))
			return err == nil
		}
		for _, logger := range loggers {
			logger.Debug("one of many")
		}
		slept := time.Duration(0)
		for _, c := range []struct {
			after       time.Duration
			last, still int // the last log whose lines are written by then, and the last whose are not
		}{{210 * time.Millisecond, 200, 220}, {1010 * time.Millisecond, 1000, 1020}, {1990 * time.Millisecond, 1980, 2500}} {
			time.Sleep(c.after - slept)
			if slept = c.after; !written(c.last) || written(c.still) {
				t.Errorf("after %v: P%04d written %v, P%04d written %v", c.after, c.last, written(c.last), c.still, written(c.still))
			}
		}
		time.Sleep(20 * time.Millisecond)
		if !written(2999) {
			t.Error("after two seconds the last of the crowd still waits")
		}
		loggers[0].Debug("alone")
		time.Sleep(210 * time.Millisecond)
		synctest.Wait()
		if got := len(lines(t, root, "logs/agents/P0000.log.jsonl")); got != 2 {
			t.Errorf("alone again: got %d lines after 210 ms, want 2", got)
		}
	})
}

func TestLinesBelowTheLevelAreLeftOut(t *testing.T) {
	root := open(t)
	var level slog.LevelVar
	level.Set(slog.LevelWarn)
	log, err := root.Logs().League(league, &level)
	mustSucceed(t, err)
	defer log.Close()
	logger := slog.New(log.Handler())
	logger.Info("no")
	logger.Warn("yes")
	level.Set(slog.LevelDebug)
	logger.Debug("yes")
	mustSucceed(t, log.Close())
	if got := len(lines(t, root, "logs/league/"+league+"/league.log.jsonl")); got != 2 {
		t.Errorf("got %d lines, want 2", got)
	}
	if agentLog(t, root).Handler().Enabled(t.Context(), slog.LevelDebug) {
		t.Error("without a level: DEBUG is written, want INFO and above")
	}
}

func TestAnEventWithoutATypeIsNamedByItsMessage(t *testing.T) {
	root := open(t)
	logger, _ := registered(t, root)
	for message, want := range map[string]string{
		"agent registered":                "AGENT_REGISTERED",
		"the match was not finished":      "NOTICE",
		"ROUND_ANNOUNCEMENT_SENT":         "ROUND_ANNOUNCEMENT_SENT",
		"  round 1: 2 matches (4 waiting": "NOTICE",
		"über 3 s":                        "ÜBER_3_S",
		"…":                               "NOTICE",
		"":                                "NOTICE",
	} {
		logger.Info(message)
		all := lines(t, root, agentFile)
		if got := all[len(all)-1]["event_type"]; got != want {
			t.Errorf("%q: got %v, want %s", message, got, want)
		}
	}
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("no") }

func TestEverythingElseIsData(t *testing.T) {
	root := open(t)
	logger, _ := registered(t, root)
	logger.With("round_id", 1).With(slog.Group("data", "a", 1)).WithGroup("peer").With("url", "http://x").Info("all kinds",
		"round_id", 2, slog.Group("more", "b", true))
	logger.Info("all kinds", "round_id", 1, "round_id", 2, "agent_id", "player:P02", "elapsed", 1500*time.Millisecond,
		"at", time.Date(2026, 1, 1, 2, 0, 0, 5e8, time.FixedZone("", 7200)), "n", uint64(math.MaxUint64), "f", 1.5,
		"nan", math.NaN(),
		"error", fmt.Errorf("no: %w", fs.ErrExist), "raw", json.RawMessage(`{"a" : 1}`), "broken",
		json.RawMessage("{<"), "nil", nil,
		"list", []string{"<a>"}, "panics", panics{}, "message_type", "", slog.Group("", slog.String("match_id", "R1M1")),
		slog.Group("match_id", "x", 1), slog.Attr{})
	want := []string{
		`{"round_id":1,"a":1,"peer":{"url":"http://x","round_id":2,"more":{"b":true}}}`,
		`{"round_id":2,"agent_id":"player:P02","elapsed":"1.5s","at":"2026-01-01T00:00:00.5Z","n":18446744073709551615,"f":1.5,"nan":"NaN",` +
			`"error":"no: file already exists","raw":{"a":1},"broken":"{<","nil":null,"list":["<a>"],"panics":"cannot be shown: no","match_id":{"x":1}}`,
	}
	i := 0
	for line := range strings.Lines(read(t, root, agentFile)) {
		_, got, _ := strings.Cut(strings.TrimSuffix(line, "}\n"), `,"data":`)
		if got != want[i] {
			t.Errorf("\ngot  %s\nwant %s", got, want[i])
		}
		i++
	}
	if got := lines(t, root, agentFile)[1]["match_id"]; got != "R1M1" {
		t.Errorf("match_id: got %v, want R1M1", got)
	}
}

func TestNoTokenIsLogged(t *testing.T) {
	root := open(t)
	logger, _ := registered(t, root)
	token := protocol.Ticket([]byte("key"), league, "player:P01", 1)
	secrets := []string{token, token[len("tok_player_P01_"):], "s3cret", "tok_admin_"}
	logger.With("auth_token", token).Error("refused "+token,
		"error", errors.New("token "+token+" is unknown"), "url", "http://x/?t="+token, "provided_token", "s3cret",
		"empty_token", "",
		"raw", json.RawMessage(`{"auth_token":"`+token+`","nested":[{"token":"s3cret \" s3cret"}]}`), "name",
		protocol.Type(token), "other_token", protocol.Type("s3cret"),
		"list", []string{token}, "struct", struct{ T string }{"tok_admin_x"}, token, 1,
		slog.Group("g", "t", token), "text", `{"auth_token" : "s3cret"}`, "conversation_id", token, "event_type", token,
		"message_type", token, "match_id", token)
	got := read(t, root, agentFile)
	for _, s := range secrets {
		if strings.Contains(got, s) {
			t.Errorf("%q is in %s", s, got)
		}
	}
	for _, want := range []string{
		`"auth_token":"tok_…(redacted)"`, `"message":"refused tok_…(redacted)"`, `"url":"http://x/?t=tok_…(redacted)"`,
		`"empty_token":""`, `"list":["tok_…(redacted)"]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	lines(t, root, agentFile) // all of it is JSON
}

func TestNoTokenIsLoggedWhereATextIsCut(t *testing.T) {
	root := open(t)
	logger, _ := registered(t, root)
	for n := range 60 { // the cut is at 32 KiB
		pad := strings.Repeat(" ", 32<<10-n)
		logger.Info("x", "a", pad+"tok_s3cret_s3cret_s3cret", "b", 1)
		logger.Info("x", "a", pad+`{"auth_token":"s3cret-s3cret-s3cret"}`)
		logger.Info("x", "a", []string{pad + "tok_s3cret_s3cret_s3cret"})
	}
	if got := read(t, root, agentFile); strings.Contains(got, "s3") {
		i := strings.Index(got, "s3")
		t.Errorf("a token was logged: %q", got[i-40:i+10])
	}
	lines(t, root, agentFile)
}

func TestControlCharactersStayInTheirLine(t *testing.T) {
	root := open(t)
	logger, _ := registered(t, root)
	bad := "a\nb\x00\x1b[31m\"\\\u2028\xff"
	logger.Info(bad, "value", bad, bad, 1, "raw", json.RawMessage("{\n\"a\":\n1}"))
	if got := lines(t, root, agentFile); len(got) != 1 || got[0]["message"] != "a\nb\x00\x1b[31m\"\\\u2028\ufffd" {
		t.Errorf("got %q, want one line", got)
	}
}

// A log is read on a terminal too.
func TestLinesHoldNothingThatMovesACursor(t *testing.T) {
	root := open(t)
	logger, _ := registered(t, root)
	bad := "\u009b2J \u202egnp \x7f \u2066"
	logger.Info(bad, "value", bad, "raw", json.RawMessage(`"`+bad+`"`))
	text, err := os.ReadFile(filepath.Join(root.Dir(), agentFile))
	mustSucceed(t, err)
	for _, r := range string(text) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U is in %s", r, text)
		}
	}
	if got := lines(t, root, agentFile); len(got) != 1 || got[0]["message"] != bad {
		t.Errorf("got %q, want it to mean the same", got)
	}
}

func TestLinesAreBounded(t *testing.T) {
	const long = 100 << 10
	huge := strings.Repeat("x", long)
	for name, attrs := range map[string][]any{
		"a text":           {"text", huge},
		"a text to escape": {"text", strings.Repeat("\x00", long)},
		"many texts":       {"a", huge, "b", huge, "c", huge, "small", 1},
		"JSON":             {"list", []string{huge, huge}},
		"an error":         {"error", errors.New(huge)},
		"a key":            {huge, 1},
		"names":            {"event_type", huge, "message_type", huge, "conversation_id", huge, "match_id", huge},
		"a group":          {slog.Group("g", "a", huge, "b", huge)},
		"all": {
			"event_type", huge, "message_type", huge, "conversation_id", huge, "match_id", huge, "a", huge, "b", huge,
		},
		"tokens that grow":  {"text", strings.Repeat("tok_a ", long)},
		"many of a few":     manyAttrs(5_000),
		"cut inside a rune": {"text", strings.Repeat("é", long), "text2", "x" + strings.Repeat("é", long)},
	} {
		root := open(t)
		logger, _ := registered(t, root)
		logger.Info(huge, attrs...)
		if got := len(read(t, root, agentFile)); got > 64<<10 {
			t.Errorf("%s: got %d bytes, want at most 64 KiB", name, got)
		}
		if got := lines(t, root, agentFile); len(got) != 1 {
			t.Errorf("%s: got %d lines, want 1", name, len(got))
		}
		if d := data(t, root); strings.HasPrefix(name, "many") && d["truncated"] != true {
			t.Errorf("%s: data does not say that it was cut", name)
		} else if name == "many texts" && d["small"] != 1. {
			t.Error("a small member was dropped together with a big one")
		}
		remove(t, root, agentFile)
	}
}

func manyAttrs(n int) (attrs []any) {
	for i := range n {
		attrs = append(attrs, fmt.Sprint("key", i), i)
	}
	return attrs
}

func TestALogFollowsItsAgent(t *testing.T) {
	root := open(t)
	log, err := root.Logs().Agent(protocol.RoleReferee, "", "Referee Ärger/1", nil)
	mustSucceed(t, err)
	logger := slog.New(log.Handler()).With("a", 1)
	logger.Info("before")
	mustSucceed(t, log.Registered(league, "REF01"))
	logger.Info("one")
	mustSucceed(t, log.Registered("", "REF01")) // the same
	logger.Info("two")
	mustSucceed(t, log.Registered("spring", "REF07"))
	logger.Info("three")
	mustSucceed(t, log.Close())
	for name, want := range map[string]string{
		"REF01":        "referee:REF01 BEFORE, referee:REF01 ONE, referee:REF01 TWO",
		"spring/REF07": "referee:REF07 THREE",
	} {
		var got []string
		for _, line := range lines(t, root, "logs/agents/"+name+".log.jsonl") {
			got = append(got, fmt.Sprint(line["agent_id"], " ", line["event_type"]))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestANameIsMadeOfAnyText(t *testing.T) {
	root := open(t)
	for name, want := range map[string]string{
		"":                        "player",
		"...":                     "player",
		"../../etc":               "_.._etc",
		strings.Repeat("é", 1000): strings.Repeat("_", 128),
	} {
		log, err := root.Logs().Agent(protocol.RolePlayer, "", name, nil)
		mustSucceed(t, err)
		slog.New(log.Handler()).Info("x")
		mustSucceed(t, log.Close())
		if got := lines(t, root, "logs/agents/"+want+".log.jsonl")[0]["agent_id"]; got != "player:"+want {
			t.Errorf("%q: got %v, want player:%s", name, got, want)
		}
	}
}

func TestManyWriteToOneLog(t *testing.T) {
	root := open(t)
	one, _ := registered(t, root)
	other, _ := registered(t, reopen(t, root.Dir())) // as another process would
	var writing sync.WaitGroup
	for i := range 8 {
		logger := []*slog.Logger{one, other}[i%2].With("writer", i)
		writing.Go(func() {
			for n := range 50 {
				logger.Info("line", "n", n, "text", strings.Repeat("x", 3000))
			}
		})
	}
	writing.Wait()
	next := map[any]float64{}
	for _, line := range lines(t, root, agentFile) {
		d := line["data"].(map[string]any)
		if d["n"] != next[d["writer"]] {
			t.Fatalf("writer %v: got line %v, want %v", d["writer"], d["n"], next[d["writer"]])
		}
		next[d["writer"]]++
	}
	if len(next) != 8 || next[0.] != 50 {
		t.Errorf("got %v, want 50 lines of each of 8", next)
	}
}

// mostOpen is how many logs of a root keep their file open: those of the largest league whose agents have a port each.
const mostOpen = 256

// openBelow counts the files that this process has open below a folder; -1 if that cannot be known here.
func openBelow(t *testing.T, folder string) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return -1
	}
	folder, err = filepath.EvalSymlinks(folder)
	mustSucceed(t, err)
	n := 0
	for _, e := range entries {
		if at, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(at, folder+"/") {
			n++
		}
	}
	return n
}

func TestACrowdOfLogsKeepsFewFilesOpen(t *testing.T) {
	root := open(t)
	var logs []*logs.Log
	before := openBelow(t, root.Dir())
	hold := func(want int, when string) {
		t.Helper()
		if got := openBelow(t, root.Dir()); before >= 0 && got-before != want {
			t.Errorf("%s: the logs keep %d files open, want %d", when, got-before, want)
		}
	}
	for i := range 600 {
		log, err := root.Logs().Agent(protocol.RolePlayer, "", fmt.Sprintf("P%03d", i), nil)
		mustSucceed(t, err)
		logs = append(logs, log)
		slog.New(log.Handler()).Info("one")
		slog.New(log.Handler()).Info("two")
		if i+1 == 100 || i+1 == mostOpen || i+1 == mostOpen+1 {
			hold(min(i+1, mostOpen), fmt.Sprintf("%d logs", i+1))
		}
	}
	hold(mostOpen, "600 logs")
	for i, log := range logs {
		if got := len(lines(t, root, fmt.Sprintf("logs/agents/P%03d.log.jsonl", i))); got != 2 {
			t.Errorf("P%03d: got %d lines, want 2", i, got)
		}
		mustSucceed(t, log.Close())
		mustSucceed(t, log.Close())
	}
	hold(0, "all logs closed")
}

func TestALineThatCannotBeWrittenIsAnError(t *testing.T) {
	root := open(t)
	_, log := registered(t, root)
	record := slog.NewRecord(time.Now(), slog.LevelInfo, "x", 0)
	mustSucceed(t, os.MkdirAll(path(root, agentFile), 0o755))
	if err := log.Handler().Handle(context.Background(), record); err == nil {
		t.Error("a folder for a file: got no error")
	}
	mustSucceed(t, log.Close())
	if err := log.Handler().Handle(context.Background(), record); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed log: got %v, want that it is closed", err)
	}
	write(t, root, "logs/agents/spring", "a file where the folder should be")
	other, err := root.Logs().Agent(protocol.RolePlayer, "spring", "P01", nil)
	mustSucceed(t, err)
	if err := other.Handler().Handle(context.Background(), record); err == nil {
		t.Error("a file for a folder: got no error")
	}
}

func BenchmarkLine(b *testing.B) {
	logger, _ := registered(b, open(b))
	b.ReportAllocs()
	for b.Loop() {
		logger.Debug("received GAME_INVITATION", slog.String("event_type", "MESSAGE_RECEIVED"),
			slog.String("message_type", "GAME_INVITATION"),
			slog.String("sender", "referee:REF01"), slog.String("conversation_id", "conv-r1m1-001"), slog.String("match_id", "R1M1"))
	}
}
