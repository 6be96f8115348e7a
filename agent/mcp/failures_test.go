package mcp

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// both calls the two tools that write, and gives what both say.
func both(c *client, path string) (text string, bad bool) {
	c.t.Helper()
	one, badOne := c.call("memory", args{"command": "create", "path": "/memories/1" + path, "file_text": "x"})
	two, badTwo := c.call("memory_write", args{"path": "/memories/2" + path, "content": "x"})
	if badOne != badTwo {
		c.t.Errorf("one says %q, the other %q", one, two)
	}
	return one + "; " + two, badOne
}

func TestAMissingFolderIsReportedAndServedAgainWhenItIsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	folder := w.store.Info().Folder
	c := w.connect("one", nil)
	both(c, "a.md")
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	text, bad := both(c, "b.md")
	if !bad || strings.Count(text, "folder of the memory store is gone") != 2 || strings.Contains(text, folder) {
		t.Errorf("it says %q", text)
	}
	if err := os.Rename(folder+".away", folder); err != nil {
		t.Fatal(err)
	}
	if text, bad := both(c, "c.md"); bad {
		t.Errorf("when it is back it says %q", text)
	}
	c.must("memory", args{"command": "insert", "path": "/memories/1a.md", "insert_line": 0, "insert_text": "y"})
}

func TestAMissingStoreIsOpenedWhenItAppears(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	folder := w.store.Info().Folder
	if err := os.Rename(folder, folder+".away"); err != nil {
		t.Fatal(err)
	}
	w.serve(nil)
	c := w.connect("one", nil)
	if text, bad := both(c, "b.md"); !bad || !strings.Contains(text, "gone") {
		t.Errorf("it says %q", text)
	}
	if text, bad := c.call("memory_list", args{}); !bad || !strings.Contains(text, "gone") || strings.Contains(text, folder) {
		t.Errorf("the list is %q", text)
	}
	if err := os.Rename(folder+".away", folder); err != nil {
		t.Fatal(err)
	}
	if text, bad := both(c, "c.md"); bad {
		t.Errorf("when it is there it says %q", text)
	}
}

// hooked is a world whose engine asks at each step of a change.
func hooked(t *testing.T, hook func(step string) error, set func(*Options)) *world {
	return worldOf(t, t.TempDir(), versions.Options{Hook: hook}, set)
}

func TestAFullDiskIsReportedAndServingContinues(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	w := hooked(t, func(step string) error {
		if full.Load() && step == "stage-write" {
			return syscall.ENOSPC
		}
		return nil
	}, nil)
	c := w.connect("one", nil)
	full.Store(true)
	if text, bad := both(c, "a.md"); !bad || strings.Count(text, "no space left on the disk") != 2 {
		t.Errorf("it says %q", text)
	}
	full.Store(false)
	if text, bad := both(c, "a.md"); bad {
		t.Errorf("when there is room it says %q", text)
	}
	if n := len(w.changes()); n != 2 {
		t.Errorf("%d changes", n)
	}
}

// locked holds the lock of the world's home, as another process does, until release.
func (w *world) locked() (release func()) {
	w.t.Helper()
	held, let := make(chan struct{}), make(chan struct{})
	var once atomic.Bool
	other, err := engine.Open(w.t.Context(), w.trail.Home(), versions.Options{Hook: func(step string) error {
		if step == "before-intent-commit" && once.CompareAndSwap(false, true) {
			close(held)
			<-let
		}
		return nil
	}})
	if err != nil {
		w.t.Fatal(err)
	}
	store, err := other.OpenStore(w.t.Context(), w.store.Info().ID)
	if err != nil {
		w.t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		p, _ := memfs.ParsePath("locked.md")
		_, err := store.Write(context.Background(), alice, p, []byte("x"), versions.Pre{})
		done <- errors.Join(err, store.Close(), other.Close())
	}()
	<-held
	return func() {
		w.t.Helper()
		close(let)
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	}
}

func TestALockedTrailIsReportedAfterAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.callTimeout = 300 * time.Millisecond })
	w.write("a.md", "text")
	c := w.connect("one", nil)
	release := w.locked()
	if text, bad := both(c, "b.md"); !bad || strings.Count(text, "another program has locked the memory store") != 2 {
		t.Errorf("it says %q", text)
	}
	if text := c.must("memory", args{"command": "view", "path": "/memories/a.md"}); !strings.Contains(text, "text") {
		t.Errorf("a view says %q", text)
	}
	release()
	if text, bad := both(c, "b.md"); bad {
		t.Errorf("when it is free it says %q", text)
	}
}

func TestAServerStartsWhileTheTrailIsLocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	release := w.locked()
	w.serve(func(o *Options) { o.callTimeout = 300 * time.Millisecond })
	c := w.connect("one", nil)
	if text, bad := both(c, "b.md"); !bad || strings.Count(text, "another program has locked the memory store") != 2 {
		t.Errorf("it says %q", text)
	}
	release()
	if text, bad := both(c, "b.md"); bad {
		t.Errorf("when it is free it says %q", text)
	}
}

// begun makes a server send the context of its first call.
func begun(o *Options) <-chan context.Context {
	first := make(chan context.Context, 1)
	o.began = func(ctx context.Context) {
		select {
		case first <- ctx:
		default:
		}
	}
	return first
}

func TestACancelledCallWritesNothing(t *testing.T) {
	t.Parallel()
	var first <-chan context.Context
	w := newWorld(t, func(o *Options) { first = begun(o) })
	c := w.connect("one", nil)
	release := w.locked()
	ctx, cancel := context.WithCancel(t.Context())
	asked := make(chan error)
	go func() {
		_, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "memory", Arguments: args{"command": "create", "path": "/memories/a.md", "file_text": "x"}})
		asked <- err
	}()
	call := <-first
	cancel()
	if err := <-asked; !errors.Is(err, context.Canceled) {
		t.Errorf("the client is told %v", err)
	}
	<-call.Done() // the server received the cancellation
	release()
	c.must("memory", args{"command": "create", "path": "/memories/b.md", "file_text": "x"})
	for _, ch := range w.changes() {
		if ch.Path.Tool() == "/memories/a.md" {
			t.Error("a cancelled call was carried out")
		}
	}
}

func TestAClientThatDisconnectsDuringACallBlocksNoOther(t *testing.T) {
	t.Parallel()
	var first <-chan context.Context
	w := newWorld(t, func(o *Options) { first = begun(o) })
	c := w.connect("one", nil)
	release := w.locked()
	go func() {
		_, _ = c.CallTool(context.Background(), &mcp.CallToolParams{Name: "memory", Arguments: args{"command": "create", "path": "/memories/a.md", "file_text": "x"}})
	}()
	<-first
	go func() { _ = c.Close() }() // waits for the call
	release()
	if text, bad := both(w.connect("two", nil), "b.md"); bad {
		t.Errorf("the next is told %q", text)
	}
	eventually(t, "its session is forgotten", func() bool {
		w.s.mu.Lock()
		defer w.s.mu.Unlock()
		return len(w.s.callers) == 1
	})
}

func TestAPanicEndsNoConnection(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	w := hooked(t, func(step string) error {
		if step == "before-intent-commit" && broken.Load() {
			panic("broken")
		}
		return nil
	}, nil)
	c := w.connect("one", nil)
	broken.Store(true)
	for range 2 {
		_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory", Arguments: args{"command": "create", "path": "/memories/a.md", "file_text": "x"}})
		if err == nil || !strings.Contains(err.Error(), "internal error in memend") {
			t.Errorf("the client is told %v", err)
		}
	}
	broken.Store(false)
	if text, bad := both(c, "a.md"); bad {
		t.Errorf("later it says %q", text)
	}
}

func TestCloseEndsSessionsAndWaitingCalls(t *testing.T) {
	t.Parallel()
	var first <-chan context.Context
	w := newWorld(t, func(o *Options) { first, o.callTimeout = begun(o), time.Hour })
	c := w.connect("one", nil)
	release := w.locked()
	defer release()
	asked := make(chan bool)
	go func() {
		res, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: "memory_write", Arguments: args{"path": "/memories/a.md", "content": "x"}})
		asked <- err != nil || res.IsError
	}()
	<-first
	_ = w.s.Close()
	if refused := <-asked; !refused {
		t.Error("the call that waited is called done")
	}
}

func TestAViewFitsTheLimitOfClients(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	long := strings.Repeat(strings.Repeat("x", 99)+"\n", maxRead/50)
	if err := os.WriteFile(w.store.Info().Folder+"/long.md", []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := w.connect("one", nil)
	text := c.must("memory", args{"command": "view", "path": "/memories/long.md"})
	if len(text) > maxRead || !strings.Contains(text, "use view_range [") {
		t.Errorf("%d bytes that end with %q", len(text), text[len(text)-100:])
	}
	if n := len(w.reads()); n != 1 {
		t.Errorf("it is recorded as %d reads", n)
	}
	if part := c.must("memory", args{"command": "view", "path": "/memories/long.md", "view_range": []int{7, 8}}); strings.Count(part, "xxx\n") != 1 && len(part) > 1000 {
		t.Errorf("a part has %d bytes", len(part))
	}
}
