package wal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// A state is the keys of a log by kind, in order, with their places.
type state struct {
	mu   sync.Mutex
	keys []string
	at   map[string]Pos
}

func (s *state) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys, s.at = nil, map[string]Pos{}
}

func (s *state) Apply(it Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = append(s.keys, it.Key)
	s.at[it.Key] = it.At
}

func (s *state) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.keys)
}

// body is the content of a key's entry: half of it is compressible.
func body(key string) []byte {
	return []byte(strings.Repeat(key+" body ", 20) + fmt.Sprintf("%x", key))
}

func entry(key string) Entry { return Entry{1, key, body(key)} }

func openLog(t *testing.T, disk Disk, path string) (*Log, *state) {
	t.Helper()
	s := &state{}
	l, err := Open(disk, path, 0o600, s)
	if err != nil {
		t.Fatal(err)
	}
	return l, s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// holds fails unless a log has exactly these keys, with their bodies.
func holds(t *testing.T, l interface{ Read(Pos) (Entry, error) }, s *state, want ...string) {
	t.Helper()
	if got := s.list(); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	for key, at := range maps.Clone(s.at) {
		if e, err := l.Read(at); err != nil || e.Key != key || !bytes.Equal(e.Body, body(key)) {
			t.Errorf("%s: got %v, %v", key, e, err)
		}
	}
}

func TestEntriesAreThereAfterReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, s := openLog(t, OS{}, path)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want no file before the first entry", err)
	}
	must(t, l.Append(true, entry("a"), entry("b")))
	must(t, l.Append(false, entry("c")))
	holds(t, l, s, "a", "b", "c")
	must(t, l.Close())
	holds(t, l, s, "a", "b", "c") // it is opened again
	must(t, l.Append(true, entry("d")))
	must(t, l.Close())
	again, s2 := openLog(t, OS{}, path)
	holds(t, again, s2, "a", "b", "c", "d")
	if info, _ := os.Stat(path); info.Mode().Perm()&0o077 != 0 {
		t.Errorf("got mode %v, want none for others", info.Mode())
	}
	if err := again.Append(true, Entry{Key: strings.Repeat("k", maxKey+1)}); err == nil {
		t.Error("a key above the limit was appended")
	}
}

func TestCallsAtTheSameTimeShareSyncs(t *testing.T) {
	disk := newFaultyDisk(nil)
	l, s := openLog(t, disk, "log")
	must(t, l.Append(true, entry("first")))
	before := disk.syncs.Load()
	disk.hold = make(chan struct{}) // the next sync waits until all have joined
	var all sync.WaitGroup
	for n := range 100 {
		all.Go(func() {
			if err := l.Append(true, entry(fmt.Sprint(n))); err != nil {
				t.Error(err)
			}
		})
	}
	for joined := false; !joined; {
		l.mu.RLock()
		n := 0
		if l.next != nil {
			must(t, items(l.next.text[frameSize:], 0, nil, func(Item) { n++ }))
		}
		joined = n > 90
		l.mu.RUnlock()
	}
	close(disk.hold)
	all.Wait()
	if n := disk.syncs.Load() - before; n > 20 {
		t.Errorf("got %d syncs for 100 entries", n)
	}
	if got := s.list(); len(got) != 101 {
		t.Errorf("got %d entries, want 101", len(got))
	}
}

// threeGroups is the text of a log of three groups, and where each ends.
func threeGroups(t *testing.T) (text []byte, ends []int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	l, _ := openLog(t, OS{}, path)
	for _, group := range [][]Entry{{entry("a"), entry("b")}, {entry("c")}, {entry("d")}} {
		must(t, l.Append(true, group...))
		text, err := os.ReadFile(path)
		must(t, err)
		ends = append(ends, len(text))
	}
	text, err := os.ReadFile(path)
	must(t, err)
	must(t, l.Close())
	return text, ends
}

// groupsOf are the keys of the first groups.
func groupsOf(n int) []string {
	return [][]string{{}, {"a", "b"}, {"a", "b", "c"}, {"a", "b", "c", "d"}}[n]
}

// Wherever a log is cut, or ends in zeros, the groups before are there, and it goes on.
func TestTornTailIsCutOff(t *testing.T) {
	text, ends := threeGroups(t)
	for cut := range len(text) + 1 {
		whole := 0
		for _, end := range ends {
			if cut >= end {
				whole++
			}
		}
		for _, zeros := range []int{0, len(text) - cut, 4096} {
			if cut < headSize { // a head is on disk before anything is written behind it
				zeros = min(zeros, headSize-cut)
			}
			disk := newFaultyDisk(nil)
			disk.files["log"] = &faultyFile{disk: disk, text: append(slices.Clone(text[:cut]), make([]byte, zeros)...)}
			l, s := openLog(t, disk, "log")
			if err := l.Damage(); err != nil {
				t.Fatalf("cut at %d with %d zeros: %v", cut, zeros, err)
			}
			if got := s.list(); !slices.Equal(got, groupsOf(whole)) && (len(got) > 0 || whole > 0) {
				t.Fatalf("cut at %d with %d zeros: got %q, want %q", cut, zeros, got, groupsOf(whole))
			}
			must(t, l.Append(true, entry("e")))
			holds(t, l, s, append(slices.Clone(groupsOf(whole)), "e")...)
			must(t, l.Close())
			again, s2 := openLog(t, disk, "log")
			must(t, again.Damage())
			holds(t, again, s2, append(slices.Clone(groupsOf(whole)), "e")...)
		}
	}
}

