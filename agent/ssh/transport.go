package ssh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	dialTimeout = 30 * time.Second // until the server answers, when nobody is asked
	idleTimeout = 2 * time.Minute  // after which a connection without requests is closed
	pingAfter   = 15 * time.Second // without an answer, a connection is checked
	pingTimeout = 10 * time.Second // then it is closed

	// mostRequests is how many requests share the connection: a server of Go takes 250, and for more
	// the HTTP/2 client would start another connection.
	mostRequests = 200
)

// Transport is an http.RoundTripper for the server on one machine. The host of request URLs does not
// matter. It is safe for concurrent use: requests share one connection.
type Transport struct {
	target Target
	actor  string
	http   *http.Transport
	slots  chan struct{} // one for each request under way

	mu      sync.Mutex
	ready   net.Conn // that Login made and no request has used
	failed  int      // attempts to connect that failed
	failure *Error   // of the newest of them
}

// began is the key of a request's context for how many attempts had failed when it began.
type began struct{}

// New returns a transport that starts nothing yet. The server records changes as made by actor.
func New(target Target, actor string) *Transport {
	t := &Transport{target: target, actor: actor, slots: make(chan struct{}, mostRequests)}
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	t.http = &http.Transport{
		Protocols:       protocols,
		DialContext:     func(ctx context.Context, _, _ string) (net.Conn, error) { return t.dial(ctx) },
		MaxConnsPerHost: 1, // requests that begin together wait for one ssh
		IdleConnTimeout: idleTimeout,
		HTTP2:           &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
	}
	return t
}

// RoundTrip sends one request. It waits while too many are under way.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case t.slots <- struct{}{}:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	failed, _ := t.failures()
	res, err := t.http.RoundTrip(r.WithContext(context.WithValue(r.Context(), began{}, failed)))
	if err != nil {
		<-t.slots
		return nil, err
	}
	res.Body = &answer{ReadCloser: res.Body, slots: t.slots}
	return res, nil
}

// answer is a response body that ends its request when it is closed.
type answer struct {
	io.ReadCloser
	once  sync.Once
	slots chan struct{}
}

func (a *answer) Close() error {
	err := a.ReadCloser.Close()
	a.once.Do(func() { <-a.slots })
	return err
}

// CloseIdleConnections ends the connection unless requests are under way.
func (t *Transport) CloseIdleConnections() {
	if c := t.take(); c != nil {
		_ = c.Close()
	}
	t.http.CloseIdleConnections()
}

// Login starts the connection for the first request. Unlike connections that requests start, ssh
// may ask for a password or about an unknown host, on the terminal.
func (t *Transport) Login(ctx context.Context) error {
	c, err := t.start(ctx, true)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.ready, c = c, t.ready
	t.mu.Unlock()
	if c != nil {
		_ = c.Close()
	}
	return nil
}

func (t *Transport) take() net.Conn {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.ready
	t.ready = nil
	return c
}

func (t *Transport) failures() (int, *Error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.failed, t.failure
}

// dial makes the connection for a request. It is not called for two requests at once. A request that
// waited while an attempt failed gets its error, not an attempt of its own.
func (t *Transport) dial(ctx context.Context) (net.Conn, error) {
	if c := t.take(); c != nil {
		return c, nil
	}
	if n, failure := t.failures(); failure != nil && ctx.Value(began{}) != n {
		return nil, failure
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	c, err := t.start(ctx, false)
	if failure := (*Error)(nil); errors.As(err, &failure) {
		t.mu.Lock()
		t.failed, t.failure = t.failed+1, failure
		t.mu.Unlock()
	}
	return c, err
}

// start runs ssh and waits until the server answers, so that an error of start means that no
// request was sent.
func (t *Transport) start(ctx context.Context, prompt bool) (net.Conn, error) {
	p, err := run(t.target, t.actor, prompt)
	if err != nil {
		return nil, err
	}
	c := &clientConn{Conn: NewConn(p.out, p.in), p: p, unsent: len(Preface)}
	answered := make(chan error, 1)
	go func() {
		if _, err := p.in.WriteString(Preface); err != nil {
			_ = err // the program has ended, and reading says so
		}
		answered <- c.check()
	}()
	select {
	case err = <-answered:
	case <-ctx.Done():
		p.kill()
		<-answered
		err = ctx.Err()
		if context.Cause(ctx) == context.DeadlineExceeded {
			err = &Error{Target: t.target, NotSent: true, Text: fmt.Sprintf("ssh %s: no answer within %s", t.target.name(), dialTimeout) + p.words()}
		}
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// clientConn is the client's end of a connection.
type clientConn struct {
	*Conn
	p      *process
	unsent int // bytes of the preface that the HTTP/2 client has yet to write: they are sent already
}

// check reports whether the server has begun with HTTP/2.
func (c *clientConn) check() error {
	const header = 9 // of a frame: length, type, flags, stream
	first, err := c.Peek(header)
	if err != nil {
		return c.p.failure(true, first)
	}
	const settings = 4
	if first[3] != settings || first[0] != 0 {
		first, _ = c.Peek(c.in.Buffered())
		c.p.kill()
		return c.p.noise(first)
	}
	return nil
}

func (c *clientConn) Write(b []byte) (int, error) {
	skip := min(c.unsent, len(b))
	c.unsent -= skip
	if skip == len(b) {
		return skip, nil
	}
	n, err := c.Conn.Write(b[skip:])
	if err != nil {
		err = c.p.failure(false, nil)
	}
	return skip + n, err
}

func (c *clientConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil {
		err = c.p.failure(false, nil)
	}
	return n, err
}

// Close ends the server: its input ends.
func (c *clientConn) Close() error {
	_ = c.Conn.Close()
	c.p.stop()
	return nil
}
