package hosted_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/replica"
)

var (
	modelSeed   = flag.Uint64("hosted.seed", 1, "seed of the first round of the model check")
	modelRounds = flag.Int("hosted.rounds", 2, "rounds of the model check")
)

// Random acts through the replica by two handles, at the service and in the folder,
// while connections are cut before and after the service acted, and it answers with
// errors, limits and late. Then all is quiet: the replica is what the service has, all
// that was acknowledged is there, and nothing is there twice.
func TestModel_TheReplicaConvergesToItsService(t *testing.T) {
	t.Parallel()
	for round := range *modelRounds {
		seed := *modelSeed + uint64(round)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			m := &model{world: newWorld(t), rand: rand.New(rand.NewPCG(seed, 11)),
				faults: faults{rand: rand.New(rand.NewPCG(seed, 12))}}
			m.run(60)
		})
	}
}

type model struct {
	*world
	rand   *rand.Rand
	acked  map[versions.VersionID]bool
	texts  int
	faults faults
}

// faults is what goes wrong between the two. The service draws them beside the acts, a
// request whose caller gave up even beside the next: hence a source of its own.
type faults struct {
	mu   sync.Mutex
	rand *rand.Rand
	cuts int
}

var places = []string{"/a", "/b.md", "/d/a.md", "/d/b.md", "/d/e/f.md", "/a/x.md", "/d", "/d2/x_%.md"}

func (m *model) place() memfs.Path { return path(places[m.rand.IntN(len(places))]) }

func (m *model) text() []byte {
	m.texts++
	return fmt.Appendf(nil, "text %d\n", m.texts)
}

func (m *model) run(steps int) {
	m.acked = map[versions.VersionID]bool{}
	other := m.another(m.here.Info().ID)
	m.wire.set(m.faults.next)
	for range steps {
		here := m.here
		if m.rand.IntN(2) == 0 {
			here = other
		}
		switch m.rand.IntN(8) {
		case 0, 1, 2, 3:
			m.act(here)
		case 4, 5:
			m.actThere()
		case 6:
			m.actInFolder()
		case 7:
			_, _ = replica.Pull(context.Background(), here, versions.PullOptions{Full: m.rand.IntN(4) == 0})
		}
	}
	m.wire.set(nil)
	for range 3 {
		if _, err := other.Sync(context.Background()); err != nil {
			m.t.Fatal(err)
		}
		m.pull(versions.PullOptions{})
	}
	m.agree()
	for id := range m.acked {
		if _, err := history.Version(context.Background(), m.store, id); err != nil {
			m.t.Errorf("%s was acknowledged and is not there: %v", id, err)
		}
	}
	if m.faults.count() == 0 {
		m.t.Error("nothing went wrong")
	}
	if err := other.Close(); err != nil {
		m.t.Error(err)
	}
}

func (f *faults) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cuts
}

// next is what goes wrong with one request in eight.
func (f *faults) next(*http.Request) (before, after func(http.ResponseWriter)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.rand.IntN(64)
	if n < 8 {
		f.cuts++
	}
	switch n {
	case 0, 1:
		return cut, nil
	case 2, 3:
		return nil, cut
	case 4:
		return status(429, "retry-after", "0"), nil
	case 5:
		return status(500), nil
	case 6:
		return nil, status(500)
	case 7:
		return func(w http.ResponseWriter) { time.Sleep(20 * time.Millisecond); status(503)(w) }, nil
	}
	return nil, nil
}

func (m *model) act(s *engine.Store) {
	ctx := context.Background()
	var c versions.Change
	var err error
	switch m.rand.IntN(6) {
	case 0, 1:
		p, text := m.place(), m.text()
		if c, err = s.Write(ctx, alice, p, text, versions.Pre{}); err == nil {
			m.wantCurrent(s, p, hash(string(text)))
		}
	case 2:
		c, err = s.Rename(ctx, alice, m.place(), m.place())
	case 3:
		p := m.place()
		if c, err = s.Delete(ctx, alice, p); err == nil {
			m.wantCurrent(s, p, versions.Hash{})
		}
	case 4:
		c, err = vplan.Do(ctx, s, alice, vplan.UndoLast{By: alice.Actor})
	case 5:
		var plan *vplan.Plan
		last, _ := s.LastChange(ctx)
		if last == 0 {
			return
		}
		if plan, err = vplan.Make(ctx, s, vplan.RestoreAt{Moment: versions.Moment{Change: 1 + m.rand.Int64N(last)}, Paths: []memfs.Path{memfs.Root}}); err == nil && len(plan.Conflicts) == 0 {
			c, err = vplan.Apply(ctx, s, alice, plan, nil)
		}
	}
	var partly *versions.PartlyError
	if err != nil && !errors.As(err, &partly) || c.Number == 0 {
		return
	}
	_, vs, err := history.Change(ctx, s, c.Number)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, v := range vs {
		if !v.ID.Unsent() {
			m.acked[v.ID] = true
		}
	}
}

// wantCurrent holds that a place is here as somebody was just told; the zero hash is nothing.
func (m *model) wantCurrent(s *engine.Store, p memfs.Path, want versions.Hash) {
	m.t.Helper()
	es, err := history.Tree(context.Background(), s)
	if err != nil {
		m.t.Fatal(err)
	}
	var got versions.Hash
	for _, e := range es {
		if e.Path == p {
			got = e.SHA256
		}
	}
	if got != want {
		m.t.Errorf("%s holds %v, and %v was acknowledged", p, got, want)
	}
}

func (m *model) actThere() {
	ctx := context.Background()
	by := versions.By{Actor: versions.Actor{Kind: versions.APIKey, Name: "apikey_2"}}
	switch m.rand.IntN(4) {
	case 0, 1:
		_, _ = m.store.Write(ctx, by, m.place(), m.text(), versions.Pre{})
	case 2:
		_, _ = m.store.Rename(ctx, by, m.place(), m.place())
	case 3:
		_, _ = m.store.Delete(ctx, by, m.place())
	}
}

func (m *model) actInFolder() {
	host := filepath.Join(m.here.Info().Folder, m.place().Rel())
	if m.rand.IntN(3) == 0 {
		_ = os.Remove(host)
	} else if os.MkdirAll(filepath.Dir(host), 0o755) == nil {
		_ = os.WriteFile(host, m.text(), 0o644)
	}
}
