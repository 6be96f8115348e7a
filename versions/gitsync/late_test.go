package gitsync

import (
	"errors"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/review"
)

// lines are 20 lines, with other texts in the place of some.
func lines(others ...string) string {
	s := "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\nline 10\nline 11\nline 12\nline 13\nline 14\nline 15\nline 16\nline 17\nline 18\nline 19\nline 20\n"
	for _, o := range others {
		line, _, _ := strings.Cut(o, ",")
		s = strings.Replace(s, line+"\n", o+"\n", 1)
	}
	return s
}

func (h *home) rename(from, to string) {
	h.Helper()
	_, err := h.s.Rename(h.Context(), h.me, at(from), at(to))
	h.must(err)
}

// accept accepts a held change; where it conflicts, as choice says.
func (h *home) accept(n int64, choice planning.ChoiceKind) {
	h.Helper()
	p, err := plan.Make(h.Context(), h.s, plan.Accept(n))
	h.must(err)
	choices := map[versions.MemoryID]planning.Choice{}
	for _, c := range p.Conflicts {
		choices[c.Memory] = planning.Choice{Kind: choice}
	}
	_, err = review.Accept(h.Context(), h.s, h.me, p, choices)
	if !errors.Is(err, versions.ErrNothing) {
		h.must(err)
	}
}

// asAgent makes changes in the name of an agent.
func (h *home) asAgent(do func()) {
	me := h.me
	h.me = versions.By{Door: versions.DoorTool, Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: versions.NewSession()}
	do()
	h.me = me
}

// commits are the subjects of the branch's commits with the lines that they changed, oldest first.
func (w *world) commits() string {
	w.Helper()
	var out []string
	for line := range strings.Lines(w.git(w.url, "log", "--reverse", "--first-parent", "-m", "-M", "-U0", "--format=%an: %s", "-p", "main")) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
		case strings.Contains(line, ": "), strings.HasPrefix(line, "-"), strings.HasPrefix(line, "+"), strings.HasPrefix(line, "rename "), strings.HasPrefix(line, "new file"), strings.HasPrefix(line, "deleted file"):
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

// A person's change was made on the text from before a held one. Its commit does what the person did, and no more.
func TestAChangeThatWaitedDoesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		decide func(bob *home, n int64)
		want   string // the text
		log    string // of the branch after ann's commits
	}{
		"accepted": {func(bob *home, n int64) { bob.accept(n, planning.Undecided) }, lines("line 12, robot", "line 18, bob"), `
bob: edit /memories/a.md
-line 18
+line 18, bob`},
		"rejected": {func(bob *home, n int64) { bob.must(review.Reject(t.Context(), bob.s, bob.me, n, "no horses")) }, lines("line 18, bob"), `
bob: edit /memories/a.md
-line 18
+line 18, bob
bob: rejected "edit /memories/a.md" of robot
-line 12, robot
+line 12`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ann, bob := w.home("ann"), w.home("bob")
			ann.write("a.md", lines())
			ann.sync()
			bob.sync()
			w.must(review.SetPolicy(t.Context(), bob.s, bob.me, "", "hold actor:agent"))
			ann.asAgent(func() { ann.write("a.md", lines("line 12, robot")) })
			ann.sync()
			held := bob.sync().Held
			bob.write("a.md", lines("line 18, bob"))
			bob.sync()
			before := w.commits()
			c.decide(bob, held[0])
			bob.sync()
			if log := strings.TrimPrefix(w.commits(), before); log != c.log {
				t.Errorf("the branch got %s\nwant %s", log, c.log)
			}
			ann.sync()
			ann.stands(map[string]string{"a.md": c.want})
			bob.stands(ann.texts())
			for _, h := range []*home{ann, bob} {
				if r := h.sync(); len(r.Taken)+r.Sent != 0 || r.Pushed {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

// A memory that both homes renamed stays one memory, whatever a person decides.
func TestAMemoryRenamedOnBothSidesKeepsItsHistory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		choice planning.ChoiceKind
		want   string
		alike  bool // the text is the same line by line; else bob edited, too
	}{
		"ours":                 {planning.KeepOurs, "bob.md", true},
		"theirs":               {planning.TakeTheirs, "ann.md", true},
		"ours, of an edited":   {planning.KeepOurs, "bob.md", false},
		"theirs, of an edited": {planning.TakeTheirs, "ann.md", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ann, bob := w.home("ann"), w.home("bob")
			ann.write("a.md", lines())
			ann.asAgent(func() { ann.write("a.md", lines("line 12, robot")) })
			ann.sync()
			bob.sync()
			ann.rename("a.md", "ann.md")
			ann.sync()
			bob.rename("a.md", "bob.md")
			if !c.alike {
				bob.write("bob.md", lines("line 12, robot", "line 18, bob"))
			}
			bob.accept(bob.sync().Held[0], c.choice)
			bob.sync()
			if r := ann.sync(); len(r.Held) != 0 {
				t.Errorf("%+v", r)
			}
			bob.stands(ann.texts())
			for _, h := range []*home{ann, bob} {
				h.oneMemory(c.want)
			}
		})
	}
}

// A text that somebody changed here comes to where the memory was renamed to meanwhile.
func TestAnEditOfWhatWasRenamedElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.write("a.md", lines())
	ann.sync()
	bob.sync()
	w.must(review.SetPolicy(t.Context(), bob.s, bob.me, "", "hold actor:agent"))
	ann.asAgent(func() { ann.rename("a.md", "ann.md") })
	ann.sync()
	held := bob.sync().Held
	bob.write("a.md", lines("line 18, bob"))
	bob.sync()
	before := w.commits()
	bob.accept(held[0], planning.Undecided)
	bob.sync()
	if log := strings.TrimPrefix(w.commits(), before); log != "\nbob: edit /memories/a.md\n-line 18\n+line 18, bob" {
		t.Errorf("the branch got %s", log)
	}
	ann.sync()
	bob.stands(ann.texts())
	for _, h := range []*home{ann, bob} {
		h.oneMemory("ann.md")
	}
}

// oneMemory checks that a store never had another memory than the one at a path.
func (h *home) oneMemory(path string) {
	h.Helper()
	var memories int
	h.must(h.trail.DB.Row(h.Context(), `SELECT count(*) FROM memory WHERE store=?`, h.s.Row).Scan(&memories))
	if texts := h.texts(); memories != 1 || len(texts) != 1 || texts[path] == "" {
		h.Errorf("%s: %d memories, %q", h.me.Actor.Name, memories, texts)
	}
}

// A held change is recorded where its memory is when a person accepts it, and where it is taken in.
func TestAHeldEditIsNamedByWhereItsMemoryIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.write("a.md", lines())
	ann.sync()
	bob.sync()
	bob.rename("a.md", "b.md")
	ann.write("a.md", lines("line 12, ann"))
	ann.sync()
	if r := bob.sync(); len(r.Taken) != 1 || r.Taken[0].Path != at("b.md") {
		t.Errorf("%+v", r)
	}
	ann.sync()
	w.must(review.SetPolicy(t.Context(), bob.s, bob.me, "", "hold actor:agent"))
	ann.asAgent(func() { ann.write("b.md", lines("line 12, robot")) })
	ann.sync()
	held := bob.sync().Held
	bob.rename("b.md", "c.md")
	bob.accept(held[0], planning.Undecided)
	last, err := history.Changes(t.Context(), bob.s, versions.Filter{}, 0, 1)
	w.must(err)
	if last[0].Path != at("c.md") || last[0].Effect.Path != at("c.md") {
		t.Errorf("%+v", last[0])
	}
}
