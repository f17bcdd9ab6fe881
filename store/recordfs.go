package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"agentleague/protocol"
	"agentleague/store/wal"
)

// RecordFS is a view of a data directory in which every match record is a separate file. The record itself may be in a
// records.log or, from an earlier version, a line of its round's file:
//
//	data/matches/<league_id>/<match_id>.json
//	data/referees/<id>/<league_id>/<match_id>.<attempt>.json
//
// Other files are passed through, and an existing file has precedence. A RecordFS is safe for concurrent use, and shows
// records that are appended after it was created.
type RecordFS struct {
	below   fs.FS
	oldOnly bool // it shows no logs

	mu   sync.Mutex
	read []shownRound         // the round files that were read last, the newest first
	logs map[string]*followed // by name
}

// A shownRound is a round's file as it was read.
type shownRound struct {
	name string
	size int64
	at   time.Time
	text []byte // of a file that cannot be read at an offset; nil: it can
	roundIndex
}

// ShowRecords shows the records below a data directory.
func ShowRecords(root fs.FS) *RecordFS {
	if r, ok := root.(*RecordFS); ok {
		return r
	}
	return &RecordFS{below: root, logs: map[string]*followed{}}
}

// log returns a records.log, up to date.
func (r *RecordFS) log(name string) (*followed, wal.Scanned, error) {
	if r.oldOnly {
		return nil, wal.Scanned{}, fs.ErrNotExist
	}
	r.mu.Lock()
	f := r.logs[name]
	if f == nil {
		f = follow(r.below, name)
		r.logs[name] = f
	}
	r.mu.Unlock()
	s, err := f.refresh()
	return f, s, err
}

// has reports whether the log of a referee has a record with that hash.
func (r *RecordFS) has(referee, league string, key lineKey, sum [sha256.Size]byte) bool {
	f, _, err := r.log(refereeLog(referee, league))
	return err == nil && f.has(key, sum)
}

func leagueLogName(league string) string { return "data/leagues/" + league + "/" + recordsLog }
func refereeLog(referee, league string) string {
	return "data/referees/" + referee + "/" + league + "/" + recordsLog
}

// logged returns the counted record of a match from the logs, or [fs.ErrNotExist]. It does not read other files.
func (r *RecordFS) logged(league, match string) ([]byte, error) {
	f, _, err := r.log(leagueLogName(league))
	if err != nil {
		return nil, err
	}
	if held, ok := f.holder(match); ok {
		from, _, err := r.log(refereeLog(held.referee, league))
		if err != nil {
			return nil, err
		}
		return from.read(lineKey{match, held.attempt}, func(r recordAt) bool { return r.sum == held.sum })
	}
	return f.get(lineKey{match: match})
}

// Record returns the counted record of a match, byte for byte: from the logs, or else from other files.
func (r *RecordFS) Record(league, match string) ([]byte, error) {
	text, err := r.logged(league, match)
	if err == nil {
		return text, nil
	}
	name := "data/matches/" + league + "/" + match + ".json"
	file, missing := fs.ReadFile(r.below, name)
	if missing == nil {
		return Shown(file)
	}
	if !errors.Is(missing, fs.ErrNotExist) || !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, missing)
	}
	key, round, _ := lineOf(name)
	text, _, err = r.record(round, key)
	return text, err
}

// Logged reports whether a log of this data directory holds the counted record of a match, and the record has the given
// hash. It does not read the human-readable copies in data/matches or the files of earlier versions.
func (r *RecordFS) Logged(league, match, hash string) bool {
	text, err := r.logged(league, match)
	return err == nil && protocol.RecordHash(text) == hash
}

// Damage returns a [wal.DamageError] for each damaged part of a league's record logs, and the errors of logs that
// cannot be read.
func (r *RecordFS) Damage(league string) (found []error) {
	names, _ := fs.Glob(r.below, refereeLog("*", league)) // the pattern is one
	for _, name := range append(names, leagueLogName(league)) {
		_, s, err := r.log(name)
		for _, d := range s.Damage {
			found = append(found, d)
		}
		if err == nil && s.Tail != nil {
			err = &wal.DamageError{Path: name, Offset: s.End, Cause: s.Tail}
		}
		if err != nil {
			found = append(found, err)
		}
	}
	return found
}

