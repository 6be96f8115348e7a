package memory

import (
	"bytes"
	"io"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

// hit is one place where the searched text stands.
type hit struct {
	line, at int // line from 0, byte in the line
}

// searchState is where a search of a file stands. It goes on step by step, so
// that hits show while a large file is still read, and each step can be dropped.
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

// searchStep reads one step of r. A line that is longer than a step is looked
// through to the end of the step.
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
	steps screen.Load[hits]
	query string
	match *matcher
	hits  []hit
	now   int  // in hits, -1 for none
	hunts bool // it goes on
	from  int  // line from which the first hit is wanted; -1 when none is
	quiet bool // nothing is said when there is none: it is still typed
	last  string
}

// label says in the title what is looked for, and how often it is there.
func (f *find) label(brief bool) string {
	n := strconv.Itoa(len(f.hits))
	if f.hunts || len(f.hits) >= maxHits {
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

// askFind asks what to look for, and looks while it is typed. Nothing typed looks
// for what was looked for last; leaving goes back to where one was.
func (m *Pane) askFind(int) tea.Cmd {
	begin, was := m.visit(), m.find.query
	return m.env.Ask(screen.Prompt{
		Label: "find", Example: "a text, or /a regular expression/",
		Changed: func(s string) tea.Cmd {
			m.returnTo(begin)
			m.find.quiet = true
			return tea.Batch(m.searchFor(s, m.top.line), m.Fetch())
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
			m.find.last, m.find.quiet = s, false
			return tea.Batch(m.searchFor(s, m.top.line), m.Fetch())
		},
	})
}

// returnTo shows what was on the screen, if the same memory is open still.
func (m *Pane) returnTo(v visit) {
	if m.Path() == v.path && m.doc != nil {
		m.top = v.at
		m.scroll(0)
	}
}

// searchFor starts a search in the open file; an empty one ends it. The first hit
// from line from on is gone to, none when that is negative.
func (m *Pane) searchFor(s string, from int) tea.Cmd {
	quiet := m.find.quiet
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
	f.query, f.match, f.hunts, f.from, f.quiet = s, match, true, from, quiet
	f.steps.Stop()
	return m.searchOn(searchState{match: match})
}

// hits are those of one step of a search, and where it goes on.
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
		f.hunts = false
		m.err = err
		return nil
	}
	f.hits = append(f.hits, h.list...)
	f.hunts = !h.next.done && len(f.hits) < maxHits
	if f.from >= 0 {
		for i, h := range f.hits {
			if h.line >= f.from {
				m.jump(i)
				break
			}
		}
		if !f.hunts && f.from >= 0 && len(f.hits) > 0 {
			m.jump(0) // none below: the first of all
		}
	}
	var cmds []tea.Cmd
	if f.hunts {
		cmds = append(cmds, m.searchOn(h.next))
	} else if len(f.hits) == 0 && !f.quiet {
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

// step goes d hits on, around the ends.
func (m *Pane) step(d int) tea.Cmd {
	n := len(m.find.hits)
	switch {
	case n == 0:
		return nil
	case m.find.now < 0:
		m.jump(0)
	default:
		m.jump(((m.find.now+d)%n + n) % n)
	}
	return m.Fetch()
}

// isNow reports whether the hit at a place is the one where the search stands.
func (f *find) isNow(line, at int) bool {
	return f.now >= 0 && f.now < len(f.hits) && f.hits[f.now] == hit{line, at}
}

func (m *Pane) hitDisabled() string {
	if len(m.find.hits) == 0 {
		return "nothing was found: / looks for something"
	}
	return ""
}
