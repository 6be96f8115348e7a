package script

import (
	"net"
	"net/http"
	"strconv"
	"time"
)

// FaultKind is how a try of a turn fails.
type FaultKind int

const (
	Refuse FaultKind = iota + 1 // an error in the place of the stream: Status, Type, Message, RetryAfter
	Break                       // an error event within the stream: Type, Message
	Cut                         // the body ends as if it were whole
	Reset                       // the connection is reset
	Stall                       // nothing comes any more, for as long as the client stays
	Hang                        // as Stall, but pings come
)

// Fault is what one try of a turn meets.
type Fault struct {
	Kind       FaultKind
	After      int // events of the stream that come before it; of Refuse none
	Status     int
	Type       string
	Message    string
	RetryAfter time.Duration // told in milliseconds and in seconds
	Seconds    bool          // told in seconds alone
}

// RateLimited is 429 with the time after which to try again.
func RateLimited(after time.Duration) Fault {
	return Fault{Kind: Refuse, Status: http.StatusTooManyRequests, Type: "rate_limit_error", Message: "This request would exceed your rate limit (scripted).", RetryAfter: after}
}

// Overloaded is 529 before the stream.
func Overloaded() Fault {
	return Fault{Kind: Refuse, Status: 529, Type: "overloaded_error", Message: "Overloaded (scripted)"}
}

// ServerError is 500 before the stream.
func ServerError() Fault {
	return Fault{Kind: Refuse, Status: http.StatusInternalServerError, Type: "api_error", Message: "Internal server error (scripted)"}
}

// OverloadedAfter is an overload within the stream, after so many events.
func OverloadedAfter(events int) Fault {
	return Fault{Kind: Break, After: events, Type: "overloaded_error", Message: "Overloaded (scripted)"}
}

// retryHeaders tells when to try again. Seconds are whole: they round up.
func (f Fault) retryHeaders(h http.Header) {
	if f.RetryAfter <= 0 {
		return
	}
	h.Set("retry-after", strconv.Itoa(int((f.RetryAfter+time.Second-1)/time.Second)))
	if !f.Seconds {
		h.Set("retry-after-ms", strconv.FormatInt(f.RetryAfter.Milliseconds(), 10))
	}
}

// reset drops the connection so that the client sees a reset and no end.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: closes the stream
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
