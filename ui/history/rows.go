package history

import "github.com/memend/memend/versions"

// lay makes the rows of a list from its items, those of the items before from
// being right already.
func (p *Pane) lay(l *list, from int) {
	if l == &p.of {
		l.rows = l.rows[:from]
		for i := from; i < len(l.items); i++ {
			l.rows = append(l.rows, row{kind: versionRow, at: i, to: i + 1})
		}
		return
	}
	if from > 0 { // the last run may go on
		from--
		for from > 0 && together(l.items[from-1].change, l.items[from].change) {
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
		for j < len(l.items) && together(l.items[j-1].change, l.items[j].change) {
			j++
		}
		p.layRun(l, i, j)
		i = j
	}
}

// together reports whether two changes, one after the other, belong below one
// heading.
func together(a, b *versions.Change) bool {
	return a.Session != "" && a.Session == b.Session && a.Actor == b.Actor
}

// layRun makes the rows of the items that one session made one after the other.
func (p *Pane) layRun(l *list, from, to int) {
	grouped := to-from > 1
	if grouped {
		l.rows = append(l.rows, row{kind: headRow, at: from, to: to})
		if p.folded[l.items[from].change.Session] {
			return
		}
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

// relay makes all rows anew and keeps the cursor where it is.
func (p *Pane) relay(l *list) { l.keep(p.listHeight(), func() { p.lay(l, 0) }) }

// foldSession folds the changes of a session, or shows them again.
func (p *Pane) foldSession(s versions.SessionID) {
	if p.folded[s] {
		delete(p.folded, s)
	} else {
		p.folded[s] = true
	}
	p.relay(&p.all)
}

// foldAll folds every session that is loaded, or shows all again.
func (p *Pane) foldAll(fold bool) {
	clear(p.folded)
	for _, r := range p.all.rows {
		if fold && r.kind == headRow {
			p.folded[p.all.items[r.at].change.Session] = true
		}
	}
	p.relay(&p.all)
}
