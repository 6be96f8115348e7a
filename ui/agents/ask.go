package agents

import tea "charm.land/bubbletea/v2"

func (p *Pane) ask() tea.Cmd      { return nil }
func (p *Pane) settings() tea.Cmd { return nil }
