package merge

import (
	"sort"

	"github.com/memtrail/memtrail/versions"
)

// marksOf finds the edit that line i of one side of a diff is in.
func marksOf(d *versions.Diff, kind versions.LineKind, i int) (changed bool, words []versions.Span) {
	edits := d.Edits()
	side := func(e versions.Edit) (at, n int) { return e.New, e.NewLines }
	if kind == versions.Removed {
		side = func(e versions.Edit) (at, n int) { return e.Old, e.OldLines }
	}
	k := sort.Search(len(edits), func(k int) bool { at, n := side(edits[k]); return at+n > i })
	if k == len(edits) {
		return false, nil
	}
	e := edits[k]
	if at, _ := side(e); i < at {
		return false, nil
	}
	l := versions.Line{Kind: kind}
	if kind == versions.Removed {
		l.Old, l.Text = i+1, d.Row(e.Row()+i-e.Old).Text
	} else {
		l.New, l.Text = i+1, d.Row(e.Row()+e.OldLines+i-e.New).Text
	}
	return true, d.Words(l)
}
