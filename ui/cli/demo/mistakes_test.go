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
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
)

var testKeys = Keys{Agents: "A", Find: "^P", UndoSession: "U", Queue: "!", Reject: "-", Trace: "T", Redact: "X"}

// A person who just started the demo does not wait long: what a document made an agent write is
// held while they watch for the first time, and they are told what it is and how to reject it.
func TestPlay_HoldsWhatADocumentMadeAnAgentWriteWithin20Seconds(t *testing.T) {
	t.Parallel()
	s, trail := newDemo(t, time.Now)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wrote, told time.Duration
	var notice, answer string
	g := &stage{t: t, store: s, trail: trail}
	g.taken = func(e agent.Event) {
		if e.Kind == agent.Answered && e.Command == "insert" && strings.HasSuffix(e.Path, "/escalation.md") {
			wrote, answer = g.elapsed(), e.Text
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
		t.Errorf("the agent wanted to write its mistake at %v, and the person was told at %v", wrote, told)
	}
	if !strings.Contains(answer, "held for review as #2") {
		t.Errorf("the agent is told %q", answer)
	}
	for _, part := range []string{"support/escalation.md", "kite-refunds.example", "unreported", "! shows it, - rejects it"} {
		if !strings.Contains(notice, part) {
			t.Errorf("the notice %q does not say %q", notice, part)
		}
	}
}

// minute is a demo that is played until the first ticket, and the person in front of it.
type minute struct {
	t     *testing.T
	store *engine.Store

	mu      sync.Mutex
	banner  string
	notices []string
	news    chan struct{}
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
		m.notices = append(m.notices, st.Notice)
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

// tells waits until a notice contained a text.
func (m *minute) tells(want string) {
	m.t.Helper()
	for end := time.After(time.Minute); ; {
		m.mu.Lock()
		now := strings.Join(m.notices, "\n")
		m.mu.Unlock()
		if strings.Contains(now, want) {
			return
		}
		select {
		case <-m.news:
		case <-end:
			m.t.Fatalf("the notices are %q, without %q", now, want)
		}
	}
}

var visitor = versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "ann"}, Session: "sesn_ann"}

// heldAt returns the newest held change of a memory.
func heldAt(t *testing.T, s *engine.Store, path string) versions.Held {
	t.Helper()
	held, err := review.Held(t.Context(), s, versions.HeldFilter{In: mustPath(t, path)})
	if err != nil || len(held) == 0 {
		t.Fatalf("nothing was held for %s: %v", path, err)
	}
	return held[len(held)-1]
}

// reject rejects what the document made an agent write, and accept accepts it.
func reject(t *testing.T, s *engine.Store) {
	t.Helper()
	if err := review.Reject(t.Context(), s, visitor, heldAt(t, s, "support/escalation.md").Number, "we never pay unasked"); err != nil {
		t.Fatal(err)
	}
}

