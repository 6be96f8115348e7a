package ui

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actions"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
)

var (
	clock = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	me    = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "dana"}, Session: "sesn_me"}
	agent = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Session: "sesn_agent"}
)

// past has the methods that the fake store does not implement.
type past interface {
	actions.Store
	search.Store
	Version(ctx context.Context, v versions.VersionID) (versions.Version, error)
	TreeAt(ctx context.Context, n int64) ([]versions.Entry, error)
	DiffTrees(ctx context.Context, from, to int64) ([]versions.TreeDiff, error)
	EntryAt(ctx context.Context, p memfs.Path, n int64) (versions.Entry, error)
	MomentAt(ctx context.Context, t time.Time) (versions.Moment, error)
}

// fakeStore is a store in memory: every change and the whole tree after it.
type fakeStore struct {
	upstream versions.Remote // set if it is a replica

	past // nil: plans and the timeline are tested on a store of the engine

	mu         sync.Mutex
	now        time.Time
	trees      []map[memfs.Path]fakeMemory // after each change; [0] is empty
	changes    []versions.Change
	others     []versions.Entry // entries other than memories
	events     chan versions.Event
	unwritable error // of the folder
	broken     error // returned by every mutation
	listed     int   // how often the tree was read
	synced     versions.SyncReport
	bulks      []versions.Bulk
	held       []versions.Held
	policy     int // of the presets
	pins       []versions.Pin

	reviewState versions.ReviewState
	kept        map[versions.MemoryID]kept
	view        []byte
	reads       map[versions.MemoryID]versions.ReadStat
}

func (s *fakeStore) Bulks(context.Context, time.Time) ([]versions.Bulk, error) { return s.bulks, nil }

func (s *fakeStore) Acts(context.Context, versions.Change, versions.Change) ([]versions.Bulk, error) {
	return nil, nil
}

type fakeMemory struct {
	id      versions.MemoryID
	content string
	change  int64
	by      versions.By
	time    time.Time
}

func newFake() *fakeStore {
	return &fakeStore{now: clock.Add(-72 * time.Hour), trees: []map[memfs.Path]fakeMemory{{}}, events: make(chan versions.Event, 100)}
}

