package versions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/planning"
)

// service is a store of another home, as its service would give it out.
type service struct {
	s  *Store
	by By

	mu      sync.Mutex
	fault   func(call string) (before, after error) // nil: none
	lists   func([]HostedVersion) []HostedVersion   // changes what a page of versions holds
	dropped map[string]bool                         // versions that it keeps no longer
	calls   map[string]int
}

// newService opens one in a home of its own.
func newService(t *testing.T) *service {
	t.Helper()
	trail, err := Open(t.Context(), filepath.Join(t.TempDir(), "service"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := trail.CreateStore(t.Context(), alice, "there", "", "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), trail.Close()); err != nil {
			t.Error(err)
		}
	})
	return &service{s: s, by: By{Actor: Actor{Kind: APIKey, Name: "apikey_1"}}, dropped: map[string]bool{}, calls: map[string]int{}}
}

// call counts a call and fails as a test wants it to.
func (u *service) call(name string, do func() error) error {
	u.mu.Lock()
	u.calls[name]++
	fault := u.fault
	u.mu.Unlock()
	var before, after error
	if fault != nil {
		before, after = fault(name)
	}
	if before != nil {
		return before
	}
	if err := do(); err != nil {
		return err
	}
	return after
}

func (u *service) memory(ctx context.Context, p memfs.Path) (HostedMemory, error) {
	es, err := u.s.Tree(ctx)
	if err != nil {
		return HostedMemory{}, err
	}
	for _, e := range es {
		if e.Path == p {
			return u.of(ctx, e)
		}
	}
	return HostedMemory{}, ErrNoMemory
}

func (u *service) of(ctx context.Context, e Entry) (HostedMemory, error) {
	b, err := u.s.Content(ctx, e.Version)
	return HostedMemory{ID: string(e.Memory), Version: string(e.Version), Path: e.Path.String(), SHA256: e.SHA256, Size: e.Size, Updated: e.Time, Content: b}, err
}

func (u *service) entry(ctx context.Context, id MemoryID) (Entry, error) {
	es, err := u.s.Tree(ctx)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range es {
		if e.Memory == id {
			return e, nil
		}
	}
	return Entry{}, ErrNoMemory
}

// refused puts what the engine refuses in the words of the API.
func refused(err error) error {
	var conflict *ConflictError
	switch {
	case errors.As(err, &conflict):
		return &HostedConflict{Path: conflict.Path.String(), Err: err}
	case errors.Is(err, memfs.ErrExist), errors.Is(err, memfs.ErrNotFolder), errors.Is(err, memfs.ErrIsFolder):
		return &HostedConflict{Err: err}
	case errors.Is(err, ErrArchived), errors.Is(err, ErrInvalid):
		return &HostedRefusal{err.Error()}
	}
	return err
}

func (u *service) Create(ctx context.Context, p memfs.Path, content []byte) (m HostedMemory, err error) {
	err = u.call("create", func() error {
		if _, err := u.s.Write(ctx, u.by, p, content, Pre{Absent: true}); err != nil {
			return refused(err)
		}
		m, err = u.memory(ctx, p)
		return err
	})
	return m, err
}

func (u *service) Update(ctx context.Context, id MemoryID, base Hash, to memfs.Path, content []byte) (m HostedMemory, err error) {
	err = u.call("update", func() error {
		e, err := u.entry(ctx, id)
		if err != nil {
			return err
		}
		if to.IsRoot() {
			to = e.Path
		}
		if content == nil {
			content, _ = u.s.Content(ctx, e.Version)
		}
		if e.Path == to && sum(content) == e.SHA256 {
			m, err = u.of(ctx, e)
			return err
		}
		if e.SHA256 != base {
			return &HostedConflict{Err: errors.New("precondition failed")}
		}
		d := func(d *mutation) error { // both in one version, as the API does
			d.asked = request{kind: KindEdit, path: e.Path}
			if to != e.Path {
				if _, err := u.s.dir.Lstat(to); err == nil {
					return &HostedConflict{Path: to.String(), Err: memfs.ErrExist}
				}
				var row int64
				if err := d.x.Row(`SELECT id FROM memory WHERE uid=?`, ids.Parse(ids.MemoryPrefix, string(id))).Scan(&row); err != nil {
					return err
				}
				now, err := nowOf(d.x, row)
				if err != nil {
					return err
				}
				return d.followPlan(planOf(u.s, d, planning.Memory{Row: row, Now: now, Want: planning.WithText(to, content)}))
			}
			return d.put(e.Path, content, 0, 0)
		}
		if _, err := u.s.mutate(ctx, u.by, d); err != nil {
			return refused(err)
		}
		m, err = u.memory(ctx, to)
		return err
	})
	return m, err
}

// planOf returns a plan for one memory.
func planOf(s *Store, d *mutation, m planning.Memory) *planner {
	return &planner{s: s, q: d.x, dir: s.dir, items: []*planned{{Memory: m}}}
}

