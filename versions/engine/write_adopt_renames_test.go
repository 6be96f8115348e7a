package engine_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
)

// Two short texts, or two empty ones, are equal by chance.
func TestAdopt_TakesNoShortFileForARenameOfAnother(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a text that nobody writes twice\n", 2)
	for _, c := range []struct {
		name, text string
		moved      bool // by rename, not made anew
		same       bool // it is the same memory
	}{
		{"an empty file", "", false, false},
		{"an empty file that was moved", "", true, true},
		{"a short one", "todo\n", false, false},
		{"a short one that was moved", "todo\n", true, true},
		{"a long one", long, false, true},
		{"a long one that was moved", long, true, true},
	} {
		w := newWorld(t)
		w.outside("old.md", c.text)
		w.sync()
		id := w.entry("old.md").Memory
		if c.moved {
			must(w, os.Rename(w.host("old.md"), w.host("new.md")))
		} else {
			must(w, os.Remove(w.host("old.md")))
			w.outside("new.md", c.text) // its inode may be that of the old one
			later := time.Now().Add(time.Second)
			must(w, os.Chtimes(w.host("new.md"), later, later))
		}
		w.sync()
		if got := w.entry("new.md").Memory; (got == id) != c.same {
			t.Errorf("%s: the same memory %v, want %v", c.name, got == id, c.same)
		}
	}
}

// One look finds a rename and an edit at once.
func TestAdopt_PairsARenamedAndEditedFileByItsLines(t *testing.T) {
	t.Parallel()
	text := func(name string, from, to int) (out string) {
		for i := from; i < to; i++ {
			out += fmt.Sprintf("line %d of %s\n", i, name)
		}
		return out
	}
	for _, c := range []struct {
		name, old, new string
		same           bool
	}{
		{"one line more of forty", text("a", 0, 40), text("a", 0, 41), true},
		{"moved lines", text("a", 0, 40), text("a", 20, 40) + text("a", 0, 21), true},
		{"just over half is left", text("a", 0, 40), text("a", 0, 22) + text("b", 0, 18), true},
		{"less than half is left", text("a", 0, 40), text("a", 0, 18) + text("b", 0, 22), false},
		{"too few lines", text("a", 0, 3), text("a", 0, 3) + "x\n", false},
		{"empty, and then not", "", text("a", 0, 40), false},
		{"emptied", text("a", 0, 40), "", false},
	} {
		w := newWorld(t)
		w.outside("big.md", c.old)
		w.sync()
		id := w.entry("big.md").Memory
		must(w, os.Rename(w.host("big.md"), w.host("Other.md")))
		w.outside("Other.md", c.new)
		w.sync()
		if got := w.entry("Other.md").Memory; (got == id) != c.same {
			t.Errorf("%s: the same memory %v, want %v", c.name, got == id, c.same)
			continue
		}
		if !c.same {
			continue
		}
		vs := w.history("Other.md")
		if len(vs) != 2 || !vs[0].Renamed() || vs[0].From.Rel() != "big.md" {
			t.Errorf("%s: %+v", c.name, vs)
		}
		_, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(vs[0].Change))
		must(w, err)
		if got := w.files(); len(got) != 1 || got["big.md"] != c.old {
			t.Errorf("%s: after undo %v", c.name, got)
		}
	}
}

// Each of 200 removed files is compared with each of 200 new ones.
func TestAdopt_PairsManyRenamedAndEditedFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const many = 200
	for i := range many {
		w.outside(fmt.Sprintf("old/%d.md", i), strings.Repeat("the same line in all of them\n", 20)+strings.Repeat(fmt.Sprintf("only in %d\n", i), 80))
	}
	w.sync()
	ids := map[int]versions.MemoryID{}
	for i := range many {
		p := fmt.Sprintf("old/%d.md", i)
		ids[i] = w.entry(p).Memory
		b, err := os.ReadFile(w.host(p))
		must(w, err)
		w.outside(fmt.Sprintf("new/%d.md", (i+7)%many), string(b)+"edited\n")
	}
	must(w, os.RemoveAll(w.host("old")))
	began := time.Now()
	w.sync()
	t.Logf("%d pairs in %v", many, time.Since(began).Round(time.Millisecond))
	for i := range many {
		if p := fmt.Sprintf("new/%d.md", (i+7)%many); w.entry(p).Memory != ids[i] {
			t.Errorf("%s is not what was %d.md", p, i)
		}
	}
}
