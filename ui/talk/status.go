package talk

import (
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// pulse is what changes while something runs: the time, and the step of the spinner.
type pulse struct {
	now  time.Time
	tick int
}

var spinning = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"}

// spinner returns the spinner of a running operation.
func (p pulse) spinner(th *theme.Theme) string {
	if th.Lines == theme.ASCII {
		return `|/-\`[p.tick%4 : p.tick%4+1]
	}
	return spinning[p.tick%len(spinning)]
}

// status is the row above the field: what the session does, and what that costs.
type status struct {
	pulse
	th    *theme.Theme
	state *agent.State
	where Config
	since time.Time // when the current turn began; zero if there is none
	stops string    // the key that stops it; empty for none
}

// append draws the phase, the gauge and, if so asked, the cost, as far as there is room.
func (s status) append(dst []byte, w int, cost bool) []byte {
	th := s.th
	p := draw.NewRow(dst, w)
	sign, words, st := s.phase(w < 56)
	p.Put(sign+" ", st)
	g := gaugeOf(s.state)
	numbers := g.numbers()
	withGauge := s.state.Requests > 0 || g.prompt > 0
	room := w - p.Used
	if withGauge && room > text.Width(numbers)+10 {
		room -= text.Width(numbers) + 3
	} else {
		withGauge = false
	}
	for i := strings.LastIndex(words, " · "); i >= 0 && text.Width(words) > room; i = strings.LastIndex(words, " · ") {
		words = words[:i] // the hints show the key that stops it
	}
	p.Clip(words, room, st)
	if withGauge {
		bar := 0
		switch rest := w - p.Used - text.Width(numbers) - 4; {
		case rest >= 60:
			bar = 26
		case rest >= 14:
			bar = min(rest-2, 18)
		}
		p.Put("  ", th.Dim)
		if bar > 0 {
			g.append(&p, bar, th.Lines == theme.ASCII, th)
			p.Space(1)
		}
		p.Put(numbers, th.Text)
		if !cost {
			return p.End()
		}
		marks := g.marks()
		if n := text.Width(marks); n > 0 && p.Used+n+1 <= w {
			p.Put(marks, th.Dim)
		}
		if in := " · " + usage(s.state.Total); p.Used+text.Width(in) <= w {
			p.Put(in, th.Dim)
		}
	}
	return p.End()
}

// appendFigures draws the row of the session's cost.
func (s status) appendFigures(dst []byte, w int) []byte {
	p := draw.NewRow(dst, w)
	p.Put("  "+usage(s.state.Total), s.th.Dim)
	if marks := " ·" + gaugeOf(s.state).marks(); p.Used+text.Width(marks) <= w {
		p.Put(marks, s.th.Dim)
	}
	return p.End()
}

// phase returns what the session does, briefly if it must be.
func (s status) phase(brief bool) (sign, words string, st theme.Style) {
	th, where := s.th, s.where
	switch {
	case s.state.Phase == agent.PhaseEnded:
	case where.Record:
		return "·", "as far as it is recorded", th.Dim
	case where.Elsewhere:
		return "»", "runs in another program", th.Progress
	}
	runs := func(what string, st theme.Style) (string, string, theme.Style) {
		if d := s.now.Sub(s.since); !s.since.IsZero() && d >= time.Second {
			what += " " + strconv.FormatInt(int64(d/time.Second), 10) + " s"
		}
		return s.spinner(th), what + s.stops, st
	}
	switch s.state.Phase {
	case agent.PhaseWaiting:
		if brief {
			return runs("waiting", th.Progress)
		}
		return runs("waiting for the model", th.Progress)
	case agent.PhaseThinking:
		return runs("thinking", th.Progress)
	case agent.PhaseWriting:
		return runs("writing", th.Progress)
	case agent.PhaseCalling:
		return runs("at the memory", th.Progress)
	case agent.PhaseCompacting:
		return runs("compacting", th.Warn)
	case agent.PhaseRetrying:
		return s.spinner(th), "again in " + strconv.FormatInt(left(s.now, s.state.Retry.At), 10) + " s" + s.stops, th.Warn
	case agent.PhaseEnded:
		if Failed(s.state) {
			return "-", "ended: " + s.state.Failure.Type, th.Dim
		}
		return "-", "ended", th.Dim
	case agent.PhaseInterrupted:
		return "!", "interrupted: its program ended", th.Warn
	}
	switch {
	case where.Session == nil:
		return "-", "kept", th.Dim
	case Failed(s.state):
		return "!", "failed", th.Error
	}
	return "o", "your turn", th.Good
}

// Failed reports whether the last run of a session failed; being stopped is not a failure.
func Failed(s *agent.State) bool { return s.Failure != nil && s.Failure.Type != "cancelled" }
