package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const initialized = initialize + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

func toolCall(id int, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory","arguments":%s}}`+"\n", id, arguments)
}

// answers reads what is answered, by id.
func answers(t *testing.T, out io.Reader) map[string]string {
	t.Helper()
	got := map[string]string{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		if m.ID != nil {
			got[string(m.ID)] = string(m.Result) + string(m.Error)
		}
	}
	return got
}

// answered serves what comes in until its end.
func (w *world) answered(t *testing.T, in string) (got map[string]string, err error) {
	t.Helper()
	out, written := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- w.s.Serve(t.Context(), io.NopCloser(strings.NewReader(in)), written)
		_ = written.Close()
	}()
	got = answers(t, out)
	return got, <-ended
}

// Who sends many calls at once and goes gets every answer, and each call finds what
// the one before it did.
func TestCallsRunInOrderAndAreAnsweredBeforeTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in := initialized + toolCall(10, `{"command":"create","path":"/memories/a.md","file_text":"0\n"}`)
	const edits = 20
	for n := range edits {
		in += toolCall(11+n, fmt.Sprintf(`{"command":"str_replace","path":"/memories/a.md","old_str":"%d\n","new_str":"%d\n"}`, n, n+1))
	}
	in += `{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n"
	got, err := w.answered(t, in)
	if err != nil {
		t.Error(err)
	}
	for n := 10; n <= 10+edits; n++ {
		if a := got[fmt.Sprint(n)]; a == "" || strings.Contains(a, "isError") {
			t.Errorf("call %d is answered %q", n, a)
		}
	}
	if got["99"] == "" || len(got) != edits+3 {
		t.Errorf("%d answers", len(got))
	}
}

// A call that only reads waits for one before it that writes, though it needs no lock.
func TestAReadSeesThePrecedingWrite(t *testing.T) {
	t.Parallel()
	w := hooked(t, func(step string) error {
		if step == "before-intent-commit" {
			time.Sleep(100 * time.Millisecond)
		}
		return nil
	}, nil)
	in := initialized + toolCall(10, `{"command":"create","path":"/memories/a.md","file_text":"as it was made"}`) + toolCall(11, `{"command":"view","path":"/memories/a.md"}`)
	got, err := w.answered(t, in)
	if err != nil || !strings.Contains(got["11"], "as it was made") {
		t.Errorf("%v, %v", got, err)
	}
}

// What does not wait for a lock is answered though a call before it does; a call that
// is cancelled before its turn is not carried out.
func TestOnlyCallsWaitForCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	release := w.locked()
	in, near := io.Pipe()
	out, written := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- w.s.Serve(t.Context(), in, written)
		_ = written.Close()
	}()
	go func() {
		_, _ = io.WriteString(near, initialized+toolCall(10, `{"command":"create","path":"/memories/a.md","file_text":"x"}`)+
			toolCall(11, `{"command":"create","path":"/memories/b.md","file_text":"x"}`)+
			toolCall(12, `{"command":"create","path":"/memories/c.md","file_text":"x"}`)+
			`{"jsonrpc":"2.0","id":20,"method":"ping"}`+"\n"+
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":11}}`+"\n"+
			`{"jsonrpc":"2.0","id":21,"method":"ping"}`+"\n")
	}()
	lines := bufio.NewScanner(out)
	pings := ""
	for _, want := range []string{`"id":1,`, `"id":2`, `"id":2`} {
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Fatalf("answered %.80q, want %s", lines.Text(), want)
		}
		pings += lines.Text()
	}
	if !strings.Contains(pings, `"id":20,`) || !strings.Contains(pings, `"id":21,`) { // in either order: nothing orders two that need no lock
		t.Fatalf("answered %s", pings)
	}
	release()
	go func() { _ = near.Close() }()
	got := answers(t, out)
	if err := <-ended; err != nil || got["10"] == "" || got["12"] == "" || got["11"] != "" {
		t.Errorf("%v, %v", got, err)
	}
	for _, c := range w.changes() {
		if c.Path.Tool() == "/memories/b.md" {
			t.Error("a call that was cancelled in the queue was carried out")
		}
	}
}

// A client that only sends is stopped, and gets all answers, in order, when it reads.
func TestAClientThatDoesNotReadCanNotSendOnAndOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	in, near := io.Pipe()
	out, written := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- w.s.Serve(t.Context(), in, written)
		_ = written.Close()
	}()
	const calls = 32
	var sent atomic.Int32
	go func() {
		_, _ = io.WriteString(near, initialized)
		for n := range calls {
			_, _ = io.WriteString(near, toolCall(10+n, `{"command":"view","path":"/memories/`+strings.Repeat("x", 1<<20)+`"}`))
			_, _ = fmt.Fprintf(near, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", 1000+n)
			sent.Add(1)
		}
		_ = near.Close()
	}()
	n := int32(-1)
	for n != sent.Load() || n == 0 {
		n = sent.Load()
		time.Sleep(2 * time.Second)
	}
	if n > 20 {
		t.Errorf("%d calls of 1 MiB were read", n)
	}
	got := answers(t, out)
	if err := <-ended; err != nil || len(got) != 2*calls+1 {
		t.Errorf("%d answers, %v", len(got), err)
	}
}

func TestServeStopsWithItsContext(t *testing.T) {
	t.Parallel()
	var first <-chan context.Context
	w := newWorld(t, func(o *Options) { first = begun(o) })
	release := w.locked()
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	in, near := io.Pipe()
	out, written := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- w.s.Serve(ctx, in, written) }()
	go func() { _, _ = io.Copy(io.Discard, out) }()
	_, _ = io.WriteString(near, initialized+toolCall(10, `{"command":"create","path":"/memories/a.md","file_text":"x"}`)+
		toolCall(11, `{"command":"create","path":"/memories/b.md","file_text":"x"}`))
	<-first
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
}

// The newest version of the protocol has no handshake, unlike those before.
var protocols = []string{"2025-06-18", "2026-07-28"}

func TestAClientCanDisconnectWithoutAWord(t *testing.T) {
	t.Parallel()
	for _, protocol := range protocols {
		w := newWorld(t, nil)
		in, near := io.Pipe()
		far, out := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- w.s.Serve(t.Context(), in, out) }()
		join(t, &mcp.IOTransport{Reader: far, Writer: near}, protocol, "one", nil).must("memory_list", args{})
		_ = near.Close()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Fatal("it does not end")
		}
	}
}
