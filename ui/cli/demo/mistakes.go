package demo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/review"
)

// Keys are the keys that undo the mistakes, named as they are bound.
type Keys struct{ Agents, Find, UndoSession, Queue, Reject, Trace, Redact string }

// Status is what the TUI shows about the demo.
type Status struct {
	Banner string // how many mistakes are found, and how to find the next one
	Notice string // what happened; empty for nothing new
}

// mistake is a false line in a memory, or one that waits for a person. It is found when a person
// has removed or rejected it, by whatever means.
type mistake struct {
	path, text string
	secret     bool              // it must be gone from all versions, too
	what       string            // briefly
	harm       string            // what agents do because of it
	how        func(Keys) string // how to undo it
	held       *mistake          // what, harm and how while the line waits in the review queue; nil if it can't

	memory  versions.MemoryID
	made    bool // the line was in the memory, or its agent is done
	waiting bool // the line is held
	found   bool
}

// told returns the words for the mistake as it is now.
func (m *mistake) told() *mistake {
	if m.waiting && m.held != nil {
		return m.held
	}
	return m
}

// mistakes returns the mistakes in the order in which a person is led to them. The first one
// is made while Play runs, the others are in the history.
func mistakes() []mistake {
	return []mistake{{
		path: "support/escalation.md", text: "are paid out at once, to the account they",
		what: "misled by a document",
		harm: "support/escalation.md now makes agents pay what kite-refunds.example asks, unreported",
		how:  func(k Keys) string { return fmt.Sprintf("%s on inbox-agent (%s) undoes it", k.UndoSession, k.Agents) },
		held: &mistake{
			what: "a document's rule waits",
			harm: "a document wants support/escalation.md to make agents pay what kite-refunds.example asks, unreported",
			how:  func(k Keys) string { return fmt.Sprintf("%s shows it, %s rejects it", k.Queue, k.Reject) },
		},
	}, {
		path: "support/refunds.md", text: "up to 500 €",
		what: "500 € unasked",
		harm: "support/refunds.md lets agents refund 500 € unasked; it was 50 €",
		how: func(k Keys) string {
			return fmt.Sprintf("%s refunds Enter, %s on line 3 shows its origin, %s undoes it", k.Find, k.Trace, k.UndoSession)
		},
	}, {
		path: "project/runbooks/flaky-tests.md", text: Token, secret: true,
		what: "a token is in a memory",
		harm: "project/runbooks/flaky-tests.md contains a GitHub token, in its history too",
		how:  func(k Keys) string { return fmt.Sprintf("%s flaky Enter, %s t %[2]s y redacts it", k.Find, k.Redact) },
	}, {
		path: "project/runbooks/deploy.md", text: "prod-db.internal",
		what: "staging is production",
		harm: "project/runbooks/deploy.md tells agents to try things on the production database",
		how: func(k Keys) string {
			return fmt.Sprintf("%s, then %s on deploy.md undoes it", k.Queue, k.Reject)
		},
	}}
}

// game counts the mistakes that are found. It is safe for concurrent use.
type game struct {
	store  *engine.Store
	keys   Keys
	report func(Status)

	mu     sync.Mutex
	all    []mistake
	misled bool // the misled agent is done
	banner string
	news   []string // the mistakes found since takeNews
}

// newGame finds the memories of the mistakes.
func newGame(ctx context.Context, s *engine.Store, keys Keys, report func(Status)) (*game, error) {
	g := &game{store: s, keys: keys, report: report, all: mistakes()}
	w := &writer{}
	for i := range g.all {
		v, err := s.VersionAt(ctx, w.path(g.all[i].path), 0)
		if err != nil {
			return nil, err
		}
		g.all[i].memory = v.Memory
	}
	return g, nil
}

// setMisled records that the misled agent is done, and reports its mistake.
func (g *game) setMisled(ctx context.Context) error {
	g.mu.Lock()
	g.misled = true
	g.mu.Unlock()
	err := g.count(ctx)
	g.notify()
	return err
}

