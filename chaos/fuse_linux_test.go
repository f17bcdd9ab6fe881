package chaos_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// The kernel sends the requests of programs to a disk by the FUSE protocol: a header, the parameters of the operation,
// and one answer.
const (
	opLookup, opForget, opGetattr, opSetattr                = 1, 2, 3, 4
	opMkdir, opUnlink, opRmdir, opRename, opLink            = 9, 10, 11, 12, 13
	opOpen, opRead, opWrite, opStatfs, opRelease            = 14, 15, 16, 17, 18
	opFsync, opFlush, opInit, opOpendir, opReaddir          = 20, 25, 26, 27, 28
	opReleasedir, opFsyncdir, opAccess, opCreate            = 29, 30, 34, 35
	opInterrupt, opDestroy, opBatchForget, opRename2        = 36, 38, 42, 45
	headerIn, headerOut, maxWrite                           = 40, 16, 128 << 10
	isFolder, isFile                                 uint32 = syscall.S_IFDIR, syscall.S_IFREG
)

var le = binary.LittleEndian

// mount shows a disk at a folder until stop is called.
func (d *disk) mount(t *testing.T, dir string) (stop func()) {
	t.Helper()
	fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Fatalf("may not mount: %v", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fd)
	if err := syscall.Mount("power", dir, "fuse.power", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
		t.Fatalf("may not mount: %v", err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		d.serve(fd)
	}()
	unpollable(t, filepath.Join(dir, ".unpollable"))
	return func() {
		_ = syscall.Unmount(dir, syscall.MNT_DETACH)
		<-served
		_ = syscall.Close(fd)
	}
}

// unpollable lets the kernel find out that files here cannot be polled. Go asks so of every file that it opens, in a
// call that holds up the whole runtime until it is answered, and the answer would have to come from here.
func unpollable(t *testing.T, path string) {
	t.Helper()
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	var set syscall.FdSet
	set.Bits[fd/64] |= 1 << (fd % 64)
	if _, err := syscall.Select(fd+1, &set, nil, nil, &syscall.Timeval{}); err != nil {
		t.Fatal(err)
	}
	_ = syscall.Close(fd)
	_ = syscall.Unlink(path)
}

// serve answers the kernel until the disk is unmounted.
func (d *disk) serve(fd int) {
	in := make([]byte, maxWrite+4096)
	for {
		n, err := syscall.Read(fd, in)
		switch err {
		case nil:
		case syscall.EINTR, syscall.EAGAIN, syscall.ENOENT:
			continue
		default:
			return // ENODEV: unmounted
		}
		op := le.Uint32(in[4:])
		if op == opForget || op == opBatchForget || op == opInterrupt {
			continue
		}
		out, errno := d.answer(op, le.Uint64(in[16:]), in[headerIn:n])
		reply := make([]byte, headerOut, headerOut+len(out))
		if errno == 0 {
			reply = append(reply, out...)
		}
		le.PutUint32(reply, uint32(len(reply)))
		le.PutUint32(reply[4:], uint32(-int32(errno)))
		copy(reply[8:16], in[8:16])
		_, _ = syscall.Write(fd, reply)
	}
}

// answer does one operation. After a power cut nothing is done any more.
func (d *disk) answer(op uint32, id uint64, in []byte) ([]byte, syscall.Errno) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.nodes[id]
	switch {
	case op == opInit:
		return initOut(in), 0
	case op == opDestroy:
		return nil, 0
	case d.off:
		return nil, syscall.EIO
	case n == nil:
		return nil, syscall.ENOENT
	}
	switch op {
	case opLookup:
		return entryOut(n.names[word(in)])
	case opGetattr:
		return attrOut(n), 0
	case opSetattr:
		if valid := le.Uint32(in); valid&8 != 0 {
			n.truncate(int(le.Uint64(in[16:])))
		} else if valid&1 != 0 {
			n.mode = le.Uint32(in[68:]) & 0o7777
		}
		return attrOut(n), 0
	case opOpen, opOpendir:
		return make([]byte, 16), 0
	case opRead:
		at := min(int(le.Uint64(in[8:])), len(n.data))
		return n.data[at:min(at+int(le.Uint32(in[16:])), len(n.data))], 0
	case opWrite:
		n.write(int(le.Uint64(in[8:])), in[40:40+le.Uint32(in[16:])])
		return append(bytes.Clone(in[16:20]), 0, 0, 0, 0), 0
	case opReaddir:
		return n.list(int(le.Uint64(in[8:])), int(le.Uint32(in[16:]))), 0
	case opFsync, opFsyncdir:
		n.sync()
		return nil, 0
	case opFlush, opRelease, opReleasedir, opAccess:
		return nil, 0
	case opStatfs:
		return statOut(), 0
	}
	return d.change(op, n, in)
}