// inLog returns a record from the log of a folder, or [fs.ErrNotExist].
func (r *RecordFS) inLog(name string, key lineKey) ([]byte, error) {
	parts := strings.Split(name, "/")
	switch {
	case len(parts) == 4 && parts[1] == "matches":
		return r.logged(parts[2], key.match)
	case len(parts) == 5 && parts[1] == "referees":
		f, _, err := r.log(refereeLog(parts[2], parts[3]))
		if err != nil {
			return nil, err
		}
		return f.get(key)
	}
	return nil, fs.ErrNotExist
}

// index returns the keys of the records in the log of a folder.
func (r *RecordFS) index(folder string) []lineKey {
	parts := strings.Split(folder, "/")
	name := ""
	switch {
	case len(parts) == 3 && parts[1] == "matches":
		name = leagueLogName(parts[2])
	case len(parts) == 4 && parts[1] == "referees":
		name = refereeLog(parts[2], parts[3])
	default:
		return nil
	}
	f, _, err := r.log(name)
	if err != nil {
		return nil // Damage names it
	}
	return f.list()
}

// Open opens a file, or a record as a file with the record's exact bytes.
func (r *RecordFS) Open(name string) (fs.File, error) {
	f, err := r.below.Open(name)
	key, file, ok := lineOf(name)
	if !errors.Is(err, fs.ErrNotExist) || !ok {
		return f, err
	}
	document, at, shown := r.find(name, file, key)
	switch {
	case errors.Is(shown, fs.ErrNotExist):
		return f, err
	case shown != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: shown}
	}
	return &recordFile{Reader: bytes.NewReader(document), name: path.Base(name), at: at}, nil
}

// Stat describes a file. It opens only records that are not separate files.
func (r *RecordFS) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(r.below, name)
	if _, _, ok := lineOf(name); !ok || !errors.Is(err, fs.ErrNotExist) {
		return info, err
	}
	f, err := r.Open(name)
	if err != nil {
		return nil, err
	}
	return f.Stat()
}

// ReadFile returns the content of a file, or of a record that the view shows as a file.
func (r *RecordFS) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(r.below, name)
	key, file, ok := lineOf(name)
	if !ok || !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	document, _, shown := r.find(name, file, key)
	if errors.Is(shown, fs.ErrNotExist) {
		return nil, err
	}
	return document, shown
}

// find returns a record that is not a separate file. The time is that of the round's file that has it, or zero if
// it is in a log.
func (r *RecordFS) find(name, file string, key lineKey) ([]byte, time.Time, error) {
	document, err := r.inLog(name, key)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return document, time.Time{}, err
	}
	document, round, err := r.record(file, key)
	return document, round.at, err
}

// ReadDir lists a folder. For unreadable parts of its round files it returns an error that names file and line, in
// addition to the list.
func (r *RecordFS) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(r.below, name)
	var shown []fs.DirEntry
	for _, e := range list {
		if !isRoundFile(e.Name()) {
			shown = append(shown, e)
			continue
		}
		round, failed := r.round(path.Join(name, e.Name()))
		err = errors.Join(err, failed, round.damage)
		for key, s := range round.roundIndex.at {
			f := &recordFile{Reader: bytes.NewReader(make([]byte, 0)), name: key.file(), at: round.at, size: int64(s.size)}
			shown = append(shown, fs.FileInfoToDirEntry(f))
		}
	}
	for _, key := range r.index(name) {
		f := &recordFile{Reader: bytes.NewReader(nil), name: key.file()}
		shown = append(shown, fs.FileInfoToDirEntry(f))
	}
	if errors.Is(err, fs.ErrNotExist) && len(shown) > 0 {
		err = nil // all of them are in the log
	}
	slices.SortStableFunc(shown, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	same := func(a, b fs.DirEntry) bool { return a.Name() == b.Name() }
	return slices.CompactFunc(shown, same), err
}

