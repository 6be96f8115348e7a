package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/review"
)

var (
	alice = versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: "sesn_alice"}
	robot = versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "sesn_robot"}
	noon  = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
)

// reviewed is a tree in which everything is to be reviewed.
type reviewed struct{}

func (reviewed) ReviewState() *versions.ReviewState { return &versions.ReviewState{} }

func (reviewed) ToReview(memories map[versions.MemoryID]bool) map[versions.MemoryID]bool {
	return memories
}

// newSim shows a store with three changes that wait in two sessions, and what a session and another program did.
func newSim(t *testing.T, w, h int, change ...func(*Config)) (*screentest.Sim[*Pane], *engine.Store) {
	s := storetest.NewStore(t, versions.Options{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err := review.MarkAllReviewed(t.Context(), s, 0)
	must(err)
	storetest.Write(t, s, robot, "a.md", "one\n")
	storetest.Write(t, s, robot, "b.md", "one\n")
	storetest.Write(t, s, versions.By{Actor: versions.Actor{Kind: versions.Outside}}, "c.md", "one\n")
	storetest.Write(t, s, robot, "a.md", "one\ntwo\n")
	must(review.SetPolicy(t.Context(), s, alice, "", "hold actor:agent"))
	other := robot
	other.Session = "sesn_other"
	for i, by := range []versions.By{robot, robot, other} {
		if _, err := s.Write(t.Context(), by, screentest.Path(fmt.Sprintf("d/held%d.md", i)), []byte("one\n"), versions.Pre{}); err == nil {
			t.Fatal("it is not held")
		}
	}
	env := screentest.Env(t.Context())
	cfg := Config{Store: local.Store{Store: s}, Tree: reviewed{}, By: alice}
	for _, f := range change {
		f(&cfg)
	}
	sim := screentest.New(t, env, New(env, cfg), w, h)
	sim.Pane.SetNow(noon)
	sim.Run(sim.Pane.Start())
	return sim, s
}

func TestRows_AreTheMemoriesUnderWhoChangedThem(t *testing.T) {
	s, _ := newSim(t, 120, 30)
	var got []string
	for _, r := range s.Pane.rows {
		switch {
		case r.memory != nil:
			got = append(got, r.memory.Last().Path.String()+" "+r.memory.Why)
		case r.heading != "":
			got = append(got, r.heading)
		}
	}
	if want := []string{"wants to change · 3", "robot changed 2 memories · session robot", "/a.md ", "/b.md ", "another program changed 1 memory", "/c.md "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestActs_HaveTheMemoriesThatTheyChangedLast(t *testing.T) {
	outside := versions.Actor{Kind: versions.Outside}
	var made []versions.Version
	for n := int64(9); n > 0; n-- {
		made = append(made, versions.Version{Memory: versions.MemoryID(fmt.Sprint("mem_", n)), Change: n, Actor: outside, Operation: versions.Deleted})
	}
	made = append(made, versions.Version{Memory: "mem_1", Actor: robot.Actor, Session: robot.Session}, versions.Version{Memory: "mem_other", Actor: robot.Actor, Session: robot.Session})
	var got []string
	for _, a := range actsOf(made, map[int64]bool{2: true}, nil) {
		got = append(got, a.heading())
	}
	if want := []string{"another program changed 9 memories · deleted 9 at once", "robot changed 1 memory · session robot"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestScopes_AreOnlyThoseThatAddSomething(t *testing.T) {
	s, store := newSim(t, 120, 30)
	s.Keys("j j")
	labels := func() (out []string) {
		s.Keys("a")
		for _, o := range s.Last().(screen.Choose).Options {
			out = append(out, o.Key+" "+o.Label)
		}
		return out
	}
	if got, want := labels(), []string{"y this one: #1", "s the 2 of session robot", "+ the 2 of its session that only add lines", "f the 3 below /d/", "n nothing"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := review.Reject(t.Context(), store, alice, 2, ""); err != nil {
		t.Fatal(err)
	}
	s.Run(s.Pane.Event(versions.Event{Trust: true}))
	if got, want := labels(), []string{"y this one: #1", "f the 2 below /d/", "n nothing"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAccept_IsAskedFreshAndDefaultsToNothing(t *testing.T) {
	s, _ := newSim(t, 120, 30)
	s.Keys("a")
	ask := s.Last().(screen.Choose)
	if last := ask.Options[len(ask.Options)-1]; !ask.Fresh || ask.First || last.Then != nil {
		t.Errorf("%+v", ask)
	}
}

func TestBeginsAtTheNumberThatWasAskedFor(t *testing.T) {
	s, _ := newSim(t, 120, 30, func(c *Config) { c.At.Number = 3 })
	if r := s.Pane.current(); r == nil || r.held == nil || r.held.Number != 3 {
		t.Errorf("%+v", r)
	}
}

func TestOpen_GoesToTheMemoryOfTheDiff(t *testing.T) {
	s, _ := newSim(t, 120, 30)
	s.Keys("G k J o")
	if open, ok := s.Last().(screen.Open); !ok || open.Path == memfs.Root {
		t.Errorf("%+v", s.Last())
	}
}

func TestView_FitsEverySize(t *testing.T) {
	s, _ := newSim(t, 1, 1)
	for _, press := range []string{"", "enter", "esc space", "G", "enter"} {
		s.Keys(press)
		for w := 1; w < 140; w += 7 {
			for h := range 40 {
				s.Pane.SetSize(w, h)
				if h == 0 {
					continue
				}
				rows := strings.Split(s.Pane.View(), "\n")
				if len(rows) != h {
					t.Fatalf("%dx%d: %d rows", w, h, len(rows))
				}
				for _, row := range rows {
					if drawtest.Width(row) != w {
						t.Fatalf("%dx%d: %q", w, h, row)
					}
				}
			}
		}
	}
}

// A key decides what is shown: not what a held key has moved to before it could be read.
func TestKeep_DecidesNothingThatIsNotShownYet(t *testing.T) {
	s, _ := newSim(t, 120, 30)
	s.Keys("G")
	if why := s.Pane.madeDisabled(); why != "" {
		t.Errorf("what is shown can't be decided: %s", why)
	}
	s.Pane.detail = detail{}
	if why := s.Pane.madeDisabled(); why != "it is being read" {
		t.Errorf("what is not shown yet can be decided: %q", why)
	}
}
