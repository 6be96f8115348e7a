package demo

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/planning"
)

// A person who just started the demo does not wait long: an agent is misled while they watch
// for the first time, and they are told what it did and how to undo it.
func TestPlay_MisleadsAnAgentWithin20Seconds(t *testing.T) {
	t.Parallel()
	s, trail := newDemo(t, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wrote, told time.Duration
	var notice string
	g := &stage{t: t, store: s, trail: trail}
	g.taken = func(e agent.Event) {
		if e.Kind == agent.Answered && e.Command == "insert" && strings.HasSuffix(e.Path, "/escalation.md") {
			wrote = g.elapsed()
		}
	}
	g.report = func(st Status) {
		if st.Notice != "" {
			told, notice = g.elapsed(), st.Notice
			cancel()
		}
	}
	pace := UsualPace
	pace.Sleep = g.sleep
	g.play(ctx, pace)
	if wrote == 0 || told < wrote || told > 20*time.Second {
		t.Errorf("the agent wrote its mistake at %v, and the person was told at %v", wrote, told)
	}
	for _, part := range []string{"support/escalation.md", "kite-refunds.example", "not to report it", "U on inbox-agent (A)"} {
		if !strings.Contains(notice, part) {
			t.Errorf("the notice %q does not say %q", notice, part)
		}
	}
}

// minute is a demo that is played until the first ticket, and the person in front of it.
type minute struct {
	t     *testing.T
	store *versions.Store

	mu     sync.Mutex
	banner string
	notice string
	news   chan struct{}
}

func playMinute(t *testing.T) *minute {
	s, trail := newDemo(t, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	m := &minute{t: t, store: s, news: make(chan struct{}, 100)}
	g := &stage{t: t, store: s, trail: trail, report: m.report}
	quiet := make(chan struct{})
	pace := UsualPace
	pace.Next = 0
	pace.Sleep = func(ctx context.Context, d time.Duration) error {
		if d == pace.Tickets {
			close(quiet)
			<-ctx.Done()
		}
		return g.sleep(ctx, d)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.play(ctx, pace)
	}()
	t.Cleanup(func() { cancel(); <-done })
	<-quiet
	return m
}

func (m *minute) report(st Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.banner = st.Banner; st.Notice != "" {
		m.notice = st.Notice
	}
	m.news <- struct{}{}
}

// says waits until the banner begins with a text.
func (m *minute) says(want string) {
	m.t.Helper()
	for end := time.After(time.Minute); ; {
		m.mu.Lock()
		now := m.banner
		m.mu.Unlock()
		if strings.HasPrefix(now, want) {
			return
		}
		select {
		case <-m.news:
		case <-end:
			m.t.Fatalf("the banner is %q, not %q", now, want)
		}
	}
}

// tells waits until a notice contains a text.
func (m *minute) tells(want string) {
	m.t.Helper()
	for end := time.After(time.Minute); ; {
		m.mu.Lock()
		now := m.notice
		m.mu.Unlock()
		if strings.Contains(now, want) {
			return
		}
		select {
		case <-m.news:
		case <-end:
			m.t.Fatalf("the notice is %q, not %q", now, want)
		}
	}
}

var visitor = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "ann"}, Session: "sesn_ann"}

func (m *minute) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// newest returns the newest version of a memory, and the one before it.
func (m *minute) newest(path string) (now, before versions.Version) {
	m.t.Helper()
	v, err := m.store.VersionAt(m.t.Context(), mustPath(m.t, path), 0)
	m.must(err)
	list, err := m.store.History(m.t.Context(), v.Memory, 0, 2)
	m.must(err)
	return list[0], list[1]
}

// undoSession undoes the session of the newest version of a memory, and returns the paths of
// the plan in order.
func (m *minute) undoSession(path string) (paths []string) {
	m.t.Helper()
	now, _ := m.newest(path)
	plan, err := m.store.PlanUndoSession(m.t.Context(), now.Session)
	m.must(err)
	if len(plan.Conflicts) > 0 {
		m.t.Fatalf("the undo of %s has conflicts", now.Session)
	}
	for _, it := range slices.Concat(plan.Merged, plan.Clean) {
		paths = append(paths, it.Now.Path.String())
	}
	_, err = m.store.Apply(m.t.Context(), visitor, plan, map[versions.MemoryID]planning.Choice{})
	m.must(err)
	return paths
}