// Every flipped bit is reported as damage or, in the last group, treated as a torn write. Undamaged entries can be
// read.
func TestFlippedBitsAreDamage(t *testing.T) {
	text, ends := threeGroups(t)
	sealed := append(slices.Clone(text), frameOf(int64(len(text)))...)
	flips := func(text []byte, sealed bool) {
		for at := range len(text) {
			for bit := range 8 {
				flipped := slices.Clone(text)
				flipped[at] ^= 1 << bit
				s := &state{}
				s.Reset()
				found, err := Scan(bytes.NewReader(flipped), int64(len(flipped)), s.Apply)
				if err != nil {
					t.Fatal(err)
				}
				last := at >= ends[1] && !sealed || at >= ends[2]
				switch {
				case last && len(found.Damage) == 0 && found.End <= int64(at):
				case len(found.Damage) != 1 || found.Damage[0].Offset > int64(at):
					t.Fatalf("byte %d bit %d: got %v, want damage", at, bit, found.Damage)
				case !strings.Contains(strings.Join(s.list(), ""), "d") && at < ends[1]:
					t.Fatalf("byte %d bit %d: got only %q", at, bit, s.list())
				}
			}
		}
	}
	flips(text, false)
	flips(sealed, true)
}

// frameOf is an empty frame, as Close writes it.
func frameOf(synced int64) []byte {
	b := room(nil)
	seal(b, synced)
	return b
}

func TestADamagedLogIsReadAndNotWritten(t *testing.T) {
	text, ends := threeGroups(t)
	text[ends[0]+frameSize+3] ^= 1
	path := filepath.Join(t.TempDir(), "log")
	must(t, os.WriteFile(path, text, 0o600))
	l, s := openLog(t, OS{}, path)
	holds(t, l, s, "a", "b", "d")
	var damage *DamageError
	if err := l.Append(true, entry("e")); !errors.As(err, &damage) || damage.Offset != int64(ends[0]) || damage.Path != path {
		t.Errorf("got %v, want damage at %d of %s", err, ends[0], path)
	}
	must(t, l.Close())
	if now, _ := os.ReadFile(path); !bytes.Equal(now, text) {
		t.Error("a damaged log was written to")
	}
}

func TestANewerFormatIsDamageAndNotWritten(t *testing.T) {
	head := appendHead(nil, 1)
	head[7]++
	copy(head[12:], appendCRC(head[:12]))
	s, err := Scan(bytes.NewReader(append(head, frameOf(0)...)), int64(headSize+frameSize), func(Item) {})
	if err != nil || len(s.Damage) != 1 || !strings.Contains(s.Damage[0].Error(), "format 2, and this program reads 1") {
		t.Errorf("got %v, %v", s.Damage, err)
	}
}

func TestCompactionKeepsWhatIsWanted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, s := openLog(t, OS{}, path)
	follower := &state{}
	r := NewReader(os.DirFS(filepath.Dir(path)), "log", follower)
	var keep []string
	for n := range 200 {
		key := fmt.Sprint("key", n)
		must(t, l.Append(n%10 == 0, entry(key)))
		if n%2 == 0 {
			keep = append(keep, key)
		}
		if n == 100 {
			if _, err := r.Refresh(); err != nil {
				t.Fatal(err)
			}
		}
	}
	before, _ := os.Stat(path)
	must(t, l.Compact(func(it Item) bool { return slices.Contains(keep, it.Key) }))
	after, _ := os.Stat(path)
	if after.Size()*4 > before.Size() || after.Mode() != before.Mode() {
		t.Errorf("got %d bytes of %d, %v", after.Size(), before.Size(), after.Mode())
	}
	must(t, l.Append(true, entry("more")))
	holds(t, l, s, append(keep, "more")...)
	if _, err := r.Refresh(); err != nil {
		t.Fatal(err)
	}
	holds(t, r, follower, append(keep, "more")...)
	must(t, r.Close())
	must(t, l.Compact(func(Item) bool { return true })) // of blocks
	holds(t, l, s, append(keep, "more")...)
	must(t, l.Close())
	text, err := os.ReadFile(path)
	must(t, err)
	text[len(text)/2] ^= 1
	if found, err := Scan(bytes.NewReader(text), int64(len(text)), func(Item) {}); err != nil || len(found.Damage) == 0 {
		t.Errorf("got %v, %v; want damage", found, err)
	}
}

// A stale file system describes files as they were.
type stale struct {
	fs.FS
	info fs.FileInfo
}

func (s stale) Stat(string) (fs.FileInfo, error) { return s.info, nil }

