package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// offerNote offers to write a note about a correction to a tool that would lose it otherwise.
func (a *App) offerNote(c versions.Change) tea.Cmd {
	if c.Actor != a.cfg.By.Actor || !places.NeedsNote(a.info, c) {
		return nil
	}
	store, by, info, now := a.cfg.Store, a.cfg.By, a.info, a.cfg.Now
	write := func() tea.Cmd {
		return a.out.Do(screen.Act{Doing: "write the note", Did: "wrote the note", Do: func(ctx context.Context) (versions.Change, error) {
			at, text, err := places.NoteFor(ctx, store, info, c, now())
			if err != nil || text == nil {
				return versions.Change{}, err
			}
			return store.Write(ctx, by, at, text, versions.Pre{Absent: true})
		}})
	}
	return a.out.Do(screen.Choose{Title: "write a note too?", Text: places.KindOf(info).Keep() + ".", Options: []screen.Option{
		{Key: "y", Label: "write a note with what was removed and added", Then: write}, {Key: "n", Label: "only the correction"},
	}})
}
