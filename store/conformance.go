package store

import (
	"cmp"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agentleague/config"
	"agentleague/protocol"
)

// A BrokenRule counts how often an agent broke a rule of the documents in one type of message.
type BrokenRule struct {
	Agent       string        `json:"agent"`    // player:P01, or before its registration the sender that it used
	Verified    bool          `json:"verified"` // it is certain that it was this agent
	MessageType protocol.Type `json:"message_type"`
	Rule        string        `json:"rule"`
	Document    string        `json:"document"`
	Section     string        `json:"section"`
	Member      string        `json:"member"`
	Detail      string        `json:"detail"`
	Refused     bool          `json:"refused"` // the message was refused
	Count       int           `json:"count"`
	First       string        `json:"first"`
	Last        string        `json:"last"`
}

// key returns the map key of the row that counts a broken rule: b without its counts and times.
func (b BrokenRule) key() BrokenRule {
	return BrokenRule{Agent: b.Agent, Verified: b.Verified, MessageType: b.MessageType, Rule: b.Rule, Member: b.Member}
}

// Limits of a Conformance. Rows of agents without a verified identity have a separate limit, so that no client can
// exhaust that of the others.
const (
	maxBroken     = 10_000
	maxUnverified = 1_000
	conformRest   = time.Second // between two writes
)

// A Conformance counts the broken rules that one agent of a league observes, in
// data/leagues/<id>/conformance/<observer>.json. A row is written at once, its further counts within a second. It is safe
// for concurrent use.
type Conformance struct {
	root     *Root
	league   string
	observer func() string
	log      *slog.Logger

	mu         sync.Mutex
	rows       map[BrokenRule]*BrokenRule // nil: not loaded yet
	unverified int
	name       string // of the file
	wrote      time.Time
	timer      *time.Timer // runs while counts are not written; nil: all are
}

// conformanceFile is the JSON document in which a Conformance is stored.
type conformanceFile struct {
	SchemaVersion string       `json:"schema_version"`
	LeagueID      string       `json:"league_id"`
	LastUpdated   string       `json:"last_updated"`
	Observer      string       `json:"observer"`
	Rows          []BrokenRule `json:"rows"`
}

// NewConformance returns the counts of an observer: its id, or "league_manager". The caller must close it.
func (r *Root) NewConformance(league string, observer func() string, log *slog.Logger) *Conformance {
	return &Conformance{root: r, league: league, observer: observer, log: log}
}

// Add counts broken rules. Add itself sets the fields Count, First and Last.
func (c *Conformance) Add(all ...BrokenRule) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.load() {
		return
	}
	fresh, now := false, protocol.Stamp(time.Now())
	for _, b := range all {
		row := c.rows[b.key()]
		if row == nil {
			if row = c.row(b); row == nil {
				continue
			}
			row.First, fresh = now, true
		}
		row.Count++
		row.Last = now
	}
	switch {
	case fresh && time.Since(c.wrote) >= conformRest:
		c.write()
	case c.timer == nil:
		c.timer = time.AfterFunc(conformRest, c.Close)
	}
}

// row adds a row unless there are too many. The caller holds the lock.
func (c *Conformance) row(b BrokenRule) *BrokenRule {
	if len(c.rows) >= maxBroken || !b.Verified && c.unverified >= maxUnverified {
		return nil
	}
	if !b.Verified {
		c.unverified++
	}
	b.Count = 0
	c.rows[b.key()] = &b
	return &b
}

// load reads the file of an earlier run before the first row. It returns false if the observer has no id yet. The caller
// holds the lock.
func (c *Conformance) load() bool {
	if c.rows != nil || c.observer() == "" {
		return c.rows != nil
	}
	var kept conformanceFile
	name, err := ofLeague(c.league, "conformance/"+c.observer()+".json")
	if err == nil {
		err = config.CheckID("agent id", c.observer())
	}
	if err == nil {
		err = c.root.load(name, &kept)
	}
	if err != nil {
		c.log.Error("the broken rules of agents are not counted", slog.Any("error", err))
		return false
	}
	c.name, c.rows = name, map[BrokenRule]*BrokenRule{}
	for _, b := range kept.Rows {
		if row := c.row(b); row != nil {
			row.Count = b.Count
		}
	}
	return true
}

// Close writes the counts that are not on disk. The Conformance can still be used.
func (c *Conformance) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
		c.write()
	}
}

// write replaces the file. The caller holds the lock.
func (c *Conformance) write() {
	rows := make([]BrokenRule, 0, len(c.rows))
	for _, row := range c.rows {
		rows = append(rows, *row)
	}
	sortBroken(rows)
	c.wrote = time.Now()
	err := c.root.save(c.name, conformanceFile{config.SchemaVersion, c.league, protocol.Stamp(c.wrote), c.observer(), rows})
	if err != nil {
		c.log.Error("the broken rules of agents could not be saved", slog.Any("error", err))
	}
}

// BrokenRules returns the broken rules of a league's agents, added up over all observers of this data directory.
func (r *Root) BrokenRules(league string) ([]BrokenRule, error) {
	folder, err := ofLeague(league, "conformance")
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(r.path(folder), "*.json"))
	if err != nil {
		return nil, err
	}
	sums := map[BrokenRule]*BrokenRule{}
	for _, file := range files {
		var kept conformanceFile
		if err := r.load(folder+"/"+filepath.Base(file), &kept); err != nil {
			return nil, fmt.Errorf("%s: %w; remove or restore the file", file, err)
		}
		for _, b := range kept.Rows {
			sum := sums[b.key()]
			if sum == nil {
				sums[b.key()] = &b
				continue
			}
			sum.Count += b.Count
			sum.First, sum.Last = min(sum.First, b.First), max(sum.Last, b.Last)
		}
	}
	out := []BrokenRule{}
	for _, sum := range sums {
		out = append(out, *sum)
	}
	sortBroken(out)
	return out, nil
}

// sortBroken sorts rows by agent, message, rule and member.
func sortBroken(rows []BrokenRule) {
	slices.SortFunc(rows, func(a, b BrokenRule) int {
		return cmp.Or(strings.Compare(a.Agent, b.Agent), strings.Compare(string(a.MessageType), string(b.MessageType)),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Member, b.Member))
	})
}
