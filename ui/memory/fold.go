package memory

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/syntax"
)

// folds is the state of the folding of front matter.
type folds struct {
	raw    bool // fold in the raw view, for every memory
	open   bool // unfold in the rendered view, where it is folded by default
	opened bool // unfolded for this memory, because a position in it was visited
}

// maxFront is the largest number of lines of front matter.
const maxFront = 500

// frontMatter counts the lines of YAML between --- lines at the top of Markdown.
func (d *document) frontMatter() int {
	lines := d.window.lines
	if d.lang != syntax.Markdown || len(lines) < 3 || strings.TrimRight(lines[0], " \t") != "---" {
		return 0
	}
	for i, s := range lines[1:min(len(lines), maxFront)] {
		if s = strings.TrimRight(s, " \t"); s == "---" || s == "..." {
			return i + 2
		}
	}
	return 0
}

// folded returns how many lines at the top are shown as one; 0 for none.
func (m *Pane) folded() int {
	on := m.fold.raw
	if m.rendered && m.doc != nil && m.doc.md != nil {
		on = !m.fold.open
	}
	if m.doc == nil || !on || m.fold.opened {
		return 0
	}
	return m.doc.front
}

func (m *Pane) toggleFold(int) tea.Cmd {
	on := m.folded() == 0
	m.fold.opened = false
	if m.sheet != nil {
		m.fold.open = !on
	} else {
		m.fold.raw = on
	}
	if m.top.line < m.doc.front {
		m.top = place{}
	}
	m.scroll(0)
	return m.Fetch()
}

func (m *Pane) foldDisabled() string {
	switch {
	case !m.shown():
		return "no memory is open"
	case m.doc.front == 0:
		return "it has no front matter"
	}
	return ""
}

// foldLine returns the line shown for folded front matter. A nested field is prefixed with
// the name of its group: metadata.type.
func (d *document) foldLine() string {
	var b strings.Builder
	b.WriteString("▸ ")
	group := ""
	for i := 1; i < d.front-1; i++ {
		line := d.window.line(i)
		s := strings.TrimSpace(line)
		inner := s != line[:len(s)] && !strings.HasPrefix(s, "-") // indented, and not in a list
		if !inner {
			group = ""
		}
		if s == "" {
			continue
		}
		if name, ok := strings.CutSuffix(s, ":"); ok && !inner && d.opensGroup(i) {
			group = name + "."
			continue
		}
		if b.Len() > len("▸ ") {
			b.WriteString(" · ")
		}
		b.WriteString(group)
		b.WriteString(s)
	}
	return b.String()
}

// opensGroup reports whether the field at line i contains the next one.
func (d *document) opensGroup(i int) bool {
	if i+1 >= d.front-1 {
		return false
	}
	next := d.window.line(i + 1)
	s := strings.TrimLeft(next, " \t")
	return s != next && s != "" && !strings.HasPrefix(s, "-")
}
