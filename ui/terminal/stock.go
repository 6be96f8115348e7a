package terminal

import (
	"context"
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
)

// runStock is Run by Bubble Tea's own renderer.
func runStock(ctx context.Context, m tea.Model, cfg Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithFPS(120), tea.WithInput(cfg.Input),
		tea.WithOutput(cfg.Output), tea.WithFilter(stockFilter))

	// Bubble Tea restores the terminal at SIGINT, SIGTERM and panics, but not at
	// the others.
	end := make(chan os.Signal, 1)
	signal.Notify(end, hangups...)
	defer signal.Stop(end)
	go func() {
		select {
		case <-end:
			p.Quit()
		case <-ctx.Done():
		}
	}()
	_, err := p.Run()
	return err
}

func stockFilter(_ tea.Model, msg tea.Msg) tea.Msg {
	if e, ok := msg.(execMsg); ok {
		return tea.ExecProcess(e.cmd, e.fn)()
	}
	return msg
}
