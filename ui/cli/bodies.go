package cli

import (
	"io"
	"net/http"
	"sync"
	"time"
)

// bodies are the request bodies that are still open. A client may keep one open for as long
// as it likes; a server that stops must not wait for it.
type bodies struct {
	mu    sync.Mutex
	open  map[*body]bool
	ended bool
}

// body is an open request body.
type body struct {
	io.ReadCloser
	all  *bodies
	conn *http.ResponseController
}

// watch returns a handler that registers the bodies of its requests, so that cut can end
// them.
func (b *bodies) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			body := &body{r.Body, b, http.NewResponseController(w)}
			r.Body = body
			b.begin(body)
			defer b.end(body)
		}
		next.ServeHTTP(w, r)
	})
}

func (b *bodies) begin(one *body) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[one] = true
	if b.ended {
		one.cut()
	}
}

func (b *bodies) end(one *body) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, one)
}

// cut ends all open bodies, and any that are opened later.
func (b *bodies) cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	for one := range b.open {
		one.cut()
	}
}

// cut makes reads of the connection fail.
func (b *body) cut() { _ = b.conn.SetReadDeadline(time.Unix(1, 0)) }

// Read fails once the body is cut off.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.all.end(b)
	}
	return n, err
}
