package cluster

import (
	"encoding/json"
	"fmt"
)

// An Event is one thing that was agreed on: exactly one of its fields is set.
type Event struct {
	Joined   *Joined   `json:"joined,omitempty"`
	Left     *Left     `json:"left,omitempty"`
	Made     *Made     `json:"made,omitempty"`
	Given    *Given    `json:"given,omitempty"`
	Over     *Over     `json:"over,omitempty"`
	Archived *Archived `json:"archived,omitempty"`
}

// Joined says that a manager process takes part, and where the others reach it.
type Joined struct {
	Member  string `json:"member"`
	Address string `json:"address"` // without a path: "http://10.0.0.1:8000"
}

// Left says that a manager process takes part no longer. Its leagues are nobody's until they are given to another.
type Left struct {
	Member string `json:"member"`
	Why    string `json:"why"` // for people
}

// Made says that there is a league, and how it is set up.
type Made struct {
	League   string `json:"league"`
	Settings []byte `json:"settings"` // its file of the configuration, as it is
}

// Given says whose a league is from now on.
type Given struct {
	League string `json:"league"`
	Member string `json:"member"`
}

// Over says that a league is over: it is read and no longer played, and weighs nothing.
type Over struct {
	League string `json:"league"`
}

// Archived says that a league is put away, or brought back.
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
