package protocol

import (
	"encoding/json"
	"strconv"
	"unsafe"
)

// Messages of this program are JSON-RPC 2.0 requests and results. The functions below encode and decode these together
// with the message, in one pass, if the message type has a plan. Package dialect handles all other encodings.

// A Request is a decoded JSON-RPC request. Its parts share the memory of the message's text.
type Request struct {
	ID      json.RawMessage // as it was written; nil: a notification, which wants no answer
	Method  string          // of our protocol, or third-party
	Params  json.RawMessage // the message as text
	Message Message         // the same, read; nil if it is none of ours
}

// ReadRequest decodes a request in the exact encoding of this program's agents, with a message that causes no warning.
// It returns false for any other request, which may still be valid: use the general decoder. The caller may reuse body
// afterwards.
func ReadRequest(body []byte) (r Request, ok bool) {
	d := reader{scanner: scanner{text: string(body)}}
	var version string
	ok = d.object(func(name string) (ok bool) {
		start := d.skipSpace()
		switch {
		case name == "jsonrpc" && version == "":
			version, ok = d.str()
		case name == "method" && r.Method == "":
			r.Method, ok = d.str()
		case name == "id" && r.ID == nil:
			ok = d.scalar() && d.text[start] != 't' && d.text[start] != 'f'
			r.ID = d.bytes(d.text[start:d.at])
		case name == "params" && r.Params == nil:
			r.Message, ok = d.message(methods[r.Method], false)
			r.Params = d.bytes(d.text[start:d.at])
		}
		return ok
	})
	return r, ok && version == "2.0" && r.Message != nil && r.ID != nil && d.end()
}

// KeepResult decodes a message of type want from the JSON-RPC result in body. ok is false unless the body has the exact
// encoding of this program's agents. The message refers to body, which must not change afterwards.
func KeepResult(body []byte, want Type) (m Message, ok bool) {
	d := reader{scanner: scanner{text: unsafe.String(unsafe.SliceData(body), len(body))}}
	ok = d.object(func(name string) (ok bool) {
		switch {
		case name == "jsonrpc" || name == "id":
			ok = d.scalar()
		case name == "result" && m == nil:
			m, ok = d.message(want, true)
		}
		return ok
	})
	return m, ok && m != nil && d.end()
}

// WriteRequest encodes a JSON-RPC request with a message in params and the protocol's method for it. It writes to room
// if that is large enough. The id is a small integer, because some agents fail on other ids.
func WriteRequest(room []byte, m Message, id int64) ([]byte, error) {
	method := specs[m.Head().MessageType].Method
	b := room[:0]
	if cap(b) == 0 {
		b = newBuffer(m, len(method)+64)
	}
	b = append(append(append(b, `{"jsonrpc":"2.0","method":"`...), method...), `","params":`...)
	b, err := appendMessage(b, m)
	if err != nil {
		return nil, err
	}
	return append(strconv.AppendInt(append(b, `,"id":`...), id, 10), '}'), nil
}

// WriteResult encodes a JSON-RPC answer with a message as its result. It writes to room if that is large enough. The id
// is that of the request, as received.
func WriteResult(room []byte, m Message, id json.RawMessage) ([]byte, error) {
	b := room[:0]
	if cap(b) == 0 {
		b = newBuffer(m, len(id)+64)
	}
	b = append(append(append(b, `{"id":`...), id...), `,"jsonrpc":"2.0","result":`...)
	b, err := appendMessage(b, m)
	if err != nil {
		return nil, err
	}
	return append(b, '}'), nil
}
