package outside

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// claude is Claude Code's folder with a project, as it is worked in.
type claude struct {
	t        *testing.T
	config   string
	project  string // its folder
	memory   string
	reported chan Call
	back     *atomic.Int64 // how far the clock was set back
}

func newClaude(t *testing.T) *claude {
	t.Helper()
	config, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &claude{t: t, config: config, project: filepath.Join(config, "projects", "-w-app"), reported: make(chan Call, 100), back: &atomic.Int64{}}
	c.memory = filepath.Join(c.project, "memory")
	return c
}

func (c *claude) session(name string) string {
	c.t.Helper()
	file := filepath.Join(c.project, name+".jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		c.t.Fatal(err)
	}
	return file
}

// writes are the lines of a session that writes a memory, at a time.
func (c *claude) writes(session, id string, at time.Time) string {
	stamp := at.UTC().Format("2006-01-02T15:04:05.000Z")
	path := filepath.Join(c.memory, id+".md")
	return strings.ReplaceAll(asked(session, id, "Write", `{"file_path":"`+path+`","content":"x"}`), "2026-11-21T10:00:02.000Z", stamp) + "\n" +
		strings.ReplaceAll(answered(session, id, `"content":"ok"`, `"toolUseResult":{"content":"x"},`), "2026-11-21T10:00:03.250Z", stamp) + "\n"
}

// follow follows until the test ends. It returns when what is there was read.
func (c *claude) follow(f Following) {
	c.t.Helper()
	ctx, stop := context.WithCancel(c.t.Context())
	over := make(chan bool)
	f.Config = c.config
	if f.Folders == nil {
		f.Folders = func() []string { return []string{c.memory} }
	}
	ready := make(chan bool)
	asked := 0
	f.Now = func() time.Time {
		if asked++; asked == 1 {
			close(ready)
		}
		return time.Now().Add(-time.Duration(c.back.Load()))
	}
	go func() {
		Follow(ctx, f, func(calls []Call) {
			for _, x := range calls {
				c.reported <- x
			}
		})
		close(over)
	}()
	<-ready
	c.t.Cleanup(func() { stop(); <-over })
	time.Sleep(50 * time.Millisecond)
}

func (c *claude) wantCalls(want ...string) {
	c.t.Helper()
	for _, id := range want {
		select {
		case x := <-c.reported:
			if x.ToolUse != id {
				c.t.Fatalf("%s was told, not %s", x.ToolUse, id)
			}
		case <-time.After(5 * time.Second):
			c.t.Fatalf("%s was not told", id)
		}
	}
	select {
	case x := <-c.reported:
		c.t.Fatalf("%s was told too", x.ToolUse)
	case <-time.After(60 * time.Millisecond):
	}
}

func TestFollow_ReportsAppendedCalls(t *testing.T) {
	t.Parallel()
	c := newClaude(t)
	file := c.session("S")
	put(t, file, c.writes("S", "past", time.Now().Add(-time.Minute)))
	c.follow(Following{})
	c.wantCalls()
	lines := c.writes("S", "t1", time.Now())
	appendTo(t, file, lines[:len(lines)-20]) // torn
	c.wantCalls()
	appendTo(t, file, lines[len(lines)-20:])
	c.wantCalls("t1")
	appendTo(t, file, c.writes("S", "t2", time.Now())+c.writes("S", "t3", time.Now()))
	c.wantCalls("t2", "t3")
}

func TestFollow_ReportsCallsThatEndedJustBefore(t *testing.T) {
	t.Parallel()
	c := newClaude(t)
	now := time.Now()
	put(t, c.session("S"), c.writes("S", "old", now.Add(-time.Hour))+c.writes("S", "just", now.Add(-time.Second/2)))
	c.follow(Following{})
	c.wantCalls("just")
}

func TestFollow_ReportsCallsAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	c := newClaude(t)
	file := c.session("S")
	put(t, file, c.writes("S", "past", time.Now().Add(-time.Minute)))
	c.follow(Following{})
	c.back.Store(int64(time.Hour))
	appendTo(t, file, c.writes("S", "t1", time.Now().Add(-time.Hour)))
	c.wantCalls("t1")
}

func TestFollow_FindsAPendingCall(t *testing.T) {
	t.Parallel()
	c := newClaude(t)
	lines := strings.SplitAfter(c.writes("S", "t1", time.Now()), "\n")
	file := c.session("S")
	put(t, file, lines[0])
	c.follow(Following{})
	appendTo(t, file, lines[1])
	c.wantCalls("t1")
}

