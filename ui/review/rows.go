package review

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	vreview "github.com/memend/memend/versions/review"
)

// The most held changes that are listed, and the most versions that were made.
const (
	maxHeld       = 500
	maxUnreviewed = 2000
)

// reading is what was read from the store.
type reading struct {
	held    []versions.Held // that wait, as vreview.SortHeld puts them
	waiting int             // how many there are
	plans   map[int64]*plan.Plan
	made    []versions.Version // by others, newest first
	facts   map[versions.MemoryID]vreview.Facts
	lost    map[int64]bool // changes of mass deletions
}

// row is a heading, a held change, or a memory that somebody changed.
type row struct {
	heading string
	held    *versions.Held
	plan    *plan.Plan // of the held change; nil if it can't be planned
	act     *act       // that wrote what is to be decided of the memory
	memory  *vreview.Written
	shown   *detail // of a memory that is chosen; nil: the detail
}

// act is what one session did, or somebody without one, and nobody reviewed.
type act struct {
	*vreview.Act
	loss bool // a mass deletion is among it
}

// deleted returns how many memories the act deleted.
func (a *act) deleted() (n int) {
	for _, m := range a.Memories {
		if m.Last().Operation == versions.Deleted {
			n++
		}
	}
	return n
}

// unclaimed reports whether no session and no agent claims the act.
func (a *act) unclaimed() bool { return a.Actor.Kind == versions.Outside && a.Session == "" }

// session returns the session that a row is listed under, or "".
func (r *row) session() versions.SessionID {
	if r.held != nil {
		return r.held.By.Session
	}
	return r.act.Session
}

// key identifies a row while it is listed.
func (r *row) key() string {
	switch {
	case r.held != nil:
		return "held " + strconv.FormatInt(r.held.Number, 10)
	case r.memory != nil:
		return keyOf(r.memory.Last().Memory)
	}
	return ""
}

// keyOf identifies the row of a memory that others changed.
func keyOf(m versions.MemoryID) string { return "memory " + string(m) }

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
	vreview.SortHeld(r.held)
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
	if r.facts, err = store.Weigh(ctx, me, r.made); err != nil {
		return r, err
	}
	all, err := store.Bulks(ctx, r.made[len(r.made)-1].Time)
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
	p.rows = p.rowsOf(r, actsOf(p.unreviewed(r), r.lost, r.facts))
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
	switch at := p.find(p.goTo); {
	case at >= 0 && p.goTo != "":
		p.Cur, p.goTo = at, ""
	case was != nil:
		p.Cur = p.following(old, was)
	case p.cfg.At.Number != 0:
		p.Cur = max(p.find("held "+strconv.FormatInt(p.cfg.At.Number, 10)), 0)
	case p.cfg.At.Memory != "":
		p.begin()
	default:
		p.Cur = 0
	}
	if now := p.current(); was == nil || now == nil || now.key() != was.key() {
		p.memory = 0
	}
	p.Step(0)
	return p.compare()
}

// unreviewed leaves out what the person has decided meanwhile, and what was undone.
func (p *Pane) unreviewed(r reading) (out []versions.Version) {
	state := p.cfg.Tree.ReviewState()
	all := map[versions.MemoryID]bool{}
	for _, v := range r.made {
		all[v.Memory] = true
	}
	changed := p.cfg.Tree.ToReview(all)
	for _, v := range r.made {
		if changed[v.Memory] && !r.facts[v.Memory].Decided && state.IsUnreviewed(v.Memory, v.Change) {
			out = append(out, v)
		}
	}
	return out
}

// actsOf groups versions, newest first, as a review does, the greatest risk first.
func actsOf(made []versions.Version, lost map[int64]bool, of map[versions.MemoryID]vreview.Facts) (out []*act) {
	for _, a := range vreview.Acts(made, of) {
		loss := slices.ContainsFunc(a.Memories, func(m *vreview.Written) bool { return lost[m.Last().Change] })
		out = append(out, &act{a, loss})
	}
	return out
}

func (p *Pane) rowsOf(r reading, acts []*act) (rows []row) {
	if listed, all := len(r.held), r.waiting; all > 0 {
		heading := fmt.Sprintf("wants to change · %d", all)
		if all > listed {
			heading = fmt.Sprintf("wants to change · the newest %d of %d", listed, all)
		}
		rows = append(rows, row{heading: heading})
		for i := range r.held {
			rows = append(rows, row{held: &r.held[i], plan: r.plans[r.held[i].Number]})
		}
	}
	for _, a := range acts {
		rows = append(rows, row{heading: a.heading()})
		for _, m := range a.Memories {
			rows = append(rows, row{act: a, memory: m})
		}
	}
	return rows
}

// find returns the index of a row, or -1.
func (p *Pane) find(key string) int {
	return slices.IndexFunc(p.rows, func(r row) bool { return r.key() == key })
}

// begin goes to the diff of the memory that the queue was opened at.
func (p *Pane) begin() {
	if at := p.find(keyOf(p.cfg.At.Memory)); at >= 0 {
		p.Cur = at
		p.Focus(true)
	}
}

// following returns the index of a row that was listed, or else of the one that followed it.
func (p *Pane) following(old []row, was *row) int {
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
	return 1
}

// Memory returns the memory under the cursor, and where it is; no id if it is only proposed.
func (p *Pane) Memory() (versions.MemoryID, memfs.Path) {
	r := p.current()
	if r == nil {
		return "", memfs.Root
	}
	if r.held == nil {
		return r.memory.Last().Memory, p.path()
	}
	if items := itemsOf(r.plan); p.memory < len(items) && items[p.memory].Now.There() {
		return items[p.memory].Memory, p.path()
	}
	return "", p.path()
}

// path returns the memory of the row that the diff is of, as it is called now.
func (p *Pane) path() memfs.Path {
	switch r := p.current(); {
	case r == nil:
		return memfs.Root
	case r.held == nil:
		return r.memory.Path()
	default:
		items := itemsOf(r.plan)
		if p.memory < len(items) && items[p.memory].Now.There() {
			return items[p.memory].Now.Path
		}
		return r.held.Path
	}
}
