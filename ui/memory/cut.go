package memory

import (
	"strconv"
	"strings"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

const (
	hookRunes = 150 // of a line of an index that links to a memory; a longer one should be shortened
	cutLegend = " agents do not load what is below: "
	cutShort  = " not loaded below: "
)

// indexRules are the rules of the store's tool for an index.
type indexRules struct {
	cut   bool // only its beginning is loaded
	hooks bool // its lines should be short
}

func rulesOf(store versions.StoreInfo, p memfs.Path) indexRules {
	if p.Base() != places.IndexName {
		return indexRules{}
	}
	kind := places.KindOf(store)
	return indexRules{kind.HasIndex(), kind.HasHooks()}
}

// hookEnd returns where a line that links to a memory becomes too long, in bytes, or -1.
func hookEnd(s string) int {
	if !strings.HasPrefix(s, "- [") {
		return -1
	}
	n := 0
	for i := range s {
		if n++; n > hookRunes {
			return i
		}
	}
	return -1
}

// countHooks counts the lines of an index that are too long.
func (d *document) countHooks() {
	d.hooks = 0
	if !d.rules.hooks {
		return
	}
	for _, s := range d.lines {
		if hookEnd(s) >= 0 {
			d.hooks++
		}
	}
}

// longHook marks the part of a line that is beyond the limit for an index.
func (d *document) longHook(spans []text.Span, s string, st theme.Style) []text.Span {
	if !d.rules.hooks {
		return spans
	}
	end := hookEnd(s)
	if end < 0 {
		return spans
	}
	for len(spans) > 0 && spans[len(spans)-1].From >= end {
		spans = spans[:len(spans)-1]
	}
	if n := len(spans); n > 0 {
		spans[n-1].To = min(spans[n-1].To, end)
	}
	return append(spans, text.Span{From: end, To: len(s), On: st.On})
}

// hooksLabel returns the note about too long lines for the title.
func (d *document) hooksLabel() string {
	switch d.hooks {
	case 0:
		return ""
	case 1:
		return "1 line over " + strconv.Itoa(hookRunes)
	}
	return strconv.Itoa(d.hooks) + " lines over " + strconv.Itoa(hookRunes)
}

// findCut finds where a MEMORY.md is cut: at the first line that is not loaded completely.
func (d *document) findCut() {
	d.cut = -1
	if !d.rules.cut {
		return
	}
	end := 1
	if d.crlf {
		end = 2
	}
	d.cut, d.cutBy = places.Cut(d.lines, end, d.partial)
}
