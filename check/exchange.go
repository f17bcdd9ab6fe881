package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"agentleague/protocol"
	"agentleague/rpc"
)

// An exchange is one HTTP request and its response, in either direction.
type exchange struct {
	verb, url string
	sent      []byte
	status    int
	stream    bool // it is a stream of events, which is not read
	got       []byte
	err       error
	elapsed   time.Duration
}

// shown is how much of a body a report shows.
const shown = 700

// The patterns of secrets to redact in a report: tokens anywhere, and the members that hold secrets, also in JSON that
// is quoted within JSON.
var (
	anyToken    = regexp.MustCompile(`\btok[_-][\w.-]+`)
	secretField = regexp.MustCompile(`(\\?"(?:auth_token|token|provided_token|draw_key)\\?"\s*:\s*\\?")[^"\\]*`)
)

// redacted is a body without secrets.
func redacted(body []byte) string {
	text := string(body)
	if len(text) > 4*shown {
		text = text[:4*shown]
	}
	text = secretField.ReplaceAllString(text, `${1}(redacted)`)
	text = anyToken.ReplaceAllStringFunc(text, protocol.Redact)
	if len(text) > shown {
		text = text[:shown]
	}
	if len(text) < len(body) && len(text) >= shown {
		text += "…"
	}
	return printable(text)
}

// printable replaces control characters, and characters that XML does not allow, by a dot.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0xfffe ||
			r == 0xffff {
			return '·'
		}
		return r
	}, strings.ToValidUTF8(text, "·"))
}

// request formats the request.
func (x *exchange) request() string {
	if x == nil {
		return ""
	}
	return strings.TrimSpace(x.verb + " " + x.url + " " + redacted(x.sent))
}

// answer formats the response.
func (x *exchange) answer() string {
	switch {
	case x == nil:
		return ""
	case x.err != nil:
		return "no answer: " + printable(x.err.Error())
	case x.status == 0:
		return redacted(x.got)
	}
	return strings.TrimSpace(fmt.Sprint(x.status) + " " + redacted(x.got))
}

// A tape records the exchanges of one call. The call's context holds it.
type tape struct{ exchanges []*exchange }

// tapeKey is the key under which a context holds the tape of a step.
type tapeKey struct{}

// last is the newest exchange, or nil.
func (t *tape) last() *exchange {
	if len(t.exchanges) == 0 {
		return nil
	}
	return t.exchanges[len(t.exchanges)-1]
}

// A recorder is an [rpc.HTTP] that passes every exchange to note.
type recorder struct {
	*rpc.HTTP
	note func(ctx context.Context, x *exchange)
}

// Post sends body to url, and passes the exchange to note.
func (r recorder) Post(ctx context.Context, url, label string, body []byte) (int, []byte, error) {
	x := &exchange{verb: http.MethodPost, url: url, sent: body}
	start := time.Now()
	x.status, x.got, x.err = r.HTTP.Post(ctx, url, label, body)
	x.elapsed = time.Since(start)
	r.note(ctx, x)
	return x.status, x.got, x.err
}

// verbTool is the verb of an exchange that called an MCP tool.
const verbTool = "tools/call"

// CallTool calls a tool of endpoint, and passes the exchange to note.
func (r recorder) CallTool(ctx context.Context, endpoint, name string, arguments json.RawMessage) (json.RawMessage,
	error) {
	x := &exchange{verb: verbTool, url: endpoint, sent: fmt.Appendf(nil, "%s %s", name, arguments)}
	start := time.Now()
	result, err := r.HTTP.CallTool(ctx, endpoint, name, arguments)
	x.got, x.err, x.elapsed = result, err, time.Since(start)
	var no *protocol.Refusal
	if errors.As(err, &no) {
		x.got, x.err = []byte(no.Error()), nil
	}
	r.note(ctx, x)
	return result, err
}

// evidence returns the exchange to show for a call: the one that produced err if err is a refusal, because the message
// may have been sent in several forms, and otherwise the last one.
func (t *tape) evidence(err error) *exchange {
	var no *protocol.Refusal
	if !errors.As(err, &no) || no.HTTPStatus == 0 {
		return t.last()
	}
	text := []byte(no.Said[:min(len(no.Said), 200)])
	shows := func(x *exchange) bool { return x.status == no.HTTPStatus && bytes.Contains(x.got, text) }
	alike := func(x *exchange) bool { return x.status == no.HTTPStatus && bytes.Contains(x.sent, []byte(no.Asked)) }
	for _, fits := range []func(*exchange) bool{shows, alike} { // the same error may come in other words each time
		if i := slices.IndexFunc(t.exchanges, fits); i >= 0 {
			return t.exchanges[i]
		}
	}
	return t.last()
}
