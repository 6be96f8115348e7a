package mcp

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A connection that was silent for longer than a client may take to read is as good
// as before.
func TestASilentConnectionOverHTTPStaysGood(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.patience = 20 * time.Millisecond })
	url := w.listen("")
	send := func(session, body string, want int) string {
		t.Helper()
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != want {
			t.Errorf("%.60s: %d, %v", body, res.StatusCode, err)
		}
		return res.Header.Get("Mcp-Session-Id")
	}
	session := send("", initialize, 200)
	for range 3 {
		time.Sleep(60 * time.Millisecond)
		send(session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202)
		time.Sleep(60 * time.Millisecond)
		send(session, toolCall(2, `{"command":"view","path":"/memories"}`), 200)
	}
}
