package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"agentleague/config"
	"agentleague/protocol"
	"agentleague/store/wal"
)

// Earlier versions kept the orders of unreported results in a file of lines, and undecided matches in a folder. The
// first opening for writing imports them as one durable group, and renames the old file and folder.
const (
	oldOrders    = "unreported.jsonl"
	oldUndecided = "undecided"
	oldEnding    = ".v1" // of files imported into the log
)

// oldRecords returns a view of a folder with records of an earlier version, or nil if there are none.
func oldRecords(root *Root, folder string) (*RecordFS, error) {
	list, err := entries(root.path(folder))
	for _, e := range list {
		if base := e.Name(); isRoundFile(base) || path.Ext(base) == ".json" {
			return &RecordFS{below: os.DirFS(root.dir), logs: map[string]*followed{}, oldOnly: true}, err
		}
	}
	return nil, err
}

// takeOver appends the orders and the undecided matches of an earlier version to the log. It is idempotent: a crash
// before the files are renamed does not duplicate entries. Damaged lines stay in the renamed file.
func (l *leagueLog) takeOver() (damage, err error) {
	orders, damage := l.readOldOrders()
	undecided, err := l.readOldUndecided()
	if err != nil {
		return nil, err
	}
	from := l.root.path(l.folder + "/")
	if _, err := os.Lstat(filepath.Join(from, oldOrders)); errors.Is(err, fs.ErrNotExist) && undecided == nil {
		return nil, nil
	}
	if !l.index.imported {
		group := append(append(orders, undecided...), wal.Entry{Kind: entryImported})
		if err := l.log.Append(true, group...); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{oldOrders, oldUndecided} {
		err := os.Rename(filepath.Join(from, name), filepath.Join(from, name+oldEnding))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return damage, syncFolder(from)
}

// readOldOrders reads the orders of unreported results. It skips orders without a record, whose match never ended.
// For a damaged line it returns an error that names the line, and continues with the others.
func (l *leagueLog) readOldOrders() (out []wal.Entry, damage error) {
	name := l.folder + "/" + oldOrders
	text, err := os.ReadFile(l.root.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	open, n := map[lineKey][]byte{}, 0
	for line := range bytes.Lines(text) {
		n++
		var was struct {
			MatchID  string `json:"match_id"`
			Attempt  int    `json:"attempt"`
			Order    []byte `json:"order"`
			Reported bool   `json:"reported"`
		}
		bad := json.Unmarshal(line, &was)
		if bad == nil && (!config.ValidID(was.MatchID) || was.Attempt < 0) {
			bad = errors.New("match_id, attempt: want those of a match")
		}
		switch key := (lineKey{was.MatchID, was.Attempt}); {
		case isUnwritten(line):
		case bad != nil:
			err = errors.Join(err, fmt.Errorf("%s:%d: damaged: %w", name, n, bad))
		case was.Reported:
			delete(open, key)
		default:
			open[key] = was.Order
		}
	}
	for key, order := range open {
		ref := protocol.RecordRef{LeagueID: l.league, MatchID: key.match, Attempt: key.attempt}
		if _, none := l.document(ref); !errors.Is(none, ErrNoRecord) {
			out = append(out, wal.Entry{Kind: entryOrder, Key: key.name(), Body: order})
		}
	}
	return out, err
}

// readOldUndecided reads the undecided matches of an earlier version. It returns nil only if their folder does not
// exist. Files that cannot be read are skipped, and their errors are joined.
func (l *leagueLog) readOldUndecided() ([]wal.Entry, error) {
	folder := l.root.path(l.folder + "/" + oldUndecided)
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	list, err := entries(folder)
	out := []wal.Entry{}
	for _, e := range list {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		at := strings.LastIndexByte(name, '.')
		if !ok || at < 0 {
			continue
		}
		if n, bad := strconv.Atoi(name[at+1:]); bad != nil || n < 0 {
			continue
		}
		text, failed := os.ReadFile(filepath.Join(folder, e.Name()))
		if err = errors.Join(err, failed); failed == nil {
			out = append(out, wal.Entry{Kind: entryUndecided, Key: name, Body: text})
		}
	}
	return out, err
}
