package chaos_test

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// A disk keeps files in memory, in two versions: as programs see them, and as they would be after a power cut. Data
// reaches the second version only by an fsync, a file's name by an fsync of its folder.
type disk struct {
	mu    sync.Mutex
	root  *node
	count uint64
	nodes map[uint64]*node
	off   bool // the power is cut
}

// A node is a file or a folder.
type node struct {
	id   uint64
	dir  bool
	mode uint32

	data   []byte
	synced []byte
	writes []write // since the last sync

	names map[string]*node
	kept  map[string]*node
	ops   []naming // since the last sync
}

// A write changes a file at an offset; without data it sets the size.
type write struct {
	at   int
	data []byte
}

// A naming gives names to files, or takes them away, all or nothing.
type naming map[string]*node

func newDisk() *disk {
	d := &disk{nodes: map[uint64]*node{}}
	d.root = d.add(true, 0o755)
	return d
}

// add makes a node without a name. The root is node 1.
func (d *disk) add(dir bool, mode uint32) *node {
	d.count++
	n := &node{id: d.count, dir: dir, mode: mode, names: map[string]*node{}, kept: map[string]*node{}}
	d.nodes[n.id] = n
	return n
}

// name changes the names in a folder.
func (n *node) name(op naming) {
	for name, child := range op {
		if child == nil {
			delete(n.names, name)
		} else {
			n.names[name] = child
		}
	}
	n.ops = append(n.ops, op)
}

func (n *node) write(at int, data []byte) {
	n.do(write{at, bytes.Clone(data)})
	n.writes = append(n.writes, write{at, bytes.Clone(data)})
}

func (n *node) truncate(size int) {
	n.do(write{at: size})
	n.writes = append(n.writes, write{at: size})
}

// do applies a write to the version that programs see.
func (n *node) do(w write) { n.data = w.apply(n.data) }

func (w write) apply(data []byte) []byte {
	end := w.at + len(w.data)
	if w.data == nil && end < len(data) {
		return data[:end:end]
	}
	if end > len(data) {
		data = append(data, make([]byte, end-len(data))...)
	}
	copy(data[w.at:], w.data)
	return data
}

// sync makes a node durable: a file's bytes, or a folder's names.
func (n *node) sync() {
	n.synced, n.writes = bytes.Clone(n.data), nil
	n.kept, n.ops = maps.Clone(n.names), nil
}

// cut ends the power and returns the disk afterwards: the synced data, and a share of the other data that rng selects.
func (d *disk) cut(rng *rand.Rand, keep float64) *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = true
	after := newDisk()
	copies := map[*node]*node{}
	after.root = after.copyOf(d.root, copies, func() bool { return rng.Float64() < keep })
	after.nodes[1], after.root.id = after.root, 1
	return after
}

// copyOf is a node after a power cut. A file with two names stays one file.
func (d *disk) copyOf(n *node, copies map[*node]*node, kept func() bool) *node {
	if c := copies[n]; c != nil {
		return c
	}
	c := d.add(n.dir, n.mode)
	copies[n] = c
	data := bytes.Clone(n.synced)
	for _, w := range n.writes {
		for _, s := range w.sectors() {
			if kept() {
				data = s.apply(data)
			}
		}
	}
	c.data, c.synced = data, bytes.Clone(data)
	names := maps.Clone(n.kept)
	for _, op := range n.ops {
		if !kept() {
			continue
		}
		for name, child := range op {
			names[name] = child
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if names[name] != nil {
			c.names[name] = d.copyOf(names[name], copies, kept)
		}
	}
	c.kept = maps.Clone(c.names)
	return c
}

// sectors are the parts of a write that reach a disk together.
func (w write) sectors() (out []write) {
	const size = 512
	if len(w.data) == 0 {
		return []write{w}
	}
	for at := 0; at < len(w.data); {
		end := min(len(w.data), (w.at+at)/size*size+size-w.at)
		out = append(out, write{w.at + at, w.data[at:end]})
		at = end
	}
	return out
}

// files yields the files below a folder whose path contains a word, as programs see them.
func (d *disk) files(word string) map[string][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	out := map[string][]byte{}
	var walk func(n *node, path string)
	walk = func(n *node, path string) {
		for name, child := range n.names {
			if at := path + "/" + name; child.dir {
				walk(child, at)
			} else if strings.Contains(at, word) {
				out[at] = bytes.Clone(child.data)
			}
		}
	}
	walk(d.root, "")
	return out
}
