package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// RecordFS shows a root in which every match record is a file of its own, also where it is a line of its round's file:
//
//	data/matches/<league_id>/<match_id>.json
//	data/referees/<id>/<league_id>/<match_id>.<attempt>.json
//
// Everything else is as below. A file that is really there wins over a line. It may be used by many goroutines at once,
// and sees what is appended meanwhile.
type RecordFS struct {
	below fs.FS

	mu   sync.Mutex
	read []shownRound // the round files that were read last, the newest first
}

// A shownRound is a round's file as it was read.
type shownRound struct {
	name string
	size int64
	at   time.Time
	text []byte // of a file that cannot be read at an offset; nil: it can
	roundIndex
}

// ShowRecords shows the records below a root.
func ShowRecords(root fs.FS) *RecordFS { return &RecordFS{below: root} }

// Open opens a file. A record is opened as it stands in its line.
func (r *RecordFS) Open(name string) (fs.File, error) {
	f, err := r.below.Open(name)
	key, file, ok := lineOf(name)
	if !errors.Is(err, fs.ErrNotExist) || !ok {
		return f, err
	}
	document, round, shown := r.record(file, key)
	switch {
	case errors.Is(shown, fs.ErrNotExist):
		return f, err
	case shown != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: shown}
	}
	return &recordFile{Reader: bytes.NewReader(document), name: path.Base(name), at: round.at}, nil
}

// Stat describes a file without opening it, where that can be told below.
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

// ReadFile reads a file.
func (r *RecordFS) ReadFile(name string) ([]byte, error) {
	text, err := fs.ReadFile(r.below, name)
	key, file, ok := lineOf(name)
	if !ok || !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	document, _, shown := r.record(file, key)
	if errors.Is(shown, fs.ErrNotExist) {
		return nil, err
	}
	return document, shown
}

// ReadDir lists a folder. What cannot be read in its round files is an error beside the list, which names file and
// line.
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

// file is how a record is called that is a file of its own.
func (k lineKey) file() string {
	if k.attempt == 0 {
		return k.match + ".json"
	}
	return k.match + "." + strconv.Itoa(k.attempt) + ".json"
}

// lineOf says which line of which file has the record that would be called so.
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

// record returns a record that is a line, or [fs.ErrNotExist].
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

// round reads a round's file, unless it is as it was. Damage in it is not an error here.
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

// maxShown is how many round files are remembered: those of one round at the manager and at some referees.
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
