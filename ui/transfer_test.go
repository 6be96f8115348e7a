package ui

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
)

// inStore returns the text of a memory of a store in the trail; "" if there is none.
func inStore(t *testing.T, trail *engine.Trail, id versions.StoreID, path string) string {
	t.Helper()
	ctx := context.Background()
	store, err := trail.OpenStore(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	e, err := history.Entry(ctx, store, at(path))
	if err != nil {
		return ""
	}
	b, err := history.Content(ctx, store, e.Version)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The tree moves and copies memories to another store: the one that is proposed, or a named one, which is proposed
// the next time. The undo of a move restores the memory here, and leaves the copy there.
func TestTransfer_MovesAndCopiesToAnotherStore(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "robot", 100, 24)
	trail := s.app.cfg.Trail.(local.Home).Trail
	ctx, here := context.Background(), s.app.cfg.Store.Info().ID
	s.on("safe.md").keys("Y")
	s.deliver()
	s.shows("there is no other store")
	info, err := stores.CreateStore(ctx, trail, alice, "home", "", "")
	if err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	other, err := trail.MakeStore(ctx, alice, versions.NewStore{Name: "app", Metadata: map[string]string{"project": project}})
	if err != nil {
		t.Fatal(err)
	}
	s.on("safe.md").keys("Y")
	s.deliver()
	s.shows("/safe.md to app:/") // this store is of no project
	s.keys("o ctrl+u")
	s.typed("nowhere:/")
	s.keys("enter")
	s.shows("no other store is called nowhere")
	s.keys("Y")
	s.deliver()
	s.keys("o ctrl+u")
	s.typed("home:/kept")
	s.keys("enter")
	s.shows("/safe.md to home:/kept/")
	s.keys("c")
	s.deliver()
	s.shows("copied /safe.md to home:/kept/")
	if inStore(t, trail, info.ID, "kept/safe.md") != "a safe line\n" || inStore(t, trail, here, "safe.md") != "a safe line\n" {
		t.Error("it is not in both")
	}
	s.on("safe.md").keys("Y")
	s.deliver()
	s.keys("o ctrl+u")
	s.typed("home:/kept")
	s.keys("enter c")
	s.deliver()
	s.shows("copy /safe.md to home:/kept/: /kept/safe.md already exists: choose another name")
	s.hides("/memories")
	s.on("safe.md").keys("r ctrl+u")
	s.typed("moved.md")
	s.keys("enter")
	s.deliver()
	s.shows("rename /safe.md: /moved.md already exists: choose another name")
	s.hides("/memories")
	s.on("safe.md").keys("Y")
	s.deliver()
	s.shows("/safe.md to home:/") // the store of last time
	s.keys("m")
	s.deliver()
	s.shows("moved /safe.md to home:/ · an undo here keeps the copy", "u undoes")
	if inStore(t, trail, info.ID, "safe.md") != "a safe line\n" || inStore(t, trail, here, "safe.md") != "" {
		t.Error("it did not move")
	}
	s.keys("u")
	s.deliver()
	if inStore(t, trail, info.ID, "safe.md") != "a safe line\n" || inStore(t, trail, here, "safe.md") != "a safe line\n" {
		t.Error("the undo")
	}
	s.on("safe.md").keys("Y")
	s.deliver()
	s.keys("m")
	s.deliver()
	s.shows("move /safe.md to home:/: /safe.md already exists: choose another name")
	if err := s.app.tree.Saver()(ctx); err != nil {
		t.Fatal(err)
	}
	next := newSim(t, newFake(), 100, 24, func(c *Config) {
		c.Store, c.Trail, c.Stores = s.app.cfg.Store, s.app.cfg.Trail, s.app.cfg.Stores
	})
	next.on("safe.md").keys("Y")
	next.deliver()
	next.shows("/safe.md to home:/") // of the last run
	s.keys("Y n")
	if inStore(t, trail, other.ID, "safe.md") != "" {
		t.Error("it went to the other store")
	}
}

// plainService is the service of a hosted store. It keeps no versions, and takes as many memories as there is room for.
type plainService struct {
	versions.Upstream
	room     int
	memories []versions.HostedMemory
}

func (p *plainService) Create(_ context.Context, at memfs.Path, content []byte) (versions.HostedMemory, error) {
	if len(p.memories) == p.room {
		return versions.HostedMemory{}, &versions.HostedRefusal{Message: "the store is full"}
	}
	m := versions.HostedMemory{ID: fmt.Sprint("mem_", len(p.memories)), Path: at.String(), SHA256: sha256.Sum256(content), Size: int64(len(content)), Content: content}
	p.memories = append(p.memories, m)
	return m, nil
}

func (p *plainService) Memories(context.Context, string) (versions.HostedMemories, error) {
	return versions.HostedMemories{Memories: p.memories}, nil
}

func (p *plainService) Memory(_ context.Context, id versions.MemoryID) (versions.HostedMemory, error) {
	for _, m := range p.memories {
		if m.ID == string(id) {
			return m, nil
		}
	}
	return versions.HostedMemory{}, versions.ErrNoMemory
}

func (p *plainService) Versions(context.Context, versions.HostedQuery, string) (versions.HostedVersions, error) {
	return versions.HostedVersions{}, versions.ErrNoHistory
}

func (p *plainService) About(context.Context) (versions.HostedStore, error) {
	return versions.HostedStore{}, nil
}

// hostedSim shows a store of a home with the stores "own" and "team", which a service keeps.
func hostedSim(t *testing.T, service *plainService, shown string) (s *sim, trail *engine.Trail, own, team versions.StoreID) {
	t.Helper()
	ctx := context.Background()
	trail, err := engine.Open(ctx, storetest.Home(t), versions.Options{Upstream: func(versions.StoreInfo) (versions.Upstream, error) { return service, nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	infos := map[string]versions.StoreInfo{}
	for name, remote := range map[string]versions.Remote{"own": {}, "team": {URL: "http://there", Store: "memstore_there"}} {
		if infos[name], err = trail.MakeStore(ctx, alice, versions.NewStore{Name: name, Upstream: remote}); err != nil {
			t.Fatal(err)
		}
		store, err := trail.OpenStore(ctx, infos[name].ID)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		for _, p := range []string{"a.md", "b.md"} {
			if _, err := store.Write(ctx, alice, at(name+"/"+p), []byte(p+" of "+name+"\n"), versions.Pre{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	store, err := trail.OpenStore(ctx, infos[shown].ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s = newSim(t, newFake(), 120, 24, func(c *Config) {
		c.Store, c.Trail, c.Stores = local.Store{Store: store}, local.Home{Trail: trail}, fakeStores{Home: engineHome{Home: local.Home{Trail: trail}}}
	})
	return s, trail, infos["own"].ID, infos["team"].ID
}

// To a hosted store, each memory is sent, by a copy and by a move.
func TestTransfer_ToAHostedStore(t *testing.T) {
	t.Parallel()
	service := &plainService{room: 10}
	s, trail, own, team := hostedSim(t, service, "own")
	s.on("own").keys("Y")
	s.deliver()
	s.shows("/own to team:/", "m  move", "c  copy")
	s.keys("c")
	s.deliver()
	s.shows("copied /own to team:/")
	if inStore(t, trail, team, "own/a.md") != "a.md of own\n" || inStore(t, trail, own, "own/a.md") != "a.md of own\n" || len(service.memories) != 4 {
		t.Errorf("the service has %d memories", len(service.memories))
	}
	service.room = 5
	s.keys("Y")
	s.deliver()
	s.keys("o ctrl+u")
	s.typed("team:/more")
	s.keys("enter")
	s.keys("m")
	s.deliver()
	s.shows("move /own to team:/more/: 1 of 2 memories were done, as change 4")
	if inStore(t, trail, own, "own/b.md") != "b.md of own\n" {
		t.Error("the original of what was not copied is deleted")
	}
	service.room = 10
	s.keys("Y")
	s.deliver()
	s.keys("o ctrl+u")
	s.typed("team:/moved")
	s.keys("enter")
	s.keys("m")
	s.deliver()
	s.shows("moved /own to team:/moved/")
	if inStore(t, trail, own, "own/b.md") != "" || inStore(t, trail, team, "moved/own/b.md") != "b.md of own\n" {
		t.Error("it did not move")
	}
}

// A memory of a pinned folder can't go: nothing is copied, and the message says why.
func TestTransfer_CopiesNothingThatMayNotGo(t *testing.T) {
	t.Parallel()
	s, trail, own, team := hostedSim(t, &plainService{room: 10}, "team")
	store, err := trail.OpenStore(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := review.Pin(t.Context(), store, versions.By{Door: versions.DoorTUI, Actor: alice.Actor}, at("team"), versions.PinAll); err != nil {
		t.Fatal(err)
	}
	s.on("team").keys("Y")
	s.deliver()
	s.keys("m")
	s.deliver()
	s.shows("move /team to own:/: denied: /team is pinned")
	if inStore(t, trail, own, "team/b.md") != "" || inStore(t, trail, team, "team/b.md") != "b.md of team\n" {
		t.Error("it was copied, or is gone")
	}
}

// An own store is proposed before a hosted one that was used later.
func TestTransfer_ProposesAnOwnStoreFirst(t *testing.T) {
	t.Parallel()
	s, trail, _, team := hostedSim(t, &plainService{room: 10}, "own")
	if _, err := trail.MakeStore(context.Background(), alice, versions.NewStore{Name: "another"}); err != nil {
		t.Fatal(err)
	}
	if err := stores.UseStore(context.Background(), trail, team); err != nil {
		t.Fatal(err)
	}
	s.on("own").keys("Y")
	s.deliver()
	s.shows("/own to another:/", "m  move")
}