func (u *service) Delete(ctx context.Context, id MemoryID, base Hash) error {
	return u.call("delete", func() error {
		e, err := u.entry(ctx, id)
		if err != nil {
			return err
		}
		if e.SHA256 != base {
			return &HostedConflict{Err: errors.New("precondition failed")}
		}
		_, err = u.s.mutate(ctx, u.by, func(d *mutation) error { // with the folders that it leaves empty
			d.asked = request{kind: KindDelete, path: e.Path}
			var row int64
			if err := d.x.Row(`SELECT id FROM memory WHERE uid=?`, ids.Parse(ids.MemoryPrefix, string(id))).Scan(&row); err != nil {
				return err
			}
			now, err := nowOf(d.x, row)
			if err != nil {
				return err
			}
			return d.followPlan(planOf(u.s, d, planning.Memory{Row: row, Now: now}))
		})
		return refused(err)
	})
}

func (u *service) Redact(ctx context.Context, id VersionID) (v HostedVersion, err error) {
	err = u.call("redact", func() error {
		plan, err := u.s.PlanRedact(ctx, RedactTarget{Version: id})
		if err != nil {
			return err
		}
		if len(plan.Current()) > 0 {
			return &HostedRefusal{"the newest version of a memory that stands"}
		}
		if !plan.Empty() {
			if _, err := u.s.Redact(ctx, u.by, plan, RedactChoice{}); err != nil {
				return err
			}
		}
		v, err = u.Version(ctx, id)
		return err
	})
	return v, err
}

func (u *service) Memories(ctx context.Context, page string) (out HostedMemories, err error) {
	err = u.call("memories", func() error {
		es, err := u.s.Tree(ctx)
		for _, e := range es {
			out.Memories = append(out.Memories, HostedMemory{ID: string(e.Memory), Version: string(e.Version), Path: e.Path.String(), SHA256: e.SHA256, Size: e.Size, Updated: e.Time})
		}
		return err
	})
	return out, err
}

func (u *service) Memory(ctx context.Context, id MemoryID) (m HostedMemory, err error) {
	err = u.call("memory", func() error {
		e, err := u.entry(ctx, id)
		if err == nil {
			m, err = u.of(ctx, e)
		}
		return err
	})
	return m, err
}

func (u *service) hosted(ctx context.Context, v Version, full bool) HostedVersion {
	h := HostedVersion{ID: string(v.ID), Memory: string(v.Memory), Operation: v.Operation, SHA256: v.SHA256, Size: v.Size,
		By: v.Actor, Session: v.Session, Time: v.Time, Redacted: v.Redacted, RedactedBy: v.RedactedBy}
	if v.Redacted.IsZero() {
		h.Path = v.Path.String()
	}
	if full && v.Redacted.IsZero() && v.Operation != Deleted {
		h.Content, _ = u.s.Content(ctx, v.ID)
		h.Content = nonNil(h.Content)
	}
	return h
}

func (u *service) Versions(ctx context.Context, q HostedQuery, page string) (out HostedVersions, err error) {
	err = u.call("versions", func() error {
		var all []stored
		err := u.s.t.view(ctx, func(r reader) (err error) {
			all, err = scanVersions(r, `SELECT `+versionColumns+versionTables+`WHERE m.store=? ORDER BY v.id DESC`, u.s.id)
			return err
		})
		if err != nil {
			return err
		}
		var chosen []HostedVersion
		for _, v := range all {
			if (q.Memory == "" || v.Memory == q.Memory) && (q.Since.IsZero() || !v.Time.Before(q.Since)) && (q.Until.IsZero() || !v.Time.After(q.Until)) && !u.dropped[string(v.ID)] {
				chosen = append(chosen, u.hosted(ctx, v.Version, q.Full))
			}
		}
		if u.lists != nil {
			chosen = u.lists(chosen)
		}
		from, _ := strconv.Atoi(page)
		most := q.Limit
		if q.Full {
			most = min(most, 20)
		}
		to := min(from+max(most, 1), len(chosen))
		out.Versions = chosen[from:to]
		if to < len(chosen) {
			out.Next = strconv.Itoa(to)
		}
		return nil
	})
	return out, err
}

func (u *service) Version(ctx context.Context, id VersionID) (h HostedVersion, err error) {
	err = u.call("version", func() error {
		v, err := u.s.Version(ctx, id)
		if err == nil {
			h = u.hosted(ctx, v, true)
		}
		return err
	})
	return h, err
}

func (u *service) About(ctx context.Context) (HostedStore, error) {
	i := u.s.Info()
	return HostedStore{ID: string(i.ID), Name: i.Name, Description: i.Description, Metadata: i.Metadata}, nil
}

