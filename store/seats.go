package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"agentleague/config"
)

// A Seat is data/seats/<league_id>/<…>.json: a place in a league that an external client plays through its key. Only
// the owner of the data directory can read the file.
type Seat struct {
	SchemaVersion string `json:"schema_version"`
	Key           string `json:"key"`
	PlayerID      string `json:"player_id,omitempty"` // once it is granted
	DisplayName   string `json:"display_name"`
	Fallback      string `json:"fallback"`          // the strategy that moves when the person does not
	Room          string `json:"room,omitempty"`    // its path on the manager's port; empty: it runs in its own process
	Port          int    `json:"port,omitempty"`    // the port of that process, to reuse after a restart
	Address       string `json:"address,omitempty"` // the address that took it from a manager; seats are limited per address

	Joined json.RawMessage `json:"joined,omitempty"` // the matches that its player is in, in the player's own format
}

// A SeatRepository stores the seats of one league, one file for each.
type SeatRepository struct {
	root   *Root
	league string
}

// Seats returns the repository of a league's seats. Its methods return an error for an invalid id.
func (r *Root) Seats(league string) SeatRepository { return SeatRepository{r, league} }

// All returns the stored seats. For unreadable files it returns an error that names them, in addition to the
// others.
func (s SeatRepository) All() (seats []Seat, err error) {
	if err := config.CheckID("league id", s.league); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.root.path(path.Join("data/seats", s.league)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		seat, bad := s.read(path.Join("data/seats", s.league, e.Name()))
		if bad != nil {
			err = errors.Join(err, bad)
			continue
		}
		seats = append(seats, seat)
	}
	return seats, err
}

// read reads a stored seat. A seat without a key is an error, since any client could take it.
func (s SeatRepository) read(name string) (v Seat, err error) {
	text, err := os.ReadFile(s.root.path(name))
	if err != nil {
		return v, err
	}
	if err := config.Decode(name, text, &v); err != nil {
		return v, err
	}
	if v.Key == "" || v.DisplayName == "" {
		return v, fmt.Errorf("%s: want a key and a display_name; remove the file to give up the seat", name)
	}
	return v, nil
}

// Save stores a seat under its key; only its owner can read the file.
func (s SeatRepository) Save(v Seat) error {
	name, err := s.file(v.Key)
	if err != nil {
		return err
	}
	v.SchemaVersion = config.SchemaVersion
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return s.root.wrapFull(err)
	}
	return s.root.wrapFull(replace(name, append(text, '\n'), 0o600))
}

// Remove deletes a seat. It is idempotent.
func (s SeatRepository) Remove(key string) error {
	name, err := s.file(key)
	if err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// file returns the path of a seat. Its name does not reveal the key.
func (s SeatRepository) file(key string) (string, error) {
	sum := sha256.Sum256([]byte(key))
	return s.root.path(path.Join("data/seats", s.league, hex.EncodeToString(sum[:8])+".json")),
		config.CheckID("league id", s.league)
}