func at(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

func (f *fakeStore) tree() map[memfs.Path]fakeMemory { return f.trees[len(f.trees)-1] }

// change makes the next tree from the current one.
func (f *fakeStore) change(by versions.By, c versions.Change, edit func(map[memfs.Path]fakeMemory, int64)) (versions.Change, error) {
	if f.broken != nil {
		return versions.Change{}, f.broken
	}
	f.now = f.now.Add(time.Hour)
	c.Number, c.Actor, c.Session, c.Time, c.Versions = int64(len(f.trees)), by.Actor, by.Session, f.now, 1
	next := maps.Clone(f.tree())
	edit(next, c.Number)
	f.trees, f.changes = append(f.trees, next), append(f.changes, c)
	f.events <- versions.Event{Changes: []versions.Change{c}}
	return c, nil
}

func (f *fakeStore) RestoreText(ctx context.Context, by versions.By, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error) {
	return f.Write(ctx, by, p, content, pre)
}

func (f *fakeStore) Write(_ context.Context, by versions.By, p memfs.Path, content []byte, pre versions.Pre) (versions.Change, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old, there := f.tree()[p]
	now := versions.Hash{}
	if there {
		now = sha256.Sum256([]byte(old.content))
	}
	if pre.Absent && there || pre.SHA256 != (versions.Hash{}) && pre.SHA256 != now {
		return versions.Change{}, &versions.ConflictError{Path: p, Want: pre.SHA256, Now: now}
	}
	kind := versions.KindCreate
	if there {
		kind = versions.KindEdit
	}
	return f.change(by, versions.Change{Kind: kind, Path: p}, func(t map[memfs.Path]fakeMemory, n int64) {
		t[p] = fakeMemory{cmp.Or(old.id, versions.MemoryID(fmt.Sprintf("mem_%d", n))), string(content), n, by, f.now}
	})
}

func (f *fakeStore) Rename(_ context.Context, by versions.By, from, to memfs.Path, edits ...versions.Edit) (versions.Change, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, there := f.tree()[to]; there {
		return versions.Change{}, fmt.Errorf("rename %s: %w", to, memfs.ErrExist)
	}
	return f.change(by, versions.Change{Kind: versions.KindRename, Path: from, To: to}, func(t map[memfs.Path]fakeMemory, n int64) {
		for p, m := range maps.Clone(t) {
			if p.In(from) {
				delete(t, p)
				t[p.Move(from, to)] = fakeMemory{m.id, m.content, n, by, f.now}
			}
		}
		for _, e := range edits {
			t[e.Path] = fakeMemory{t[e.Path].id, string(e.Text), n, by, f.now}
		}
	})
}

func (f *fakeStore) Delete(_ context.Context, by versions.By, paths ...memfs.Path) (versions.Change, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.change(by, versions.Change{Kind: versions.KindDelete, Path: paths[0]}, func(t map[memfs.Path]fakeMemory, _ int64) {
		maps.DeleteFunc(t, func(p memfs.Path, _ fakeMemory) bool {
			return slices.ContainsFunc(paths, func(d memfs.Path) bool { return p.In(d) })
		})
	})
}

// Plan finds the newest change of the person.
func (f *fakeStore) Plan(_ context.Context, g plan.Goal) (*plan.Plan, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := g.(plan.UndoLast)
	for _, c := range slices.Backward(f.changes) {
		if c.Actor == last.By && c.Number > last.After {
			return &plan.Plan{Goal: plan.UndoChange(c.Number)}, nil
		}
	}
	return nil, versions.ErrNoOwnChange
}

// Do undoes a change, and redoes one in the same way.
func (f *fakeStore) Do(_ context.Context, by versions.By, g plan.Goal) (versions.Change, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := int64(len(f.changes))
	switch g := g.(type) {
	case plan.UndoChange:
		n = int64(g)
	case plan.RedoChange:
		n = int64(g)
	case plan.Restore:
		return versions.Change{}, versions.ErrNoVersion
	}
	if n == 0 {
		return versions.Change{}, versions.ErrNothing
	}
	return f.change(by, versions.Change{Kind: versions.KindUndo, Undoes: n, Path: f.changes[n-1].Path}, func(t map[memfs.Path]fakeMemory, _ int64) {
		clear(t)
		maps.Copy(t, f.trees[n-1])
	})
}

func (f *fakeStore) Tree(context.Context) ([]versions.Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listed++
	out := slices.Clone(f.others)
	for p, m := range f.tree() {
		out = append(out, versions.Entry{
			Kind: versions.Memory, Path: p, Memory: m.id, Version: versions.VersionID(fmt.Sprintf("memver_%d", m.change)), Change: m.change,
			Actor: m.by.Actor, Time: m.time, Size: int64(len(m.content)), SHA256: sha256.Sum256([]byte(m.content)),
			Binary: !utf8.ValidString(m.content), Hidden: memfs.Hidden([]byte(m.content)),
		})
	}
	slices.SortFunc(out, func(a, b versions.Entry) int { return cmp.Compare(a.Path.String(), b.Path.String()) })
	return out, nil
}

type fakeFile struct {
	*bytes.Reader
}

func (fakeFile) Close() error { return nil }

func (f *fakeStore) Open(_ context.Context, p memfs.Path) (File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.others {
		if e.Path == p {
			return nil, fmt.Errorf("open %s: %w", p, map[versions.EntryKind]error{versions.Special: memfs.ErrNotRegular, versions.LinkEntry: memfs.ErrLinkOut,
				versions.Unreadable: memfs.ErrNoPermission, versions.TooBig: io.ErrUnexpectedEOF}[e.Kind])
		}
	}
	m, ok := f.tree()[p]
	if !ok {
		return nil, fmt.Errorf("open %s: %w", p, memfs.ErrNotExist)
	}
	return fakeFile{bytes.NewReader([]byte(m.content))}, nil
}

func (f *fakeStore) Content(_ context.Context, v versions.VersionID) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var n int64
	fmt.Sscanf(string(v), "memver_%d", &n)
	for _, m := range f.trees[n] {
		if m.change == n {
			return []byte(m.content), nil
		}
	}
	return nil, versions.ErrNoVersion
}

