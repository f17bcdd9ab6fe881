package wal

import (
	"container/list"
	"io"
	"sync"
	"sync/atomic"
)

// A blockCache caches the block of a log that was read last. All caches of the process together hold at most
// maxCached bytes. Its owner's lock guards it, except for last, which an eviction clears under the lock of recent.
type blockCache struct {
	last atomic.Pointer[cachedBlock]
	slot *list.Element // in recent; nil: nothing was cached yet. Guarded by recent
}

// A cachedBlock is a block and its offset.
type cachedBlock struct {
	at   int64
	text []byte
}

// maxCached limits the bytes of all cached blocks. A process may follow a thousand logs, each with blocks of 1 MiB.
const maxCached = 16 << 20

// recent lists the caches that hold a block, the most recently filled first.
var recent struct {
	mu    sync.Mutex
	order list.List // of *blockCache
	bytes int
}

// read returns the entry at a place.
func (c *blockCache) read(r io.ReaderAt, at Pos) (Entry, error) {
	if at.inner == 0 {
		return read(r, at)
	}
	b := c.last.Load()
	if b == nil || b.at != at.offset {
		block, err := read(r, Pos{offset: at.offset, size: at.size})
		if err != nil {
			return Entry{}, err
		}
		b = &cachedBlock{at.offset, block.Body}
		c.keep(b)
	}
	if int(at.inner) > len(b.text) {
		return Entry{}, errEntry
	}
	return parse(b.text[at.inner-1:])
}

// keep caches a block. It evicts the oldest blocks while all caches together exceed maxCached.
func (c *blockCache) keep(b *cachedBlock) {
	recent.mu.Lock()
	defer recent.mu.Unlock()
	c.drop()
	c.last.Store(b)
	c.slot = recent.order.PushFront(c)
	for recent.bytes += len(b.text); recent.bytes > maxCached && recent.order.Len() > 1; {
		recent.order.Back().Value.(*blockCache).drop()
	}
}

// forget drops the cached block.
func (c *blockCache) forget() {
	recent.mu.Lock()
	defer recent.mu.Unlock()
	c.drop()
}

// drop is forget for a caller that holds the lock of recent.
func (c *blockCache) drop() {
	if c.slot != nil {
		recent.bytes -= len(c.last.Swap(nil).text)
		recent.order.Remove(c.slot)
		c.slot = nil
	}
}
