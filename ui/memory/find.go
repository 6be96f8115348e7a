package memory

import (
	"context"
	"sort"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

const maxHits = 100_000

// find is a search in the text of a document: its hits, and which of them is the current one.
type find struct {
	asks   screen.Load[[]spot]
	query  string
	match  *matcher // nil if nothing is searched for
	hits   []spot   // where they begin
	now    int      // index in hits, -1 for none
	from   int      // go to the first hit from this line on; -1 for none
	typing bool     // don't report that there is no hit: the query is still being typed
	last   string
}

// stop ends the search. The last query is kept.
func (f *find) stop() {
	f.asks.Stop()
	*f = find{asks: f.asks, now: -1, from: -1, last: f.last}
}

// label returns the query and the number of hits for the title.
func (f *find) label(brief bool) string {
	n := strconv.Itoa(len(f.hits))
	if f.asks.Waiting() || len(f.hits) >= maxHits {
		n += "…"
	}
	if f.now >= 0 {
		n = strconv.Itoa(f.now+1) + "/" + n
	}
	if brief {
		return n
	}
	return "“" + f.query + "” " + n
}

// isNow reports whether the hit at a place is the current one.
func (f *find) isNow(at spot) bool { return f.now >= 0 && f.hits[f.now] == at }

// nearest returns the index of the first hit from a place on, or of the first one of all.
func (f *find) nearest(to spot) int {
	return sort.Search(len(f.hits), func(i int) bool { return !f.hits[i].before(to) }) % len(f.hits)
}

// step returns the index of the hit d further on from a place, wrapping around.
func (f *find) step(from spot, d int) int {
	n := len(f.hits)
	i := sort.Search(n, func(i int) bool { return !f.hits[i].before(from) })
	if d > 0 && (i == n || f.hits[i] != from) { // the place is before hit i
		d--
	}
	return ((i+d)%n + n) % n
}

// askFind prompts for a query, and searches while it is typed. An empty query repeats the
// last one; cancelling restores the position.
func (m *Pane) askFind(int) tea.Cmd {
	begin, was := m.visit(), m.find.query
	goBack := func() {
		if m.Path() == begin.path && m.text.doc != nil {
			m.text.restore(begin.at)
		}
	}
	return m.env.Do(screen.Prompt{
		Label: "find", Example: "a text, or /a regular expression/",
		Changed: func(s string) tea.Cmd {
			goBack()
			m.find.typing = true
			return m.searchFor(s, m.text.cur.line)
		},
		Left: func() tea.Cmd {
			goBack()
			return m.searchFor(was, -1)
		},
		Then: func(s string) tea.Cmd {
			if s == "" {
				s = m.find.last
			}
			goBack()
			m.find.last, m.find.typing = s, false
			return m.searchFor(s, m.text.cur.line)
		},
	})
}

// searchFor starts a search in the open file; an empty query ends it. The pane goes to the
// first hit from line from on, unless from is negative.
func (m *Pane) searchFor(s string, from int) tea.Cmd {
	f, quiet := &m.find, m.find.typing
	f.stop()
	if s == "" || !m.shown() || m.text.doc.partial {
		return nil
	}
	match, err := newMatcher(s)
	if err != nil && quiet {
		return nil
	}
	if err != nil {
		return m.env.Do(screen.Notice{Text: "find: " + err.Error(), Bad: true})
	}
	content := m.text.doc.text
	f.query, f.match, f.from, f.typing = s, match, from, quiet
	return f.asks.Begin(m.env.Ctx, func(ctx context.Context) ([]spot, error) { return match.all(ctx, content), nil }, func(hits []spot, _ error) tea.Cmd {
		if !m.shown() {
			return nil
		}
		f.hits = hits
		switch {
		case len(hits) == 0 && !f.typing:
			return m.env.Do(screen.Notice{Text: "find: no hit for “" + f.query + "”", Bad: true})
		case len(hits) > 0 && f.from >= 0:
			m.goToHit(f.nearest(spot{line: f.from}))
		}
		return nil
	})
}

func (m *Pane) goToHit(i int) {
	m.find.now, m.find.from = i, -1
	m.text.reach(m.find.hits[i])
}

// nextHit goes to the hit n further on from the cursor.
func (m *Pane) nextHit(n int) tea.Cmd {
	m.goToHit(m.find.step(m.text.cur, n))
	return nil
}
