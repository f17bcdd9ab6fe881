package backup

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"agentleague/config"
	"agentleague/engine"
	"agentleague/engine/line"
	"agentleague/league"
	"agentleague/protocol"
	"agentleague/store"
)

// Take writes a backup of leagues from the files of a data directory, and returns its manifest. It only reads from the
// data directory, and a manager may run concurrently. For a damaged log it returns an error that names the line, rather
// than omit anything silently. settings returns the settings of a league without a settings file; it may be nil.
func Take(ctx context.Context, root fs.FS, ids []string, settings func(id string) ([]byte, error), w io.Writer) (Manifest, error) {
	t := &taking{root: root, settings: settings, zip: zip.NewWriter(w), at: time.Now().UTC().Truncate(time.Second), files: map[string]File{}}
	m := Manifest{Format: format, Note: warning, TakenAt: t.at}
	for _, id := range ids {
		one, err := t.league(ctx, id)
		if err != nil {
			return m, fmt.Errorf("league %s: %w", id, err)
		}
		m.Leagues = append(m.Leagues, one)
	}
	for _, name := range slices.Sorted(maps.Keys(t.files)) {
		m.Files = append(m.Files, t.files[name])
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = t.write(manifestFile, append(text, '\n'))
	}
	return m, errors.Join(err, t.zip.Close())
}

// ErrNoSecrets means that a data directory has a copy of a league's log but not its secrets, which a cluster has.
var ErrNoSecrets = errors.New("the secrets of the league are not in this root: it is kept by a cluster")

// taking is a backup in progress.
type taking struct {
	root     fs.FS
	settings func(id string) ([]byte, error)
	zip      *zip.Writer
	at       time.Time
	files    map[string]File // by name
	total    int64           // bytes of all files
}

// league adds a league: first its log, then all files that belong to it.
func (t *taking) league(ctx context.Context, id string) (League, error) {
	if err := config.CheckLeagueID(id); err != nil {
		return League{}, err
	}
	lines, err := readLog(t.root, id)
	if err != nil {
		return League{}, err
	}
	if _, err := fs.Stat(t.root, "data/secrets/"+secretPrefixes[0]+id); errors.Is(err, fs.ErrNotExist) {
		return League{}, ErrNoSecrets
	}
	s, err := fold(lines)
	if err != nil {
		return League{}, err
	}
	damaged, missing, err := t.records(ctx, id, s)
	if err != nil {
		return League{}, err
	}
	last := lines[len(lines)-1]
	if err := t.add(logName(id), joined(lines)); err != nil {
		return League{}, err
	}
	if err := t.add(headName(id), line.AppendHead(nil, last.Seq, last.Hash)); err != nil {
		return League{}, err
	}
	names, err := listed(t.root, id)
	if err == nil && t.settings != nil && !slices.Contains(names, config.LeagueFile(id)) {
		err = t.addSettings(id)
	}
	for _, name := range names {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = t.copy(name, s)
		}
	}
	return League{
		ID: id, State: s.Phase(s.Ordered), Round: s.Round, Results: s.Recorded, Entries: len(lines), Head: last.Hash.String(), Seal: s.Seal,
		Missing: missing, Damaged: damaged,
	}, err
}

// A manager stores the record of a result shortly after the result itself. Take therefore polls for missing records
// every recordsPoll, until none has arrived for recordsTimeout.
const (
	recordsTimeout = 3 * time.Second
	recordsPoll    = 50 * time.Millisecond
)

// isEarlier reports whether a record is that of an earlier attempt at the match, whose result was annulled. It stays until
// the record of the newer one arrives.
func isEarlier(text []byte, m *league.Match) bool {
	record, err := protocol.ParseRecord(text)
	return err == nil && record.Attempt < m.Outcome.Attempt
}

// records waits for the records of the results in the log, and reads all of them. It returns descriptions of
// damaged ones, and the number of missing ones.
func (t *taking) records(ctx context.Context, id string, s *league.State) (damaged []string, missing int, err error) {
	view := store.ShowRecords(t.root)
	for _, err := range view.Damage(id) {
		damaged = append(damaged, err.Error())
	}
	if _, removed := store.RecordsRemoved(t.root, id); removed {
		return damaged, 0, nil
	}
	wanted := []*league.Match{}
	for _, match := range slices.Sorted(maps.Keys(s.Matches)) {
		if recorded(s, match) {
			wanted = append(wanted, s.Matches[match])
		}
	}
	for end := time.Now().Add(recordsTimeout); ; time.Sleep(recordsPoll) {
		wrong := []string{}
		before := len(wanted)
		wanted = slices.DeleteFunc(wanted, func(m *league.Match) bool {
			text, err := view.Record(id, m.ID)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				wrong = append(wrong, err.Error())
			}
			if hash := m.Outcome.RecordSHA256; err == nil && hash != "" && fileOf(m.ID, text).SHA256 != hash {
				if !isEarlier(text, m) {
					wrong = append(wrong, fmt.Sprintf("the record of %s does not have the SHA-256 of the log", m.ID))
				}
				return false
			}
			return err == nil
		})
		if len(wanted) < before {
			end = time.Now().Add(recordsTimeout)
		}
		if len(wanted) == 0 || time.Now().After(end) || ctx.Err() != nil {
			return append(damaged, wrong...), len(wanted) - len(wrong), ctx.Err()
		}
	}
}

