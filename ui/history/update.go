package history

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/diffview"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

// Update takes the mouse, whose cells count from the pane's own corner,
// and the answers of its commands.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	defer p.fit()
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		return p.click(msg.Mouse())
	case tea.MouseWheelMsg:
		return p.wheel(msg)
	case versionsMsg:
		if msg.id == p.of.id {
			return p.addPage(&p.of, versionRows(msg.page), msg.err)
		}
	case changesMsg:
		if msg.id == p.all.id {
			return p.addPage(&p.all, changeRows(msg.page), msg.err)
		}
	case newVersionsMsg:
		if msg.id == p.of.id {
			return p.freshVersions(msg)
		}
	case newChangesMsg:
		if msg.id == p.all.id {
			return p.freshChanges(msg)
		}
	case detailMsg:
		if msg.id == p.all.id {
			return p.detail(msg)
		}
	case comparedMsg:
		if msg.id == p.pairID {
			p.title = msg.title
			if p.everyone {
				p.title = msg.path + " " + msg.title
			}
			p.counts[0], p.counts[1] = msg.doc.Counts()
			p.diff.Show(msg.doc)
		}
	}
	return nil
}

func versionRows(page []versions.Version) []row {
	rows := make([]row, len(page))
	for i := range page {
		rows[i].version = &page[i]
	}
	return rows
}

func changeRows(page []versions.Change) []row {
	rows := make([]row, len(page))
	for i := range page {
		rows[i].change = &page[i]
	}
	return rows
}

func (p *Pane) addPage(l *list, rows []row, err error) tea.Cmd {
	l.loading = false
	if l.err = err; err != nil {
		return p.compare()
	}
	l.done = len(rows) < pageSize
	l.rows = append(l.rows, rows...)
	return tea.Batch(p.more(l), p.compare())
}

// freshVersions puts the versions that are new on top. Where they do not reach
// down to what is listed, the list begins anew.
func (p *Pane) freshVersions(msg newVersionsMsg) tea.Cmd {
	newest := 0
	if len(p.of.rows) > 0 {
		newest = p.of.rows[0].version.Number
	}
	n := slices.IndexFunc(msg.page, func(v versions.Version) bool { return v.Number <= newest })
	return p.freshRows(&p.of, versionRows(msg.page), n, msg.err)
}

func (p *Pane) freshChanges(msg newChangesMsg) tea.Cmd {
	newest := p.newest()
	n := slices.IndexFunc(msg.page, func(c versions.Change) bool { return c.Number <= newest })
	if slices.ContainsFunc(msg.page[:max(n, 0)], ofSeveral) {
		n = -1 // as a gap: what is listed is not as it was
	}
	cmd := p.freshRows(&p.all, changeRows(msg.page), n, msg.err)
	for _, c := range slices.Backward(msg.page) {
		if c.Number > newest {
			p.markUndone(c)
		}
	}
	return cmd
}

// freshRows puts the first n of the rows on top of a list; n is -1 when there is
// a gap between them and the list.
func (p *Pane) freshRows(l *list, rows []row, n int, err error) tea.Cmd {
	l.fresh = false
	switch {
	case err != nil:
		l.err = err
	case n >= 0:
		l.err = nil
		l.prepend(rows[:n], p.listHeight())
	default:
		again := l.again
		l.reset()
		l.rows, l.done, l.again = rows, len(rows) < pageSize, again
		if l == &p.all {
			clear(p.open)
		}
	}
	var cmd tea.Cmd
	if l.again {
		l.again = false
		cmd = p.freshen(l)
	}
	return tea.Batch(cmd, p.more(l), p.compare())
}

// detail takes the versions of a change, for which it was asked to show what it
// changed, or to list them.
func (p *Pane) detail(msg detailMsg) tea.Cmd {
	wanted := p.asked == detailQuestion(msg.change)
	switch {
	case msg.err == nil:
		p.details[msg.change] = msg.list
		if p.open[msg.change] {
			p.unfold(msg.change)
		}
		return p.compare()
	case errors.Is(msg.err, context.Canceled) && !wanted:
		return nil
	case wanted:
		p.show("", diffview.Note("Can't be shown: "+msg.err.Error()))
	}
	delete(p.open, msg.change)
	return nil
}

