package ui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/compare"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

// compare shows what differs between two memories.
func (a *App) compare(req screen.Compare) tea.Cmd {
	store, th, own := a.cfg.Store, a.th, a.cfg.Keys
	doing := "compare " + req.From.Path.String() + " and " + req.To.Path.String()
	text := func(ctx context.Context, e versions.Entry) (compare.Text, error) {
		b, err := store.Content(ctx, e.Version)
		if err != nil {
			err = fmt.Errorf("%s: %w", e.Path, err)
		}
		return compare.Text{Path: e.Path, Content: b}, err
	}
	return a.work(doing, func(ctx context.Context) (tea.Msg, error) {
		from, err := text(ctx, req.From)
		if err != nil {
			return screen.Notice{Text: "compare " + err.Error(), Bad: true}, err
		}
		to, err := text(ctx, req.To)
		if err != nil {
			return screen.Notice{Text: "compare " + err.Error(), Bad: true}, err
		}
		return screen.Show{Pane: compare.New(th, own, from, to)}, nil
	})
}
