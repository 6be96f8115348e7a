package memory

import (
	"cmp"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
)

// goToNext goes to the n-th of some lines after the cursor, or before it if n is negative, wrapping around.
func (m *Pane) goToNext(n int, none string, lines []int) tea.Cmd {
	if len(lines) == 0 {
		return m.env.Do(screen.Notice{Text: none})
	}
	i := sort.SearchInts(lines, m.text.cur.line) + n
	if n > 0 {
		i = sort.SearchInts(lines, m.text.cur.line+1) + n - 1
	}
	m.text.jump(lines[(i%len(lines)+len(lines))%len(lines)])
	return nil
}

// nextChanged goes to the next hunk, or the previous one, over all memories to review; in one with nothing to review, to the
// lines that changed since it was opened.
func (m *Pane) nextChanged(n int) tea.Cmd {
	lines := m.text.doc.linesOfEdits(m.text.doc.changes())
	end := len(lines) == 0 || n > 0 && m.text.cur.line >= lines[len(lines)-1] || n < 0 && m.text.cur.line <= lines[0]
	if end && m.unreviewed() && m.reviews.list.Changed() > 1 {
		m.reviews.last = n < 0
		return m.env.Do(screen.ReviewNext{By: cmp.Compare(n, 0)})
	}
	return m.goToNext(n, "there is no other hunk", lines)
}

func (m *Pane) changedDisabled() string {
	if why := m.textDisabled(); why != "" {
		return why
	}
	if !m.unreviewed() && len(m.text.doc.changes()) == 0 {
		return "nothing to review, and nothing has changed since it was opened"
	}
	return ""
}

// nextFinding goes to the next line with a finding or with invisible characters, and reports which
// these are.
func (m *Pane) nextFinding(n int) tea.Cmd {
	var lines []int
	for i, s := range m.text.doc.lines {
		if m.text.doc.findingIn(i, i+1) != nil || m.text.doc.hidden > 0 && memfs.Hidden([]byte(s)) > 0 {
			lines = append(lines, i)
		}
	}
	cmd := m.goToNext(n, "no finding and no hidden character", lines)
	if names := hiddenNames(m.text.doc.line(m.text.cur.line)); names != "" {
		return tea.Batch(cmd, m.env.Do(screen.Notice{Text: fmt.Sprintf("line %d hides %s", m.text.cur.line+1, names)}))
	}
	return cmd
}

// hiddenNames describes the invisible characters of a line.
func hiddenNames(s string) string {
	var names []string
	seen := map[string]bool{}
	for i, r := range s {
		if r == utf8.RuneError || !memfs.HiddenRune(r) {
			continue
		}
		if name := hiddenName(r); !seen[name] && memfs.Hidden([]byte(s[i:i+utf8.RuneLen(r)])) > 0 {
			seen[name] = true
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// hiddenName describes an invisible character.
func hiddenName(r rune) string {
	switch {
	case r < 0x20 || r >= 0x7f && r < 0xa0:
		return "control characters"
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x61c:
		return "characters that change the direction of text"
	case r >= 0xe0000 && r <= 0xe007f:
		return "tag characters, which can hide a text"
	case r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef:
		return "variation selectors, which can hide a text"
	case r == 0x2028 || r == 0x2029:
		return "line separators"
	case r == 0xfeff || r >= 0x200b && r <= 0x200d || r == 0x2060:
		return "zero-width characters"
	}
	return "invisible characters"
}