func detailQuestion(change int64) string { return fmt.Sprint("change ", change) }

// show puts something other than the wanted comparison into the diff.
func (p *Pane) show(title string, d *diffview.Document) {
	p.pairID++
	p.title, p.counts = title, [2]int{}
	p.diff.Show(d)
}

// compare shows what the selected row changed, unless that is shown or on its
// way already.
func (p *Pane) compare() tea.Cmd {
	r, ok := p.list().current()
	question, ask := p.question(r, ok)
	if question == p.asked {
		return nil
	}
	p.asked = question
	if p.cancel != nil {
		p.cancel()
		p.cancel = nil
	}
	if ask == nil {
		p.show("", diffview.Note(question))
		return nil
	}
	ctx, cancel := context.WithCancel(p.ctx)
	p.cancel = cancel
	p.pairID++
	return ask(ctx)
}

// question says what is to be shown for a row, and how to find out; nothing is
// to be found out where the question is the answer.
func (p *Pane) question(r row, ok bool) (string, func(context.Context) tea.Cmd) {
	id := p.pairID + 1
	switch l := p.list(); {
	case l.err != nil:
		return "Can't be read: " + l.err.Error(), nil
	case !ok && !l.done:
		return "", nil
	case !ok && p.everyone:
		return "Nothing has changed yet.", nil
	case !ok && p.memory == "":
		return "No memory is open. c shows all changes of the store.", nil
	case !ok:
		return "No versions.", nil
	}
	if r.version == nil {
		list, known := p.details[r.change.Number]
		switch {
		case !known:
			n, listID := r.change.Number, p.all.id
			return detailQuestion(n), func(ctx context.Context) tea.Cmd { return loadDetail(ctx, p.store, listID, n) }
		case len(list) != 1:
			return fmt.Sprint("listing ", r.change.Number), func(context.Context) tea.Cmd {
				p.show(fmt.Sprintf("#%d · %d memories", r.change.Number, len(list)), listing(list))
				return nil
			}
		}
		r.version = &list[0]
	}
	v := *r.version
	if b := p.base; b != nil && b.Memory == v.Memory && b.ID != v.ID {
		b := *b
		return fmt.Sprint(b.ID, " ", v.ID), func(ctx context.Context) tea.Cmd { return compareTwo(ctx, p.store, id, b, v) }
	}
	return string(v.ID), func(ctx context.Context) tea.Cmd { return compareWithPrevious(ctx, p.store, id, v) }
}

// move puts the cursor on another row.
func (p *Pane) move(to int) tea.Cmd {
	l := p.list()
	l.move(to, p.listHeight())
	return tea.Batch(p.more(l), p.compare())
}

func (p *Pane) moveBy(n int) tea.Cmd { return p.move(p.list().cursor + n) }

// selected is the version of the selected row; that of a change with one version.
func (p *Pane) selected() (versions.Version, bool) {
	r, ok := p.list().current()
	switch {
	case !ok:
		return versions.Version{}, false
	case r.version != nil:
		return *r.version, true
	}
	if list := p.details[r.change.Number]; len(list) == 1 {
		return list[0], true
	}
	return versions.Version{}, false
}

// selectedChange is the number of the change that the selected row belongs to.
func (p *Pane) selectedChange() (int64, bool) {
	r, ok := p.list().current()
	switch {
	case !ok:
		return 0, false
	case r.change != nil:
		return r.change.Number, true
	}
	return r.version.Change, true
}

// toggleBase marks the selected version as the one to compare with, or no
// longer does.
func (p *Pane) toggleBase() tea.Cmd {
	v, ok := p.selected()
	if !ok {
		return nil
	}
	if p.base != nil && p.base.ID == v.ID {
		p.base = nil
	} else {
		p.base = &v
	}
	return p.compare()
}

func (p *Pane) toggleEveryone() tea.Cmd {
	p.everyone, p.inDiff = !p.everyone, false
	p.list().reveal(p.listHeight())
	return tea.Batch(p.more(p.list()), p.compare())
}

