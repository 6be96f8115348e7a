package memory

import (
	"strconv"

	"github.com/memend/memend/ui/screen"
)

// copyActions copy what is shown, and what refers to it.
func copyActions() []action {
	line := func(m *Pane) string { return m.Path().String() + ":" + strconv.Itoa(m.Line()) }
	return []action{
		{ID: "copy.text", Why: (*Pane).textDisabled, Do: request(func(m *Pane) screen.Request {
			if m.text.doc.partial {
				return screen.Notice{Text: "copy: " + tooLarge + " (" + m.keys.Hint("list.range") + " selects lines)", Bad: true}
			}
			return screen.Copy{What: "the text of " + m.Path().String(), Text: string(m.text.doc.text)}
		})},
		{ID: "copy.path", Why: (*Pane).memoryDisabled, Do: request(func(m *Pane) screen.Request {
			return screen.Copy{What: m.Path().String(), Text: m.Path().String()}
		})},
		{ID: "copy.line", Name: "copy path and line", Keys: []string{"y l"}, Why: (*Pane).textDisabled, Do: request(func(m *Pane) screen.Request {
			return screen.Copy{What: line(m), Text: line(m)}
		})},
		{ID: "copy.id", Why: (*Pane).versionDisabled, Do: request(func(m *Pane) screen.Request {
			return screen.Copy{What: "the memory's id", Text: string(m.head.Memory)}
		})},
		{ID: "copy.diff", Why: (*Pane).versionDisabled, Do: request(func(m *Pane) screen.Request {
			return screen.CopyDiff{Version: m.head.ID}
		})},
	}
}

func (m *Pane) versionDisabled() string {
	switch {
	case !m.shown():
		return "no memory is open"
	case m.head == nil && m.text.doc.partial:
		return tooLarge
	case m.head == nil:
		return "it has no version yet"
	}
	return ""
}
