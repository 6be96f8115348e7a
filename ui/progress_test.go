package ui

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// sent is work that runs until the test ends it.
type sent struct {
	s      *sim
	ctx    context.Context
	result chan func() (tea.Msg, error)
	over   chan tea.Msg
}

// begin starts slow work.
func (s *sim) begin(w screen.Work) *sent {
	s.t.Helper()
	on := &sent{s: s, result: make(chan func() (tea.Msg, error), 1), over: make(chan tea.Msg, 1)}
	begun := make(chan struct{})
	w.Do = func(ctx context.Context) (tea.Msg, error) {
		on.ctx = ctx
		close(begun)
		return (<-on.result)()
	}
	s.timed = nil
	run := s.app.jobs.Start(w)
	go func() { on.over <- run() }()
	<-begun
	s.t.Cleanup(func() {
		select {
		case on.result <- func() (tea.Msg, error) { return nil, nil }:
		default:
		}
	})
	return on
}

// slow waits until the work counts as slow and is shown.
func (on *sent) slow() { on.s.elapse() }

func (on *sent) report(done, total int) {
	versions.ReportProgress(on.ctx, versions.Progress{Done: done, Total: total, Of: versions.MemoriesSent})
}

func (on *sent) end(msg tea.Msg, err error) {
	on.result <- func() (tea.Msg, error) { return msg, err }
	on.s.send(<-on.over)
}

// sending starts work with progress.
func (s *sim) sending(doing string, done, total int) *sent {
	s.t.Helper()
	on := s.begin(screen.Work{Doing: doing})
	on.report(done, total)
	on.slow()
	return on
}

func TestWork_ShowsItsProgress(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 36}} {
		s := newSim(t, sample(), size[0], size[1])
		s.app.cfg.Progress = true
		w := s.sending("undo session sesn_0123456789", 12, 300)
		s.shows("12 of 300 memories sent", "Esc stops")
		s.hides("·…")
		if bar := s.app.progress(); bar == nil || bar.State != tea.ProgressBarDefault || bar.Value != 4 {
			t.Errorf("the terminal's bar: %+v", bar)
		}
		w.report(150, 300)
		s.elapse()
		s.shows("150 of 300")
		s.keys("esc")
		s.shows("stopping undo session")
	}
}

// While Esc cancels work, no hint may give it another meaning: its usual action is shown with
// another key, and with Esc again after it was pressed.
func TestHints_OmitEscDuringWork(t *testing.T) {
	t.Parallel()
	hints := func(s *sim) string {
		rows := strings.Split(s.screen(), "\n")
		return rows[len(rows)-1]
	}
	for name, c := range map[string]struct {
		play              func(*sim)
		before, meanwhile string
	}{
		"a plan":        {func(s *sim) { s.send(screen.UndoSession{Session: robotOf(s)}) }, "Esc leave", "q leave"},
		"the time line": {func(s *sim) { s.keys("t") }, "Esc back", "q back"},
		"the editor":    {func(s *sim) { s.keys("tab e") }, "Esc close", ""},
	} {
		s := engineSim(t, "x", 800, 30)
		c.play(s)
		if got := hints(s); !strings.Contains(got, c.before) {
			t.Errorf("%s: at first %q", name, got)
		}
		s.sending("undo session x", 1, 5)
		s.shows("Esc stops")
		if got := hints(s); strings.Contains(got, "Esc") || !strings.Contains(got, c.meanwhile) {
			t.Errorf("%s: while Esc stops %q", name, got)
		}
		s.keys("esc")
		if got := hints(s); !strings.Contains(got, c.before) {
			t.Errorf("%s: when it is being stopped %q", name, got)
		}
	}
}

// Without animation, the progress is shown nevertheless.
func TestWork_ShowsItsProgressWithoutAnimation(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 80, 24)
	s.app.cfg.NoAnimation = true
	w := s.sending("move notes", 1, 2)
	w.report(2, 2)
	s.elapse()
	s.shows("2 of 2 memories sent")
	if strings.ContainsAny(ansi.Strip(s.app.View())[strings.LastIndex(ansi.Strip(s.app.View()), "2 of 2")-3:], "\\|") {
		t.Error("it turns")
	}
}

func TestWork_StoppedReportsHowMuchWasDone(t *testing.T) {
	t.Parallel()
	paths := func(n int) []memfs.Path { return make([]memfs.Path, n) }
	for _, c := range []struct {
		err  error
		want string
	}{
		{&versions.PartlyError{Done: paths(12), Left: paths(288), Change: 7, Err: context.Canceled}, "stopped: 12 of 300 memories were done, as change 7"},
		{&versions.PartlyError{Done: paths(1), Left: paths(2), Change: 7, Err: &versions.UpstreamError{Trouble: versions.Unauthorized}}, "1 of 3 memories were done, as change 7; then the service refuses the credentials"},
		{&versions.UpstreamError{Trouble: versions.Offline, Unsure: true, Err: context.Canceled}, "the change may have been made"},
		{context.Canceled, "cancelled: move notes · nothing was changed"},
	} {
		s := newSim(t, sample(), 140, 24)
		w := s.sending("move notes", 1, 2)
		s.keys("esc")
		w.end(screen.Did{What: "move notes", Change: versions.Change{Number: 7}, Err: c.err}, c.err)
		s.shows(c.want)
		if c.want[0] != 'c' {
			s.hides("nothing was changed")
		}
	}
}

func TestWork_ReportsItsPartialResult(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 24)
	w := s.begin(screen.Work{Doing: "mirror team", Keeps: true})
	w.slow()
	s.shows("Esc stops")
	s.keys("esc")
	w.end(screen.Notice{Text: "half of it is here"}, context.Canceled)
	s.shows("half of it is here")
	s.hides("nothing was changed")
}
