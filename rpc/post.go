package rpc

import (
	"bytes"
	"context"

	"agentleague/rpc/gate"
)

// What one of our own agents sends is read by the gate before net/http (package gate), which then asks the handlers of a
// port whether they answer it. Each of them has to do with a request just what its ServeHTTP would.

// A Post is a request as the gate has read it. Its slices are valid until it is answered.
type Post = gate.Post

// A PostHandler is a handler that also answers a Post, or reports that it does not: ServeHTTP gets it then. A port whose
// handler is none is served by net/http alone.
type PostHandler = gate.Handler

// ServePost answers a message of one of our own agents at /mcp.
func (n *Node) ServePost(ctx context.Context, r *Post) (answer []byte, ok bool) {
	path, key := cutKey(r.Path)
	if string(path) != "/mcp" || int64(len(r.Body)) > n.MaxBody || n.comesFromOutside(r.Host) {
		return nil, false // net/http has the headers in which a proxy tells for whom it asks
	}
	if !(HostCheck{n.Hosts}).goesBy(hostname(r.Host), r.Local) {
		return nil, false
	}
	req, plain := n.readPlain(bytes.TrimLeft(r.Body, " \t\r\n"))
	if !plain {
		return nil, false
	}
	from := From{Addr: r.Remote, Path: "mcp", Token: bearerToken(string(r.Authorization)), Key: string(key)}
	return n.answer(ctx, from, req), true
}

// cutKey takes the join key out of a path, as keyed does.
func cutKey(path []byte) (rest, key []byte) {
	rest, ok := bytes.CutPrefix(path, []byte("/k/"))
	slash := bytes.IndexByte(rest, '/')
	if !ok || slash < 0 {
		return path, nil
	}
	return rest[slash:], rest[:slash]
}
