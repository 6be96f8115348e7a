package ui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
)

// verb is what some keys do in every pane that does not take text. A key of a verb has no other
// meaning anywhere, so that a person needs to learn it only once.
type verb struct {
	keys    []string
	does    string
	actions []string // the names of its actions, without their contexts
}

var verbs = []verb{
	{[]string{"u"}, "undo: in the history, the timeline, the review and the trace the selected change, elsewhere your own newest change", []string{"undo"}},
	{[]string{"ctrl+r"}, "redo what you undid last", []string{"redo"}},
	{[]string{"U"}, "undo the session", []string{"undo-session"}},
	{[]string{"R"}, "restore: a version, a memory, a folder or everything", []string{"restore"}},
	{[]string{"r", "f2"}, "rename", []string{"rename"}},
	{[]string{"X"}, "redact", []string{"redact", "erase"}},
	{[]string{"."}, "mark as reviewed, and go to the next to review", []string{"reviewed"}},
	{[]string{">"}, "mark all as reviewed", []string{"reviewed-all"}},
	{[]string{"x"}, "stop the agent", []string{"stop"}},
}

// of reports whether an action belongs to the verb.
func (v verb) of(e keys.Entry) bool {
	_, name, _ := strings.Cut(e.ID, ".")
	return slices.Contains(v.actions, name)
}

// verbSigns returns the verbs as rows of the help.
func verbSigns() (out [][2]string) {
	for _, v := range verbs {
		labels := make([]string, len(v.keys))
		for i, k := range v.keys {
			labels[i] = keys.Label(k)
		}
		out = append(out, [2]string{strings.Join(labels, " "), v.does})
	}
	return out
}

// elsewhere says where the verb of a key works that does nothing in the pane in front.
func elsewhere(names []string, bindings keys.Bindings) tea.Cmd {
	for _, v := range verbs {
		var where []string
		name := ""
		for _, r := range registered() {
			if r.keys == nil || r.place.name == "" {
				continue
			}
			for _, e := range r.keys(bindings) {
				if !boundTo(names)(e) || !v.of(e) {
					continue
				}
				name = cmp.Or(name, e.Name)
				where = append(where, r.place.name)
				break
			}
		}
		if len(where) > 0 {
			return func() tea.Msg { return keys.Refused{Name: name, Why: "works in " + text.And(where)} }
		}
	}
	return nil
}
