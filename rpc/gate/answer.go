package gate

import (
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// appendAnswer appends an HTTP response with the given body to b. Without a status it is 200, for a nil answer 202.
// Last adds the header that closes the connection.
func appendAnswer(b, answer []byte, status int, last bool) []byte {
	switch {
	case status != 0:
		b = append(strconv.AppendInt(append(b, "HTTP/1.1 "...), int64(status), 10), ' ')
		b = append(append(b, http.StatusText(status)...), "\r\nContent-Type: text/plain; charset=utf-8\r\nCache-Control: no-store\r\n"...)
	case answer == nil:
		b = append(b, "HTTP/1.1 202 Accepted\r\n"...)
	default:
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