// addSettings adds the settings of a league without a settings file.
func (t *taking) addSettings(id string) error {
	text, err := t.settings(id)
	if err != nil {
		return err
	}
	return t.add(config.LeagueFile(id), text)
}

// copy adds the present content of a file, reduced to what the log covers.
func (t *taking) copy(name string, s *league.State) error {
	text, err := fs.ReadFile(t.root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was replaced or removed
	}
	if err != nil {
		return err
	}
	if text = known(name, text, s); text == nil {
		return nil
	}
	return t.add(name, text)
}

// add adds a file to the archive, once. If the same file is added with different content, it returns an error,
// since the file changed concurrently.
func (t *taking) add(name string, text []byte) error {
	one := fileOf(name, text)
	switch is, ok := t.files[name]; {
	case is == one: // leagues share the data directory's secret
		return nil
	case ok:
		return fmt.Errorf("%s changed while it was read; try again", name)
	}
	t.files[name] = one
	t.total += int64(len(text))
	if len(text) > maxFile || t.total > maxTotal || len(t.files) >= maxEntries { // the manifest counts as one more
		return fmt.Errorf("%s, %d bytes, brings the backup to %d files and %d bytes: a restore takes at most %d files and %d bytes, "+
			"%d in one file", name, len(text), len(t.files), t.total, maxEntries-1, int64(maxTotal), maxFile)
	}
	return t.write(name, text)
}

// write compresses a file into the archive, with permissions for the owner only.
func (t *taking) write(name string, text []byte) error {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: t.at}
	h.SetMode(0o600)
	to, err := t.zip.CreateHeader(h)
	if err == nil {
		_, err = to.Write(text)
	}
	return err
}

// readLog reads the lines of a league's log. It reads the head first, so that the log covers the head even if it
// grows concurrently. It omits an incomplete last line, whose write is in progress.
func readLog(root fs.FS, id string) ([]line.Sound, error) {
	head, err := fs.ReadFile(root, headName(id))
	if err != nil {
		return nil, err
	}
	text, err := fs.ReadFile(root, logName(id))
	if err != nil {
		return nil, err
	}
	return parseLog(id, head, text[:bytes.LastIndexByte(text, '\n')+1])
}

// parseLog parses the text of a log and checks it against its head.
func parseLog(id string, head, text []byte) ([]line.Sound, error) {
	seq, hash, ok := line.ParseHead(head)
	if !ok {
		return nil, fmt.Errorf("%s: %w: it cannot be read", headName(id), engine.ErrDamaged)
	}
	lines, err := line.Whole(func(yield func([]byte, error) bool) {
		for one := range bytes.Lines(text) {
			if !yield(bytes.TrimSuffix(one, []byte("\n")), nil) {
				return
			}
		}
	})
	switch {
	case errors.Is(err, engine.ErrEmpty):
		return nil, fmt.Errorf("%s: the league has not begun", logName(id))
	case err != nil:
		return nil, fmt.Errorf("%s: %w", logName(id), err)
	case seq > uint64(len(lines)):
		return nil, fmt.Errorf("%s: %w: it ends at line %d, and %d was acknowledged", logName(id), engine.ErrDamaged, len(lines), seq)
	case seq > 0 && lines[seq-1].Hash != hash:
		return nil, fmt.Errorf("%s: %w: line %d is not the one that its head names", logName(id), engine.ErrDamaged, seq)
	}
	return lines, nil
}

// fold returns the state of the league after all lines of its log.
func fold(lines []line.Sound) (*league.State, error) {
	return league.Fold(func(yield func(engine.Entry, error) bool) {
		for _, l := range lines {
			if !yield(engine.Entry{Mark: engine.Mark{Seq: l.Seq, Hash: l.Hash.String()}, Data: l.Payload}, nil) {
				return
			}
		}
	})
}

// joined returns lines in the form of a file.
func joined(lines []line.Sound) []byte {
	var out bytes.Buffer
	for _, l := range lines {
		out.Write(l.Text)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// hidden reports whether a name is that of a temporary file or a lock.
func hidden(base string) bool {
	return strings.HasPrefix(base, ".") || strings.HasSuffix(base, ".lock")
}
