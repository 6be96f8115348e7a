package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/screen"
)

// turns are what shows that work goes on, one after the other.
var turns = []string{"|", "/", "-", "\\"}

// workSegments are what the status line says of the work that shows.
func workSegments(th *theme.Theme, still bool, w jobs.Status) []frame.Segment {
	sign := turns[w.Turn%len(turns)] + " "
	if still {
		sign = ""
	}
	cancelling, cancels := "cancelling ", "Esc cancels"
	if w.Keeps || w.Progress.Of != "" { // what was done stays
		cancelling, cancels = "stopping ", "Esc stops"
	}
	if w.Stopping {
		return []frame.Segment{{Text: sign + cancelling + w.Doing + "…", Style: th.StatusWarn}}
	}
	if w.Progress.Of != "" { // it comes first: the rest may have no room
		sign += w.Progress.String() + " · "
	}
	return []frame.Segment{{Text: sign + w.Doing + "…", Style: th.StatusStrong}, {Text: cancels, Style: th.Status, Near: true}}
}

// progress is what the terminal's own bar shows: how far the screen in front is, or
// that something goes on; nil where the terminal is not known to have one.
func (a *App) progress() *tea.ProgressBar {
	if !a.cfg.Progress {
		return nil
	}
	if p, ok := a.front().(screen.Progresser); ok {
		if done, total := p.Progress(); total > 0 {
			return tea.NewProgressBar(tea.ProgressBarDefault, int(min(max(done*100/total, 0), 100)))
		}
	}
	w, ok := a.jobs.Shown()
	switch {
	case !ok:
		return nil
	case w.Progress.Total > 0:
		return tea.NewProgressBar(tea.ProgressBarDefault, min(max(w.Progress.Done*100/w.Progress.Total, 0), 100))
	}
	return tea.NewProgressBar(tea.ProgressBarIndeterminate, 0)
}
