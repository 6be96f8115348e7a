package history

import "github.com/memend/memend/versions"

// layOut computes the rows of a list from its items. The rows of the items before from are up to
// date.
func (p *Pane) layOut(l *list, from int) {
	if l == &p.of {
		l.rows = l.rows[:from]
		for i := from; i < len(l.items); i++ {
			l.rows = append(l.rows, row{kind: versionRow, at: i, to: i + 1})
		}
		return
	}
	if from > 0 { // the last run may continue
		from--
		for from > 0 && together(l.items[from-1], l.items[from]) {
			from--
		}
	}
	n := len(l.rows)
	for n > 0 && l.rows[n-1].at >= from {
		n--
	}
	l.rows = l.rows[:n]
	for i := from; i < len(l.items); {
		j := i + 1
		for j < len(l.items) && together(l.items[j-1], l.items[j]) {
			j++
		}
		p.layOutRun(l, i, j)
		i = j
	}
}

// together reports whether two consecutive changes belong below one heading.
func together(a, b item) bool {
	return sameAct(a, b) || a.change.Session != "" && a.change.Session == b.change.Session && a.change.Actor == b.change.Actor
}

// sameAct reports whether two changes belong to the same bulk edit and have the same state:
// both in effect, or undone together.
func sameAct(a, b item) bool {
	return a.act != nil && b.act != nil && a.act.First() == b.act.First() && a.change.UndoneBy == b.change.UndoneBy
}

// join assigns changes to their bulk edits and computes the rows again if that changes them.
func (p *Pane) join(l *list, acts map[int64]*versions.Bulk) {
	more := false
	for i := range l.items {
		if act := acts[l.items[i].number()]; act != nil {
			more = more || l.items[i].act == nil
			l.items[i].act = act
		}
	}
	if more {
		p.layOutAgain(l)
	}
}

// layOutRun computes the rows of consecutive items of one session, or of one bulk edit.
func (p *Pane) layOutRun(l *list, from, to int) {
	acts := 0 // bulk edits that begin in the run
	for i := from; i < to; i++ {
		if i == from || !sameAct(l.items[i-1], l.items[i]) {
			acts++
		}
	}
	grouped := acts > 1
	if grouped {
		l.rows = append(l.rows, row{kind: headRow, at: from, to: to})
		if p.folded[l.items[from].change.Session] {
			return
		}
	}
	for i := from; i < to; {
		j := i + 1
		for j < to && sameAct(l.items[j-1], l.items[j]) {
			j++
		}
		p.layOutAct(l, i, j, grouped)
		i = j
	}
}

// layOutAct computes the rows of one change, or of the changes of a bulk edit, which are listed
// only if the user has unfolded it.
func (p *Pane) layOutAct(l *list, from, to int, grouped bool) {
	if to-from > 1 {
		l.rows = append(l.rows, row{kind: actRow, at: from, to: to, grouped: grouped})
		if !p.listed[l.items[from].act.First()] {
			return
		}
		grouped = true
	}
	for i := from; i < to; i++ {
		c := l.items[i].change
		l.rows = append(l.rows, row{kind: changeRow, at: i, to: i + 1, grouped: grouped})
		if !p.open[c.Number] {
			continue
		}
		list := p.details[c.Number]
		for k := range list {
			l.rows = append(l.rows, row{kind: innerRow, at: i, to: i + 1, version: &list[k], grouped: grouped})
		}
	}
}

// foldAct folds or unfolds a bulk edit.
func (p *Pane) foldAct(b *versions.Bulk) {
	if p.listed[b.First()] {
		delete(p.listed, b.First())
	} else {
		p.listed[b.First()] = true
	}
	p.layOutAgain(&p.all)
}

// layOutAgain computes all rows again and keeps the cursor in its place.
func (p *Pane) layOutAgain(l *list) { l.keep(p.Page(), func() { p.layOut(l, 0) }) }

// foldSession folds or unfolds the changes of a session.
func (p *Pane) foldSession(s versions.SessionID) {
	if p.folded[s] {
		delete(p.folded, s)
	} else {
		p.folded[s] = true
	}
	p.layOutAgain(&p.all)
}

// foldAll folds or unfolds every loaded session. Folding includes bulk edits, unfolding does
// not: each stays one row until the user unfolds it.
func (p *Pane) foldAll(fold bool) {
	clear(p.folded)
	if fold {
		clear(p.listed)
	}
	for _, r := range p.all.rows {
		if fold && r.kind == headRow {
			p.folded[p.all.items[r.at].change.Session] = true
		}
	}
	p.layOutAgain(&p.all)
}
