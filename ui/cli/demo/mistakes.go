package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/memend/memend/versions"
)

// Keys are the keys that undo the mistakes, named as they are bound.
type Keys struct{ Agents, Find, History, Undo, UndoSession string }

// Status is what the TUI shows about the demo.
type Status struct {
	Banner string // how many mistakes are found, and how to find the next one
	Notice string // what happened; empty for nothing new
}

// mistake is a false line in a memory. It is found when a person has removed the line, by
// whatever means.
type mistake struct {
	path, text string
	what       string            // briefly
	harm       string            // what agents do because of it
	how        func(Keys) string // how to undo it

	memory versions.MemoryID
	made   bool // the line was in the memory, or its agent is done
	found  bool
}

// mistakes returns the mistakes in the order in which a person is led to them. The first one
// is made while Play runs, the others are in the history.
func mistakes() []mistake {
	return []mistake{{
		path: "support/escalation.md", text: "are paid out at once, to the account they",
		what: "misled by a document",
		harm: "a document misled inbox-agent: support/escalation.md now tells agents to pay whatever kite-refunds.example asks for, and not to report it",
		how:  func(k Keys) string { return fmt.Sprintf("%s on inbox-agent (%s)", k.UndoSession, k.Agents) },
	}, {
		path: "support/refunds.md", text: "up to 500 €",
		what: "500 € unasked",
		harm: "support/refunds.md tells agents to refund up to 500 € without asking; it was 50 €",
		how:  func(k Keys) string { return fmt.Sprintf("%s refunds Enter, %s", k.Find, k.UndoSession) },
	}, {
		path: "project/runbooks/deploy.md", text: "prod-db.internal",
		what: "staging is production",
		harm: "project/runbooks/deploy.md tells agents to try things on the production database",
		how:  func(k Keys) string { return fmt.Sprintf("%s deploy Enter, %s, %s", k.Find, k.History, k.Undo) },
	}}
}

// game counts the mistakes that are found. It is safe for concurrent use.
type game struct {
	store  *versions.Store
	keys   Keys
	report func(Status)

	mu     sync.Mutex
	all    []mistake
	misled bool // the misled agent is done
	banner string
}

// newGame finds the memories of the mistakes.
func newGame(ctx context.Context, s *versions.Store, keys Keys, report func(Status)) (*game, error) {
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

// follow counts the mistakes whenever the store has changed, until ctx ends. Some time after
// one was found it names the next one.
func (g *game) follow(ctx context.Context, later time.Duration) error {
	last, found := int64(-1), 0
	var due time.Time // when the next mistake is named; zero: it is
	for {
		n, err := g.store.LastChange(ctx)
		if err == nil && n != last {
			last, err = n, g.count(ctx)
		}
		if err != nil {
			return ended(ctx, err)
		}
		if is := g.found(); is != found {
			found, due = is, time.Now().Add(later)
		}
		if !due.IsZero() && !time.Now().Before(due) {
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
		if err != nil {
			return err
		}
		m.made = m.made || is || g.misled
		m.found = m.made && !is
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
	defer g.mu.Unlock()
	text := fmt.Sprintf("%d of %d mistakes found", g.countFound(), len(g.all))
	if m := g.next(); m != nil {
		text += ": " + m.harm + " · " + m.how(g.keys) + " undoes it"
	} else {
		text += ": what the agents remember is right again"
	}
	g.report(Status{Banner: g.banner, Notice: text})
}

// stands reports whether the line of a mistake is in its memory.
func (g *game) stands(ctx context.Context, m *mistake) (bool, error) {
	newest, err := g.store.History(ctx, m.memory, 0, 1)
	if err != nil || len(newest) == 0 || newest[0].Operation == versions.Deleted {
		return false, err
	}
	b, err := g.store.Content(ctx, newest[0].ID)
	if errors.Is(err, versions.ErrRedacted) {
		return false, nil
	}
	return strings.Contains(string(b), m.text), err
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

// found returns how many mistakes are found.
func (g *game) found() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.countFound()
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
	return s + m.what + ": " + m.how(g.keys)
}
