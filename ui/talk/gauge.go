package talk

import (
	"strconv"
	"strings"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// Short formats a count of tokens in at most five columns: 812, 31.2k, 200k, 1.2M.
func Short(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 99_950:
		return trimmed(float64(n)/1000) + "k"
	case n < 999_500:
		return strconv.FormatInt((n+500)/1000, 10) + "k"
	}
	return trimmed(float64(n)/1e6) + "M"
}

// gauge holds the figures of the context: the size of the last prompt, and the limits at which
// tool results are cleared and the conversation is compacted.
type gauge struct {
	prompt, trigger, threshold, window int64
	estimated                          bool
}

func gaugeOf(s *agent.State) gauge {
	g := gauge{prompt: s.Prompt, trigger: s.Trigger(), threshold: s.Threshold(), window: s.Window}
	if s.Estimated > 0 {
		g.prompt, g.estimated = s.Estimated, true
	}
	return g
}

// full returns the number of tokens of the whole bar.
func (g gauge) full() int64 {
	if g.window > 0 {
		return g.window
	}
	most := max(g.trigger, g.threshold)
	return max(most+most/5, g.prompt, 1)
}

// cells are the cells of a bar: full, empty, and its ends. Limits are marked with letters,
// which are readable without colour.
type cells struct{ full, empty, open, close string }

var (
	drawnCells = cells{"█", "░", "▕", "▏"}
	asciiCells = cells{"#", ".", "[", "]"}
)

// append draws the bar in w columns.
func (g gauge) append(p *draw.Row, w int, ascii bool, th *theme.Theme) {
	c := drawnCells
	if ascii {
		c = asciiCells
	}
	in := w - 2
	if in < 4 {
		return
	}
	cell := func(n int64) int { return int(min(max(n*int64(in)/g.full(), 0), int64(in-1))) }
	filled := 0
	if g.prompt > 0 {
		filled = cell(g.prompt-1) + 1
	}
	trigger, threshold := -1, -1
	if g.trigger > 0 && g.trigger <= g.full() {
		trigger = cell(g.trigger)
	}
	if g.threshold > 0 && g.threshold <= g.full() {
		threshold = cell(g.threshold)
	}
	if trigger == threshold && trigger >= 0 { // show both
		threshold++
		if threshold >= in {
			trigger, threshold = trigger-1, threshold-1
		}
	}
	p.Put(c.open, th.Border)
	for i := range in {
		s, st := c.empty, th.Dim
		if i < filled {
			s, st = c.full, th.Gauge
		}
		switch i {
		case trigger:
			s, st = "t", th.Warn
		case threshold:
			s, st = "c", th.Warn
		}
		p.Put(s, st)
	}
	p.Put(c.close, th.Border)
}

// numbers returns the size of the prompt and of the context window.
func (g gauge) numbers() string {
	s := Short(g.prompt)
	if g.estimated {
		s = "≈" + s
	}
	if g.window > 0 {
		s += "/" + Short(g.window)
	}
	return s
}

// marks explains the letters of the bar.
func (g gauge) marks() string {
	s := ""
	if g.trigger > 0 {
		s += " t clears at " + Short(g.trigger)
	}
	if g.threshold > 0 {
		s += " c compacts at " + Short(g.threshold)
	}
	return s
}

// usage returns the cost of the session in tokens.
func usage(u agent.Usage) string {
	s := "in " + Short(u.Input)
	if u.CacheRead+u.CacheCreation > 0 {
		s += " · cache " + Short(u.CacheRead) + " read " + Short(u.CacheCreation) + " written"
	}
	return s + " · out " + Short(u.Output)
}

// appendStatus draws the row above the prompt: the phase, the gauge and the cost, as far as
// there is room.
func (v *View) appendStatus(dst []byte, w int) []byte {
	th := v.env.Theme
	p := draw.NewRow(dst, w)
	sign, words, st := v.phase()
	p.Put(sign+" ", st)
	g := gaugeOf(&v.state)
	numbers := g.numbers()
	withGauge := v.state.Requests > 0 || g.prompt > 0
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
			g.append(&p, bar, v.ascii(), th)
			p.Space(1)
		}
		p.Put(numbers, th.Text)
		if v.figures() {
			return p.End()
		}
		marks := g.marks()
		if n := text.Width(marks); n > 0 && p.Used+n+1 <= w {
			p.Put(marks, th.Dim)
		}
		if s := " · " + usage(v.state.Total); p.Used+text.Width(s) <= w {
			p.Put(s, th.Dim)
		}
	}
	return p.End()
}

// figures reports whether the cost of the session has its own row: only if there is room for
// it, and if it is not beside the gauge.
func (v *View) figures() bool { return v.h >= 18 && v.w < 140 && v.state.Requests > 0 }

// appendFigures draws the row of the session's cost.
func (v *View) appendFigures(dst []byte, w int) []byte {
	p := draw.NewRow(dst, w)
	p.Put("  "+usage(v.state.Total), v.env.Theme.Dim)
	g := gaugeOf(&v.state)
	if s := " ·" + g.marks(); p.Used+text.Width(s) <= w {
		p.Put(s, v.env.Theme.Dim)
	}
	return p.End()
}

// phase returns what the session does.
func (v *View) phase() (sign, words string, st theme.Style) {
	th, s := v.env.Theme, &v.state
	switch {
	case s.Phase == agent.PhaseEnded:
	case v.c.Record:
		return "·", "as far as it is recorded", th.Dim
	case v.c.Elsewhere:
		return "»", "runs in another program", th.Progress
	}
	stops := ""
	if k := v.stopKey(); k != "" && v.focused && v.c.Session != nil {
		stops = " · " + k + " stops"
	}
	switch s.Phase {
	case agent.PhaseWaiting:
		what := "waiting for the model"
		if v.w < 56 {
			what = "waiting"
		}
		return v.spinner(), what + v.since() + stops, th.Progress
	case agent.PhaseThinking:
		return v.spinner(), "thinking" + v.since() + stops, th.Progress
	case agent.PhaseWriting:
		return v.spinner(), "writing" + v.since() + stops, th.Progress
	case agent.PhaseCalling:
		return v.spinner(), "at the memory" + v.since() + stops, th.Progress
	case agent.PhaseCompacting:
		return v.spinner(), "compacting" + v.since() + stops, th.Warn
	case agent.PhaseRetrying:
		return v.spinner(), "again in " + strconv.FormatInt(left(v.clock(), s.Retry.At), 10) + " s" + stops, th.Warn
	case agent.PhaseEnded:
		return "-", "ended" + v.failure(), th.Dim
	case agent.PhaseInterrupted:
		return "!", "interrupted: its program ended", th.Warn
	}
	if v.c.Session == nil {
		return "-", "kept", th.Dim
	}
	if Failed(s) {
		return "!", "failed", th.Error
	}
	return "o", "your turn", th.Good
}

func (v *View) failure() string {
	if Failed(&v.state) {
		return ": " + v.state.Failure.Type
	}
	return ""
}

// Failed reports whether the last run of a session failed; being stopped is not a failure.
func Failed(s *agent.State) bool { return s.Failure != nil && s.Failure.Type != "cancelled" }

// since returns how long the current turn has been running.
func (v *View) since() string {
	if v.sent.IsZero() {
		return ""
	}
	d := v.clock().Sub(v.sent)
	if d < 1e9 {
		return ""
	}
	return " " + strconv.FormatInt(int64(d/1e9), 10) + " s"
}

// trimmed formats a number with one decimal, or none if that is 0.
func trimmed(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}
