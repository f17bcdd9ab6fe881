package store_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentleague/protocol"
	"agentleague/store"
	"agentleague/store/logs"
)

// inLogs lists the files of the agents' logs.
func inLogs(t *testing.T, root *store.Root) (names []string) {
	t.Helper()
	all, err := os.ReadDir(filepath.Join(root.Dir(), "logs/agents"))
	mustSucceed(t, err)
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func TestAnAgentHasOneFileFromItsFirstLineOn(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		log, err := root.Logs().Agent(protocol.RolePlayer, "", "Agent Alpha", slog.LevelDebug)
		mustSucceed(t, err)
		defer log.Close()
		logger := slog.New(log.Handler())
		logger.Info("waiting for the manager")
		mustSucceed(t, log.Passed(time.Now(), logs.Passing{Sent: true, Type: "LEAGUE_REGISTER_REQUEST", Peer: "league_manager"}))
		logger.Info("registered")
		if got := fmt.Sprint(inLogs(t, root)); got != "[Agent_Alpha.log.jsonl]" {
			t.Errorf("before it has an id: %s", got)
		}
		mustSucceed(t, log.Registered("", "P01"))
		logger.Info("after")
		if got := fmt.Sprint(inLogs(t, root)); got != "[P01.log.jsonl]" {
			t.Errorf("got the files %s, want that of its id alone", got)
		}
		var got []string
		for _, line := range lines(t, root, agentFile) {
			got = append(got, fmt.Sprint(line["agent_id"], " ", line["event_type"]))
		}
		want := []string{"player:P01 NOTICE", "player:P01 MESSAGE_SENT", "player:P01 REGISTERED", "player:P01 AFTER"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestLinesOfAnotherAgentOfTheSameNameStay(t *testing.T) {
	root := open(t)
	var logs []*logs.Log
	for range 2 {
		log, err := root.Logs().Agent(protocol.RolePlayer, "", "Twin", nil)
		mustSucceed(t, err)
		defer log.Close()
		slog.New(log.Handler()).Info("before")
		logs = append(logs, log)
	}
	mustSucceed(t, logs[0].Registered("", "P01"))
	mustSucceed(t, logs[1].Registered("", "P02"))
	for _, id := range []string{"P01", "P02"} {
		if got := lines(t, root, "logs/agents/"+id+".log.jsonl"); len(got) != 1 || got[0]["agent_id"] != "player:"+id {
			t.Errorf("%s: got %v, want its own line", id, got)
		}
	}
	if got := len(lines(t, root, "logs/agents/Twin.log.jsonl")); got != 2 {
		t.Errorf("the file that both wrote has %d lines, want 2", got)
	}
}

func TestALogBeginsANewFileWhenItIsTooLarge(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		root.Logs().Rotate(logs.Rotation{MaxBytes: 4000, Keep: 2})
		logger, log := registered(t, root)
		for n := range 60 {
			logger.Info("line", "n", n, "text", strings.Repeat("x", 500))
			time.Sleep(time.Second)
		}
		mustSucceed(t, log.Close())
		names := inLogs(t, root)
		if len(names) != 3 {
			t.Fatalf("got %q, want the file and the two newest before it", names)
		}
		next := 60.0
		for _, name := range []string{names[0], names[2], names[1]} { // the newest first
			all := lines(t, root, "logs/agents/"+name)
			size := len(read(t, root, "logs/agents/"+name))
			if size > 4000 || len(all) == 0 {
				t.Errorf("%s has %d lines and %d bytes, want at most 4000", name, len(all), size)
			}
			for _, line := range slices.Backward(all) {
				if next--; line["data"].(map[string]any)["n"] != next {
					t.Fatalf("%s: got line %v, want %v", name, line["data"], next)
				}
			}
		}
	})
}

func TestALogBeginsANewFileWhenItIsTooOld(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		root.Logs().Rotate(logs.Rotation{MaxAge: 7 * 24 * time.Hour})
		logger, log := registered(t, root)
		logger.Info("first")
		time.Sleep(6 * 24 * time.Hour)
		logger.Info("second")
		mustSucceed(t, log.Close())
		time.Sleep(25 * time.Hour)
		logger, _ = registered(t, root) // after a restart: the age is that of the first line
		logger.Info("third")
		if got := fmt.Sprint(inLogs(t, root)); got != "[P01.log.jsonl P01.log.jsonl.20260108T010000Z]" {
			t.Errorf("got %s", got)
		}
		if got := lines(t, root, agentFile); len(got) != 1 || got[0]["message"] != "third" {
			t.Errorf("got %v, want the third line alone", got)
		}
	})
}

// A process whose file was moved by another process continues in the new one.
func TestALogFollowsItsName(t *testing.T) {
	atTime(t, "2026-01-01T00:00:00Z", func(t *testing.T) {
		root := open(t)
		logger, _ := registered(t, root)
		logger.Info("one")
		path := filepath.Join(root.Dir(), agentFile)
		mustSucceed(t, os.Rename(path, path+".moved"))
		time.Sleep(2 * time.Second)
		logger.Info("two")
		if got := lines(t, root, agentFile); len(got) != 1 || got[0]["message"] != "two" {
			t.Errorf("got %v, want the second line", got)
		}
	})
}

// Above the limit of all logs, the files that were not written for the longest time go, and no other.
func TestAllLogsTogetherAreLimited(t *testing.T) {
	t.Parallel()
	root := open(t)
	folder := filepath.Join(root.Dir(), "logs/agents")
	mustSucceed(t, os.MkdirAll(folder, 0o755))
	write := func(name string, size int, age time.Duration) {
		path := filepath.Join(folder, name)
		written := time.Now().Add(-age)
		mustSucceed(t, errors.Join(os.WriteFile(path, make([]byte, size), 0o644), os.Chtimes(path, written, written)))
	}
	write("P01.log.jsonl", 600, 3*time.Hour)
	write("P02.log.jsonl.20250101T000000Z", 600, 2*time.Hour)
	write("P03.log.jsonl", 600, time.Hour)
	write("P04.log.jsonl", 3000, time.Second) // still written
	write("notes.txt", 5000, 9*time.Hour)     // not ours
	root.Logs().Rotate(logs.Rotation{MaxTotal: 4000})
	log := root.Logs().System(slog.LevelInfo)
	slog.New(log.Handler()).Info("LEAGUE_STARTED")
	mustSucceed(t, log.Close())
	left := inLogs(t, root)
	if want := []string{"P03.log.jsonl", "P04.log.jsonl", "notes.txt"}; !slices.Equal(left, want) {
		t.Errorf("got %q, want %q", left, want)
	}
}
