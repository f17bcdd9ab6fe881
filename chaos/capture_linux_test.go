package chaos_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// A capture holds everything that is sent over the loopback device of this network namespace, one byte stream per
// direction of a TCP connection.
type capture struct {
	t    *testing.T
	fd   int
	done chan struct{}

	mu      sync.Mutex
	streams map[flow][]byte
}

// A flow is one direction of a TCP connection. A port that is used again by another connection starts with another
// sequence number.
type flow struct {
	from, to netip.AddrPort
	start    uint32
}

// startCapture begins before the first connection is made, so that it sees where every stream starts.
func startCapture(t *testing.T) *capture {
	t.Helper()
	const all = unix.ETH_P_ALL<<8&0xff00 | unix.ETH_P_ALL>>8 // in network byte order
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, all)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 256<<20),
		unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Usec: 100_000}))
	if err != nil {
		t.Fatal(err)
	}
	c := &capture{t: t, fd: fd, done: make(chan struct{}), streams: map[flow][]byte{}}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		c.read()
	}()
	t.Cleanup(func() {
		close(c.done)
		<-stopped
		_ = unix.Close(fd)
	})
	return c
}

func (c *capture) read() {
	newest := map[flow]flow{} // the stream of the newest connection between two ports, by the flow without its start
	packet := make([]byte, 1<<17)
	for {
		n, from, err := unix.Recvfrom(c.fd, packet, 0)
		select {
		case <-c.done:
			return
		default:
		}
		if link, ok := from.(*unix.SockaddrLinklayer); err == nil && ok && link.Pkttype == unix.PACKET_OUTGOING {
			c.mu.Lock()
			c.add(packet[:n], newest)
			c.mu.Unlock()
		}
	}
}

// add takes an IP packet, which the loopback device carries in one piece.
func (c *capture) add(packet []byte, newest map[flow]flow) {
	from, to, segment, ok := tcp(packet)
	if !ok {
		return
	}
	ports := flow{
		from: netip.AddrPortFrom(from, binary.BigEndian.Uint16(segment)),
		to:   netip.AddrPortFrom(to, binary.BigEndian.Uint16(segment[2:])),
	}
	seq, flags, data := binary.BigEndian.Uint32(segment[4:]), segment[13], segment[int(segment[12]>>4)*4:]
	if flags&0x02 != 0 { // SYN
		f := ports
		f.start = seq + 1
		newest[ports], c.streams[f] = f, []byte{}
		return
	}
	f := newest[ports]
	known := c.streams[f]
	if known == nil || len(data) == 0 {
		return
	}
	at := int(seq - f.start)
	if at == -1 { // a keep-alive probe
		return
	}
	if end := at + len(data); end > len(known) {
		known = append(known, make([]byte, end-len(known))...)
	}
	copy(known[at:], data)
	c.streams[f] = known
}

// tcp takes an IP packet apart.
func tcp(packet []byte) (from, to netip.Addr, segment []byte, ok bool) {
	switch {
	case len(packet) >= 20 && packet[0]>>4 == 4 && packet[9] == unix.IPPROTO_TCP:
		from, to = netip.AddrFrom4([4]byte(packet[12:])), netip.AddrFrom4([4]byte(packet[16:]))
		segment = packet[int(packet[0]&0x0f)*4:]
	case len(packet) >= 40 && packet[0]>>4 == 6 && packet[6] == unix.IPPROTO_TCP:
		from, to = netip.AddrFrom16([16]byte(packet[8:])), netip.AddrFrom16([16]byte(packet[24:]))
		segment = packet[40:]
	}
	return from, to, segment, len(segment) >= 20
}

// all returns every captured stream and fails if packets were lost. Each compressed body is appended to its stream in
// decompressed form. Call it when all processes have ended.
func (c *capture) all() map[flow][]byte {
	c.t.Helper()
	stats, err := unix.GetsockoptTpacketStats(c.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		c.t.Fatal(err)
	}
	if stats.Drops > 0 {
		c.t.Fatalf("the capture lost %d of %d packets", stats.Drops, stats.Packets)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[flow][]byte{}
	for f, text := range c.streams {
		if out[f] = bytes.Clone(text); bytes.Contains(bytes.ToLower(text), []byte("\ncontent-encoding:")) {
			if out[f], err = unpacked(text); err != nil {
				c.t.Errorf("%v to %v: %v", f.from, f.to, err)
			}
		}
	}
	return out
}

// unpacked returns a stream of HTTP responses and the bodies among them that are compressed.
func unpacked(text []byte) ([]byte, error) {
	out := bytes.Clone(text)
	for r := bufio.NewReader(bytes.NewReader(text)); ; {
		resp, err := http.ReadResponse(r, nil)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // the last may have been cut off by a kill
			return out, nil
		}
		if err != nil {
			return out, err
		}
		body, err := io.ReadAll(resp.Body)
		if err == nil && resp.Header.Get("Content-Encoding") == "gzip" {
			zipped, failed := gzip.NewReader(bytes.NewReader(body))
			if failed != nil {
				return out, failed
			}
			body, err = io.ReadAll(zipped)
			out = append(out, body...)
		}
		if err != nil {
			return out, err
		}
	}
}
