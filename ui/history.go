package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/history"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// openHistory opens the history, if it is closed, and moves the focus to it.
func (a *App) openHistory() tea.Cmd {
	a.screens.uncover()
	if a.history == nil {
		a.history = history.New(a.env(), a.cfg.Store, a.cfg.By)
		a.history.SetNow(a.now)
		a.history.SetWrap(!a.cfg.NoWrap)
	}
	a.setFocus(frame.History)
	return a.updateReviewState()
}

// reviewNext opens the next or previous memory to review.
func (a *App) reviewNext(by int) tea.Cmd {
	from := a.tree.Here()
	if a.frame.Focus() == frame.Memory && !a.memory.Path().IsRoot() {
		from = a.memory.Path()
	}
	p, ok := a.tree.Review.NextUnreviewed(from, by, false)
	if !ok {
		return a.say("nothing more to review", false)
	}
	return a.out.Do(screen.Open{Path: p})
}

// updateReviewState passes the review state to the open memory and the history.
func (a *App) updateReviewState() tea.Cmd {
	review := tea.Batch(a.memory.UpdateReview(), a.preview.Refresh())
	for _, p := range a.screens {
		if q, ok := p.(interface{ Reviewed() tea.Cmd }); ok {
			review = tea.Batch(review, q.Reviewed())
		}
	}
	if a.history == nil {
		return review
	}
	return tea.Batch(review, a.history.SetReviewed(a.tree.Review.ReviewState()))
}

// showVersions shows the versions of a memory, at the requested one.
func (a *App) showVersions(req screen.History) tea.Cmd {
	if req.Version == "" {
		opened := a.openHistory()
		return tea.Batch(opened, a.history.ShowMemory(req.Memory, req.Path))
	}
	ctx, store, id := a.ctx, a.cfg.Store, req.Version
	return func() tea.Msg {
		v, err := store.Version(ctx, id)
		if err != nil {
			return screen.Notice{Text: "history: " + wording.Why(err), Bad: true}
		}
		return screen.Then(func() tea.Cmd {
			opened := a.openHistory()
			return tea.Batch(opened, a.history.ShowVersion(v.Memory, v.Path, v.Number))
		})
	}
}

// toggleHistory opens the history, moves the focus to it, or closes it if it has the focus. On a screen it is of the memory under
// the cursor there.
func (a *App) toggleHistory() tea.Cmd {
	if on, ok := a.front().(interface {
		Memory() (versions.MemoryID, memfs.Path)
	}); ok {
		id, path := on.Memory()
		if id == "" && !path.IsRoot() {
			return a.say(path.String()+" has no history yet", true)
		} else if id != "" {
			return a.showVersions(screen.History{Memory: id, Path: path})
		}
	}
	if a.history != nil && a.frame.Focus() == frame.History {
		a.history = nil
		a.setFocus(a.frame.Before())
		return nil
	}
	opened := a.openHistory()
	return tea.Batch(opened, a.showHistory())
}

// showHistory shows the versions of the open memory, or all changes if none is open.
func (a *App) showHistory() tea.Cmd {
	if a.history == nil {
		return nil
	}
	if p := a.memory.Path(); !p.IsRoot() && a.tree.Data() != nil {
		switch e := a.tree.Data().Entry(p); {
		case e == nil:
		case e.Memory != "":
			return a.history.ShowMemory(e.Memory, p)
		default:
			return a.history.ShowUnversioned(p, tree.NotVersioned(e))
		}
	}
	if a.memory.Path().IsRoot() || a.memory.ShowsFolder() {
		return a.history.ShowChange(a.live.Last().Number)
	}
	return nil
}
