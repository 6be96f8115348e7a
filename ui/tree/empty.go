package tree

import (
	"errors"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// What is shown instead of rows: first the reason, then what to do next.

func (t *Pane) help(rows int) []string {
	var first string
	var more []string
	switch {
	case t.err != nil && t.data == nil:
		first = t.err.Error()
		more = []string{t.env.Hint("store.sync") + " tries again. `memend check` shows what is wrong with the trail, `memend check --repair` repairs it."}
	case t.data == nil:
		first = "reading…"
	case t.shown != nil:
		first = "nothing matches"
		more = []string{t.keys.Hint("pane.back") + " shows everything again.", "Words: part of a path, is:changed, is:stale, by:claude, since:3d, larger:10k; ! before a word negates it."}
	case !t.scanned && !t.info.Hosted():
		first = "looking at the folder…"
	default:
		first = "no memories yet: " + t.keys.Hint("list.new") + " creates one"
		outside := "Whatever any program writes there appears here, with its history."
		if t.info.Hosted() {
			outside = "Whatever any program writes there appears here, with its history, and is sent to " + t.info.Upstream.URL
		}
		more = []string{
			"Each is a text file in",
			t.info.Folder,
			outside,
			"",
			"An agent gets the memory tool by",
			"memend tool -s " + quoted(t.info.Name),
			t.env.Hint("global.agents") + ", then " + t.env.Hint("agent.new") + " starts memend's own agent.",
			"",
			"`memend demo` shows a store with a past and an agent at work.",
		}
	}
	out := []string{""}
	if rows < 6 {
		out = out[:0]
	}
	for i, s := range append([]string{first}, more...) {
		out = append(out, text.Rows(s, t.w-2, 40)...)
		if i == 0 && rows >= 6 {
			out = append(out, "")
		}
	}
	return out[:min(len(out), rows)]
}

// helpStyle highlights the first line.
func (t *Pane) helpStyle(y int) theme.Style {
	switch {
	case y > 1:
		return t.env.Theme.Dim
	case t.err != nil && t.data == nil:
		return t.env.Theme.Error
	}
	return t.env.Theme.Text
}

// quoted quotes a name for a shell.
func quoted(s string) string {
	for i := range len(s) {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
	}
	return s
}

// maxProblemRows is how many rows a problem with the folder may take.
const maxProblemRows = 10

// folderProblem describes a problem with the folder, while the trail can be read; nil is none.
func folderProblem(err error, w, h int) []string {
	if err == nil || h < 8 {
		return nil
	}
	said := []string{err.Error()}
	var gone *versions.FolderError
	if errors.As(err, &gone) && errors.Is(err, versions.ErrFolderGone) {
		said[0] = "The folder is gone: " + gone.Store.Folder
		if gone.Err != versions.ErrFolderGone { // it exists but does not belong to the store
			said[0] = gone.Error()
		}
		said = append(said, "Its past can be read. Put the folder back, or name its new place:",
			"memend stores move "+quoted(gone.Store.Name)+" DIR", "(with --deleted if it is lost)")
	}
	lines := []string{""}
	for _, s := range said {
		lines = append(lines, text.Rows(s, w-2, 40)...)
	}
	return lines[:min(len(lines), maxProblemRows, h*2/3)]
}

// ShowsProblem reports whether the pane shows a problem with the folder.
func (t *Pane) ShowsProblem() bool { return len(folderProblem(t.problem, t.w, t.h)) > 0 }
