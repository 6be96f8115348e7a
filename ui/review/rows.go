package review

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
)

// The most held changes that are listed, and the most versions that were made.
const (
	maxHeld       = 500
	maxUnreviewed = 2000
)

// reading is what was read from the store.
type reading struct {
	held    []versions.Held // that wait, oldest first
	waiting int             // how many there are
	plans   map[int64]*plan.Plan
	made    []versions.Version // by others, newest first
	bulks   []versions.Bulk
	lost    map[int64]bool // changes of mass deletions
	pins    []versions.Pin
}

// row is a heading, a held change, or what a session or a program changed.
type row struct {
	heading string
	held    *versions.Held
	plan    *plan.Plan // of the held change; nil if it can't be planned
	act     *act
}

// act is what one session, or one bulk edit of a program, did and nobody reviewed.
type act struct {
	actor    versions.Actor
	inferred bool
	session  versions.SessionID
	inputs   versions.Inputs
	newest   versions.Version
	from     time.Time
	changes  []int64       // newest first
	loss     bool          // a mass deletion is among them
	pinned   *versions.Pin // of a memory that it wrote all the same
	memories []written
}

// written is a memory that an act wrote: the first and the last version of it.
type written struct{ first, last versions.Version }

// deleted returns how many memories the act deleted.
func (a *act) deleted() (n int) {
	for _, m := range a.memories {
		if m.last.Operation == versions.Deleted {
			n++
		}
	}
	return n
}

// unclaimed reports whether no session and no agent claims the act.
func (a *act) unclaimed() bool { return a.actor.Kind == versions.Outside && a.session == "" }

// key identifies a row while it is listed.
func (r *row) key() string {
	switch {
	case r.held != nil:
		return "held " + strconv.FormatInt(r.held.Number, 10)
	case r.act != nil && r.act.session != "":
		return "session " + string(r.act.session)
	case r.act != nil:
		return "change " + strconv.FormatInt(r.act.changes[len(r.act.changes)-1], 10)
	}
	return ""
}

// name names a held change by its number.
func (r *row) name() string {
	return "#" + strconv.FormatInt(r.held.Number, 10)
}

// load reads the queue; during a reading, it is read again afterwards.
func (p *Pane) load() tea.Cmd {
	if p.loads.After(p.load) {
		return nil
	}
	store, me := p.cfg.Store, p.cfg.By.Actor
	return p.loads.Begin(p.env.Ctx, func(ctx context.Context) (reading, error) { return read(ctx, store, me) },
		func(r reading, err error) tea.Cmd {
			p.loaded, p.err = true, err
			if err != nil {
				return nil
			}
			return p.show(r)
		})
}

func read(ctx context.Context, store Store, me versions.Actor) (r reading, err error) {
	if r.held, err = store.Held(ctx, versions.HeldFilter{State: versions.HeldWaiting}); err != nil {
		return r, err
	}
	r.waiting = len(r.held)
	r.held = r.held[max(0, len(r.held)-maxHeld):]
	numbers := make([]int64, len(r.held))
	for i, h := range r.held {
		numbers[i] = h.Number
	}
	if r.plans, err = store.PlansHeld(ctx, numbers...); err != nil {
		return r, err
	}
	if r.made, err = store.Unreviewed(ctx, me, maxUnreviewed); err != nil || len(r.made) == 0 {
		return r, err
	}
	moment := func(v versions.Version) versions.Change { return versions.Change{Number: v.Change, Time: v.Time} }
	oldest := moment(r.made[len(r.made)-1])
	if r.bulks, err = store.Acts(ctx, oldest, moment(r.made[0])); err != nil {
		return r, err
	}
	if r.pins, err = store.Pins(ctx); err != nil {
		return r, err
	}
	all, err := store.Bulks(ctx, oldest.Time)
	r.lost = map[int64]bool{}
	for _, b := range all {
		for _, n := range b.Changes {
			r.lost[n] = b.Loss
		}
	}
	return r, err
}

// show lists a reading. The cursor stays at its row, or at the one that follows it.
func (p *Pane) show(r reading) tea.Cmd {
	was, old := p.current(), p.rows
	p.read = r
	acts := actsOf(p.unreviewed(r.made), r.bulks, r.lost)
	for _, a := range acts {
		a.pinned = pinOf(a, r.pins)
	}
	p.rows = p.rowsOf(r, acts)
	p.cols, p.who = 0, 0
	for i := range p.rows {
		p.measure(&p.rows[i])
	}
	for key := range p.chosen {
		if p.find(key) < 0 {
			delete(p.chosen, key)
		}
	}
	if !p.notified {
		p.warnOfChanged(was)
	}
	p.notified = false
	switch {
	case was != nil:
		p.Cur = p.after(old, was)
	case p.cfg.Number != 0:
		p.Cur = max(p.find("held "+strconv.FormatInt(p.cfg.Number, 10)), 0)
	default:
		p.Cur = 0
	}
	if now := p.current(); was == nil || now == nil || now.key() != was.key() {
		p.memory = 0
	}
	p.Step(0)
	return p.compare()
}

// unreviewed leaves out what the person has reviewed meanwhile, and what was reverted.
func (p *Pane) unreviewed(made []versions.Version) (out []versions.Version) {
	state := p.cfg.Tree.ReviewState()
	all := map[versions.MemoryID]bool{}
	for _, v := range made {
		all[v.Memory] = true
	}
	changed := p.cfg.Tree.ToReview(all)
	for _, v := range made {
		if changed[v.Memory] && state.IsUnreviewed(v.Memory, v.Change) {
			out = append(out, v)
		}
	}
	return out
}