// change executes the operations that change the names in a folder.
func (d *disk) change(op uint32, n *node, in []byte) ([]byte, syscall.Errno) {
	switch op {
	case opCreate:
		child := d.add(false, le.Uint32(in[4:])&0o7777)
		n.name(naming{word(in[16:]): child})
		out, errno := entryOut(child)
		return append(out, make([]byte, 16)...), errno
	case opMkdir:
		child := d.add(true, le.Uint32(in)&0o7777)
		n.name(naming{word(in[8:]): child})
		return entryOut(child)
	case opLink:
		child := d.nodes[le.Uint64(in)]
		if n.names[word(in[8:])] != nil {
			return nil, syscall.EEXIST
		}
		n.name(naming{word(in[8:]): child})
		return entryOut(child)
	case opUnlink, opRmdir:
		if child := n.names[word(in)]; op == opRmdir && len(child.names) > 0 {
			return nil, syscall.ENOTEMPTY
		}
		n.name(naming{word(in): nil})
		return nil, 0
	case opRename, opRename2:
		to, names := d.nodes[le.Uint64(in)], in[8:]
		if op == opRename2 {
			names = in[16:]
		}
		from := word(names)
		target := word(names[len(from)+1:])
		child := n.names[from]
		if to == n {
			n.name(naming{from: nil, target: child})
			return nil, 0
		}
		n.name(naming{from: nil})
		to.name(naming{target: child})
		return nil, 0
	}
	return nil, syscall.ENOSYS
}

// word is a name as the kernel writes it.
func word(in []byte) string {
	name, _, _ := bytes.Cut(in, []byte{0})
	return strings.Clone(string(name))
}

func initOut(in []byte) []byte {
	out := make([]byte, 64)
	le.PutUint32(out, 7)
	le.PutUint32(out[4:], min(le.Uint32(in[4:]), 31))
	le.PutUint32(out[8:], maxWrite)
	le.PutUint32(out[12:], 1<<5) // big writes
	le.PutUint16(out[16:], 64)
	le.PutUint16(out[18:], 48)
	le.PutUint32(out[20:], maxWrite)
	le.PutUint32(out[24:], 1)
	return out
}

func (n *node) attr() []byte {
	out := make([]byte, 88)
	le.PutUint64(out, n.id)
	le.PutUint64(out[8:], uint64(len(n.data)))
	mode := isFile
	if n.dir {
		mode = isFolder
	}
	le.PutUint32(out[60:], mode|n.mode)
	le.PutUint32(out[64:], 1)
	le.PutUint32(out[80:], 4096)
	return out
}

func attrOut(n *node) []byte { return append(make([]byte, 16), n.attr()...) }

func entryOut(n *node) ([]byte, syscall.Errno) {
	if n == nil {
		return nil, syscall.ENOENT
	}
	out := make([]byte, 40)
	le.PutUint64(out, n.id)
	return append(out, n.attr()...), 0
}

// list writes the names in a folder from an offset on.
func (n *node) list(from, room int) (out []byte) {
	for i, name := range slices.Sorted(maps.Keys(n.names)) {
		if i < from {
			continue
		}
		entry := make([]byte, (24+len(name)+7)/8*8)
		child, kind := n.names[name], uint32(syscall.DT_REG)
		if child.dir {
			kind = syscall.DT_DIR
		}
		le.PutUint64(entry, child.id)
		le.PutUint64(entry[8:], uint64(i+1))
		le.PutUint32(entry[16:], uint32(len(name)))
		le.PutUint32(entry[20:], kind)
		copy(entry[24:], name)
		if len(out)+len(entry) > room {
			break
		}
		out = append(out, entry...)
	}
	return out
}

func statOut() []byte {
	out := make([]byte, 80)
	for i := range 5 {
		le.PutUint64(out[8*i:], 1<<24)
	}
	le.PutUint32(out[40:], 4096)
	le.PutUint32(out[44:], 255)
	le.PutUint32(out[48:], 4096)
	return out
}
