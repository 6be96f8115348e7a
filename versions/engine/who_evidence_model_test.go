package engine_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/evidence"
)

var (
	callsSeed = flag.Uint64("calls.seed", 1, "seed of the calls and writes whose writers are concluded; 0 takes one from the clock")
	callsActs = flag.Int("calls.acts", 250, "calls and writes whose writers are concluded")
)

// callModel plays two agents and a person who write to the same files, and what is
// told of the agents' calls: at once, later, never, or of ones that failed.
type callModel struct {
	w *world
	r *rand.Rand
	n int

	writers map[string]map[string]bool // of a content: who wrote it, as by says; one that failed is nobody's
	told    map[string]time.Time       // of a content: when its call ended, where that and its hash were told
	late    []versions.Evidence
	quietAt map[string]time.Time // of a path: when a call ended of which only the time tells
}

// Whatever the order of writes, looks and tellings: who is concluded to have written
// a version wrote it. And where a call's content is known it is found.
func TestNobodyIsTakenForTheWriterOfWhatAnotherWrote(t *testing.T) {
	t.Parallel()
	seed := *callsSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-calls.seed=%d", seed)
	m := &callModel{w: newWorld(t), r: rand.New(rand.NewPCG(seed, 1)), writers: map[string]map[string]bool{}, told: map[string]time.Time{}, quietAt: map[string]time.Time{}}
	m.w.trail.Near = evidence.Nearness{Window: 500 * time.Millisecond, Slack: 10 * time.Millisecond}
	for range *callsActs {
		switch m.r.IntN(8) {
		case 0, 1, 2:
			m.call()
		case 3:
			m.person()
		case 4:
			m.fail()
		case 5:
			m.w.sync()
		case 6:
			m.tellLate(1)
		case 7:
			time.Sleep(time.Duration(m.r.IntN(20)) * time.Millisecond)
		}
	}
	m.tellLate(len(m.late))
	m.w.sync()
	m.agrees()
}

func (m *callModel) path() string { return fmt.Sprintf("f%d.md", m.r.IntN(3)) }

func (m *callModel) content() string {
	m.n++
	return fmt.Sprintf("content %d\n", m.n)
}

func (m *callModel) wrote(content, who string) {
	if m.writers[content] == nil {
		m.writers[content] = map[string]bool{}
	}
	m.writers[content][who] = true
}

// settle waits where a call of which only the time tells has just ended: what is
// written to the same file in that moment can't be told from it by anybody.
func (m *callModel) settle(p string) {
	time.Sleep(time.Until(m.quietAt[p].Add(2 * m.w.trail.Near.Slack)))
}

// call is one of an agent, or the same text by both at once.
func (m *callModel) call() {
	p, content := m.path(), m.content()
	sessions := []string{[]string{"S", "T"}[m.r.IntN(2)]}
	if m.r.IntN(8) == 0 {
		sessions = []string{"S", "T"}
	}
	for _, session := range sessions {
		m.settle(p)
		m.n++
		tool := fmt.Sprint("t", m.n)
		e := wrote(session, tool, p, content, time.Time{})
		if m.r.IntN(4) == 0 {
			e.SHA256 = versions.Hash{}
		}
		switch m.r.IntN(3) {
		case 0:
			e.Began = time.Now()
		case 1:
			m.w.tell(e) // its beginning
		}
		m.w.outside(p, content)
		m.wrote(content, session+"/"+tool)
		e.Ended = time.Now()
		if e.SHA256 == (versions.Hash{}) {
			m.quietAt[p] = e.Ended
		}
		switch m.r.IntN(4) {
		case 0, 1:
			m.w.tell(e)
		case 2:
			m.late = append(m.late, e)
		case 3: // never
			continue
		}
		if e.SHA256 != (versions.Hash{}) && len(sessions) == 1 {
			m.told[content] = e.Ended
		}
	}
}

func (m *callModel) person() {
	p, content := m.path(), m.content()
	m.settle(p)
	m.w.outside(p, content)
	m.wrote(content, "outside")
}

// fail is a call that writes nothing, and perhaps somebody else does what it should.
func (m *callModel) fail() {
	p, content := m.path(), m.content()
	m.settle(p)
	m.n++
	e := wrote("S", fmt.Sprint("t", m.n), p, content, time.Time{})
	if m.r.IntN(2) == 0 {
		m.w.tell(e)
	}
	if m.r.IntN(2) == 0 {
		m.w.outside(p, content)
		m.wrote(content, "outside")
	}
	e.Ended, e.Failed = time.Now(), true
	m.w.tell(e)
}

func (m *callModel) tellLate(n int) {
	for ; n > 0 && len(m.late) > 0; n-- {
		i := m.r.IntN(len(m.late))
		m.w.tell(m.late[i])
		m.late = append(m.late[:i], m.late[i+1:]...)
	}
}

// agrees holds every version against who wrote it.
func (m *callModel) agrees() {
	t, concluded, missed := m.w.t, 0, 0
	changes, err := vhistory.Changes(t.Context(), m.w.store, versions.Filter{}, 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		_, vs, err := vhistory.Change(t.Context(), m.w.store, c.Number)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range vs {
			b, err := vhistory.Content(t.Context(), m.w.store, v.ID)
			if err != nil {
				t.Fatal(err)
			}
			by, wrote := writerName(v), m.writers[string(b)]
			switch {
			case by == "outside":
				ended, told := m.told[string(b)]
				if told && len(vs) == 1 && v.Time.Sub(ended) < m.w.trail.Near.Window/2 && len(wrote) == 1 {
					t.Errorf("change %d, %q: nobody's, though %v told of it", c.Number, b, wrote)
				}
				missed++
			case by == string(v.Session)+"/" && len(vs) > 1: // several calls of one session
				mine := false
				for w := range maps.Keys(wrote) {
					mine = mine || w[0] == v.Session[0]
				}
				if !mine {
					t.Errorf("change %d, %q: %s, and %v wrote it", c.Number, b, by, wrote)
				}
				concluded++
			case !wrote[by]:
				t.Errorf("change %d, %q: %s, and %v wrote it", c.Number, b, by, wrote)
			default:
				concluded++
			}
		}
	}
	t.Logf("%d writers concluded, %d versions nobody's", concluded, missed)
	if concluded < *callsActs/20 {
		t.Errorf("only %d writers were concluded", concluded)
	}
}
