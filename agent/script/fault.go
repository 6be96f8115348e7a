package script

import (
	"net"
	"net/http"
	"strconv"
	"time"
)

// FaultKind is the way in which an attempt of a turn fails.
type FaultKind int

const (
	Refuse FaultKind = iota + 1 // an error response instead of the stream: Status, Type, Message, RetryAfter
	Break                       // an error event within the stream: Type, Message
	Cut                         // the body ends early, without an error
	Reset                       // the connection is reset
	Stall                       // nothing more is sent, while the client stays connected
	Hang                        // like Stall, but with pings
)

// Fault is the failure of one attempt of a turn.
type Fault struct {
	Kind       FaultKind
	After      int // number of stream events before it; not for Refuse
	Status     int
	Type       string
	Message    string
	RetryAfter time.Duration // sent in milliseconds and in seconds
	Seconds    bool          // sent in seconds only
}

// RateLimited returns a 429 response with a retry delay.
func RateLimited(after time.Duration) Fault {
	return Fault{Kind: Refuse, Status: http.StatusTooManyRequests, Type: "rate_limit_error", Message: "This request would exceed your rate limit (scripted).", RetryAfter: after}
}

// Overloaded returns a 529 response.
func Overloaded() Fault {
	return Fault{Kind: Refuse, Status: 529, Type: "overloaded_error", Message: "Overloaded (scripted)"}
}

// ServerError returns a 500 response.
func ServerError() Fault {
	return Fault{Kind: Refuse, Status: http.StatusInternalServerError, Type: "api_error", Message: "Internal server error (scripted)"}
}

// OverloadedAfter returns an overload error within the stream, after the given number of events.
func OverloadedAfter(events int) Fault {
	return Fault{Kind: Break, After: events, Type: "overloaded_error", Message: "Overloaded (scripted)"}
}

// retryHeaders sets the headers with the retry delay. Whole seconds are rounded up.
func (f Fault) retryHeaders(h http.Header) {
	if f.RetryAfter <= 0 {
		return
	}
	h.Set("retry-after", strconv.Itoa(int((f.RetryAfter+time.Second-1)/time.Second)))
	if !f.Seconds {
		h.Set("retry-after-ms", strconv.FormatInt(f.RetryAfter.Milliseconds(), 10))
	}
}

// reset aborts the connection so that the client sees a reset instead of an end.
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
