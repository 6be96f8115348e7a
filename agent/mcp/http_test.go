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

	"github.com/memend/memend/agent/tokens"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// listen serves the world over HTTP on loopback.
func (w *world) listen(token string) (url string) {
	w.t.Helper()
	return w.listenTo(tokens.Guard{Token: token})
}

func (w *world) listenTo(guard tokens.Guard) (url string) {
	w.t.Helper()
	h := httptest.NewServer(w.s.Handler(guard))
	w.t.Cleanup(func() { _ = w.s.Close(); h.CloseClientConnections(); h.Close() })
	return h.URL + Endpoint
}

// bearer sends a token with every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t *testing.T, url, token, name string, o *mcp.ClientOptions) *client {
	t.Helper()
	return join(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer(token)}}, "", name, o)
}

func TestClientsOverHTTPAreDistinguished(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	url := w.listen("")
	one, two := dial(t, url, "", "one", nil), dial(t, url, "", "two", nil)
	two.must("memory_write", args{"path": "/memories/a.md", "content": "0\n"})
	var all sync.WaitGroup
	for n, c := range []*client{one, two} {
		all.Go(func() {
			for i := range 10 {
				c.must("memory", args{"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": fmt.Sprintf("%d.%d", n, i)})
			}
		})
	}
	all.Wait()
	if text := into[readOut](one, "memory_read", args{"path": "/memories/a.md"}).Content; strings.Count(text, "\n") != 21 {
		t.Errorf("lost: %q", text)
	}
	by := map[string]string{}
	for _, c := range w.changes() {
		if s, known := by[c.Actor.Name]; known && s != string(c.Session) {
			t.Errorf("%s has two sessions", c.Actor.Name)
		}
		by[c.Actor.Name] = string(c.Session)
	}
	if len(by) != 2 || by["one 1.2.3"] == by["two 1.2.3"] {
		t.Errorf("sessions %v", by)
	}
	_ = two.Close()
	eventually(t, "the end of a session", func() bool { w.s.mu.Lock(); defer w.s.mu.Unlock(); return len(w.s.callers) == 1 })
}

// post sends a message as a program does that is no client of ours.
func post(t *testing.T, url, body string, headers map[string]string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for k, v := range headers {
		if k == "Host" {
			r.Host = v
		}
		r.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, _ := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return res.StatusCode, string(b)
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

func TestUnauthorizedClientsOverHTTPAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	open, closed := w.listen(""), w.listen("s3cret")
	_, port, _ := net.SplitHostPort(strings.TrimSuffix(strings.TrimPrefix(open, "http://"), Endpoint))
	for name, try := range map[string]struct {
		url     string
		body    string
		headers map[string]string
		want    int
	}{
		"a client":                          {open, initialize, nil, 200},
		"by another name of loopback":       {open, initialize, map[string]string{"Host": "localhost:" + port}, 200},
		"a page that rebound its name":      {open, initialize, map[string]string{"Host": "evil.example:" + port}, 403},
		"a page of another origin":          {open, initialize, map[string]string{"Origin": "http://evil.example"}, 403},
		"a page of another site":            {open, initialize, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		"a form":                            {open, initialize, map[string]string{"Content-Type": "text/plain"}, 415},
		"another path":                      {strings.TrimSuffix(open, Endpoint) + "/", initialize, nil, 404},
		"no session":                        {open, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, map[string]string{"Mcp-Session-Id": "none"}, 404},
		"a body that is too long":           {open, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", maxMessage) + `"}}`, nil, 413},
		"no JSON":                           {open, `{`, nil, 400},
		"without the token":                 {closed, initialize, nil, 401},
		"with a wrong token":                {closed, initialize, map[string]string{"Authorization": "Bearer s3cre"}, 401},
		"with the token in another way":     {closed, initialize, map[string]string{"Authorization": "s3cret"}, 401},
		"with the token":                    {closed, initialize, map[string]string{"Authorization": "Bearer s3cret"}, 200},
		"with the token by a rebound name":  {closed, initialize, map[string]string{"Authorization": "Bearer s3cret", "Host": "evil.example"}, 403},
		"without the token on another path": {strings.TrimSuffix(closed, Endpoint) + "/x", initialize, nil, 401},
	} {
		if code, body := post(t, try.url, try.body, try.headers); code != try.want {
			t.Errorf("%s: %d, want %d: %.200s", name, code, try.want, body)
		}
	}
	c := dial(t, closed, "s3cret", "one", nil)
	c.must("memory_write", args{"path": "/memories/a.md", "content": "x"})
}

// A client that reads nothing of what it is sent holds up nobody else.
func TestAStalledClientBlocksNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	url := w.listen("")
	c := dial(t, url, "", "one", nil)
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), Endpoint))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nAccept: application/json, text/event-stream\r\n\r\n{")
	c.must("memory_write", args{"path": "/memories/a.md", "content": "x"})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := c.Ping(ctx, nil); err != nil {
		t.Error(err)
	}
}

// Protocol 2026-07-28 has no sessions, and over HTTP it is not spoken. A client that is
// answered at its probe takes that for a yes, and its first call fails: mcp-go 1.2.1.
func TestOverHTTP_TheProtocolWithoutSessionsIsRefusedAtItsProbe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	url := w.listen("")
	const probe = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"mcp-go","version":"1.2.1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	code, body := post(t, url, probe, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"})
	if !strings.Contains(body, `"code":-32601`) || strings.Contains(body, `"result"`) {
		t.Errorf("%d: %s", code, body)
	}
	eventually(t, "the end of its session", func() bool { w.s.mu.Lock(); defer w.s.mu.Unlock(); return len(w.s.callers) == 0 })
	c := dial(t, url, "", "one", nil)
	if v := c.InitializeResult().ProtocolVersion; v != "2025-11-25" {
		t.Errorf("the next best protocol is %s", v)
	}
	c.must("memory_write", args{"path": "/memories/a.md", "content": "0\n"})
}
