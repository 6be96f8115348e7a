package gitsync

import (
	"strings"
	"testing"

	"github.com/memend/memend/versions"
)

// What is too large for a memory stays on the branch as it is, whatever is sent, and comes in when it is small enough.
func TestWhatIsLeftOutStaysOnTheBranch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.clone()
	large := strings.Repeat("x", versions.DefaultMaxBytes+1)
	w.commit(dir, "begin", map[string]string{"a.md": "a\n", "new.md": large})
	ann := w.home("ann")
	ann.sync()
	ann.write("b.md", "b\n")
	ann.sync()
	w.git(dir, "pull", "--quiet")
	w.commit(dir, "a memory grows", map[string]string{"a.md": large + "a"})
	stay := func(sent, a string) {
		t.Helper()
		r := ann.sync()
		tree := w.tree()
		if tree["new.md"] != large || tree["a.md"] != a || tree[sent] == "" {
			t.Errorf("%d bytes, %d bytes, %q; %+v", len(tree["new.md"]), len(tree["a.md"]), tree[sent], r)
		}
	}
	ann.write("c.md", "c\n")
	stay("c.md", large+"a")
	ann.write("a.md", "by ann\n")
	ann.write("d.md", "d\n")
	stay("d.md", large+"a")
	ann.write("new.md", "by ann, too\n")
	ann.write("e.md", "e\n")
	stay("e.md", large+"a")
	ann.stands(map[string]string{"a.md": "by ann\n", "b.md": "b\n", "c.md": "c\n", "d.md": "d\n", "e.md": "e\n", "new.md": "by ann, too\n"})

	w.git(dir, "pull", "--quiet")
	w.commit(dir, "they shrink", map[string]string{"new.md": "small\n", "a.md": ""})
	if r := ann.sync(); len(r.Held) != 1 {
		t.Errorf("%+v", r)
	}
	if tree := w.tree(); tree["new.md"] != "small\n" || tree["a.md"] != "by ann\n" {
		t.Errorf("%q", tree)
	}
}

// A store of named files takes in these alone, and leaves the others on the branch as they are.
func TestAStoreOfNamedFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.home("ann", "AGENTS.md")
	ann.sync()
	dir := w.clone()
	w.commit(dir, "begin", map[string]string{"AGENTS.md": "# rules\n", "OTHER.md": "other\n"})
	for i, text := range []string{"", "# more rules\n"} {
		if text != "" {
			ann.write("AGENTS.md", text)
		}
		r := ann.sync()
		if i == 0 && (len(r.LeftOut) != 1 || !strings.Contains(r.LeftOut[0], "one of the files of this store")) {
			t.Errorf("%+v", r)
		}
	}
	ann.stands(map[string]string{"AGENTS.md": "# more rules\n"})
	if tree := w.tree(); tree["AGENTS.md"] != "# more rules\n" || tree["OTHER.md"] != "other\n" {
		t.Errorf("%q", tree)
	}
}
