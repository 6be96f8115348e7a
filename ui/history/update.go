package history

import tea "charm.land/bubbletea/v2"

// Update handles mouse events, with cells relative to the pane, and, while a filter is typed,
// keys and pasted text.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	defer p.fit()
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if p.typed.On() {
			defer p.resize() // the input line may be closed
			return p.typed.Update(msg)
		}
	case tea.MouseClickMsg:
		return p.click(msg)
	case tea.MouseMotionMsg:
		return p.motion(msg)
	case tea.MouseReleaseMsg:
		p.drag = false
		return p.diff.Update(msg)
	case tea.MouseWheelMsg:
		return p.wheel(msg)
	}
	return nil
}