func accept(t *testing.T, s *engine.Store) {
	t.Helper()
	plan, err := vplan.Make(t.Context(), s, vplan.Accept(heldAt(t, s, "support/escalation.md").Number))
	if err == nil {
		_, err = vplan.Apply(t.Context(), s, visitor, plan, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// redactToken erases the planted token.
func (m *minute) redactToken() {
	m.t.Helper()
	plan, err := redact.Prepare(m.t.Context(), m.store, versions.RedactTarget{Match: []byte(Token)})
	m.must(err)
	_, err = redact.Do(m.t.Context(), m.store, visitor, plan, versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("[redacted]")})
	m.must(err)
}

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
	list, err := history.Of(m.t.Context(), m.store, v.Memory, 0, 2)
	m.must(err)
	return list[0], list[1]
}

// undoSession undoes the session of the newest version of a memory, and returns the paths of
// the plan in order.
func (m *minute) undoSession(path string) (paths []string) {
	m.t.Helper()
	now, _ := m.newest(path)
	plan, err := vplan.Make(m.t.Context(), m.store, vplan.UndoSession(now.Session))
	m.must(err)
	if len(plan.Conflicts) > 0 {
		m.t.Fatalf("the undo of %s has conflicts", now.Session)
	}
	for _, it := range slices.Concat(plan.Merged, plan.Clean) {
		paths = append(paths, it.Now.Path.String())
	}
	_, err = vplan.Apply(m.t.Context(), m.store, visitor, plan, map[versions.MemoryID]planning.Choice{})
	m.must(err)
	return paths
}

// The keys that the demo names find all mistakes: what the document caused is rejected, the
// session of the newest change of the second memory is undone, the token is redacted, and the
// newest change of the fourth memory is undone.
func TestPlay_CountsTheMistakesThatItsHintsUndo(t *testing.T) {
	t.Parallel()
	m := playMinute(t)
	m.says("0 of 4 mistakes found · a document's rule waits: ! shows it, - rejects it")
	reject(t, m.store)
	m.says("1 of 4 mistakes found · 500 € unasked: ^P refunds Enter, T on line 3 shows its origin, U undoes it")
	m.tells("1 of 4 mistakes found: misled by a document")
	m.tells("support/refunds.md lets agents refund 500 €")
	m.undoSession("support/refunds.md")
	m.tells("2 of 4 mistakes found: 500 € unasked")
	m.says("2 of 4 mistakes found · a token is in a memory: ^P flaky Enter, X t X y redacts it")
	m.redactToken()
	m.says("3 of 4 mistakes found · staging is production: !, then - on deploy.md undoes it")
	now, _ := m.newest("project/runbooks/deploy.md")
	p, err := review.PendingOf(t.Context(), m.store, now.Memory, visitor.Actor)
	m.must(err)
	made, _, err := review.Undo(t.Context(), m.store, visitor, p, p.Was)
	m.must(err)
	m.says("4 of 4 mistakes found · that was all")
	m.tells("what the agents remember is right again")
	_, err = vplan.Do(t.Context(), m.store, visitor, vplan.UndoChange(made.Number))
	m.must(err)
	m.says("3 of 4 mistakes found")
}

// What the document says is not obeyed while it waits and after it was rejected. If a person
// accepts it, the next agent obeys.
func TestPlay_TheNextAgentObeysTheFalseRuleOnlyIfItWasAccepted(t *testing.T) {
	t.Parallel()
	for what, decide := range map[string]func(*testing.T, *engine.Store){"waiting": func(*testing.T, *engine.Store) {}, "rejected": reject, "accepted": accept} {
		s, trail := newDemo(t, time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		g := &stage{t: t, store: s, trail: trail}
		pace := UsualPace
		pace.Sleep = func(ctx context.Context, d time.Duration) error {
			switch d {
			case pace.Read:
				decide(t, s)
			case pace.Between:
				cancel()
			}
			return g.sleep(ctx, d)
		}
		g.play(ctx, pace)
		cancel()
		want := "nothing is paid"
		text := string(heldOrWritten(t, s, "live/ticket-4800.md"))
		if what == "accepted" {
			want = "paid to the account in the mail, not reported"
			if h := heldAt(t, s, "live/ticket-4800.md"); h.Inputs.SecondHand()&versions.InputFile == 0 {
				t.Errorf("after %v in second hand, the ticket was held after %v", versions.InputFile, h.Inputs)
			}
		}
		if !strings.Contains(text, want) {
			t.Errorf("%s: the ticket is %q", what, text)
		}
	}
}

// heldOrWritten returns the text of a memory, or of the change that waits to create it.
func heldOrWritten(t *testing.T, s *engine.Store, path string) []byte {
	t.Helper()
	if v, err := s.VersionAt(t.Context(), mustPath(t, path), 0); err == nil {
		b, err := history.Content(t.Context(), s, v.ID)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	plan, err := vplan.Make(t.Context(), s, vplan.Accept(heldAt(t, s, path).Number))
	if err != nil {
		t.Fatal(err)
	}
	b, err := history.Content(t.Context(), s, plan.Clean[0].Then.Version)
	if err != nil {
		b = plan.Clean[0].Text
	}
	return b
}

// The agent tries again what was rejected: it is held with the earlier decision.
func TestPlay_WhatWasRejectedIsHeldAgain(t *testing.T) {
	t.Parallel()
	s, trail := newDemo(t, time.Now)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	g := &stage{t: t, store: s, trail: trail}
	g.taken = func(e agent.Event) {
		if e.Kind == agent.BlockEnded && strings.Contains(e.Block.Text, "the rule was rejected before") {
			cancel()
		}
	}
	pace := UsualPace
	pace.Sleep = func(ctx context.Context, d time.Duration) error {
		if d == pace.Read {
			reject(t, s)
		}
		return g.sleep(ctx, d)
	}
	g.play(ctx, pace)
	h := heldAt(t, s, "support/macros.md")
	if h.Earlier == nil || h.Earlier.Number != heldAt(t, s, "support/escalation.md").Number || h.Earlier.Reason != "we never pay unasked" {
		t.Errorf("it is held with %+v", h.Earlier)
	}
}

// A mistake is found by whatever means it is removed, also if its memory was renamed.
func TestPlay_CountsMistakesHoweverTheyAreRemoved(t *testing.T) {
	t.Parallel()
	m := playMinute(t)
	refunds, _ := m.newest("support/refunds.md")
	content, err := history.Content(t.Context(), m.store, refunds.ID)
	m.must(err)
	_, err = m.store.Rename(t.Context(), visitor, refunds.Path, mustPath(t, "refunds.md"))
	m.must(err)
	_, err = m.store.Write(t.Context(), visitor, mustPath(t, "refunds.md"), bytes.ReplaceAll(content, []byte("500"), []byte("50")), versions.Pre{})
	m.must(err)
	m.says("1 of 4")
	_, old := m.newest("project/runbooks/deploy.md")
	_, err = vplan.Do(t.Context(), m.store, visitor, vplan.Restore(old.ID))
	m.must(err)
	m.says("2 of 4")
	accept(t, m.store) // and then it is removed
	m.says("2 of 4 mistakes found · misled by a document: U on inbox-agent (A) undoes it")
	_, err = m.store.Delete(t.Context(), visitor, mustPath(t, "support/escalation.md"))
	m.must(err)
	m.says("3 of 4")
	_, err = vplan.Do(t.Context(), m.store, visitor, vplan.UndoLast{By: visitor.Actor})
	m.must(err)
	m.says("2 of 4")
	plan, err := vplan.Make(t.Context(), m.store, vplan.UndoSession(heldAt(t, m.store, "support/escalation.md").By.Session))
	m.must(err)
	_, err = vplan.Apply(t.Context(), m.store, visitor, plan, map[versions.MemoryID]planning.Choice{})
	m.must(err)
	m.says("3 of 4")
}

// A token that is only deleted is still in the history.
func TestPlay_ATokenIsFoundWhenItIsGoneFromTheHistory(t *testing.T) {
	t.Parallel()
	m := playMinute(t)
	m.says("0 of 4")
	_, err := m.store.Delete(t.Context(), visitor, mustPath(t, "project/runbooks/flaky-tests.md"))
	m.must(err)
	reject(t, m.store)
	m.says("1 of 4")
	m.redactToken()
	m.says("2 of 4")
}

// What is said of a mistake takes two rows of 80 columns, and nothing of it is cut.
func TestMistakes_AreToldInTwoRows(t *testing.T) {
	for _, m := range mistakes() {
		for _, m := range []*mistake{&m, m.held} {
			if m == nil {
				continue
			}
			told := "0 of 4 mistakes found" + m.notice(testKeys)
			if rows := text.Rows(told, 78, 0); len(rows) > 2 || !strings.HasSuffix(rows[len(rows)-1], m.how(testKeys)) {
				t.Errorf("%d rows: %q", len(rows), rows)
			}
		}
	}
}
