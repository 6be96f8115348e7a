package timeline

import (
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
)

func timelineKeys(own keys.Bindings) *keys.Map[*Pane] {
	shown := func(p *Pane) string {
		if p.at < 0 {
			return "the changes are being read"
		}
		return ""
	}
	change := func(p *Pane) string {
		if p.at <= 0 {
			return "this is before the first change"
		}
		return ""
	}
	undoable := func(p *Pane) string {
		if p.words.Effect.Found > 0 && p.at > 0 {
			return "it was there when the history began"
		}
		return change(p)
	}
	known := func(p *Pane) string {
		if p.err != nil {
			return "the store of then is not known"
		}
		return shown(p)
	}
	selected := func(p *Pane) string {
		if p.sel.IsRoot() || p.tree.Data() == nil {
			return "no memory is selected"
		}
		return ""
	}
	differs := func(p *Pane) string {
		if why := selected(p); why != "" {
			return why
		}
		if _, ok := p.diffOf(p.sel); !ok {
			return "this change did nothing here: " + p.keys.Hint("next-here") + " goes to what it changed"
		}
		return ""
	}
	ofSession := func(p *Pane) string {
		if s, ok := p.marks.session(p.at); !ok || s.id == "" {
			return "this change belongs to no session"
		}
		return ""
	}
	to := func(id, name string, hide bool, f func(*Pane, int) int64, seqs ...string) keys.Action[*Pane] {
		return keys.Action[*Pane]{ID: id, Name: name, Keys: seqs, Hide: hide, Do: func(p *Pane, n int) tea.Cmd {
			return p.move(func(p *Pane) int64 { return f(p, max(n, 1)) })
		}}
	}
	turns := func(d int) func(*Pane, int) int64 {
		return func(p *Pane, n int) int64 {
			at := p.want
			for range min(n, len(p.marks.sessions)+1) {
				at = min(max(p.marks.turn(at, d), 0), p.marks.last())
			}
			return at
		}
	}
	ask := func(f func(*Pane) screen.Request) func(*Pane, int) tea.Cmd {
		return func(p *Pane, _ int) tea.Cmd { return p.env.Do(f(p)) }
	}
	return keys.New("timeline", own, []keys.Action[*Pane]{
		to("earlier", "earlier", false, func(p *Pane, n int) int64 { return p.marks.step(p.want, -int64(n)) }, "left", "h"),
		to("later", "later", false, func(p *Pane, n int) int64 { return p.marks.step(p.want, int64(n)) }, "right", "l"),
		{ID: "change.restore", Writes: true, Name: "restore as of here…", Short: "restore", Why: known, Do: (*Pane).restore},
		keys.Action[*Pane]{ID: "text", Name: "text, or what changed", Short: "diff", Keys: []string{"d"}, Why: differs, Do: (*Pane).toggleText}.While((*Pane).showsDiff, "text"),
		{ID: "screen.back", Name: "back to now", Short: "back", Do: (*Pane).back},
		to("list.previous", "session before", false, turns(-1)),
		to("list.next", "session after", false, turns(1)),
		{ID: "go-to", Name: "go to a change or a time", Short: "go to", Keys: []string{":"}, Why: shown, Do: (*Pane).askGoTo},
		{ID: "next-here", Name: "next that changed here", Short: "what changed", Keys: []string{"n"}, Why: change, Do: func(p *Pane, n int) tea.Cmd { return p.step(max(n, 1)) }},
		{ID: "previous-here", Name: "previous that changed here", Keys: []string{"N"}, Why: change, Do: func(p *Pane, n int) tea.Cmd { return p.step(-max(n, 1)) }},
		keys.Action[*Pane]{ID: "list.follow", Name: "follow what changes, or stay", Short: "follow", Why: shown, Do: (*Pane).toggleFollow}.While(func(p *Pane) bool { return p.follows }, "stay"),
		{ID: "earlier-of-memory", Name: "earlier change of this memory", Keys: []string{"{"}, Why: selected, Do: func(p *Pane, _ int) tea.Cmd { return p.ofMemory(-1) }},
		{ID: "later-of-memory", Name: "later change of this memory", Keys: []string{"}"}, Why: selected, Do: func(p *Pane, _ int) tea.Cmd { return p.ofMemory(1) }},
		{ID: "change.undo", Writes: true, Name: "undo this change", Short: "undo it", Why: undoable, Do: ask(func(p *Pane) screen.Request { return screen.Undo{Change: p.at} })},
		{ID: "change.undo-session", Writes: true, Short: "undo session", Why: ofSession, Do: ask(func(p *Pane) screen.Request {
			s, _ := p.marks.session(p.at)
			return screen.UndoSession{Session: s.id}
		})},
		to("move.top", "before the first", true, func(*Pane, int) int64 { return 0 }),
		to("move.bottom", "the newest", true, func(p *Pane, _ int) int64 { return p.marks.last() }),
		{ID: "view", Name: "to the text and back", Short: "text", Keys: []string{"tab"}, Do: func(p *Pane, _ int) tea.Cmd { p.Focus(!p.InDetail); return nil }},
		{ID: "list.open", Name: "unfold, or to the text", Do: (*Pane).enter, Hide: true},
		{ID: "change.open", Name: "open it as it is now", Short: "open", Why: selected, Do: func(p *Pane, _ int) tea.Cmd {
			return p.env.Do(screen.Open{Path: p.sel})
		}},
	})
}

