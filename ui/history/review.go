package history

import (
	"context"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// What is new: changes by others that the user has not reviewed.

// viewer is the user and what the user has reviewed; nil means unknown.
type viewer struct {
	me       versions.Actor
	reviewed *versions.ReviewState
}

// begun returns the newest change up to which everything counts as reviewed.
func (v viewer) begun() (upTo int64, ok bool) {
	if v.reviewed == nil {
		return 0, false
	}
	return v.reviewed.Reviewed, true
}

// version reports whether a version is new.
func (v viewer) version(x *versions.Version) bool {
	return v.reviewed != nil && x.Actor != v.me && v.reviewed.IsUnreviewed(x.Memory, x.Change)
}

// change reports whether a part of a change is new; of are its memories. If they are unknown,
// they count as not reviewed.
func (v viewer) change(c *versions.Change, of []versions.MemoryID) bool {
	upTo, ok := v.begun()
	if !ok || c.Actor == v.me || c.Number <= upTo {
		return false
	}
	return of == nil || slices.ContainsFunc(of, func(m versions.MemoryID) bool { return v.reviewed.IsUnreviewed(m, c.Number) })
}

func (v viewer) item(it item) bool {
	if it.version != nil {
		return v.version(it.version)
	}
	return v.change(it.change, it.of)
}

// over reports whether neither an item nor any older one can be new.
func (v viewer) over(it item) bool {
	upTo, ok := v.begun()
	if ok && it.version != nil {
		return !v.reviewed.IsUnreviewed(it.version.Memory, it.version.Change)
	}
	return !ok || it.change.Number <= upTo
}

// loadMemories loads the memories of a change that may be new.
func (v viewer) loadMemories(ctx context.Context, store Store, it *item) {
	if it.change == nil || it.change.Versions > maxFiltered || !v.change(it.change, nil) {
		return
	}
	_, list, err := store.Change(ctx, it.change.Number)
	if err != nil {
		return
	}
	it.of = make([]versions.MemoryID, len(list))
	for i := range list {
		it.of[i] = list[i].Memory
	}
}

func (p *Pane) viewer() viewer { return viewer{p.by.Actor, p.reviewed} }

// SetReviewed sets what was reviewed, to mark the rest as new. Nil means unknown.
func (p *Pane) SetReviewed(l *versions.ReviewState) tea.Cmd {
	was := p.reviewed
	if was != nil && l != nil && was.Reviewed == l.Reviewed && maps.Equal(was.Of, l.Of) {
		return nil
	}
	p.reviewed = l
	if p.query.filtersNew() {
		p.query.reviewed = l
		return p.refilter()
	}
	if _, ok := (viewer{reviewed: was}).begun(); !ok && p.all.begun() { // the memories of the changes were never loaded
		return p.refresh(&p.all, true)
	}
	return nil
}

// onlyNew is the term of a filter that matches only what is new.
const onlyNew = "is:new"

// toggleNew turns the filter for new rows on or off.
func (p *Pane) toggleNew() tea.Cmd {
	words := strings.Fields(p.query.text)
	if p.query.onlyNew {
		words = slices.DeleteFunc(words, func(w string) bool { return strings.EqualFold(w, onlyNew) })
	} else {
		words = append(words, onlyNew)
	}
	return p.setFilter(strings.Join(words, " "))
}

// newSelected returns the new versions among those selected or chosen, and the changes whose
// versions are unknown.
func (p *Pane) newSelected() (known []versions.Version, unknown []int64) {
	who, l := p.viewer(), p.list()
	take := func(c choice, v *versions.Version) {
		switch {
		case v != nil:
			if who.version(v) {
				known = append(known, *v)
			}
		case p.all.details[c.change] == nil:
			if it := p.all.numbered(c.change); it != nil && who.item(*it) { // a part of it may be new
				unknown = append(unknown, c.change)
			}
		default:
			for _, v := range p.all.details[c.change] {
				if who.version(&v) {
					known = append(known, v)
				}
			}
		}
	}
	if p.chosen.several(l) {
		for c, v := range p.chosen.all(l) {
			take(c, v)
		}
	} else if r, ok := l.current(); ok {
		for c, v := range l.choices(r) {
			take(c, v)
		}
	}
	return known, unknown
}

func (p *Pane) newDisabled() string {
	if why := p.rowDisabled(); why != "" {
		return why
	}
	if known, unknown := p.newSelected(); len(known)+len(unknown) == 0 {
		return "it is not new"
	}
	return ""
}

// markReviewed marks the selected or chosen versions as reviewed: each memory up to the newest of its
// versions among them.
func (p *Pane) markReviewed() tea.Cmd {
	known, unknown := p.newSelected()
	if p.chosen.several(p.list()) {
		p.chosen.clear(p.list())
	}
	ctx, store := p.env.Ctx, p.store
	return func() tea.Msg {
		upTo := map[versions.MemoryID]int64{}
		for _, n := range unknown {
			_, list, err := store.Change(ctx, n)
			if err != nil {
				return screen.Notice{Text: "keep: " + err.Error(), Bad: true}
			}
			known = append(known, list...)
		}
		for _, v := range known {
			upTo[v.Memory] = max(upTo[v.Memory], v.Change)
		}
		return screen.MarkReviewed{UpTo: upTo, What: "kept " + draw.Plural(len(upTo), "memory", "memories")}
	}
}