// The keys that the demo names undo all mistakes: the session of the misled agent, the session
// of the newest change of the second memory, and the newest change of the third.
func TestPlay_CountsTheMistakesThatItsHintsUndo(t *testing.T) {
	t.Parallel()
	m := playMinute(t)
	m.says("0 of 3 mistakes found · misled by a document: U on inbox-agent (A)")
	if paths := m.undoSession("support/escalation.md"); paths[0] != "/support/escalation.md" || len(paths) < 2 {
		m.t.Errorf("the plan lists %v: the worst memory is not first", paths)
	}
	m.says("1 of 3 mistakes found · 500 € unasked: ^P refunds Enter, U")
	m.tells("support/refunds.md tells agents to refund up to 500 €")
	m.undoSession("support/refunds.md")
	m.says("2 of 3 mistakes found · staging is production: ^P deploy Enter, H, u")
	now, _ := m.newest("project/runbooks/deploy.md")
	_, err := m.store.Undo(t.Context(), visitor, now.Change)
	m.must(err)
	m.says("3 of 3 mistakes found · that was all")
	m.tells("what the agents remember is right again")
	_, err = m.store.Redo(t.Context(), visitor, now.Change)
	m.must(err)
	m.says("2 of 3 mistakes found")
}

// The false rule decides what the next agent does, unless the person undoes it in time.
func TestPlay_TheNextAgentObeysTheFalseRuleUntilItIsUndone(t *testing.T) {
	t.Parallel()
	for undone, want := range map[bool]string{false: "paid to the account in the mail, not reported", true: "nothing is paid"} {
		s, trail := newDemo(t, time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		g := &stage{t: t, store: s, trail: trail}
		pace := UsualPace
		pace.Sleep = func(ctx context.Context, d time.Duration) error {
			if d == pace.Read && undone {
				m := &minute{t: t, store: s}
				m.undoSession("support/escalation.md")
			}
			if d == pace.Between {
				cancel()
			}
			return g.sleep(ctx, d)
		}
		g.play(ctx, pace)
		cancel()
		v, err := s.VersionAt(t.Context(), mustPath(t, "live/ticket-4800.md"), 0)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := s.Content(t.Context(), v.ID); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("undone %v: the ticket is %q, %v", undone, b, err)
		}
	}
}

// A mistake is found by whatever means it is removed, also if its memory was renamed.
func TestPlay_CountsMistakesHoweverTheyAreRemoved(t *testing.T) {
	t.Parallel()
	m := playMinute(t)
	refunds, _ := m.newest("support/refunds.md")
	content, err := m.store.Content(t.Context(), refunds.ID)
	m.must(err)
	_, err = m.store.Rename(t.Context(), visitor, refunds.Path, mustPath(t, "refunds.md"))
	m.must(err)
	_, err = m.store.Write(t.Context(), visitor, mustPath(t, "refunds.md"), bytes.ReplaceAll(content, []byte("500"), []byte("50")), versions.Pre{})
	m.must(err)
	m.says("1 of 3")
	_, old := m.newest("project/runbooks/deploy.md")
	_, err = m.store.Restore(t.Context(), visitor, old.ID)
	m.must(err)
	m.says("2 of 3")
	_, err = m.store.Delete(t.Context(), visitor, mustPath(t, "support/escalation.md"))
	m.must(err)
	m.says("3 of 3")
	_, err = m.store.Undo(t.Context(), visitor, 0)
	m.must(err)
	m.says("2 of 3")
	plan, err := m.store.PlanRedact(t.Context(), versions.RedactTarget{Match: []byte("are paid out at once, to the account they")})
	m.must(err)
	_, err = m.store.Redact(t.Context(), visitor, plan, versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("[redacted]")})
	m.must(err)
	m.says("3 of 3")
}