func TestALogIsReplacedWhileAReaderOpensIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, _ := openLog(t, OS{}, path)
	for n := range 50 {
		must(t, l.Append(false, entry(fmt.Sprint("key", n))))
	}
	info, err := os.Stat(path)
	must(t, err)
	must(t, l.Compact(func(it Item) bool { return it.Key == "key7" }))
	s := &state{}
	r := NewReader(stale{os.DirFS(filepath.Dir(path)), info}, "log", s)
	_, err = r.Refresh()
	must(t, err)
	holds(t, r, s, "key7")
}

func TestAReaderFollowsALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	s := &state{}
	r := NewReader(os.DirFS(filepath.Dir(path)), "log", s)
	if _, err := r.Refresh(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that there is none", err)
	}
	l, _ := openLog(t, OS{}, path)
	for _, key := range []string{"a", "b"} {
		must(t, l.Append(true, entry(key)))
		if _, err := r.Refresh(); err != nil {
			t.Fatal(err)
		}
	}
	holds(t, r, s, "a", "b")
	text, ends := threeGroups(t)
	memory := fstest.MapFS{"log": {Data: text[:ends[2]-5]}}
	s = &state{}
	r = NewReader(memory, "log", s)
	if found, err := r.Refresh(); err != nil || found.Tail != nil {
		t.Errorf("got %v, %v; want the frame that is being written left out", found, err)
	}
	holds(t, r, s, "a", "b", "c")
	memory["log"] = &fstest.MapFile{Data: text}
	if _, err := r.Refresh(); err != nil {
		t.Fatal(err)
	}
	holds(t, r, s, "a", "b", "c", "d")
}

// FuzzScan reads any text as a log: it ends, and finds no more than is there.
func FuzzScan(f *testing.F) {
	text := append(appendHead(nil, 1), frameOf(headSize)...)
	whole := room(nil)
	whole, _ = appendEntry(whole, entry("a"), packedS2)
	whole, _ = appendEntry(whole, Entry{blockFrame, "", append(must1(appendEntry(nil, entry("b"), packedZstd)), 1)}, plain)
	seal(whole, headSize)
	f.Add(text)
	f.Add(append(text, whole...))
	f.Fuzz(func(t *testing.T, text []byte) {
		var found []Item
		r := bytes.NewReader(text)
		s, err := Scan(r, int64(len(text)), func(it Item) { found = append(found, it) })
		if err != nil || s.End > int64(len(text)) && s.End > headSize {
			t.Fatalf("got %+v, %v", s, err)
		}
		var cache blockCache
		for _, it := range found {
			if e, err := cache.read(r, it.At); err == nil && (e.Key != it.Key || e.Kind != it.Kind) {
				t.Errorf("got %v at the place of %v", e, it)
			}
		}
	})
}

func must1(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestBlocksOfAllLogsAreCachedUpToALimit(t *testing.T) {
	var log bytes.Buffer
	many := make([]Entry, 0)
	for n := range 20 {
		many = append(many, Entry{Key: fmt.Sprint("k", n), Body: bytes.Repeat([]byte{byte(n)}, maxBlock/8)})
	}
	w := writing{w: &log, text: appendHead(nil, 1)}
	must(t, w.flush())
	for _, e := range many {
		must(t, w.add(e))
	}
	must(t, w.frame())
	must(t, w.frame())
	r := bytes.NewReader(log.Bytes())
	var first Item
	_, err := Scan(r, r.Size(), func(it Item) {
		if first.Key == "" {
			first = it
		}
	})
	must(t, err)
	caches := make([]blockCache, 3*maxCached/maxBlock)
	for i := range caches {
		for range 2 { // with and without the cache
			if e, err := caches[i].read(r, first.At); err != nil || e.Key != first.Key {
				t.Fatalf("got %v, %v", e, err)
			}
		}
	}
	held := 0
	for i := range caches {
		if b := caches[i].last.Load(); b != nil {
			held += len(b.text)
		}
		caches[i].forget()
	}
	if held == 0 || held > maxCached {
		t.Errorf("%d bytes are cached, want up to %d", held, maxCached)
	}
	if e, err := caches[0].read(r, first.At); err != nil || e.Key != first.Key {
		t.Errorf("after an eviction: got %v, %v", e, err)
	}
	caches[0].forget()
}

// A frame above the limit cannot be read again, so that the call which would write it is refused.
func TestAppendOfMoreThanAFrameIsRefused(t *testing.T) {
	t.Parallel()
	l, _ := openLog(t, OS{}, filepath.Join(t.TempDir(), "log"))
	big := Entry{Kind: 1, Key: "k", Body: make([]byte, 43<<20)}
	if err := l.Append(true, big, big, big); err == nil || !strings.Contains(err.Error(), "3 entries of more than 128 MiB together") {
		t.Errorf("got %v, want an error that names the limit", err)
	}
	if err := errors.Join(l.Append(true, entry("k")), l.Close()); err != nil {
		t.Error(err)
	}
}
