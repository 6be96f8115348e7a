package memory

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

func (m *Pane) askGoTo(int) tea.Cmd {
	return m.env.Do(screen.Prompt{Label: "go to 42 or 50%", Then: m.goToTyped})
}

// goToTyped goes to the typed position: 42 is a line, 50% a part.
func (m *Pane) goToTyped(s string) tea.Cmd {
	if !m.shown() {
		return nil
	}
	s = strings.TrimSpace(s)
	if n, ok := parsePart(s); ok {
		return m.jumpTo(int(n * float64(max(len(m.doc.lines)-1, 0))))
	}
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return m.jumpTo(n - 1)
	}
	return m.env.Do(screen.Notice{Text: "go to: “" + s + "” is not a line number or a part like 50%", Bad: true})
}

// parsePart parses 50%.
func parsePart(s string) (float64, bool) {
	part, ok := strings.CutSuffix(s, "%")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
	return n / 100, err == nil && n >= 0 && n <= 100
}

// jumpTo goes to a line, from 0, and extends the selection if lines are being selected.
func (m *Pane) jumpTo(line int) tea.Cmd {
	m.goTo(line)
	if m.sel.on {
		m.sel.extend(m.cur.line)
	}
	return nil
}
