// Package demo creates a store with a realistic history: the notes of a support agent and
// of a coding agent over a week, with occasional corrections by a person and a few mistakes
// left to find. All of it is invented, and written through the engine by several actors in
// several sessions. Play continues to write while someone watches.
package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
)

// Name is the name of the demo's store.
const Name = "demo"

// Clock is the clock of the demo's engine: it is set while the past is written, and runs by
// itself afterwards. It is safe for concurrent use.
type Clock struct {
	mu   sync.Mutex
	set  time.Time // zero: the real time
	real func() time.Time
}

// NewClock returns a clock that shows the time of now until it is set.
func NewClock(now func() time.Time) *Clock { return &Clock{real: now} }

// Now returns the time, for the engine's Options.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set.IsZero() {
		return c.real()
	}
	return c.set
}

// turn sets the clock; with the zero time it runs by itself.
func (c *Clock) turn(t time.Time) {
	c.mu.Lock()
	c.set = t
	c.mu.Unlock()
}

// Make creates the demo's stores in a home whose engine uses the clock: a week of history that ends shortly before
// now in the one that it returns, and a small second one.
func Make(ctx context.Context, t *engine.Trail, clock *Clock) (versions.StoreInfo, error) {
	if err := makePersonal(ctx, t, clock); err != nil {
		return versions.StoreInfo{}, err
	}
	now := clock.Now()
	defer clock.turn(time.Time{})
	clock.turn(now.Add(-7 * 24 * time.Hour))
	info, err := stores.CreateStore(ctx, t, personBy("you"), Name, "what a support agent and a coding agent remember (made up)", "")
	if err != nil {
		return info, err
	}
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return info, err
	}
	w := &writer{ctx: ctx, store: s, clock: clock, now: now, texts: Name}
	w.story()
	return info, errors.Join(w.err, s.Close())
}

// writer writes the story. After the first error it does nothing more.
type writer struct {
	ctx   context.Context
	store *engine.Store
	clock *Clock
	now   time.Time // when the story ends
	texts string    // the folder with the memories' texts
	at    time.Time
	by    versions.By
	acts  int
	err   error
}

// reviewed marks what was written so far as read.
func (w *writer) reviewed() {
	if w.err != nil {
		return
	}
	n, err := w.store.LastChange(w.ctx)
	if err == nil {
		_, err = review.MarkAllReviewed(w.ctx, w.store, n)
	}
	w.err = err
}

// session begins a session some days ago, at a time of day.
func (w *writer) session(days, hour, minute int, by versions.By) {
	day := w.now.AddDate(0, 0, -days)
	w.begin(time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 7, 0, day.Location()), by)
}

// justNow begins a session a duration before the end of the story.
func (w *writer) justNow(ago time.Duration, by versions.By) { w.begin(w.now.Add(-ago), by) }

func (w *writer) begin(at time.Time, by versions.By) { w.at, w.by = at, by }

func agentBy(name, session string) versions.By {
	return versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: name}, Session: versions.SessionID(session)}
}

func personBy(name string) versions.By {
	return versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: name}, Session: versions.SessionID("sesn_" + name)}
}

// tick lets a varying amount of time pass between two changes.
func (w *writer) tick() {
	w.acts++
	w.at = w.at.Add(time.Duration(17+w.acts*23%61) * time.Second)
	w.clock.turn(w.at)
}

// tool runs a command of the memory tool as an agent.
func (w *writer) tool(c memfs.Command) {
	if w.err != nil {
		return
	}
	w.tick()
	w.by.Turn++
	w.by.ToolUse = fmt.Sprintf("toolu_demo%04d", w.acts)
	result, _, err := w.store.Tool(w.ctx, w.by, c, memfs.Options{})
	if err == nil && result.IsError {
		err = fmt.Errorf("%s: %s", c.Name(), result.Text)
	}
	w.err = err
}

// create creates a memory with its first text.
func (w *writer) create(path string) {
	w.tool(memfs.Create{Path: full(path), FileText: w.text(path)})
}

// replace views the memory first, as agents do.
func (w *writer) replace(path, old, new string) {
	w.tool(memfs.View{Path: full(path)})
	w.tool(memfs.StrReplace{Path: full(path), OldStr: old, NewStr: new})
}
func (w *writer) insert(path string, line int64, text string) {
	w.tool(memfs.Insert{Path: full(path), InsertLine: line, InsertText: text})
}
func (w *writer) rename(from, to string) {
	w.tool(memfs.Rename{OldPath: full(from), NewPath: full(to)})
}
func (w *writer) remove(path string) { w.tool(memfs.Delete{Path: full(path)}) }

// change runs a change by a person, without the memory tool.
func (w *writer) change(do func() error) {
	if w.err == nil {
		w.tick()
		w.err = do()
	}
}

func (w *writer) write(path, text string) {
	w.change(func() error {
		_, err := w.store.Write(w.ctx, w.by, w.path(path), []byte(text), versions.Pre{})
		return err
	})
}

func (w *writer) restore(path string, number int) {
	w.change(func() error {
		v, err := w.store.VersionAt(w.ctx, w.path(path), number)
		if err == nil {
			_, err = plan.Do(w.ctx, w.store, w.by, plan.Restore(v.ID))
		}
		return err
	})
}

// undoLast undoes the newest change, whoever made it.
func (w *writer) undoLast() {
	w.change(func() error {
		n, err := w.store.LastChange(w.ctx)
		if err == nil {
			_, err = plan.Do(w.ctx, w.store, w.by, plan.UndoChange(n))
		}
		return err
	})
}

// outside writes a file as another program would, and adopts it.
func (w *writer) outside(path, text string) {
	w.change(func() error {
		name := filepath.Join(w.store.Info().Folder, filepath.FromSlash(path))
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
		_, err := w.store.Sync(w.ctx)
		return err
	})
}

func (w *writer) path(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		w.err = err
	}
	return p
}

func full(path string) string { return "/memories/" + path }