// follow counts the mistakes again and again until ctx ends: no event tells of a redaction of old
// versions. It says which one was found when what the undo itself said has been read, and names the next one after that.
func (g *game) follow(ctx context.Context, later time.Duration) error {
	var found []string // to be said
	var due time.Time  // when that is said, or the next mistake is named; zero: nothing is due
	for {
		if err := g.count(ctx); err != nil {
			return ended(ctx, err)
		}
		now := time.Now()
		if news := g.takeNews(); len(news) > 0 {
			found, due = append(found, news...), now.Add(later/2)
		}
		switch {
		case due.IsZero() || now.Before(due):
		case len(found) > 0:
			g.tell(": " + strings.Join(found, ", "))
			found, due = nil, now.Add(later/2)
		default:
			due = time.Time{}
			g.notify()
		}
		if wait(ctx, countEvery) != nil {
			return nil
		}
	}
}

// count looks which mistakes are in the store, and reports a change of the banner.
func (g *game) count(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.all {
		m := &g.all[i]
		is, err := g.stands(ctx, m)
		if err == nil && m.held != nil {
			m.waiting, err = g.holds(ctx, m.path, versions.HeldWaiting)
		}
		if err != nil {
			return err
		}
		is = is || m.waiting
		m.made = m.made || is || g.misled
		found := m.made && !is
		if found && !m.found {
			g.news = append(g.news, m.what)
		}
		m.found = found
	}
	if now := g.bannerNow(); now != g.banner {
		g.banner = now
		g.report(Status{Banner: now})
	}
	return nil
}

// notify reports the next mistake, or that all are found.
func (g *game) notify() {
	g.mu.Lock()
	text := ": what the agents remember is right again"
	if m := g.next(); m != nil {
		text = m.told().notice(g.keys)
	}
	g.mu.Unlock()
	g.tell(text)
}

// tell reports how many mistakes are found, and a text.
func (g *game) tell(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.report(Status{Banner: g.banner, Notice: fmt.Sprintf("%d of %d mistakes found", g.countFound(), len(g.all)) + text})
}

func (g *game) takeNews() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	news := g.news
	g.news = nil
	return news
}

// notice says what a mistake does and how to undo it. With the count it fits in two rows of 80 columns.
func (m *mistake) notice(k Keys) string { return ": " + m.harm + " · " + m.how(k) }

// maxVersions is the most versions in which a secret is looked for.
const maxVersions = 1000

// stands reports whether the line of a mistake is in its memory, or a secret in its history.
func (g *game) stands(ctx context.Context, m *mistake) (bool, error) {
	all, err := history.Of(ctx, g.store, m.memory, 0, maxVersions)
	if err != nil || len(all) == 0 || all[0].Operation == versions.Deleted && !m.secret {
		return false, err
	}
	if !m.secret {
		all = all[:1]
	}
	for _, v := range all {
		if v.Operation == versions.Deleted {
			continue
		}
		b, err := history.Content(ctx, g.store, v.ID)
		if err != nil && !errors.Is(err, versions.ErrRedacted) {
			return false, err
		}
		if strings.Contains(string(b), m.text) {
			return true, nil
		}
	}
	return false, nil
}

// holds reports whether a change of a memory was held and is in a state now: it waits for a person, or is rejected.
func (g *game) holds(ctx context.Context, path string, state versions.HeldState) (bool, error) {
	held, err := review.Held(ctx, g.store, versions.HeldFilter{State: state})
	return slices.ContainsFunc(held, func(h versions.Held) bool { return h.Path.Rel() == path }), err
}

// next returns the mistake to find next, or nil if all are found.
func (g *game) next() *mistake {
	for i := range g.all {
		if !g.all[i].found {
			return &g.all[i]
		}
	}
	return nil
}

func (g *game) countFound() (n int) {
	for _, m := range g.all {
		if m.found {
			n++
		}
	}
	return n
}

// bannerNow returns the banner. It names a mistake once the misled agent is done: until then
// there is something to watch.
func (g *game) bannerNow() string {
	n, m := g.countFound(), g.next()
	s := fmt.Sprintf("%d of %d mistakes found · ", n, len(g.all))
	switch {
	case m == nil:
		return s + "that was all"
	case !g.misled:
		return s + Banner
	}
	return s + m.told().what + ": " + m.told().how(g.keys)
}
