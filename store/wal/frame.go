package wal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// An Entry is what a caller appends. The caller defines kinds and keys; only the body is compressed.
type Entry struct {
	Kind byte
	Key  string
	Body []byte
}

// An Item describes an entry without its body, as a scan returns it.
type Item struct {
	Kind byte
	Key  string
	At   Pos
	Size int // in bytes, before the packing of a block
}

// A Pos is where in a log an entry stands.
type Pos struct {
	offset int64
	size   int32 // of the entry, or of the block that it is in
	inner  int32 // in a block: 1 + its offset there
}

// blockFrame is the kind of an entry that contains other entries. Callers must use lower kinds.
const blockFrame = 0xff

const (
	headSize  = 16 // of a file
	frameSize = 20 // of a frame before its entries
	entrySize = 8  // of an entry before its key

	// maxBody is the largest body, in bytes.
	maxBody = 64 << 20

	maxFrame = 2 * maxBody
	maxKey   = 1<<16 - 1
)

// Codecs of a body.
const (
	plain = iota
	packedS2
	packedZstd
)

var (
	fileMagic  = [8]byte{'L', 'G', 'S', 'T', 'O', 'R', 'E', 1}
	frameMagic = [4]byte{0xf5, 'L', 'G', 1}
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
)

// appendHead writes the head of a file.
func appendHead(b []byte, generation uint32) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, fileMagic[:]...), generation)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[len(b)-12:], castagnoli))
}

// ErrVersion means that the log has an unsupported format version.
var ErrVersion = errors.New("another version wrote it")

// parseHead checks the head of a file.
func parseHead(b []byte) error {
	switch {
	case len(b) < headSize, [7]byte(b) != [7]byte(fileMagic[:]),
		binary.LittleEndian.Uint32(b[12:]) != crc32.Checksum(b[:12], castagnoli):
		return errors.New("it does not begin as a log does")
	case b[7] != fileMagic[7]:
		return fmt.Errorf("it has format %d, and this program reads %d: %w", b[7], fileMagic[7], ErrVersion)
	}
	return nil
}

// room appends space for the header of a frame, which seal fills in.
func room(b []byte) []byte { return append(b, make([]byte, frameSize)...) }

// seal completes the frame that b is.
func seal(b []byte, synced int64) {
	copy(b, frameMagic[:])
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-frameSize))
	binary.LittleEndian.PutUint64(b[12:], uint64(synced))
	binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(b[12:], castagnoli))
}

// appendEntry appends an encoded entry. It stores a body uncompressed if the codec does not make it smaller.
func appendEntry(b []byte, e Entry, codec byte) ([]byte, error) {
	if len(e.Key) > maxKey || len(e.Body) > maxBody {
		return b, fmt.Errorf("an entry with a key of %d bytes and a body of %d is too large", len(e.Key), len(e.Body))
	}
	at := len(b)
	b = append(append(b, make([]byte, entrySize)...), e.Key...)
	from := len(b)
	switch codec {
	case packedS2:
		most := s2.MaxEncodedLen(len(e.Body))
		b = append(b, make([]byte, most)...)
		b = b[:from+len(s2.Encode(b[from:], e.Body))]
	case packedZstd:
		b = packer().EncodeAll(e.Body, b)
	}
	if codec == plain || len(b)-from >= len(e.Body) {
		codec, b = plain, append(b[:from], e.Body...)
	}
	b[at], b[at+1] = e.Kind, codec
	binary.LittleEndian.PutUint16(b[at+2:], uint16(len(e.Key)))
	binary.LittleEndian.PutUint32(b[at+4:], uint32(len(b)-from))
	return b, nil
}

var errEntry = errors.New("an entry is not whole")

// cutEntry returns the key and the compressed body of the first entry in text, and the length of that entry.
func cutEntry(text []byte) (key, body []byte, size int, err error) {
	if len(text) < entrySize {
		return nil, nil, 0, errEntry
	}
	n, m := int(binary.LittleEndian.Uint16(text[2:])), int64(binary.LittleEndian.Uint32(text[4:]))
	if int64(len(text)) < entrySize+int64(n)+m {
		return nil, nil, 0, errEntry
	}
	size = entrySize + n + int(m)
	return text[entrySize : entrySize+n], text[entrySize+n : size], size, nil
}

// unpack returns a body as it was appended.
func unpack(codec byte, body []byte) ([]byte, error) {
	switch codec {
	case plain:
		return append([]byte{}, body...), nil
	case packedS2:
		if n, err := s2.DecodedLen(body); err != nil || n > maxBody {
			return nil, errors.Join(errEntry, err)
		}
		return s2.Decode(nil, body)
	case packedZstd:
		return unpacker().DecodeAll(body, nil)
	}
	return nil, fmt.Errorf("%w: codec %d", errEntry, codec)
}

// packer and unpacker are shared by all logs: EncodeAll and DecodeAll are safe for concurrent use.
var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(maxBlock), zstd.WithLowerEncoderMem(true))
		return w
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		r, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBody))
		return r
	})
)

// items calls each for every entry of a frame or a block that begins at an offset of the file. If block is not nil,
// text is the content of that block, and the positions of its entries refer to it.
func items(text []byte, offset int64, block *Pos, each func(Item)) error {
	for done := 0; done < len(text); {
		key, body, size, err := cutEntry(text[done:])
		if err != nil {
			return err
		}
		at := Pos{offset: offset + int64(done), size: int32(size)}
		if block != nil {
			at = Pos{block.offset, block.size, int32(done + 1)}
		}
		if text[done] == blockFrame && block == nil {
			inner, err := unpack(text[done+1], body)
			if err == nil {
				err = items(inner, 0, &at, each)
			}
			if err != nil {
				return err
			}
		} else {
			each(Item{text[done], string(key), at, size})
		}
		done += size
	}
	return nil
}
