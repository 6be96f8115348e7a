package talk

import (
	"strconv"
	"strings"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
)

// short formats a count of tokens in at most five columns: 812, 31.2k, 200k, 1.2M.
func short(n int64) string {
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

// append draws the bar in w columns.
func (g gauge) append(p *draw.Row, w int, ascii bool, th *theme.Theme) {
	c := cells{"█", "░", "▕", "▏"}
	if ascii {
		c = cells{"#", ".", "[", "]"}
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
	s := short(g.prompt)
	if g.estimated {
		s = "≈" + s
	}
	if g.window > 0 {
		s += "/" + short(g.window)
	}
	return s
}

// marks explains the letters of the bar.
func (g gauge) marks() string {
	s := ""
	if g.trigger > 0 {
		s += " t clears at " + short(g.trigger)
	}
	if g.threshold > 0 {
		s += " c compacts at " + short(g.threshold)
	}
	return s
}

// usage returns the cost of the session in tokens.
func usage(u agent.Usage) string {
	s := "in " + short(u.Input)
	if u.CacheRead+u.CacheCreation > 0 {
		s += " · cache " + short(u.CacheRead) + " read " + short(u.CacheCreation) + " written"
	}
	return s + " · out " + short(u.Output)
}

// trimmed formats a number with one decimal, or none if that is 0.
func trimmed(f float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(f, 'f', 1, 64), ".0")
}