// Keys lists the actions with their keys.
func Keys(own keys.Bindings) []keys.Entry { return timelineKeys(own).All() }

// timeMoves are the actions of the timeline that take precedence in the text and the diff.
var timeMoves = []string{"timeline.earlier", "timeline.later"}

// treeMoves are the actions of the tree that work here: none of them sends a request.
var treeMoves = []string{"move.down", "move.up", "move.page-down", "move.page-up", "list.fold-all", "list.unfold-all"}

// Press handles a sequence of keys. Keys that only move within the focused part take
// precedence.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	defer p.Resize()
	if p.InDetail && !keys.Bound(p.keys.Entries(p), timeMoves, seq) {
		if cmd, r := p.shown().Press(seq, n); r != keys.None {
			return cmd, r
		}
	}
	if cmd, r := p.keys.Press(p, seq, n); r != keys.None {
		return cmd, r
	}
	if keys.Bound(p.tree.Entries(), treeMoves, seq) {
		cmd, r := p.tree.Press(seq, n)
		return tea.Batch(cmd, p.Moved()), r
	}
	return nil, keys.None
}

// Entries returns the actions that are available now.
func (p *Pane) Entries() []keys.Entry { return p.keys.Entries(p) }

// Moved selects the memory under the tree's cursor.
func (p *Pane) Moved() tea.Cmd {
	here := p.tree.Here()
	if here == p.sel || p.tree.Data() == nil || p.tree.Data().Entry(here) == nil {
		return nil
	}
	p.sel, p.follows = here, false
	return p.show()
}

// toggleFollow sets whether each move selects what the change modified, or keeps the selected
// memory.
func (p *Pane) toggleFollow(int) tea.Cmd {
	p.follows = !p.follows
	if p.follows && !p.touched(p.sel) {
		p.selectFirst()
	}
	return p.show()
}

// restore asks what to restore: the folder or the memory under the tree's cursor, a memory that
// the change deleted, or everything.
func (p *Pane) restore(int) tea.Cmd {
	path := p.tree.Here()
	if d, ok := p.diffOf(p.sel); ok && d.Kind == versions.TreeDeleted || path.IsRoot() {
		path = p.sel
	}
	data := p.tree.Data()
	isFolder := false
	if data != nil {
		_, isFolder = data.Count(path)
	}
	at := p.moment()
	at.Time = at.Time.In(p.now.Location())
	return p.env.Do(screen.AskRestore{At: at, Path: path, Folder: isFolder})
}

func (p *Pane) moment() versions.Moment {
	m := versions.Moment{Change: p.at}
	if k, ok := p.marks.at(p.at); ok {
		m.Time = time.UnixMicro(k.micros)
	}
	return m
}

// step selects another memory that the change modified.
func (p *Pane) step(d int) tea.Cmd {
	if len(p.modified) == 0 {
		return nil
	}
	i := slices.IndexFunc(p.modified, func(d versions.TreeDiff) bool { return pathOf(d) == p.sel })
	if i < 0 && d > 0 {
		i = -1
	}
	p.choose(p.modified[((i+d)%len(p.modified)+len(p.modified))%len(p.modified)])
	return p.show()
}

// ofMemory moves to the next change of the selected memory.
func (p *Pane) ofMemory(d int) tea.Cmd {
	var id versions.MemoryID
	if e := p.tree.Data().Entry(p.sel); e != nil {
		id = e.Memory
	} else if diff, ok := p.diffOf(p.sel); ok {
		id = diff.Memory()
	}
	if id == "" {
		return p.env.Do(screen.Notice{Text: "no memory is selected", Bad: true})
	}
	return neighbour(p.env.Ctx, p, p.store, id, p.at, d)
}

// enter folds a folder, or moves the focus to the text of a memory.
func (p *Pane) enter(int) tea.Cmd {
	if p.InDetail || !p.tree.ToggleFold() {
		p.Focus(true)
	}
	return nil
}

func (p *Pane) back(int) tea.Cmd {
	if p.InDetail {
		p.Focus(false)
		return nil
	}
	return p.env.Do(screen.Back{})
}

func (p *Pane) askGoTo(int) tea.Cmd {
	return p.env.Do(screen.Prompt{Label: "go to", Example: "412 · 3d · yesterday · 2026-03-01 14:30", Then: func(s string) tea.Cmd {
		n, ok := p.parse(strings.TrimSpace(s))
		if !ok {
			return p.env.Do(screen.Notice{Text: "go to: neither a change nor a time: " + s, Bad: true})
		}
		return p.goTo(n)
	}})
}

// showsDiff reports whether the diff of the selected memory is shown.
func (p *Pane) showsDiff() bool {
	_, ok := p.diffOf(p.sel)
	return ok && !p.plain
}

// toggleText toggles between the text and its diff.
func (p *Pane) toggleText(int) tea.Cmd {
	p.plain = !p.plain
	return p.show()
}

// parse parses the number of a change, a time or an age.
func (p *Pane) parse(s string) (int64, bool) {
	if n, err := strconv.ParseInt(strings.TrimPrefix(s, "#"), 10, 64); err == nil {
		return n, true
	}
	if _, to, ok := units.Span(s, p.now.In(time.Local)); ok { // a date means the end of that day
		return p.marks.when(to), true
	}
	return 0, false
}