// actsOf groups versions, newest first, by session, by bulk edit, or else by change.
func actsOf(made []versions.Version, bulks []versions.Bulk, lost map[int64]bool) (out []*act) {
	of := map[string]*act{}
	bulkOf := map[int64]int64{}
	for _, b := range bulks {
		for _, n := range b.Changes {
			bulkOf[n] = b.First()
		}
	}
	for _, v := range made {
		key := "change " + strconv.FormatInt(v.Change, 10)
		if first, ok := bulkOf[v.Change]; ok {
			key = "bulk " + strconv.FormatInt(first, 10)
		}
		if v.Session != "" {
			key = "session " + string(v.Session)
		}
		a := of[key]
		if a == nil {
			a = &act{actor: v.Actor, inferred: v.Inferred, session: v.Session, newest: v}
			of[key] = a
			out = append(out, a)
		}
		a.add(v)
		a.loss = a.loss || lost[v.Change]
	}
	return out
}

// pinOf returns a pin of a memory that an act wrote; nil if there is none.
func pinOf(a *act, pins []versions.Pin) *versions.Pin {
	for i, pin := range pins {
		if slices.ContainsFunc(a.memories, func(m written) bool { return m.last.Path.In(pin.Path) || m.first.Path.In(pin.Path) }) {
			return &pins[i]
		}
	}
	return nil
}

// add adds an older version to the act.
func (a *act) add(v versions.Version) {
	a.from = v.Time
	a.inputs |= v.Inputs
	if n := len(a.changes); n == 0 || a.changes[n-1] != v.Change {
		a.changes = append(a.changes, v.Change)
	}
	i := slices.IndexFunc(a.memories, func(m written) bool { return m.last.Memory == v.Memory })
	if i < 0 {
		a.memories = append(a.memories, written{v, v})
		return
	}
	a.memories[i].first = v
}

func (p *Pane) rowsOf(r reading, acts []*act) (rows []row) {
	if listed, all := len(r.held), r.waiting; all > 0 {
		heading := fmt.Sprintf("wants to change · %d", all)
		if all > listed {
			heading = fmt.Sprintf("wants to change · the newest %d of %d", listed, all)
		}
		rows = append(rows, row{heading: heading})
		for i := range slices.Backward(r.held) { // the newest first, as everywhere: it is what the person was just told of
			rows = append(rows, row{held: &r.held[i], plan: r.plans[r.held[i].Number]})
		}
	}
	if len(acts) > 0 {
		memories := map[versions.MemoryID]bool{}
		for _, a := range acts {
			for _, m := range a.memories {
				memories[m.last.Memory] = true
			}
		}
		rows = append(rows, row{heading: "has changed " + draw.Plural(len(memories), "memory", "memories")})
		for _, a := range acts {
			rows = append(rows, row{act: a})
		}
	}
	return rows
}

// find returns the index of a row, or -1.
func (p *Pane) find(key string) int {
	return slices.IndexFunc(p.rows, func(r row) bool { return r.key() == key })
}

// after returns the index of a row that was listed, or else of the one that followed it.
func (p *Pane) after(old []row, was *row) int {
	from := slices.IndexFunc(old, func(r row) bool { return r.key() == was.key() })
	for _, r := range old[max(from, 0):] {
		if i := p.find(r.key()); i >= 0 && r.heading == "" {
			return i
		}
	}
	for i := from; i >= 0; i-- {
		if at := p.find(old[i].key()); at >= 0 && old[i].heading == "" {
			return at
		}
	}
	return 0
}

// warnOfChanged says so if the plan of the row that was shown differs now.
func (p *Pane) warnOfChanged(was *row) {
	if was == nil || was.held == nil || was.plan == nil {
		return
	}
	i := p.find(was.key())
	if i < 0 || p.rows[i].plan == nil || samePlan(was.plan, p.rows[i].plan) {
		return
	}
	p.env.Do(screen.Notice{Text: fmt.Sprintf("%s changed meanwhile: %s is shown again", was.held.Path, was.name()), Bad: true})
}

func samePlan(a, b *plan.Plan) bool {
	return slices.EqualFunc(itemsOf(a), itemsOf(b), func(a, b versions.PlanItem) bool {
		return a.Memory == b.Memory && a.Now.Path == b.Now.Path && a.Now.SHA256 == b.Now.SHA256 && a.Then.Path == b.Then.Path && a.Then.SHA256 == b.Then.SHA256 && a.Clash == b.Clash
	})
}

// itemsOf lists what a plan does, what needs attention first.
func itemsOf(p *plan.Plan) []versions.PlanItem {
	if p == nil {
		return nil
	}
	return slices.Concat(p.Conflicts, p.Merged, p.Clean, p.Nothing)
}

// lines counts what a plan adds and removes.
func lines(p *plan.Plan) (added, removed int) {
	for _, it := range itemsOf(p) {
		added, removed = added+it.Added, removed+it.Removed
	}
	return added, removed
}

// current returns the row under the cursor, or nil.
func (p *Pane) current() *row {
	if p.Cur < len(p.rows) && p.rows[p.Cur].heading == "" {
		return &p.rows[p.Cur]
	}
	return nil
}

// memories returns how many memories a row is about.
func (r *row) memories() int {
	if r.held != nil {
		return len(itemsOf(r.plan))
	}
	return len(r.act.memories)
}

// path returns the memory of the row that the diff is of, as it is called now.
func (p *Pane) path() memfs.Path {
	switch r := p.current(); {
	case r == nil:
		return memfs.Root
	case r.held == nil:
		return r.act.memories[min(p.memory, len(r.act.memories)-1)].last.Path
	default:
		items := itemsOf(r.plan)
		if p.memory < len(items) && items[p.memory].Now.There() {
			return items[p.memory].Now.Path
		}
		return r.held.Path
	}
}