// isRoundFile reports whether a file holds the records of a round.
func isRoundFile(base string) bool {
	n, ok := strings.CutPrefix(base, "round-")
	n, ok2 := strings.CutSuffix(n, ".jsonl")
	_, err := strconv.ParseUint(n, 10, 32)
	return ok && ok2 && err == nil
}

// file returns the name under which the view shows a record.
func (k lineKey) file() string {
	if k.attempt == 0 {
		return k.match + ".json"
	}
	return k.match + "." + strconv.Itoa(k.attempt) + ".json"
}

// lineOf parses the name of a record in the view. It returns the record's key, and the round's file that may have
// the record; ok is false for other names.
func lineOf(name string) (key lineKey, file string, ok bool) {
	folder, base := path.Split(name)
	key.match, ok = strings.CutSuffix(base, ".json")
	switch {
	case !ok:
		return key, "", false
	case strings.HasPrefix(name, "data/matches/"):
	case strings.HasPrefix(name, "data/referees/"):
		at := strings.LastIndexByte(key.match, '.')
		n, err := strconv.Atoi(key.match[at+1:])
		if at < 0 || err != nil {
			return key, "", false
		}
		key = lineKey{key.match[:at], n}
	default:
		return key, "", false
	}
	return key, folder + roundFile(roundOf(key.match)), true
}

// record returns a record from a round's file, or [fs.ErrNotExist].
func (r *RecordFS) record(file string, key lineKey) ([]byte, shownRound, error) {
	round, err := r.round(file)
	if err != nil {
		return nil, round, err
	}
	s, ok := round.roundIndex.at[key]
	switch {
	case !ok && round.damage != nil:
		return nil, round, round.damage
	case !ok:
		return nil, round, fs.ErrNotExist
	case round.text != nil:
		document, err := s.read(file, bytes.NewReader(round.text))
		return document, round, err
	}
	f, err := r.below.Open(file)
	if err != nil {
		return nil, round, err
	}
	defer f.Close()
	document, err := s.read(file, f.(io.ReaderAt))
	return document, round, err
}

// round reads a round's file, unless it is unchanged since the last call. It reports damage in shown, not as an
// error.
func (r *RecordFS) round(name string) (shown shownRound, err error) {
	f, err := r.below.Open(name)
	if err != nil {
		return shown, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return shown, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, known := range r.read {
		if known.name == name && known.size == info.Size() && known.at.Equal(info.ModTime()) {
			return known, nil
		}
	}
	shown = shownRound{name: name, size: info.Size(), at: info.ModTime()}
	from, direct := f.(io.ReaderAt)
	if !direct {
		if shown.text, err = io.ReadAll(f); err != nil {
			return shown, err
		}
		from = bytes.NewReader(shown.text)
	}
	if err := shown.refresh(name, from, shown.size); err != nil {
		return shown, err
	}
	r.read = slices.DeleteFunc(r.read, func(k shownRound) bool { return k.name == name })
	r.read = slices.Insert(r.read, 0, shown)
	r.read = r.read[:min(len(r.read), maxShown)]
	return shown, nil
}

// maxShown is the maximum number of cached round files: those of one round at the manager and at some referees.
const maxShown = 8

// A recordFile is a record, opened.
type recordFile struct {
	*bytes.Reader
	name string
	at   time.Time
	size int64 // of one that is only listed
}

func (f *recordFile) Close() error               { return nil }
func (f *recordFile) Stat() (fs.FileInfo, error) { return f, nil }
func (f *recordFile) Name() string               { return f.name }
func (f *recordFile) Size() int64                { return max(f.size, f.Reader.Size()) }
func (f *recordFile) Mode() fs.FileMode          { return 0o644 }
func (f *recordFile) ModTime() time.Time         { return f.at }
func (f *recordFile) IsDir() bool                { return false }
func (f *recordFile) Sys() any                   { return nil }
