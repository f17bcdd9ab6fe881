package cluster

import (
	"encoding/json"
	"fmt"
)

// An event is one entry of the cluster's log. Exactly one of its fields is set.
type event struct {
	Joined   *joinedEvent   `json:"joined,omitempty"`
	Left     *leftEvent     `json:"left,omitempty"`
	Made     *madeEvent     `json:"made,omitempty"`
	Given    *givenEvent    `json:"given,omitempty"`
	Over     *overEvent     `json:"over,omitempty"`
	Archived *archivedEvent `json:"archived,omitempty"`
}

// joinedEvent records that a manager process has become a member.
type joinedEvent struct {
	Member  string `json:"member"`
	Address string `json:"address"` // without a path: "http://10.0.0.1:8000"
	Version string `json:"version,omitempty"`
	Format  int    `json:"format,omitempty"` // see [Format]
}

// leftEvent records that a manager process is no longer a member. Its leagues have no owner until they are assigned to
// another member.
type leftEvent struct {
	Member string `json:"member"`
	Why    string `json:"why"` // for people
}

// madeEvent records a league and its settings.
type madeEvent struct {
	League   string `json:"league"`
	Settings []byte `json:"settings"` // its file of the configuration, as it is
}

// givenEvent records the new owner of a league.
type givenEvent struct {
	League string `json:"league"`
	Member string `json:"member"`
}

// overEvent records that a league is over. It is then read-only and no longer counts as work.
type overEvent struct {
	League string `json:"league"`
}

// archivedEvent records that a league is archived, or restored from the archive.
type archivedEvent struct {
	League string `json:"league"`
	Undone bool   `json:"undone,omitempty"`
}

// encode returns events as an entry of the log.
func encode(events []event) ([]byte, error) { return json.Marshal(events) }

// decode reads an entry of the log.
func decode(entry []byte) (events []event, err error) {
	if err := json.Unmarshal(entry, &events); err != nil {
		return nil, fmt.Errorf("an entry of the cluster's log: %w", err)
	}
	return events, nil
}
