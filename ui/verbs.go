package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
)

// told are the verbs that help explains, and what each does.
var told = [][2]string{
	{"change.undo", "undo: in the history, the timeline and the trace the selected change, elsewhere what you did last: a change, or a decision about one"},
	{"global.redo", "redo what you undid last"},
	{"change.undo-session", "undo the session"},
	{"change.restore", "restore: a version, a memory, a folder or everything"},
	{"list.rename", "rename"},
	{"change.redact", "redact"},
	{"change.reviewed", "keep what others did: it is reviewed, and go to the next to review"},
	{"change.reject", "undo what others did, or reject what they want to do"},
	{"change.reviewed-all", "keep all that is to be reviewed"},
	{"agent.stop", "stop the agent"},
	{"store.sync", "sync with the folder, and with git"},
}

// verbSigns returns the verbs as rows of the help.
func verbSigns(bindings keys.Bindings) (out [][2]string) {
	all := AllActions(bindings)
	for _, v := range told {
		if e, ok := find(all, func(e keys.Entry) bool { return e.ID == v[0] }); ok && len(e.Keys) > 0 {
			out = append(out, [2]string{e.Label(), v[1]})
		}
	}
	return out
}

// elsewhere says where the verb of a key works that does nothing in the pane in front.
func elsewhere(names []string, bindings keys.Bindings) tea.Cmd {
	for _, v := range told {
		var where []string
		name := ""
		for _, r := range registered() {
			if r.keys == nil || r.area.name == "" {
				continue
			}
			if e, ok := find(r.keys(bindings), func(e keys.Entry) bool { return e.ID == v[0] && boundTo(names)(e) }); ok {
				name = e.Name
				where = append(where, r.area.name)
			}
		}
		if len(where) > 0 {
			return func() tea.Msg { return keys.Refused{Name: name, Why: "works in " + text.And(where)} }
		}
	}
	return nil
}