func TestFollow_FindsNewSessionsProjectsAndSubagents(t *testing.T) {
	t.Parallel()
	c := newClaude(t)
	c.follow(Following{Folders: func() []string { return []string{c.memory, filepath.Join(c.config, "projects", "-w-new", "memory")} }})
	put(t, c.session("S"), c.writes("S", "t1", time.Now())) // the first of its project
	c.wantCalls("t1")
	put(t, c.session("T"), c.writes("T", "t2", time.Now()))
	c.wantCalls("t2")
	if err := os.Mkdir(filepath.Join(c.project, "S"), 0o755); err != nil { // for other things, at first
		t.Fatal(err)
	}
	time.Sleep(5 * batchDelay)
	put(t, c.session("S/subagents/agent-a1"), c.writes("S", "t3", time.Now()))
	c.wantCalls("t3")
	c.project = filepath.Join(c.config, "projects", "-w-new")
	put(t, c.session("U"), c.writes("U", "t4", time.Now()))
	c.wantCalls("t4")
}

func TestFollow_IgnoresUnrelatedProjects(t *testing.T) {
	t.Parallel()
	c := newClaude(t)
	other := *c
	other.project = filepath.Join(c.config, "projects", "-w-other")
	put(t, other.session("X"), other.writes("X", "t0", time.Now()))
	file := c.session("S")
	put(t, file, "")
	c.follow(Following{})
	c.wantCalls()
	appendTo(t, other.session("X"), other.writes("X", "t1", time.Now()))
	appendTo(t, filepath.Join(c.config, "history.jsonl"), c.writes("S", "t3", time.Now())) // none of a project
	c.wantCalls()
	appendTo(t, file, c.writes("S", "t2", time.Now()))
	c.wantCalls("t2")
}

func TestFollow_ContinuesAfterTruncationOrReplacement(t *testing.T) {
	t.Parallel()
	c := newClaude(t)
	file := c.session("S")
	put(t, file, c.writes("S", "t0, which is longer than what follows", time.Now().Add(-time.Minute)))
	c.follow(Following{})
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	appendTo(t, file, c.writes("S", "t1", time.Now()))
	c.wantCalls("t1")
	put(t, file+".tmp", c.writes("S", "t0", time.Now().Add(-time.Minute))+c.writes("S", "t2", time.Now()))
	if err := os.Rename(file+".tmp", file); err != nil {
		t.Fatal(err)
	}
	c.wantCalls("t2")
}

// Where the system tells of no changes all is asked now and then.
func TestFollow_PollsWhereNotificationsAreMissing(t *testing.T) {
	t.Parallel()
	c := newClaude(t)
	file := c.session("S")
	put(t, file, "")
	w := &follower{f: Following{Config: c.config, Folders: func() []string { return []string{c.memory} }, Now: time.Now, Poll: 10 * time.Millisecond}, since: time.Now().Add(-lookback),
		emit: func(calls []Call) {
			for _, x := range calls {
				c.reported <- x
			}
		}, tails: map[string]*followed{}, watched: map[string]bool{}, ours: map[string]bool{}}
	w.list(t.Context(), true)
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan bool)
	go func() { w.run(ctx); close(over) }()
	appendTo(t, file, c.writes("S", "t1", time.Now()))
	c.wantCalls("t1")
	put(t, c.session("T"), c.writes("T", "t2", time.Now()))
	c.wantCalls("t2")
	stop()
	<-over
}

func TestNear(t *testing.T) {
	t.Parallel()
	config := filepath.Join(t.TempDir(), ".claude")
	w := &follower{f: Following{Config: config}}
	p := Project{Folder: filepath.Join(config, "projects", "-w-app"), Path: "/w/app"}
	for store, want := range map[string]bool{
		filepath.Join(p.Folder, "memory"): true,
		"/w/app/.serena/memories":         true,
		"/w":                              true,
		"/w/app2/memory-bank":             false,
		filepath.Join(config, "agent-memory", "reviewer"):       true,
		filepath.Join(config, "projects", "-w-other", "memory"): false,
		filepath.Join(config, "projects", "-w-app2", "memory"):  false,
	} {
		w.f.Folders = func() []string { return []string{store} }
		if got := w.near(p); got != want {
			t.Errorf("%s: %v", store, got)
		}
	}
}
