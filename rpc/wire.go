package rpc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A call over plain HTTP is one write and one read on the caller's goroutine.
// The standard library's client starts two goroutines for each connection and
// passes every call between three: half of a call's price, and in a large
// league more goroutines than players.

// maxIdle is how long a connection is kept for the next call. Our own servers
// keep theirs for twice that.
const maxIdle = 60 * time.Second

// So many connections are kept: to one host, and to all.
const (
	maxIdleWires        = 4096
	maxIdleWiresPerHost = 64
)

// wires are the connections that wait for the next call, by host and port.
type wires struct {
	dialer *net.Dialer

	mu    sync.Mutex
	idle  map[string][]*wire // the one used last comes last
	count int
	swept time.Time // when the old ones were closed last
}

// A wire is a connection that carries one call at a time.
type wire struct {
	conn net.Conn
	read *bufio.Reader
	out  []byte // room for a request
	used time.Time

	left int  // how many bytes may still be read before the header must have ended
	got  bool // the answer has begun
}

// Read reads from the connection, and no header that does not end.
func (w *wire) Read(b []byte) (int, error) {
	if w.left <= 0 {
		return 0, fmt.Errorf("the answer's header is larger than %d bytes", maxHeader)
	}
	n, err := w.conn.Read(b)
	w.left -= n
	w.got = w.got || n > 0
	return n, err
}

// close closes a wire that waited.
func (w *wire) close() {
	processConns.forget(w.conn)
	_ = w.conn.Close()
}

// post makes a call. One that met a kept connection which the peer had closed
// meanwhile is made again, once, on a new one: nothing at all came back then,
// and it is not known to have arrived.
func (p *wires) post(ctx context.Context, u *url.URL, body []byte, limit int64) (int, []byte, error) {
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "80")
	}
	if w := p.take(host); w != nil {
		status, answer, err := p.call(ctx, w, host, u, body, limit)
		if err == nil || w.got || ctx.Err() != nil || isTimeout(err) {
			return status, answer, err
		}
		p.forget(host) // the others are as old or older
	}
	conn, err := dial(ctx, p.dialer, "tcp", host)
	if err != nil {
		return 0, nil, err
	}
	w := &wire{conn: conn}
	w.read = bufio.NewReaderSize(w, 2<<10)
	return p.call(ctx, w, host, u, body, limit)
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}

// call sends a request over w and reads the answer. Afterwards w is kept, or
// closed if anything about it is in doubt.
func (p *wires) call(ctx context.Context, w *wire, host string, u *url.URL, body []byte, limit int64) (int, []byte,
	error) {
	deadline, _ := ctx.Deadline() // zero: none
	_ = w.conn.SetDeadline(deadline)
	stop := context.AfterFunc(ctx, func() { _ = w.conn.SetDeadline(time.Unix(1, 0)) })
	status, answer, again, err := w.exchange(u, body, limit)
	if stop() && again && err == nil {
		p.put(host, w)
	} else {
		_ = w.conn.Close()
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	} else if err != nil && isTimeout(err) { // the connection's clock was a little before the context's
		err = context.DeadlineExceeded
	}
	return status, answer, err
}

// posting is what the standard library has to know of the request to read its answer.
var posting = &http.Request{Method: http.MethodPost}

// exchange writes a request and reads its answer. Again says that the
// connection can carry another call.
func (w *wire) exchange(u *url.URL, body []byte, limit int64) (status int, answer []byte, again bool, err error) {
	w.left, w.got = maxHeader, false
	w.out = appendRequest(w.out[:0], u, body)
	_, unsent := w.conn.Write(w.out)
	if cap(w.out) > 64<<10 {
		w.out = nil
	}
	resp, err := w.response() // also after a failed write: who refuses a request answers before it has come in whole
	if err != nil {
		return 0, nil, false, errors.Join(unsent, err)
	}
	w.left = int(^uint(0) >> 1)
	answer, err = readBody(resp, limit)
	again = unsent == nil && !resp.Close && w.read.Buffered() == 0
	return resp.StatusCode, answer, again, err
}

// maxInterim is how many interim answers may come before the real one.
const maxInterim = 5

// response reads the header of an answer.
func (w *wire) response() (*http.Response, error) {
	for range maxInterim {
		resp, err := http.ReadResponse(w.read, posting)
		if err != nil || resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
	return nil, errors.New("the server sent too many interim answers")
}

func appendRequest(b []byte, u *url.URL, body []byte) []byte {
	b = append(append(b, "POST "...), u.RequestURI()...)
	b = append(append(b, " HTTP/1.1\r\nHost: "...), u.Host...)
	b = append(b,
		"\r\nUser-Agent: league\r\nContent-Type: application/json\r\nAccept: application/json, "+
			"text/event-stream\r\nContent-Length: "...)
	b = strconv.AppendInt(b, int64(len(body)), 10)
	return append(append(b, "\r\n\r\n"...), body...)
}

// take returns the connection to a host that was used last, or nil.
func (p *wires) take(host string) *wire {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.idle[host]
	if len(list) == 0 {
		return nil
	}
	w := list[len(list)-1]
	if time.Since(w.used) > maxIdle {
		p.drop(host)
		return nil
	}
	p.idle[host] = list[:len(list)-1]
	p.count--
	processConns.forget(w.conn)
	return w
}

// put keeps a connection for the next call.
func (p *wires) put(host string, w *wire) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.used = time.Now()
	if p.count >= maxIdleWires || len(p.idle[host]) >= maxIdleWiresPerHost {
		_ = w.conn.Close()
		return
	}
	p.idle[host] = append(p.idle[host], w)
	p.count++
	processConns.keep(w.conn)
	if w.used.Sub(p.swept) > maxIdle {
		p.sweep(w.used)
	}
}

// sweep closes what has not been used for long.
func (p *wires) sweep(now time.Time) {
	p.swept = now
	for host, list := range p.idle {
		young := slices.IndexFunc(list, func(w *wire) bool { return now.Sub(w.used) <= maxIdle })
		if young < 0 {
			p.drop(host)
			continue
		}
		for _, w := range list[:young] {
			w.close()
		}
		p.count -= young
		p.idle[host] = slices.Delete(list, 0, young)
	}
}

func (p *wires) forget(host string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(host)
}

// drop closes all connections to a host that wait. The caller holds the lock.
func (p *wires) drop(host string) {
	for _, w := range p.idle[host] {
		w.close()
	}
	p.count -= len(p.idle[host])
	delete(p.idle, host)
}
