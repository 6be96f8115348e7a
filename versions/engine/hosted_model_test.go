package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	vhistory "github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/replica"
)

var replicaRounds = flag.Int("replica.rounds", 1, "rounds of the model check of a replica")

// Random acts on both sides and in the folder, while the service fails before and
// after it acted and processes die. Then all is quiet: the replica is what the
// service has, what was acknowledged is in both, and no version is there twice.
func TestWhateverHappensTheReplicaEndsAsItsService(t *testing.T) {
	t.Parallel()
	for round := range *replicaRounds {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			tw := newTwin(t)
			if tw.alien = round%2 == 1; tw.alien {
				tw.close()
				tw.reopen()
			}
			(&hostedModel{twin: tw, rand: rand.New(rand.NewPCG(uint64(round), 7))}).run(60)
		})
	}
}

type hostedModel struct {
	*twin
	rand  *rand.Rand
	n     int
	acked []versions.VersionID // of what was acknowledged here
	texts int

	foreign []string // what other programs wrote into the folder; see heldAside
}

var hostedPaths = []string{"/a", "/b.md", "/d/a.md", "/d/b.md", "/d/e/f.md", "/a/x.md", "/d"}

func (m *hostedModel) path() memfs.Path { return mustPath(hostedPaths[m.rand.IntN(len(hostedPaths))]) }

func (m *hostedModel) text() []byte {
	m.texts++
	return fmt.Appendf(nil, "text %d\nline\n", m.texts)
}

func (m *hostedModel) run(steps int) {
	m.up.fault = m.fault
	for m.n = range steps {
		switch m.rand.IntN(8) {
		case 0, 1, 2:
			m.actHere()
		case 3, 4:
			m.actThere()
		case 5:
			m.actInFolder()
		case 6:
			_, _ = replica.Pull(context.Background(), m.store, versions.PullOptions{Full: m.rand.IntN(5) == 0})
		case 7:
			if m.rand.IntN(4) == 0 { // dies and comes back
				m.close()
				m.reopen()
			}
		}
		m.sound()
	}
	m.up.fault = nil
	for range 3 {
		if _, err := m.store.Sync(context.Background()); err != nil {
			m.t.Fatal(err)
		}
		m.pull()
	}
	m.agree()
	for _, id := range m.acked {
		if _, err := vhistory.Version(context.Background(), m.up.s, atHome(id)); err != nil {
			m.t.Errorf("%s was acknowledged and is not there: %v", id, err)
		}
	}
	m.noneTwice()
	m.folderAgrees()
	waits := m.heldAside()
	for _, f := range m.foreign {
		if !slices.Contains(waits, f) {
			m.t.Errorf("another program wrote %q, and that is lost: %q", f, waits)
		}
	}
}

// sound holds the trail's invariants, as far as the folder is looked at.
func (m *hostedModel) sound() {
	if _, err := m.store.Sync(context.Background()); err != nil {
		m.t.Fatalf("step %d: %v", m.n, err)
	}
	problems, err := check.Store(context.Background(), m.store)
	if err != nil || len(problems) > 0 {
		m.t.Fatalf("step %d: %v, %q", m.n, err, problems)
	}
}

func (m *hostedModel) fault(string) (before, after error) {
	off := &versions.UpstreamError{Trouble: versions.Offline}
	switch m.rand.IntN(25) {
	case 0:
		return off, nil
	case 1:
		return nil, &versions.UpstreamError{Trouble: versions.Offline, Unsure: true}
	}
	return nil, nil
}

func (m *hostedModel) actHere() {
	ctx := context.Background()
	var c versions.Change
	var err error
	switch m.rand.IntN(6) {
	case 0, 1:
		c, err = m.store.Write(ctx, alice, m.path(), m.text(), versions.Pre{})
	case 2:
		c, err = m.store.Rename(ctx, alice, m.path(), m.path())
	case 3:
		c, err = m.store.Delete(ctx, alice, m.path())
	case 4:
		c, err = vplan.Do(ctx, m.store, alice, vplan.UndoLast{By: alice.Actor})
	case 5:
		last, _ := m.store.LastChange(ctx)
		if last == 0 {
			return
		}
		var plan *vplan.Plan
		if plan, err = vplan.Make(ctx, m.store, vplan.RestoreAt{Moment: versions.Moment{Change: 1 + m.rand.Int64N(last)}, Paths: []memfs.Path{memfs.Root}}); err == nil && len(plan.Conflicts) == 0 {
			c, err = vplan.Apply(ctx, m.store, alice, plan, nil)
		}
	}
	var partly *versions.PartlyError
	if err != nil && !errors.As(err, &partly) || c.Number == 0 {
		return
	}
	_, vs, err := vhistory.Change(ctx, m.store, c.Number)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, v := range vs {
		if !v.ID.Unsent() {
			m.acked = append(m.acked, v.ID)
		}
	}
}

func (m *hostedModel) actThere() {
	ctx := context.Background()
	by := versions.By{Actor: versions.Actor{Kind: versions.APIKey, Name: "apikey_2"}}
	switch m.rand.IntN(4) {
	case 0, 1:
		_, _ = m.up.s.Write(ctx, by, m.path(), m.text(), versions.Pre{})
	case 2:
		_, _ = m.up.s.Rename(ctx, by, m.path(), m.path())
	case 3:
		_, _ = m.up.s.Delete(ctx, by, m.path())
	}
}

// actInFolder is another program that writes or removes a file. The next look at the folder holds that, and
// brings back what is in the history.
func (m *hostedModel) actInFolder() {
	p := m.path()
	host := filepath.Join(m.folder, p.Rel())
	want, _ := os.ReadFile(host)
	if m.rand.IntN(3) == 0 {
		_ = os.Remove(host)
	} else if text := m.text(); os.MkdirAll(filepath.Dir(host), 0o755) == nil && os.WriteFile(host, text, 0o644) == nil {
		m.foreign = append(m.foreign, p.Rel()+": "+string(text))
	}
	m.sound()
	if got, _ := os.ReadFile(host); string(got) != string(want) {
		m.t.Errorf("step %d: %s holds %q, and held %q before another program wrote", m.n, p, got, want)
	}
}

func (m *hostedModel) noneTwice() {
	last, err := m.store.LastChange(context.Background())
	if err != nil {
		m.t.Fatal(err)
	}
	seen := map[versions.VersionID]bool{}
	for n := int64(1); n <= last; n++ {
		_, vs, err := vhistory.Change(context.Background(), m.store, n)
		if err != nil {
			m.t.Fatal(err)
		}
		for _, v := range vs {
			if seen[v.ID] {
				m.t.Errorf("%s is there twice", v.ID)
			}
			seen[v.ID] = true
		}
	}
}

// folderAgrees holds that the folder is what stands.
func (m *hostedModel) folderAgrees() {
	es, err := vhistory.Tree(context.Background(), m.up.s)
	if err != nil {
		m.t.Fatal(err)
	}
	for _, e := range es {
		want, err := vhistory.Content(context.Background(), m.up.s, e.Version)
		if err != nil {
			m.t.Fatal(err)
		}
		if got := m.file(e.Path.Rel()); got != string(want) {
			m.t.Errorf("%s holds %q, there %q", e.Path, got, want)
		}
	}
}
