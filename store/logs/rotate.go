package logs

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentleague/protocol"
)

// A Rotation configures when a log begins a new file. The old file gets the time in its name,
// P01.log.jsonl.20260101T000000Z, and only the newest of those are kept.
type Rotation struct {
	MaxBytes int64         // of a file; 0: any number
	MaxAge   time.Duration // of its first line; 0: any age
	Keep     int           // the number of old files of each log; 0: all
	MaxTotal int64         // bytes of all logs of the data directory; 0: any number
}

// lookEvery is the interval at which a log checks whether another process has rotated its file.
const lookEvery = time.Second

// trimEvery is the interval at which the total size of all logs is checked. Files written within it are never removed.
const trimEvery = time.Minute

// trim removes log files while all logs of a data directory together exceed the limit, the least recently written
// first.
func (f *Folder) trim() {
	now := time.Now()
	checked := f.trimmed.Load()
	if f.rotation.MaxTotal == 0 || now.UnixNano()-checked < int64(trimEvery) || !f.trimmed.CompareAndSwap(checked, now.UnixNano()) {
		return
	}
	written := map[string]fs.FileInfo{}
	var total int64
	_ = filepath.WalkDir(f.path("logs"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || !strings.Contains(e.Name(), ".log.jsonl") {
			return nil // it was removed meanwhile, or is not ours
		}
		if info, err := e.Info(); err == nil {
			written[path] = info
			total += info.Size()
		}
		return nil
	})
	oldest := slices.SortedFunc(maps.Keys(written), func(a, b string) int { return written[a].ModTime().Compare(written[b].ModTime()) })
	for _, path := range oldest {
		if total <= f.rotation.MaxTotal || now.Sub(written[path].ModTime()) < trimEvery {
			break
		}
		if os.Remove(path) == nil { // an error leaves the file to the next check
			total -= written[path].Size()
		}
	}
}

// rotate begins a new file if the present one would be too large with more bytes, or is too old.
func (l *Log) rotate(more int) error {
	if err := l.look(); err != nil {
		return err
	}
	l.folder.trim()
	how := l.folder.rotation
	tooLarge := how.MaxBytes > 0 && l.size > 0 && l.size+int64(more) > how.MaxBytes
	tooOld := how.MaxAge > 0 && !l.born.IsZero() && time.Since(l.born) >= how.MaxAge
	if !tooLarge && !tooOld {
		return nil
	}
	if err := l.letGo(); err != nil {
		return err
	}
	path := l.folder.path(l.name)
	if err := os.Rename(path, oldName(path, time.Now())); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l.size, l.born, l.looked = 0, time.Now(), time.Time{}
	return dropOld(path, how.Keep)
}

// look reads the size and the start time of the log's file, and closes a file that was renamed.
func (l *Log) look() error {
	now := time.Now()
	if !l.looked.IsZero() && now.Sub(l.looked) < lookEvery {
		return nil
	}
	l.looked = now
	path := l.folder.path(l.name)
	there, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		l.size, l.born = 0, now
		return l.letGo()
	}
	if err != nil {
		return err
	}
	if l.file != nil {
		if held, err := l.file.Stat(); err != nil || !os.SameFile(held, there) {
			if err := l.letGo(); err != nil {
				return err
			}
			l.born = time.Time{}
		}
	}
	if l.size = there.Size(); l.born.IsZero() {
		l.born = firstLine(path, now)
	}
	return nil
}

// firstLine returns the time of the first line of a log, or now if it has none.
func firstLine(path string, now time.Time) time.Time {
	f, err := os.Open(path)
	if err != nil {
		return now
	}
	defer f.Close()
	line, _ := bufio.NewReaderSize(f, 4096).ReadSlice('\n')
	var head struct {
		Timestamp string `json:"timestamp"`
	}
	if json.Unmarshal(line, &head) != nil {
		return now
	}
	if at, _, err := protocol.ParseTime(head.Timestamp); err == nil {
		return at
	}
	return now
}

// oldName returns an unused name for a rotated log file.
func oldName(path string, at time.Time) string {
	name := path + "." + at.UTC().Format("20060102T150405Z")
	for n := 1; ; n++ {
		if _, err := os.Lstat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s.%s.%03d", path, at.UTC().Format("20060102T150405Z"), n)
	}
}

// dropOld removes all but the newest old files of a log.
func dropOld(path string, keep int) error {
	if keep <= 0 {
		return nil
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	var old []string
	for _, e := range entries {
		if stamp, is := strings.CutPrefix(e.Name(), filepath.Base(path)+"."); is && len(stamp) >= len("20060102T150405Z") {
			old = append(old, e.Name())
		}
	}
	slices.Sort(old)
	for _, name := range old[:max(0, len(old)-keep)] {
		err = errors.Join(err, os.Remove(filepath.Join(filepath.Dir(path), name)))
	}
	return err
}
