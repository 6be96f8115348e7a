package memory

import (
	"bytes"
	"io"
	"sort"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

// hit is a match of the searched text.
type hit struct {
	line, at int // line from 0, byte in the line
}

// searchState is the position of a search in a file. The search runs step by step, so that
// hits are shown while a large file is still being read, and any step can be dropped.
type searchState struct {
	match  *matcher
	offset int64
	line   int
	done   bool
}

const (
	searchBytes = 4 << 20 // of one step
	maxHits     = 100_000
)

// searchStep searches one step of r. Only the first searchBytes of a line that is longer
// than a step are searched.
func searchStep(r io.ReaderAt, st searchState) ([]hit, searchState, error) {
	buf := make([]byte, searchBytes)
	n, err := r.ReadAt(buf, st.offset)
	if err != nil && err != io.EOF {
		return nil, st, err
	}
	b := buf[:n]
	st.done = err == io.EOF || n == 0
	if !st.done {
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			b = b[:i+1]
		}
	}
	st.offset += int64(len(b))
	hits := st.match.all(nil, b, st.line)
	st.line += bytes.Count(b, []byte{'\n'})
	return hits, st, nil
}

// find is a search in the open file.
type find struct {
	steps     screen.Load[hits]
	query     string
	match     *matcher
	hits      []hit
	now       int  // index in hits, -1 for none
	searching bool // the search continues
	from      int  // go to the first hit from this line on; -1 for none
	typing    bool // don't report that there is no hit: the query is still being typed
	last      string
}

// label returns the query and the number of hits for the title.
func (f *find) label(brief bool) string {
	n := strconv.Itoa(len(f.hits))
	if f.searching || len(f.hits) >= maxHits {
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
	return m.env.Ask(screen.Prompt{
		Label: "find", Example: "a text, or /a regular expression/",
		Changed: func(s string) tea.Cmd {
			m.returnTo(begin)
			m.find.typing = true
			return tea.Batch(m.searchFor(s, m.cur.line), m.Fetch())
		},
		Left: func() tea.Cmd {
			m.returnTo(begin)
			return tea.Batch(m.searchFor(was, -1), m.Fetch())
		},
		Then: func(s string) tea.Cmd {
			if s == "" {
				s = m.find.last
			}
			m.returnTo(begin)
			m.find.last, m.find.typing = s, false
			return tea.Batch(m.searchFor(s, m.cur.line), m.Fetch())
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
	if s == "" || !m.shown() {
		return nil
	}
	match, err := newMatcher(s)
	if err != nil {
		if quiet {
			return nil
		}
		return m.env.Ask(screen.Notice{Text: "find: " + err.Error(), Bad: true})
	}
	f := &m.find
	f.query, f.match, f.searching, f.from, f.typing = s, match, true, from, quiet
	f.steps.Stop()
	return m.searchOn(searchState{match: match})
}

// hits are the matches of one step of a search, and the position after it.
type hits struct {
	list []hit
	next searchState
}

func (m *Pane) searchOn(st searchState) tea.Cmd {
	f := m.doc.file
	return m.find.steps.Next(func() (hits, error) {
		list, next, err := searchStep(f, st)
		return hits{list, next}, err
	}, m.found)
}

func (m *Pane) stopSearch() {
	m.find.steps.Stop()
	m.find = find{steps: m.find.steps, now: -1, from: -1, last: m.find.last}
}

func (m *Pane) found(h hits, err error) tea.Cmd {
	f := &m.find
	if !m.shown() {
		return nil
	}
	if err != nil {
		f.searching = false
		m.err = err
		return nil
	}
	f.hits = append(f.hits, h.list...)
	f.searching = !h.next.done && len(f.hits) < maxHits
	if f.from >= 0 {
		for i, h := range f.hits {
			if h.line >= f.from {
				m.jump(i)
				break
			}
		}
		if !f.searching && f.from >= 0 && len(f.hits) > 0 {
			m.jump(0) // none below: wrap around
		}
	}
	var cmds []tea.Cmd
	if f.searching {
		cmds = append(cmds, m.searchOn(h.next))
	} else if len(f.hits) == 0 && !f.typing {
		cmds = append(cmds, m.env.Ask(screen.Notice{Text: "find: no hit for “" + f.query + "”", Bad: true}))
	}
	return tea.Batch(append(cmds, m.Fetch())...)
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
	return m.Fetch()
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