func (f *fakeStore) History(_ context.Context, id versions.MemoryID, before, limit int) ([]versions.Version, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []versions.Version
	for i, t := range f.trees {
		for p, m := range t {
			if m.id == id && m.change == int64(i) {
				op := versions.Modified
				if len(out) == 0 {
					op = versions.Created
				}
				out = append(out, versions.Version{ID: versions.VersionID(fmt.Sprintf("memver_%d", i)), Memory: id, Number: len(out) + 1, Change: m.change,
					Operation: op, Path: p, Actor: m.by.Actor, Session: m.by.Session, ToolUse: m.by.ToolUse, Turn: m.by.Turn, Time: m.time, Size: int64(len(m.content)), SHA256: sha256.Sum256([]byte(m.content)), Added: 3, Removed: 1})
			}
		}
	}
	slices.Reverse(out)
	return slices.DeleteFunc(out, func(v versions.Version) bool { return before > 0 && v.Number >= before }), nil
}

func (f *fakeStore) Newest(ctx context.Context, p memfs.Path) (versions.Version, error) {
	return f.VersionAt(ctx, p, 0)
}

func (f *fakeStore) VersionAt(ctx context.Context, p memfs.Path, _ int) (versions.Version, error) {
	f.mu.Lock()
	m, ok := f.tree()[p]
	f.mu.Unlock()
	if !ok {
		return versions.Version{}, versions.ErrNoMemory
	}
	vs, err := f.History(ctx, m.id, 0, 1)
	if err != nil || len(vs) == 0 {
		return versions.Version{}, versions.ErrNoVersion
	}
	return vs[0], nil
}

func (f *fakeStore) reviewed(ctx context.Context, id versions.MemoryID, upTo int64, me versions.Actor) (versions.Version, error) {
	vs, err := f.History(ctx, id, 0, 0)
	base := versions.Version{}
	for _, v := range vs {
		if base.ID == "" {
			base = v
		}
		if v.Change <= upTo {
			break
		}
		if v.Actor != me {
			base = versions.Version{}
		}
	}
	if base.ID == "" && err == nil {
		err = versions.ErrNoVersion
	}
	return base, err
}

func (f *fakeStore) HasUnreviewedChanges(ctx context.Context, e *versions.Entry, upTo int64, me versions.Actor) (bool, error) {
	v, err := f.reviewed(ctx, e.Memory, upTo, me)
	f.mu.Lock()
	defer f.mu.Unlock()
	if k, ok := f.kept[e.Memory]; ok && k.change >= v.Change {
		return versions.Sum(k.side.Text) != e.SHA256, nil
	}
	return err != nil || v.SHA256 != e.SHA256, nil
}

func (f *fakeStore) Version(ctx context.Context, id versions.VersionID) (versions.Version, error) {
	f.mu.Lock()
	tree := f.tree()
	f.mu.Unlock()
	for _, m := range tree {
		vs, _ := f.History(ctx, m.id, 0, 100)
		for _, v := range vs {
			if v.ID == id {
				return v, nil
			}
		}
	}
	return versions.Version{}, versions.ErrNoVersion
}

func (f *fakeStore) Blame(ctx context.Context, id versions.VersionID) (*versions.Blame, error) {
	b, err := f.Content(ctx, id)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.tree() {
		if fmt.Sprintf("memver_%d", m.change) == string(id) {
			v := versions.Version{ID: id, Memory: m.id, Number: 1, Actor: m.by.Actor, Session: m.by.Session, Time: m.time}
			return &versions.Blame{Version: v, Content: b, Runs: []versions.BlameRun{{Start: 1, Lines: bytes.Count(b, []byte("\n")), By: &v, At: 1, Since: 1}}}, nil
		}
	}
	return nil, versions.ErrNoVersion
}

func (f *fakeStore) Changes(_ context.Context, _ versions.Filter, before int64, limit int) ([]versions.Change, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := slices.Clone(f.changes)
	slices.Reverse(out)
	out = slices.DeleteFunc(out, func(c versions.Change) bool { return before > 0 && c.Number >= before })
	return out[:min(len(out), limit)], nil
}

func (f *fakeStore) Change(_ context.Context, n int64) (versions.Change, []versions.Version, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []versions.Version
	for p, m := range f.trees[n] {
		if m.change == n {
			out = append(out, versions.Version{Memory: m.id, Change: n, Path: p, Actor: m.by.Actor, Session: m.by.Session, Time: m.time})
		}
	}
	slices.SortFunc(out, func(a, b versions.Version) int { return cmp.Compare(a.Path.String(), b.Path.String()) })
	return f.changes[n-1], out, nil
}

func (f *fakeStore) Sync(context.Context) (versions.SyncReport, error) {
	r := f.synced
	r.Files = len(f.trees)
	return r, nil
}

