package ui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/tree"
)

// help returns a menu of all keys that work in the current context, from the registry that
// also handles them.
func (a *App) help() *dialog.Menu {
	var rows []dialog.Row
	name, av := a.frontName(), a.available()
	rows = appendGroup(rows, name, av.front, true)
	if _, edits := a.front().(*editor.Editor); edits {
		rows = appendSigns(rows, "selection", [][2]string{{"Shift", "with a key that moves the cursor: select what it passes"}})
	}
	if !av.typing {
		rows = appendGroup(rows, "everywhere", av.beside(), true)
	}
	rows = appendSigns(rows, "one verb a key, in every pane", verbSigns(a.cfg.Keys))
	if a.cfg.Mouse {
		rows = appendSigns(rows, "mouse", [][2]string{
			{"Click", "open, again to go there; on a folder, fold it"},
			{"Right click", "in the tree: what can be done"},
			{"Ctrl+Click, Drag", "in the tree: choose one, choose several"},
			{"Wheel", "scroll what is under it"},
			{"Shift+Drag", "select text with the terminal itself"},
		})
	}
	rows = appendSigns(rows, "marks", [][2]string{
		{"●", "changed by others since you reviewed it"},
		{"✓", "chosen: what you do next is done to it"},
		{"z", "stale: neither read nor written for " + days(a.cfg.Stale)},
		{"*", "a text of it is not saved: it is edited, or was left in the editor"},
		{"?2", "in the tree: 2 changes by others wait for you"},
		{"pin P p", "read-only: pinned here; because of a folder above, for all or for agents"},
		{"≈1.2k▅", "estimated tokens: the fuller the sign, the more"},
		{"!3", "holds 3 characters that a terminal would not show"},
		{"▌ ▔", "lines changed, or removed, since you reviewed it, or while it was open"},
		{"r + ~ − →", "read, created, changed, deleted, renamed"},
		{"•", "a session that was seen in the last minute"},
		{"» ~ ! o -", "an agent: at work, about to try again, failed, waits for you, not here"},
		{"r ± x * =", "in a conversation: read, wrote, failed; thinking, a summary"},
		{"t c", "in the bar of a context: from here on results are cleared, it is compacted"},
		{"<U+202E> <x> ^[ <9F>", "a hidden character, a hidden letter x, a control character, a stray byte"},
	})
	return dialog.NewMenu("keys of the "+name, rows)
}

// palette returns a menu of all actions, by name. Those of panes that are not open say where they
// work.
func (a *App) palette() *dialog.Menu {
	var rows []dialog.Row
	av := a.available()
	rows = appendGroup(rows, a.frontName(), av.front, false)
	rows = appendGroup(rows, "everywhere", av.beside(), false)
	if len(a.screens) == 0 {
		for s := range frame.Slots {
			if p := a.pane(s); s != a.frame.Focus() && !p.TakesText() && a.open()[s] {
				rows = appendGroup(rows, frame.Names[s], possible(p.Entries(), a.cfg.ReadOnly), false)
			}
		}
	}
	return dialog.NewMenu("all actions", append(rows, farRows(rows, av, a.cfg.Keys)...))
}

// farRows returns the actions that are not among rows, by the area where they work, with the
// key that opens it.
func farRows(rows []dialog.Row, av available, bindings keys.Bindings) (out []dialog.Row) {
	listed := map[string]bool{}
	for _, r := range rows {
		listed[r.Entry.ID] = true
	}
	for _, r := range registered() {
		if r.keys == nil {
			continue
		}
		where := "works in " + r.area.name
		if opener, ok := av.ofRoot("global." + r.area.opener); ok && opener.Hint() != "" {
			where += " (" + opener.Hint() + ")"
		}
		var there []keys.Entry
		for _, e := range r.keys(bindings) {
			if listed[e.ID] {
				continue
			}
			listed[e.ID] = true
			e.Why, e.Do = where, func(int) tea.Cmd { return func() tea.Msg { return keys.Refused{Name: e.Name, Why: where} } }
			there = append(there, e)
		}
		if len(there) > 0 {
			out = appendGroup(out, r.area.name, there, false)
		}
	}
	for i := range out {
		out[i].Far = true
	}
	return out
}

// appendGroup appends the actions of a group: for the help those that have a key, moves too, and for the palette those that are
// looked for by name.
func appendGroup(rows []dialog.Row, name string, entries []keys.Entry, help bool) []dialog.Row {
	rows = append(rows, dialog.Row{Heading: name})
	listed := map[string]bool{}
	for _, e := range entries {
		twin := e.Name + "\x00" + e.Label() // the same move in both parts of a screen
		if wanted := help && len(e.Keys) > 0 || !help && !e.Hide; wanted && !listed[twin] {
			listed[twin] = true
			rows = append(rows, dialog.Row{Group: name, Entry: e})
		}
	}
	return rows
}

func appendSigns(rows []dialog.Row, name string, signs [][2]string) []dialog.Row {
	rows = append(rows, dialog.Row{Heading: name})
	for _, s := range signs {
		rows = append(rows, dialog.Row{Sign: s[0], Text: s[1]})
	}
	return rows
}

// frontName returns the name of the pane in front.
func (a *App) frontName() string {
	entries := a.front().Entries()
	if _, writes := a.front().(*editor.Editor); len(a.screens) == 0 && !writes || len(entries) == 0 {
		return frame.Names[a.frame.Focus()]
	}
	return strings.ReplaceAll(entries[0].Map, "-", " ")
}

// log shows the messages of this session, newest first.
func (a *App) log() *dialog.Pager {
	p := &dialog.Pager{Name: "messages"}
	for _, m := range slices.Backward(a.notices.All()) {
		row := dialog.PagerRow{Text: m.Text, Bad: m.Bad}
		if m.Bad {
			row.Text = "! " + m.Text
		}
		if !m.When.IsZero() {
			row.Key = m.When.Format("15:04")
		}
		p.All = append(p.All, row)
	}
	if len(p.All) == 0 {
		p.All = []dialog.PagerRow{{Text: "nothing yet"}}
	}
	return p
}

// days describes after how many days without a read a memory is stale.
func days(stale time.Duration) string {
	return draw.Plural(int(cmp.Or(stale, tree.StaleAfter)/(24*time.Hour)), "day", "days")
}
