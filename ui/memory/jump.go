package memory

import (
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
)

// nextLine returns the next (d 1) or previous (d -1) line for which is returns true,
// wrapping around, or -1.
func (m *Pane) nextLine(d int, is func(line int, s string) bool) int {
	n := len(m.doc.lines)
	for i := 1; i <= n; i++ {
		line := ((m.cur.line+d*i)%n + n) % n
		if is(line, m.doc.lines[line]) {
			return line
		}
	}
	return -1
}

// goToNext goes to the next line for which is returns true, n times.
func (m *Pane) goToNext(n, d int, none string, is func(line int, s string) bool) tea.Cmd {
	to := -1
	for range max(n, 1) {
		if to = m.nextLine(d, is); to < 0 {
			return m.env.Ask(screen.Notice{Text: none})
		}
		m.goTo(to)
	}
	if m.sel.on {
		m.sel.extend(m.cur.line)
	}
	return nil
}

func (m *Pane) nextChanged(n, d int) tea.Cmd {
	return m.goToNext(n, d, "nothing to review, and nothing has changed since it was opened", func(line int, _ string) bool {
		for _, e := range m.doc.changes() {
			if m.doc.lineOf(e) == line {
				return true
			}
		}
		return false
	})
}

// nextFinding goes to the next line with a finding or with invisible characters, and reports which
// these are.
func (m *Pane) nextFinding(n, d int) tea.Cmd {
	cmd := m.goToNext(n, d, "no finding and no hidden character", func(line int, s string) bool {
		return m.doc.findingIn(line, line+1) != nil || memfs.Hidden([]byte(s)) > 0
	})
	if names := hiddenNames(m.doc.line(m.cur.line)); names != "" {
		return tea.Batch(cmd, m.env.Ask(screen.Notice{Text: fmt.Sprintf("line %d hides %s", m.cur.line+1, names)}))
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
