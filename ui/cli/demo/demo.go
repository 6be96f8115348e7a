// Package demo makes a store that looks lived in: the notes of a support agent
// and of a coding agent over a week, with a person correcting them now and then
// and a few mistakes left to find. All of it is made up, and made through the
// engine, by several actors in several sessions. Play goes on writing while
// somebody looks.
package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Name is what the demo's store is called.
const Name = "demo"

// Clock is the time in the demo's engine: it is set while the past is made, and
// runs by itself afterwards. It is safe for concurrent use.
type Clock struct {
	mu   sync.Mutex
	set  time.Time // zero: the real time
	real func() time.Time
}

// NewClock is a clock that shows what now says, until it is set.
func NewClock(now func() time.Time) *Clock { return &Clock{real: now} }

// Now is the time, for the engine's Options.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.set.IsZero() {
		return c.real()
	}
	return c.set
}

// turn sets the clock; the zero time lets it run.
func (c *Clock) turn(t time.Time) {
	c.mu.Lock()
	c.set = t
	c.mu.Unlock()
}

// Make makes the demo's store in a home whose engine runs by the clock: a week
// of history that ends shortly before now.
func Make(ctx context.Context, t *versions.Trail, clock *Clock) (versions.StoreInfo, error) {
	now := clock.Now()
	defer clock.turn(time.Time{})
	clock.turn(now.Add(-7 * 24 * time.Hour))
	info, err := t.CreateStore(ctx, person("you"), Name, "what a support agent and a coding agent remember (made up)", "")
	if err != nil {
		return info, err
	}
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return info, err
	}
	w := &writer{ctx: ctx, store: s, clock: clock, now: now}
	w.story()
	return info, errors.Join(w.err, s.Close())
}

// writer tells the story, act by act. Its first error stays, and ends it.
type writer struct {
	ctx   context.Context
	store *versions.Store
	clock *Clock
	now   time.Time // when the story ends
	at    time.Time
	by    versions.By
	acts  int
	err   error
}

// session begins one, some days ago at a time of day.
func (w *writer) session(days, hour, minute int, by versions.By) {
	day := w.now.AddDate(0, 0, -days)
	w.begin(time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 7, 0, day.Location()), by)
}

// justNow begins a session so long before the story ends.
func (w *writer) justNow(ago time.Duration, by versions.By) { w.begin(w.now.Add(-ago), by) }

func (w *writer) begin(at time.Time, by versions.By) { w.at, w.by = at, by }

func robot(name, session string) versions.By {
	return versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: name}, Session: versions.SessionID(session)}
}

func person(name string) versions.By {
	return versions.By{Actor: versions.Actor{Kind: versions.Person, Name: name}, Session: versions.SessionID("sesn_" + name)}
}

// tick lets some time pass between two acts, not always the same.
func (w *writer) tick() {
	w.acts++
	w.at = w.at.Add(time.Duration(17+w.acts*23%61) * time.Second)
	w.clock.turn(w.at)
}

// tool is an agent's call of the memory tool.
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

func (w *writer) create(path, text string) {
	w.tool(memfs.Create{Path: full(path), FileText: code(text)})
}

// replace reads before it writes, as agents do.
func (w *writer) replace(path, old, new string) {
	w.tool(memfs.View{Path: full(path)})
	w.tool(memfs.StrReplace{Path: full(path), OldStr: code(old), NewStr: code(new)})
}
func (w *writer) insert(path string, line int64, text string) {
	w.tool(memfs.Insert{Path: full(path), InsertLine: line, InsertText: code(text)})
}
func (w *writer) rename(from, to string) {
	w.tool(memfs.Rename{OldPath: full(from), NewPath: full(to)})
}
func (w *writer) remove(path string) { w.tool(memfs.Delete{Path: full(path)}) }

// change is what a person does, not through the memory tool.
func (w *writer) change(do func() error) {
	if w.err == nil {
		w.tick()
		w.err = do()
	}
}

func (w *writer) write(path, text string) {
	w.change(func() error {
		_, err := w.store.Write(w.ctx, w.by, w.path(path), []byte(code(text)), versions.Pre{})
		return err
	})
}

func (w *writer) restore(path string, number int) {
	w.change(func() error {
		v, err := w.store.VersionAt(w.ctx, w.path(path), number)
		if err == nil {
			_, err = w.store.Restore(w.ctx, w.by, v.ID)
		}
		return err
	})
}

// undoLast takes the newest change back, whoever made it.
func (w *writer) undoLast() {
	w.change(func() error {
		n, err := w.store.LastChange(w.ctx)
		if err == nil {
			_, err = w.store.Undo(w.ctx, w.by, n)
		}
		return err
	})
}

// outside writes a file as another program would, and has it adopted.
func (w *writer) outside(path, text string) {
	w.change(func() error {
		name := filepath.Join(w.store.Info().Folder, filepath.FromSlash(path))
		if err := os.WriteFile(name, []byte(code(text)), 0o600); err != nil {
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

// code lets the story's texts be Go's raw strings: § stands for a backtick.
func code(text string) string { return strings.ReplaceAll(text, "§", "`") }
