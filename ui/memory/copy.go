package memory

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

func (m *Pane) copyText(int) tea.Cmd {
	if m.doc.partial {
		return m.env.Do(screen.Notice{Text: "copy: " + tooLarge + " (" + m.keys.Hint("list.range") + " selects lines)", Bad: true})
	}
	return m.env.Do(screen.Copy{What: "the text of " + m.doc.path.String(), Text: string(m.doc.text)})
}

func (m *Pane) copyPath(int) tea.Cmd {
	return m.env.Do(screen.Copy{What: m.Path().String(), Text: m.Path().String()})
}

func (m *Pane) copyLineRef(int) tea.Cmd {
	ref := m.Path().String() + ":" + strconv.Itoa(m.cur.line+1)
	return m.env.Do(screen.Copy{What: ref, Text: ref})
}

func (m *Pane) copyMemoryID(int) tea.Cmd {
	return m.env.Do(screen.Copy{What: "the memory's id", Text: string(m.head.Memory)})
}

func (m *Pane) copyDiff(int) tea.Cmd { return m.env.Do(screen.CopyDiff{Version: m.head.ID}) }

func (m *Pane) versionDisabled() string {
	switch {
	case !m.shown():
		return "no memory is open"
	case m.head == nil && m.doc.partial:
		return tooLarge
	case m.head == nil:
		return "it has no version yet"
	}
	return ""
}