func (u *service) Describe(ctx context.Context, up StoreUpdate) (HostedStore, error) {
	if _, err := u.s.t.UpdateStore(ctx, alice, u.s.info.ID, up); err != nil {
		return HostedStore{}, err
	}
	return u.About(ctx)
}
func (u *service) Archive(ctx context.Context) (HostedStore, error) {
	_, err := u.s.t.ArchiveStore(ctx, u.by, u.s.info.ID)
	return HostedStore{Archived: time.Now()}, err
}
func (u *service) Drop(context.Context) error { return nil }

// twin is a hosted store: a service, and a home with a replica of what it keeps.
type twin struct {
	*world
	up     *service
	alien  bool     // the service has ids that are not such as ours
	beside *service // of the other hosted store; nil: there is none
	at     atomic.Pointer[func(step string) error]
}

func newTwin(t *testing.T) *twin {
	t.Helper()
	tw := &twin{world: &world{t: t, home: newHome(t)}, up: newService(t)}
	tw.reopen()
	t.Cleanup(func() {
		tw.check()
		tw.close()
	})
	return tw
}

func (w *twin) reopen() {
	w.t.Helper()
	var err error
	if w.trail, err = Open(context.Background(), w.home, Options{Upstream: w.dial, Hook: w.hook}); err != nil {
		w.t.Fatal(err)
	}
	info, err := w.trail.FindStore(context.Background(), "hosted")
	if errors.Is(err, ErrNoStore) {
		info, err = w.trail.MakeStore(context.Background(), alice, NewStore{Name: "hosted", Upstream: Remote{"http://there", "memstore_there"}})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if w.store, err = w.trail.OpenStore(context.Background(), info.ID); err != nil {
		w.t.Fatal(err)
	}
	w.folder = info.Folder
}

// hook calls what atStep has set.
func (w *twin) hook(step string) error {
	if do := w.at.Load(); do != nil {
		return (*do)(step)
	}
	return nil
}

// atStep calls do at each step of what follows, with its name and number. A scheduled flush, which
// comes at any time in a goroutine of its own, has none.
func (w *twin) atStep(do func(at string, n int) error) {
	n := 0
	numbered := func(at string) error {
		if strings.HasPrefix(at, "before-flush-") || strings.HasPrefix(at, "sync-") {
			return nil
		}
		n++
		return do(at, n)
	}
	w.at.Store(&numbered)
}

func (w *twin) dial(info StoreInfo) (Upstream, error) {
	if info.Upstream == besideAt {
		return w.beside, nil
	}
	if w.alien {
		return alien{w.up}, nil
	}
	return w.up, nil
}

// besideAt is where the other hosted store is kept.
var besideAt = Remote{"http://there", "memstore_beside"}

// secondHosted opens another hosted store of the home, which another service keeps.
func (w *twin) secondHosted() *Store {
	w.t.Helper()
	w.beside = newService(w.t)
	info, err := w.trail.MakeStore(w.t.Context(), alice, NewStore{Name: "beside", Upstream: besideAt})
	w.must(err)
	s, err := w.trail.OpenStore(w.t.Context(), info.ID)
	w.must(err)
	return s
}

func (w *twin) pull(o ...PullOptions) Pulled {
	w.t.Helper()
	var opts PullOptions
	if len(o) > 0 {
		opts = o[0]
	}
	got, err := w.store.Pull(context.Background(), opts)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// there writes as somebody else does, at the service.
func (w *twin) there(p, content string) {
	w.t.Helper()
	if _, err := w.up.s.Write(context.Background(), By{Actor: Actor{Kind: APIKey, Name: "apikey_2"}}, mustPath(p), []byte(content), Pre{}); err != nil {
		w.t.Fatal(err)
	}
}

// story is what a store says of itself and its past, that both sides must agree on.
func story(t *testing.T, s *Store) string {
	t.Helper()
	ctx := context.Background()
	es, err := s.Tree(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range es {
		vs, err := s.History(ctx, e.Memory, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		sent := slices.IndexFunc(vs, func(v Version) bool { return !v.ID.Unsent() })
		fmt.Fprintf(&b, "%s %s %s %s\n", e.Path, e.Memory, vs[max(sent, 0)].ID, e.SHA256)
		for _, v := range vs {
			if v.ID.Unsent() {
				continue
			}
			// On top of what another program made here, a creation is a change.
			fmt.Fprintf(&b, "  %s %v %s %s %v\n", v.ID, v.Operation == Deleted, v.Path, v.SHA256, v.Redacted.IsZero())
		}
	}
	return b.String()
}

// wantNowhere holds that no file of the home or the folder has a text.
func (w *twin) wantNowhere(texts ...string) {
	w.t.Helper()
	w.world.wantNowhere(texts...)
	w.close()
	w.reopen()
}

// agree holds that the replica is what the service has.
func (w *twin) agree() {
	w.t.Helper()
	w.pull(PullOptions{Full: true})
	here, there := story(w.t, w.store), story(w.t, w.up.s)
	if w.alien {
		there = abroad(there)
	}
	if here != there {
		w.t.Errorf("here:\n%s\nthere:\n%s", here, there)
	}
}
