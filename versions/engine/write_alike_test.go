package engine_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
)

const (
	composed   = "\u00dc" // Ü
	decomposed = "U\u0308"
)

func TestAnAgentIsToldTheExactNameAndMakesNoSecondThatLooksLikeIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside(decomposed+"bung.md", "text\n")
	w.outside("Notes/a.md", "text\n")
	w.outside("twins/a.md", "1\n")
	w.outside("twins/A.md", "2\n")
	w.sync()
	const of = "/memories/"
	for _, c := range []struct {
		do   memfs.Command
		want string // the name in the answer; "" if there is none
	}{
		{memfs.View{Path: of + composed + "bung.md"}, decomposed + "bung.md"},
		{memfs.View{Path: of + "notes/A.MD"}, "Notes/a.md"},
		{memfs.StrReplace{Path: of + composed + "BUNG.md", OldStr: "text", NewStr: "x"}, decomposed + "bung.md"},
		{memfs.Insert{Path: of + composed + "bung.md", InsertText: "x"}, decomposed + "bung.md"},
		{memfs.Delete{Path: of + "notes"}, "Notes"},
		{memfs.Rename{OldPath: of + "notes/a.md", NewPath: of + "b.md"}, "Notes/a.md"},
		{memfs.Create{Path: of + composed + "bung.md", FileText: "x"}, decomposed + "bung.md"},
		{memfs.Create{Path: of + "notes/b.md", FileText: "x"}, "Notes"},
		{memfs.Create{Path: of + "notes/deep/b.md", FileText: "x"}, "Notes"},
		{memfs.Rename{OldPath: of + "Notes/a.md", NewPath: of + composed + "bung.md"}, decomposed + "bung.md"},
		{memfs.View{Path: of + "Twins/a.md"}, "twins/a.md"},
		{memfs.View{Path: of + "TWINS/b.md"}, ""},
		{memfs.View{Path: of + "nothing.md"}, ""},
	} {
		res := w.tool(c.do)
		if !res.IsError || (c.want == "") == strings.Contains(res.Text, "exact") || !strings.Contains(res.Text, of+c.want) {
			t.Errorf("%#v: %q doesn't name %q", c.do, res.Text, c.want)
		}
	}
	for _, c := range []memfs.Command{
		memfs.Rename{OldPath: of + "Notes", NewPath: of + "notes"},
		memfs.Rename{OldPath: of + decomposed + "bung.md", NewPath: of + composed + "bung.md"},
		memfs.Create{Path: of + "notes/b.md", FileText: "x"},
	} {
		if res := w.tool(c); res.IsError {
			t.Errorf("%#v: %s", c, res.Text)
		}
	}
}

func TestFind_ReturnsTheOnlyNameThatLooksAlike(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside(decomposed+"bung.md", "1")
	w.outside("Notes/Read.md", "1")
	w.outside("one.md", "1")
	w.outside("One.md", "1")
	w.outside("gone.md", "a text that is told from others, at length")
	w.sync()
	must(w, os.Remove(w.host("gone.md")))
	w.sync()
	w.outside("Gone.md", "2")
	for p, want := range map[string]string{
		composed + "bung.md": decomposed + "bung.md",
		"notes/read.md":      "Notes/Read.md",
		"ONE.md":             "ONE.md", // two look like it
		"one.md":             "one.md",
		"gone.md":            "gone.md", // it has a history
		"notes/other.md":     "notes/other.md",
		"other.md":           "other.md",
	} {
		got, err := w.store.Find(t.Context(), mustPath(p))
		if err != nil || got != mustPath(want) {
			t.Errorf("%q finds %q, want %q (%v)", p, got, want, err)
		}
	}
	_, err := w.store.Write(t.Context(), alice, mustPath("notes/new.md"), []byte("x"), versions.Pre{})
	if alike := (*versions.AlikeError)(nil); !errors.As(err, &alike) || alike.Exists != mustPath("Notes") || !errors.Is(err, memfs.ErrExist) {
		t.Errorf("writing notes/new.md beside Notes: %v", err)
	}
}

// Each create asks for look-alikes: that must not take longer in a folder of many memories.
func TestLookAlikesAreFoundByAnIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, step := range w.queryPlan(strings.NewReplacer("?1", "?", "?2", "?").Replace(core.AlikeHeads)) {
		if strings.Contains(step, "head") && !strings.Contains(step, "INDEX head_alike (store=? AND <expr>") {
			t.Error(step)
		}
	}
}

// What doesn't exist is looked for by the index that TestLookAlikesAreFoundByAnIndex is about, in both forms of its name
// and of its folder's.
func TestAMissingNameIsFoundInAnotherForm(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "Docs/\u00dcbung.md", "one\n")
	w.write(alice, "Docs/two.md", "two\n")
	for asked, want := range map[string]string{"docs/U\u0308bung.md": "Docs/\u00dcbung.md", "Docs/TWO.MD": "Docs/two.md", "docs/none.md": "docs/none.md"} {
		if got, err := w.store.Find(t.Context(), mustPath(asked)); err != nil || got != mustPath(want) {
			t.Errorf("%q: %v, %v, want %s", asked, got, err, want)
		}
	}
}
