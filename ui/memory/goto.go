package memory

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

// askGoTo prompts for a position: 42 is a line, 50% a part.
func (m *Pane) askGoTo(int) tea.Cmd {
	return m.env.Do(screen.Prompt{Label: "go to 42 or 50%", Then: func(s string) tea.Cmd {
		if !m.shown() {
			return nil
		}
		s = strings.TrimSpace(s)
		if part, ok := parsePart(s); ok {
			m.text.jump(int(part * float64(m.text.doc.lastLine())))
		} else if n, err := strconv.Atoi(s); err == nil && n > 0 {
			m.text.jump(n - 1)
		} else {
			return m.env.Do(screen.Notice{Text: "go to: “" + s + "” is not a line number or a part like 50%", Bad: true})
		}
		return nil
	}})
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