func (f *fakeStore) SyncAndWatch(ctx context.Context) (<-chan versions.Event, versions.SyncReport, error) {
	r, err := f.Sync(ctx)
	return f.events, r, err
}

func (f *fakeStore) Writable() error { return f.unwritable }

func (f *fakeStore) Info() versions.StoreInfo {
	info := versions.StoreInfo{ID: "memstore_1", Name: "assistant", Folder: "/home/dana/memories", Upstream: f.upstream}
	if info.Hosted() {
	}
	return info
}

func (f *fakeStore) Move(_ context.Context, by versions.By, into memfs.Path, paths ...memfs.Path) (versions.Change, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.change(by, versions.Change{Kind: versions.KindEdit, Path: memfs.Root, Versions: len(paths)}, func(t map[memfs.Path]fakeMemory, n int64) {
		for p, m := range maps.Clone(t) {
			for _, from := range paths {
				if p.In(from) {
					delete(t, p)
					t[p.Move(from, at(into.String()+"/"+from.Base()))] = fakeMemory{m.id, m.content, n, by, f.now}
				}
			}
		}
	})
}

func (f *fakeStore) ReadStats(context.Context, ...versions.MemoryID) (map[versions.MemoryID]versions.ReadStat, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.reads), nil
}

func (f *fakeStore) ReviewState(context.Context) (*versions.ReviewState, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := f.reviewState
	l.Of = maps.Clone(l.Of)
	return &l, nil
}

// UnreviewedDeletions lists none: tests of deletions use a real store.
func (f *fakeStore) UnreviewedDeletions(context.Context, versions.Actor) ([]versions.Entry, error) {
	return nil, nil
}

func (f *fakeStore) MarkReviewed(_ context.Context, seen map[versions.MemoryID]int64) (before review.Marks, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.reviewState.Of == nil {
		f.reviewState.Of = map[versions.MemoryID]int64{}
	}
	for m, n := range seen {
		f.reviewState.Of[m] = max(f.reviewState.Of[m], n)
		delete(f.kept, m)
	}
	return before, nil
}

func (f *fakeStore) MarkAllReviewed(_ context.Context, change int64) (before review.Marks, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reviewState.Reviewed = change
	return before, nil
}

func (f *fakeStore) View(context.Context) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.view, nil
}

func (f *fakeStore) SetView(_ context.Context, view []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.view = view
	return nil
}

func (f *fakeStore) NewEditCopy(name string, text []byte) (*drafts.EditCopy, []string, error) {
	home, err := os.MkdirTemp("", "memend-fake-") // its tests remove the folder of the copy
	if err != nil {
		return nil, nil, err
	}
	return drafts.NewEditCopy(home, name, text)
}

func (f *fakeStore) Search(context.Context, versions.Query, func(versions.Hit) bool) (versions.Found, error) {
	return versions.Found{}, nil
}

func (f *fakeStore) SearchHistory(context.Context, versions.Query, func(versions.HistoryHit) bool) error {
	return nil
}

func (f *fakeStore) Near(context.Context, versions.Query) ([]match.NearWord, error) {
	return nil, nil
}

// Activity has no reads and filters everything at once.
func (f *fakeStore) Activity(_ context.Context, flt versions.ActivityFilter, _ versions.Cursor, _ int) (out []versions.Activity, next versions.Cursor, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range slices.Backward(f.changes) {
		if flt.Session == "" || c.Session == flt.Session {
			m := f.trees[c.Number][c.Path]
			out = append(out, versions.Activity{Time: c.Time, Actor: c.Actor, Session: c.Session, Path: c.Path, Change: c,
				Memory: m.id, Version: versions.VersionID(fmt.Sprintf("memver_%d", c.Number)), Number: 1})
		}
	}
	return out, next, nil
}

func (f *fakeStore) Sessions(_ context.Context, _ versions.SessionFilter, _ versions.Cursor, _ int) (out []versions.Session, next versions.Cursor, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range slices.Backward(f.changes) {
		i := slices.IndexFunc(out, func(s versions.Session) bool { return s.ID == c.Session })
		if i < 0 {
			i, out = len(out), append(out, versions.Session{ID: c.Session, Actor: c.Actor, Seen: c.Time})
		}
		out[i].Started = c.Time
		out[i].Changes++
	}
	return out, "", nil
}