// enter looks closer: at the diff of a version; in the list of all changes at
// the memory, or at the versions of a change that has several.
func (p *Pane) enter() tea.Cmd {
	r, ok := p.list().current()
	switch {
	case !ok:
		return nil
	case !p.everyone:
		return p.toDiff()
	case r.version == nil && r.change.Versions != 1:
		return p.fold(r.change.Number)
	}
	v, ok := p.selected()
	if !ok {
		return nil // its version is still on its way
	}
	return screen.Ask(screen.Open{Path: v.Path})
}

func (p *Pane) toDiff() tea.Cmd {
	if _, ok := p.list().current(); ok {
		p.inDiff = true
		p.resize()
	}
	return nil
}

// back leaves what is going on, one thing at a time: the diff, the base, the pane.
func (p *Pane) back() tea.Cmd {
	switch {
	case p.inDiff:
		p.inDiff = false
		p.resize()
		return nil
	case p.base != nil:
		p.base = nil
		return p.compare()
	}
	return screen.Ask(screen.Back{})
}

// resize gives the parts their room and shows the cursor, after the keys went
// from one part to the other.
func (p *Pane) resize() {
	p.fit()
	p.list().reveal(p.listHeight())
}

// fit gives the parts their room, which depends on how long the list is.
func (p *Pane) fit() {
	a := p.arrange()
	p.diff.SetSize(a.diff.w, a.diff.h)
	p.list().clamp(a.list.h)
}

// fold lists the versions of a change below it, or hides them again.
func (p *Pane) fold(n int64) tea.Cmd {
	if p.open[n] {
		delete(p.open, n)
		l := &p.all
		l.rows = slices.DeleteFunc(l.rows, func(r row) bool { return r.inner && r.change.Number == n })
		l.move(slices.IndexFunc(l.rows, func(r row) bool { return r.change.Number == n }), p.listHeight())
		return p.compare()
	}
	p.open[n] = true
	if _, known := p.details[n]; known {
		p.unfold(n)
		return nil
	}
	return loadDetail(p.ctx, p.store, p.all.id, n)
}

func (p *Pane) unfold(n int64) {
	l := &p.all
	at := slices.IndexFunc(l.rows, func(r row) bool { return r.change.Number == n })
	if at < 0 || at+1 < len(l.rows) && l.rows[at+1].inner {
		return
	}
	list := p.details[n]
	inner := make([]row, len(list))
	for i := range list {
		inner[i] = row{version: &list[i], change: l.rows[at].change, inner: true}
	}
	l.rows = slices.Insert(l.rows, at+1, inner...)
	if l.cursor > at {
		l.cursor += len(inner)
	}
	l.reveal(p.listHeight())
}

func (p *Pane) restore() tea.Cmd {
	v, ok := p.selected()
	if !ok {
		return nil
	}
	return screen.Ask(screen.Restore{Version: v})
}

func (p *Pane) undo() tea.Cmd {
	n, ok := p.selectedChange()
	if !ok {
		return nil
	}
	return screen.Ask(screen.Undo{Change: n})
}

func (p *Pane) redo() tea.Cmd {
	n, ok := p.selectedChange()
	if !ok {
		return nil
	}
	return screen.Ask(screen.Redo{Change: n})
}

func (p *Pane) click(m tea.Mouse) tea.Cmd {
	if m.Button != tea.MouseLeft {
		return nil
	}
	a := p.arrange()
	switch {
	case a.list.holds(m.X, m.Y):
		p.inDiff = false
		if i := p.list().top + m.Y - a.list.y; i < len(p.list().rows) {
			return p.move(i)
		}
	case a.diff.holds(m.X, m.Y):
		return p.toDiff()
	}
	return nil
}

func (p *Pane) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	const rows = 3
	a := p.arrange()
	if a.diff.holds(msg.X, msg.Y) {
		return p.diff.Update(msg)
	}
	switch msg.Button {
	case tea.MouseWheelUp:
		p.list().scroll(-rows, a.list.h)
	case tea.MouseWheelDown:
		p.list().scroll(rows, a.list.h)
	}
	return p.more(p.list())
}
