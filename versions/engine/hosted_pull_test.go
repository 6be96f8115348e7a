package engine_test

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
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/stores"
)

// service is a store of another home, as its service would give it out.
type service struct {
	s  *core.Store
	by versions.By

	mu      sync.Mutex
	fault   func(call string) (before, after error)                 // nil: none
	lists   func([]versions.HostedVersion) []versions.HostedVersion // changes what a page of versions holds
	dropped map[string]bool                                         // versions that it keeps no longer
	calls   map[string]int
}

// newService opens one in a home of its own.
func newService(t *testing.T) *service {
	t.Helper()
	trail, err := vengine.Open(t.Context(), filepath.Join(t.TempDir(), "service"), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := stores.CreateStore(t.Context(), trail, alice, "there", "", "")
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
	return &service{s: s, by: versions.By{Actor: versions.Actor{Kind: versions.APIKey, Name: "apikey_1"}}, dropped: map[string]bool{}, calls: map[string]int{}}
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

func (u *service) memory(ctx context.Context, p memfs.Path) (versions.HostedMemory, error) {
	es, err := vhistory.Tree(ctx, u.s)
	if err != nil {
		return versions.HostedMemory{}, err
	}
	for _, e := range es {
		if e.Path == p {
			return u.of(ctx, e)
		}
	}
	return versions.HostedMemory{}, versions.ErrNoMemory
}

func (u *service) of(ctx context.Context, e versions.Entry) (versions.HostedMemory, error) {
	b, err := vhistory.Content(ctx, u.s, e.Version)
	return versions.HostedMemory{ID: string(e.Memory), Version: string(e.Version), Path: e.Path.String(), SHA256: e.SHA256, Size: e.Size, Updated: e.Time, Content: b}, err
}

func (u *service) entry(ctx context.Context, id versions.MemoryID) (versions.Entry, error) {
	es, err := vhistory.Tree(ctx, u.s)
	if err != nil {
		return versions.Entry{}, err
	}
	for _, e := range es {
		if e.Memory == id {
			return e, nil
		}
	}
	return versions.Entry{}, versions.ErrNoMemory
}

// refused puts what the engine refuses in the words of the API.
func refused(err error) error {
	var conflict *versions.ConflictError
	switch {
	case errors.As(err, &conflict):
		return &versions.HostedConflict{Path: conflict.Path.String(), Err: err}
	case errors.Is(err, memfs.ErrExist), errors.Is(err, memfs.ErrNotFolder), errors.Is(err, memfs.ErrIsFolder):
		return &versions.HostedConflict{Err: err}
	case errors.Is(err, versions.ErrArchived), errors.Is(err, versions.ErrInvalid):
		return &versions.HostedRefusal{Message: err.Error()}
	}
	return err
}

func (u *service) Create(ctx context.Context, p memfs.Path, content []byte) (m versions.HostedMemory, err error) {
	err = u.call("create", func() error {
		if _, err := u.s.Write(ctx, u.by, p, content, versions.Pre{Absent: true}); err != nil {
			return refused(err)
		}
		m, err = u.memory(ctx, p)
		return err
	})
	return m, err
}

func (u *service) Update(ctx context.Context, id versions.MemoryID, base versions.Hash, to memfs.Path, content []byte) (m versions.HostedMemory, err error) {
	err = u.call("update", func() error {
		e, err := u.entry(ctx, id)
		if err != nil {
			return err
		}
		if to.IsRoot() {
			to = e.Path
		}
		if content == nil {
			content, _ = vhistory.Content(ctx, u.s, e.Version)
		}
		if e.Path == to && versions.Sum(content) == e.SHA256 {
			m, err = u.of(ctx, e)
			return err
		}
		if e.SHA256 != base {
			return &versions.HostedConflict{Err: errors.New("precondition failed")}
		}
		d := func(d *core.Mutation) error { // both in one version, as the API does
			d.Asked = core.Request{Kind: versions.KindEdit, Path: e.Path}
			if to != e.Path {
				if _, err := u.s.Dir.Lstat(to); err == nil {
					return &versions.HostedConflict{Path: to.String(), Err: memfs.ErrExist}
				}
				var row int64
				if err := d.Txn.Row(`SELECT id FROM memory WHERE uid=?`, ids.Parse(ids.MemoryPrefix, string(id))).Scan(&row); err != nil {
					return err
				}
				now, err := tables.NowOf(d.Txn, row)
				if err != nil {
					return err
				}
				return plan.FollowPlan(d, planOf(u.s, d, planning.Memory{Row: row, Now: now, Want: planning.WithText(to, content)}))
			}
			return d.Put(e.Path, content, 0, 0)
		}
		if _, err := core.Mutate(ctx, u.s, u.by, d); err != nil {
			return refused(err)
		}
		m, err = u.memory(ctx, to)
		return err
	})
	return m, err
}

// planOf returns a plan for one memory.
func planOf(s *core.Store, d *core.Mutation, m planning.Memory) *plan.Planner {
	return &plan.Planner{Store: s, Reader: d.Txn, Dir: s.Dir, Items: []*plan.Planned{{Memory: m}}}
}

func (u *service) Delete(ctx context.Context, id versions.MemoryID, base versions.Hash) error {
	return u.call("delete", func() error {
		e, err := u.entry(ctx, id)
		if err != nil {
			return err
		}
		if e.SHA256 != base {
			return &versions.HostedConflict{Err: errors.New("precondition failed")}
		}
		_, err = core.Mutate(ctx, u.s, u.by, func(d *core.Mutation) error { // with the folders that it leaves empty
			d.Asked = core.Request{Kind: versions.KindDelete, Path: e.Path}
			var row int64
			if err := d.Txn.Row(`SELECT id FROM memory WHERE uid=?`, ids.Parse(ids.MemoryPrefix, string(id))).Scan(&row); err != nil {
				return err
			}
			now, err := tables.NowOf(d.Txn, row)
			if err != nil {
				return err
			}
			return plan.FollowPlan(d, planOf(u.s, d, planning.Memory{Row: row, Now: now}))
		})
		return refused(err)
	})
}

func (u *service) Redact(ctx context.Context, id versions.VersionID) (v versions.HostedVersion, err error) {
	err = u.call("redact", func() error {
		plan, err := redact.Prepare(ctx, u.s, versions.RedactTarget{Version: id})
		if err != nil {
			return err
		}
		if len(plan.Current()) > 0 {
			return &versions.HostedRefusal{Message: "the newest version of a memory that stands"}
		}
		if !plan.Empty() {
			if _, err := redact.Do(ctx, u.s, u.by, plan, versions.RedactChoice{}); err != nil {
				return err
			}
		}
		v, err = u.Version(ctx, id)
		return err
	})
	return v, err
}

func (u *service) Memories(ctx context.Context, page string) (out versions.HostedMemories, err error) {
	err = u.call("memories", func() error {
		es, err := vhistory.Tree(ctx, u.s)
		for _, e := range es {
			out.Memories = append(out.Memories, versions.HostedMemory{ID: string(e.Memory), Version: string(e.Version), Path: e.Path.String(), SHA256: e.SHA256, Size: e.Size, Updated: e.Time})
		}
		return err
	})
	return out, err
}

func (u *service) Memory(ctx context.Context, id versions.MemoryID) (m versions.HostedMemory, err error) {
	err = u.call("memory", func() error {
		e, err := u.entry(ctx, id)
		if err == nil {
			m, err = u.of(ctx, e)
		}
		return err
	})
	return m, err
}

func (u *service) hosted(ctx context.Context, v versions.Version, full bool) versions.HostedVersion {
	h := versions.HostedVersion{ID: string(v.ID), Memory: string(v.Memory), Operation: v.Operation, SHA256: v.SHA256, Size: v.Size,
		By: v.Actor, Session: v.Session, Time: v.Time, Redacted: v.Redacted, RedactedBy: v.RedactedBy}
	if v.Redacted.IsZero() {
		h.Path = v.Path.String()
	}
	if full && v.Redacted.IsZero() && v.Operation != versions.Deleted {
		h.Content, _ = vhistory.Content(ctx, u.s, v.ID)
		h.Content = versions.NonNil(h.Content)
	}
	return h
}

func (u *service) Versions(ctx context.Context, q versions.HostedQuery, page string) (out versions.HostedVersions, err error) {
	err = u.call("versions", func() error {
		var all []tables.Stored
		err := core.View(ctx, u.s.Trail, func(r tables.Reader) (err error) {
			all, err = tables.ScanVersions(r, `SELECT `+tables.VersionColumns+tables.VersionTables+`WHERE m.store=? ORDER BY v.id DESC`, u.s.Row)
			return err
		})
		if err != nil {
			return err
		}
		var chosen []versions.HostedVersion
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

func (u *service) Version(ctx context.Context, id versions.VersionID) (h versions.HostedVersion, err error) {
	err = u.call("version", func() error {
		v, err := vhistory.Version(ctx, u.s, id)
		if err == nil {
			h = u.hosted(ctx, v, true)
		}
		return err
	})
	return h, err
}

func (u *service) About(ctx context.Context) (versions.HostedStore, error) {
	i := u.s.Info()
	return versions.HostedStore{ID: string(i.ID), Name: i.Name, Description: i.Description, Metadata: i.Metadata}, nil
}

func (u *service) Describe(ctx context.Context, up versions.StoreUpdate) (versions.HostedStore, error) {
	if _, err := stores.Update(ctx, u.s.Trail, alice, u.s.Opened.ID, up); err != nil {
		return versions.HostedStore{}, err
	}
	return u.About(ctx)
}
func (u *service) Archive(ctx context.Context) (versions.HostedStore, error) {
	_, err := stores.Archive(ctx, u.s.Trail, u.by, u.s.Opened.ID)
	return versions.HostedStore{Archived: time.Now()}, err
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
	if w.trail, err = vengine.Open(context.Background(), w.home, versions.Options{Upstream: w.dial, Hook: w.hook}); err != nil {
		w.t.Fatal(err)
	}
	info, err := w.trail.FindStore(context.Background(), "hosted")
	if errors.Is(err, versions.ErrNoStore) {
		info, err = w.trail.MakeStore(context.Background(), alice, versions.NewStore{Name: "hosted", Upstream: versions.Remote{URL: "http://there", Store: "memstore_there"}})
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

func (w *twin) dial(info versions.StoreInfo) (versions.Upstream, error) {
	if info.Upstream == besideAt {
		return w.beside, nil
	}
	if w.alien {
		return alien{w.up}, nil
	}
	return w.up, nil
}

// besideAt is where the other hosted store is kept.
var besideAt = versions.Remote{URL: "http://there", Store: "memstore_beside"}

// secondHosted opens another hosted store of the home, which another service keeps.
func (w *twin) secondHosted() *core.Store {
	w.t.Helper()
	w.beside = newService(w.t)
	info, err := w.trail.MakeStore(w.t.Context(), alice, versions.NewStore{Name: "beside", Upstream: besideAt})
	w.must(err)
	s, err := w.trail.OpenStore(w.t.Context(), info.ID)
	w.must(err)
	return s
}

func (w *twin) pull(o ...versions.PullOptions) versions.Pulled {
	w.t.Helper()
	var opts versions.PullOptions
	if len(o) > 0 {
		opts = o[0]
	}
	got, err := replica.Pull(context.Background(), w.store, opts)
	if err != nil {
		w.t.Fatal(err)
	}
	return got
}

// there writes as somebody else does, at the service.
func (w *twin) there(p, content string) {
	w.t.Helper()
	if _, err := w.up.s.Write(context.Background(), versions.By{Actor: versions.Actor{Kind: versions.APIKey, Name: "apikey_2"}}, mustPath(p), []byte(content), versions.Pre{}); err != nil {
		w.t.Fatal(err)
	}
}

// story is what a store says of itself and its past, that both sides must agree on.
func story(t *testing.T, s *core.Store) string {
	t.Helper()
	ctx := context.Background()
	es, err := vhistory.Tree(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range es {
		vs, err := vhistory.Of(ctx, s, e.Memory, 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		sent := slices.IndexFunc(vs, func(v versions.Version) bool { return !v.ID.Unsent() })
		fmt.Fprintf(&b, "%s %s %s %s\n", e.Path, e.Memory, vs[max(sent, 0)].ID, e.SHA256)
		for _, v := range vs {
			if v.ID.Unsent() {
				continue
			}
			// On top of what another program made here, a creation is a change.
			fmt.Fprintf(&b, "  %s %v %s %s %v\n", v.ID, v.Operation == versions.Deleted, v.Path, v.SHA256, v.Redacted.IsZero())
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
	w.pull(versions.PullOptions{Full: true})
	here, there := story(w.t, w.store), story(w.t, w.up.s)
	if w.alien {
		there = abroad(there)
	}
	if here != there {
		w.t.Errorf("here:\n%s\nthere:\n%s", here, there)
	}
}
