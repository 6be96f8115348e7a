package history

import tea "charm.land/bubbletea/v2"

// Update handles mouse events, with cells relative to the pane, and, while a filter is typed,
// keys and pasted text.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	defer p.Resize()
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if p.typed.On() {
			defer p.Fit() // the input line may be closed
			return p.typed.Update(msg)
		}
	case tea.MouseClickMsg: // a second click on a row that folds works like Enter
		if i, ok := p.RowAt(msg); ok && i == p.Cur && p.list().hasBelow(i) {
			return tea.Batch(p.Split.Update(msg), p.enter())
		}
	}
	return tea.Batch(p.Split.Update(msg), p.more(p.list()))
}
