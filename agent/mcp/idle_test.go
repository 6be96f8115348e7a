package mcp

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A stream of events may be silent for longer than a client may take to read, and
// still comes to a proper end.
func TestASilentStreamOverHTTPEndsProperly(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.patience = 20 * time.Millisecond })
	url := w.listen("")
	send := func(method, session, body string) *http.Response {
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
	hello := send(http.MethodPost, "", initialize)
	_, _ = io.Copy(io.Discard, hello.Body)
	session := hello.Header.Get("Mcp-Session-Id")
	stream := send(http.MethodGet, session, "")
	w.write("a.md", "x")
	events := bufio.NewReader(stream.Body)
	for line := ""; !strings.Contains(line, "list_changed"); {
		var err error
		if line, err = events.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(60 * time.Millisecond)
	go func() { _ = w.s.Close() }()
	if _, err := io.Copy(io.Discard, events); err != nil {
		t.Error(err)
	}
}
