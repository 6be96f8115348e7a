package mcp

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/agent/tokens"
)

// request sends one as a client does that has a session, or none yet.
func request(t *testing.T, method, url, session, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// A client that takes nothing of a long answer is given up after a while.
func TestAClientThatDoesNotReadIsDisconnected(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.writeTimeout = 100 * time.Millisecond })
	w.write("long.md", strings.Repeat("x", 100_000))
	server := httptest.NewUnstartedServer(w.s.Handler(tokens.Guard{}))
	var gone sync.Map // addresses of clients
	server.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateClosed {
			gone.Store(c.RemoteAddr().String(), true)
		}
	}
	server.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(4 << 10) // else the system takes all of it for the client
		return ctx
	}
	server.Start()
	t.Cleanup(func() { _ = w.s.Close(); server.CloseClientConnections(); server.Close() })
	url := server.URL + Endpoint
	hello := request(t, http.MethodPost, url, "", initialize)
	_, _ = io.Copy(io.Discard, hello.Body)
	session := hello.Header.Get("Mcp-Session-Id")
	_, _ = io.Copy(io.Discard, request(t, http.MethodPost, url, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Body)

	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
	if err == nil {
		err = conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	const ask = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_read","arguments":{"path":"/memories/long.md"}}}`
	for range 20 { // one after the other, on one connection
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nMcp-Protocol-Version: 2025-06-18\r\nContent-Length: %d\r\nAccept: application/json, text/event-stream\r\n\r\n%s",
			Endpoint, session, len(ask), ask)
	}
	eventually(t, "it is given up", func() bool {
		_, is := gone.Load(conn.LocalAddr().String())
		return is
	})
	if n := len(w.reads()); n == 0 || n == 20 {
		t.Errorf("%d of 20 were answered: nothing stood still", n)
	}
}

// A stream of events may be silent for longer than a client may take to read, and
// still comes to a proper end.
func TestASilentStreamOverHTTPEndsProperly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.writeTimeout = 20 * time.Millisecond })
	url := w.listen("")
	hello := request(t, http.MethodPost, url, "", initialize)
	_, _ = io.Copy(io.Discard, hello.Body)
	session := hello.Header.Get("Mcp-Session-Id")
	stream := request(t, http.MethodGet, url, session, "")
	time.Sleep(60 * time.Millisecond)
	go func() { _ = w.s.Close() }()
	if _, err := io.Copy(io.Discard, stream.Body); err != nil {
		t.Error(err)
	}
}
