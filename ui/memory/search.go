package memory

import (
	"bytes"
	"context"
	"io"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/memtrail/memtrail/ui/screen"
)

// hit is one place where the searched text stands.
type hit struct {
	line, at int // line from 0, byte in the line
}

// searchState is where a search of a file stands. It goes on step by step, so
// that hits show while a large file is still read, and each step can be dropped.
type searchState struct {
	needle []byte // folded when fold is set
	fold   bool
	offset int64
	line   int
	done   bool
}

const (
	searchBytes = 4 << 20 // of one step
	maxHits     = 100_000
)

// newSearch prepares a search; capitals in the text make case matter.
func newSearch(s string) searchState {
	fold := strings.ToLower(s) == s
	return searchState{needle: []byte(s), fold: fold}
}

// foldASCII lowers the letters of b in place. Other alphabets compare exactly:
// lowering them changes lengths and so places.
func foldASCII(b []byte) {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
}

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
	if st.fold {
		foldASCII(b)
	}
	var hits []hit
	start := 0 // of the line at hand
	for at := 0; ; {
		i := bytes.Index(b[at:], st.needle)
		if i < 0 {
			break
		}
		i += at
		if between := bytes.LastIndexByte(b[start:i], '\n'); between >= 0 {
			st.line += bytes.Count(b[start:start+between+1], []byte{'\n'})
			start += between + 1
		}
		hits = append(hits, hit{st.line, i - start})
		at = i + len(st.needle)
	}
	st.line += bytes.Count(b[start:], []byte{'\n'})
	return hits, st, nil
}

// hitsIn finds the searched text in one line, for drawing.
func hitsIn(dst []int, s string, needle []byte, fold bool) []int {
	if len(needle) == 0 {
		return dst
	}
	for at := 0; ; {
		i := indexFold(s[at:], needle, fold)
		if i < 0 {
			return dst
		}
		dst = append(dst, at+i)
		at += i + len(needle)
	}
}

func indexFold(s string, needle []byte, fold bool) int {
	if !fold {
		return strings.Index(s, string(needle))
	}
	for i := 0; i+len(needle) <= len(s); i++ {
		j := 0
		for j < len(needle) {
			c := s[i+j]
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != needle[j] {
				break
			}
			j++
		}
		if j == len(needle) {
			return i
		}
	}
	return -1
}

// searchFor starts a search in the open file; an empty one ends it. jump goes to
// the first hit from the top of the screen on.
func (m *Pane) searchFor(s string, jump bool) tea.Cmd {
	m.stopSearch()
	if s == "" || m.doc == nil || m.doc.file == nil {
		return nil
	}
	m.query = s
	st := newSearch(s)
	m.fold = st.fold
	m.hunts = true
	m.from = -1
	if jump {
		m.from = m.top.line
	}
	_, id := m.search.Begin(context.Background())
	return searchOn(id, m.doc.file, st)
}

func (m *Pane) stopSearch() {
	m.search.Stop()
	m.query, m.hits, m.hitNow, m.hunts, m.from = "", nil, -1, false, -1
}

func (m *Pane) found(msg foundMsg) tea.Cmd {
	if !m.search.Current(msg.id) || m.doc == nil {
		return nil
	}
	if msg.err != nil {
		m.hunts = false
		m.err = msg.err
		return nil
	}
	m.hits = append(m.hits, msg.hits...)
	m.hunts = !msg.next.done && len(m.hits) < maxHits
	if m.from >= 0 {
		for i, h := range m.hits {
			if h.line >= m.from {
				m.jump(i)
				break
			}
		}
		if !m.hunts && m.from >= 0 && len(m.hits) > 0 {
			m.jump(0) // none below: the first of all
		}
	}
	var cmds []tea.Cmd
	if m.hunts {
		cmds = append(cmds, searchOn(msg.id, m.doc.file, msg.next))
	} else if len(m.hits) == 0 {
		cmds = append(cmds, screen.Ask(screen.Notice{Text: "find: no hit for “" + m.query + "”", Bad: true}))
	}
	return tea.Batch(append(cmds, m.Fetch())...)
}

// jump goes to hit i.
func (m *Pane) jump(i int) {
	m.from = -1
	m.hitNow = i
	m.goTo(m.hits[i].line)
}

// step goes to the next or the last hit, around the ends.
func (m *Pane) step(d int) {
	if len(m.hits) == 0 {
		return
	}
	if m.hitNow < 0 {
		m.jump(0)
		return
	}
	m.jump((m.hitNow + d + len(m.hits)) % len(m.hits))
}
