package rpc

import (
	"bytes"
	"context"
)

// ServePost answers a message of one of our own agents at /mcp.
func (n *Node) ServePost(ctx context.Context, r *Post) (answer []byte, ok bool) {
	path, key := cutKey(r.Path)
	if string(path) != "/mcp" || int64(len(r.Body)) > n.MaxBody || n.comesFromOutside(r.Host) {
		return nil, false // net/http handles the headers by which a proxy names its client
	}
	if !(HostCheck{n.Hosts}).goesBy(hostname(r.Host), r.Local) {
		return nil, false
	}
	req, plain := n.readPlain(bytes.TrimLeft(r.Body, " \t\r\n"))
	if !plain {
		return nil, false
	}
	req.post = r
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
