package memory

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/syntax"
)

// folds says whether front matter is one line.
type folds struct {
	raw    bool // for every memory, where the text is shown as it is
	open   bool // the same where it is rendered: there it is folded unless this is set
	opened bool // not for this memory: something in it was gone to
}

// maxFront is how many lines front matter can have.
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

// folded is how many lines at the top are shown as one; 0 for none.
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

// foldLine is what stands for folded front matter. A field in a group bears the
// group's name: metadata.type.
func (d *document) foldLine() string {
	var b strings.Builder
	b.WriteString("▸ ")
	group := ""
	for i := 1; i < d.front-1; i++ {
		line := d.window.line(i)
		s := strings.TrimSpace(line)
		inner := s != line[:len(s)] && !strings.HasPrefix(s, "-") // it is indented, and in no list
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

// opensGroup reports whether a field follows that lies in the one at line i.
func (d *document) opensGroup(i int) bool {
	if i+1 >= d.front-1 {
		return false
	}
	next := d.window.line(i + 1)
	s := strings.TrimLeft(next, " \t")
	return s != next && s != "" && !strings.HasPrefix(s, "-")
}
