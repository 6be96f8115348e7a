package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/screen"
)

// turns are the frames of the spinner.
var turns = []string{"|", "/", "-", "\\"}

// workSegments returns the parts of the status line that show the current work.
func workSegments(th *theme.Theme, still bool, w jobs.Status) []frame.Segment {
	sign := turns[w.Turn%len(turns)] + " "
	if still {
		sign = ""
	}
	cancelling, cancels := "cancelling ", "Esc cancels"
	if w.Keeps || w.Progress.Of != "" { // what was done is kept
		cancelling, cancels = "stopping ", "Esc stops"
	}
	if w.Stopping {
		return []frame.Segment{{Text: sign + cancelling + w.Doing + "…", Style: th.StatusWarn}}
	}
	if w.Progress.Of != "" { // it comes first, because there may be no room for the rest
		sign += w.Progress.String() + " · "
	}
	return []frame.Segment{{Text: sign + w.Doing + "…", Style: th.StatusStrong}, {Text: cancels, Style: th.Status, Near: true}}
}

// progress returns the state of the terminal's progress bar: the progress of the screen in
// front, or that something is running; nil if the terminal is not known to have a progress
// bar.
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
