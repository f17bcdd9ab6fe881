package gate

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// appendAnswer appends an HTTP response with the given body to b. A nil answer is written as status 202 without a body.
// Last adds the header that closes the connection.
func appendAnswer(b, answer []byte, last bool) []byte {
	if answer == nil {
		b = append(b, "HTTP/1.1 202 Accepted\r\n"...)
	} else {
		b = append(b, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n"...)
	}
	if last {
		b = append(b, "Connection: close\r\n"...)
	}
	b = append(append(b, "Date: "...), date(time.Now())...)
	b = strconv.AppendInt(append(b, "\r\nContent-Length: "...), int64(len(answer)), 10)
	return append(append(b, "\r\n\r\n"...), answer...)
}

// A second is a formatted time, valid for one second.
type second struct {
	unix int64
	text string
}

// today is the last formatted second.
var today atomic.Pointer[second]

// date returns a time in the format of the Date header. The result is cached for one second.
func date(now time.Time) string {
	if last := today.Load(); last != nil && last.unix == now.Unix() {
		return last.text
	}
	next := &second{now.Unix(), now.UTC().Format(http.TimeFormat)}
	today.Store(next)
	return next.text
}
