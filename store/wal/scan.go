package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// A DamageError describes a part of a log that was durable and has changed since.
type DamageError struct {
	Path   string // "": unknown
	Offset int64
	Cause  error
}

// Error names file and offset.
func (e *DamageError) Error() string {
	return fmt.Sprintf("%s: damaged at offset %d: %v; restore the file from a backup", e.Path, e.Offset, e.Cause)
}

// Unwrap returns the cause.
func (e *DamageError) Unwrap() error { return e.Cause }

// A Scanned is how far a log could be read.
type Scanned struct {
	End    int64          // of the last sound frame
	Synced int64          // the highest that a sound frame states
	Damage []*DamageError // below the end, in order
	Tail   error          // what stands behind the end and cannot be the beginning of a write; nil: nothing does
}

// named returns the damage in a log as an error that names its path, or nil if there is none.
func (s *Scanned) named(path string) error {
	all := make([]error, len(s.Damage))
	for i, d := range s.Damage {
		d.Path = path
		all[i] = d
	}
	return errors.Join(all...)
}

// Scan calls each for the entries in the sound frames of a log. It reports damage in s, not as an error.
func Scan(r io.ReaderAt, size int64, each func(Item)) (s Scanned, err error) {
	return scan(r, 0, size, each)
}

// scan is Scan from an offset that is the beginning of a frame, or 0 for the beginning of the file.
func scan(r io.ReaderAt, from, size int64, each func(Item)) (s Scanned, err error) {
	s.End = from
	if from == 0 {
		head := make([]byte, min(size, headSize))
		if err := readAt(r, head, 0); err != nil {
			return s, err
		}
		if err := parseHead(head); err != nil {
			if size <= headSize { // a torn write: a head is on disk before anything is written behind it
				return s, nil
			}
			s.Damage = append(s.Damage, &DamageError{Offset: 0, Cause: err})
		}
		s.End = headSize
	}
	var text []byte
	for s.End < size {
		text, err = frameAt(r, s.End, size, text)
		if err == nil {
			s.Synced = max(s.Synced, int64(binary.LittleEndian.Uint64(text[12:])))
			if bad := items(text[frameSize:], s.End+frameSize, nil, each); bad != nil {
				s.Damage = append(s.Damage, &DamageError{Offset: s.End, Cause: bad})
			}
			s.End += int64(len(text))
			continue
		}
		if !errors.Is(err, errFrame) {
			return s, err
		}
		next, failed := nextFrame(r, s.End, size, s.Synced)
		if failed != nil {
			return s, failed
		}
		if next < 0 {
			s.Tail = tail(err)
			return s, nil
		}
		s.Damage = append(s.Damage, &DamageError{Offset: s.End, Cause: err})
		s.End = next
	}
	return s, nil
}

// errFrame means that there is no sound frame. errShort means that in addition it may be a torn write, or the
// zeros that a power failure leaves.
var (
	errFrame = errors.New("not a sound frame")
	errShort = fmt.Errorf("%w: not all of it is there", errFrame)
)

// tail is what is wrong behind the end of a log.
func tail(err error) error {
	if errors.Is(err, errShort) {
		return nil
	}
	return err
}

// frameAt reads the frame at an offset. It uses the memory of room if that is large enough.
func frameAt(r io.ReaderAt, at, size int64, room []byte) ([]byte, error) {
	var head [frameSize]byte
	n := min(size-at, frameSize)
	if err := readAt(r, head[:n], at); err != nil {
		return room, err
	}
	length := int64(binary.LittleEndian.Uint32(head[4:]))
	switch {
	case bytes.Equal(head[:min(n, 4)], frameMagic[:min(n, 4)]) && n < frameSize, head == [frameSize]byte{}:
		return room, errShort
	case [4]byte(head[:]) != frameMagic || length > maxFrame:
		return room, errFrame
	case at+frameSize+length > size:
		return room, errShort
	}
	room = append(room[:0], make([]byte, frameSize+length)...)
	if err := readAt(r, room, at); err != nil {
		return room, err
	}
	if crc32.Checksum(room[12:], castagnoli) != binary.LittleEndian.Uint32(room[8:]) {
		return room, fmt.Errorf("%w: its checksum does not match", errFrame)
	}
	return room, nil
}

// nextFrame returns the offset of the next sound frame after an invalid one, if a later frame shows that the
// invalid one was durable. It returns -1 if there is none, or if the invalid frame may be a torn write.
func nextFrame(r io.ReaderAt, bad, size, synced int64) (next int64, err error) {
	next = -1
	const step = 1 << 20
	window := make([]byte, step+len(frameMagic)-1)
	for at := bad + 1; at < size; at += step {
		text := window[:min(int64(len(window)), size-at)]
		if err := readAt(r, text, at); err != nil {
			return -1, err
		}
		for i := 0; ; i++ {
			found := bytes.Index(text[i:], frameMagic[:])
			if found < 0 || i+found >= step {
				break
			}
			i += found
			frame, err := frameAt(r, at+int64(i), size, nil)
			if err != nil {
				continue
			}
			if next < 0 {
				next = at + int64(i)
			}
			if synced = max(synced, int64(binary.LittleEndian.Uint64(frame[12:]))); synced > bad {
				return next, nil
			}
		}
	}
	return -1, nil
}

// readAt fills b. If the file ends earlier it returns an error.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	return fmt.Errorf("read %d bytes at %d: %w", len(b), at, err)
}

// read returns the entry at a place.
func read(r io.ReaderAt, at Pos) (Entry, error) {
	text := make([]byte, at.size)
	if err := readAt(r, text, at.offset); err != nil {
		return Entry{}, err
	}
	e, err := parse(text)
	if at.inner == 0 || err != nil {
		return e, err
	}
	if int(at.inner) > len(e.Body) {
		return Entry{}, errEntry
	}
	return parse(e.Body[at.inner-1:])
}

// parse returns the first entry in text.
func parse(text []byte) (Entry, error) {
	key, body, _, err := cutEntry(text)
	if err != nil {
		return Entry{}, err
	}
	body, err = unpack(text[1], body)
	return Entry{text[0], string(key), body}, err
}
