package merge

import (
	"sort"

	"github.com/memend/memend/versions/diff"
)

// marksOf reports whether line i of one side of a diff is changed, and returns its changed
// words.
func marksOf(d *diff.Diff, kind diff.Kind, i int) (changed bool, words []diff.Span) {
	edits := d.Edits()
	side := func(e diff.Edit) (at, n int) { return e.New, e.NewLines }
	if kind == diff.Removed {
		side = func(e diff.Edit) (at, n int) { return e.Old, e.OldLines }
	}
	k := sort.Search(len(edits), func(k int) bool { at, n := side(edits[k]); return at+n > i })
	if k == len(edits) {
		return false, nil
	}
	e := edits[k]
	if at, _ := side(e); i < at {
		return false, nil
	}
	l := diff.Line{Kind: kind}
	if kind == diff.Removed {
		l.Old, l.Text = i+1, d.Row(e.Row()+i-e.Old).Text
	} else {
		l.New, l.Text = i+1, d.Row(e.Row()+e.OldLines+i-e.New).Text
	}
	return true, d.Words(l)
}
