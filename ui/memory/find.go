package memory

import (
	"context"
	"sort"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

// hit is a match of the searched text.
type hit struct {
	line, at int // line from 0, byte in the line
}

const maxHits = 100_000

// find is a search in the open file.
type find struct {
	asks   screen.Load[[]hit]
	query  string
	match  *matcher
	hits   []hit
	now    int  // index in hits, -1 for none
	from   int  // go to the first hit from this line on; -1 for none
	typing bool // don't report that there is no hit: the query is still being typed
	last   string
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

// askFind prompts for a query, and searches while it is typed. An empty query repeats the
// last one; cancelling restores the position.
func (m *Pane) askFind(int) tea.Cmd {
	begin, was := m.visit(), m.find.query
	return m.env.Do(screen.Prompt{
		Label: "find", Example: "a text, or /a regular expression/",
		Changed: func(s string) tea.Cmd {
			m.returnTo(begin)
			m.find.typing = true
			return m.searchFor(s, m.cur.line)
		},
		Left: func() tea.Cmd {
			m.returnTo(begin)
			return m.searchFor(was, -1)
		},
		Then: func(s string) tea.Cmd {
			if s == "" {
				s = m.find.last
			}
			m.returnTo(begin)
			m.find.last, m.find.typing = s, false
			return m.searchFor(s, m.cur.line)
		},
	})
}

// returnTo restores a position, if the same memory is still open.
func (m *Pane) returnTo(v visit) {
	if m.Path() == v.path && m.doc != nil {
		m.goToPosition(v.at)
	}
}

// searchFor starts a search in the open file; an empty query ends it. The pane goes to the
// first hit from line from on, unless from is negative.
func (m *Pane) searchFor(s string, from int) tea.Cmd {
	quiet := m.find.typing
	m.stopSearch()
	if s == "" || !m.shown() || m.doc.partial {
		return nil
	}
	match, err := newMatcher(s)
	if err != nil {
		if quiet {
			return nil
		}
		return m.env.Do(screen.Notice{Text: "find: " + err.Error(), Bad: true})
	}
	f, content := &m.find, m.doc.text
	f.query, f.match, f.from, f.typing = s, match, from, quiet
	return f.asks.Begin(m.env.Ctx, func(ctx context.Context) ([]hit, error) { return match.all(ctx, content), nil }, m.found)
}

func (m *Pane) stopSearch() {
	m.find.asks.Stop()
	m.find = find{asks: m.find.asks, now: -1, from: -1, last: m.find.last}
}

func (m *Pane) found(hits []hit, _ error) tea.Cmd {
	f := &m.find
	if !m.shown() {
		return nil
	}
	f.hits = hits
	switch {
	case len(hits) == 0 && !f.typing:
		return m.env.Do(screen.Notice{Text: "find: no hit for “" + f.query + "”", Bad: true})
	case len(hits) > 0 && f.from >= 0:
		i := sort.Search(len(hits), func(i int) bool { return hits[i].line >= f.from })
		m.jump(i % len(hits)) // it wraps around if there is none below
	}
	return nil
}

// jump goes to hit i.
func (m *Pane) jump(i int) {
	m.find.from = -1
	m.find.now = i
	m.reach(spot(m.find.hits[i]))
}

// step goes to the hit d further on from the cursor, wrapping around.
func (m *Pane) step(d int) tea.Cmd {
	f := &m.find
	n := len(f.hits)
	if n == 0 {
		return nil
	}
	i := sort.Search(n, func(i int) bool { return !spot(f.hits[i]).before(m.cur) })
	if d > 0 && (i == n || spot(f.hits[i]) != m.cur) { // the cursor is before hit i
		d--
	}
	m.jump(((i+d)%n + n) % n)
	return nil
}

// isNow reports whether the hit at a place is the current one.
func (f *find) isNow(line, at int) bool {
	return f.now >= 0 && f.now < len(f.hits) && f.hits[f.now] == hit{line, at}
}

func (m *Pane) hitDisabled() string {
	if len(m.find.hits) == 0 {
		return "nothing was searched for: " + m.keys.Hint("text.find") + " searches"
	}
	return ""
}
