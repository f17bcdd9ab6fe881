package cluster

import (
	"encoding/json"
	"fmt"
)

// An Event is one entry of the cluster's log. Exactly one of its fields is set.
type Event struct {
	Joined   *Joined   `json:"joined,omitempty"`
	Left     *Left     `json:"left,omitempty"`
	Made     *Made     `json:"made,omitempty"`
	Given    *Given    `json:"given,omitempty"`
	Over     *Over     `json:"over,omitempty"`
	Archived *Archived `json:"archived,omitempty"`
}

// Joined records that a manager process has become a member.
type Joined struct {
	Member  string `json:"member"`
	Address string `json:"address"` // without a path: "http://10.0.0.1:8000"
	Version string `json:"version,omitempty"`
	Format  int    `json:"format,omitempty"` // see [Format]
}

// Left records that a manager process is no longer a member. Its leagues have no owner until they are assigned to
// another member.
type Left struct {
	Member string `json:"member"`
	Why    string `json:"why"` // for people
}

// Made records a league and its settings.
type Made struct {
	League   string `json:"league"`
	Settings []byte `json:"settings"` // its file of the configuration, as it is
}

// Given records the new owner of a league.
type Given struct {
	League string `json:"league"`
	Member string `json:"member"`
}

// Over records that a league is over. It is then read-only and no longer counts as work.
type Over struct {
	League string `json:"league"`
}

// Archived records that a league is archived, or restored from the archive.
type Archived struct {
	League string `json:"league"`
	Undone bool   `json:"undone,omitempty"`
}

// encode returns events as an entry of the log.
func encode(events []Event) ([]byte, error) { return json.Marshal(events) }

// decode reads an entry of the log.
func decode(entry []byte) (events []Event, err error) {
	if err := json.Unmarshal(entry, &events); err != nil {
		return nil, fmt.Errorf("an entry of the cluster's log: %w", err)
	}
	return events, nil
}
