package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions/drafts"
)

// asked returns the last request to the root.
func asked[T any](s *sim) T {
	s.t.Helper()
	if len(s.asks) == 0 {
		s.t.Fatal("nothing was asked")
	}
	got, ok := s.asks[len(s.asks)-1].(T)
	if !ok {
		s.t.Fatalf("asked %+v", s.asks[len(s.asks)-1])
	}
	return got
}

// answer answers a prompt.
func (s *sim) answer(text string) { s.run(asked[screen.Prompt](s).Then(text)) }

func holds(t *testing.T, file, want string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(b), want) {
		t.Errorf("%s holds %q, %v", file, b, err)
	}
}

func TestExport_WritesOneMemoryAsAFileOrIntoAFolder(t *testing.T) {
	s := newSim(t, sample()).on("people/dana.md")
	dir := t.TempDir()
	s.keys("o")
	if p := asked[screen.Prompt](s); p.Label != "export /people/dana.md to" || !strings.Contains(p.Example, "~/dana.md") {
		t.Errorf("asked %+v", p)
	}
	file := filepath.Join(dir, "mine.txt")
	s.answer(file)
	holds(t, file, "content of memver_2")
	if n := asked[screen.Notice](s); n.Bad || n.Text != "exported /people/dana.md to "+file {
		t.Errorf("it says %+v", n)
	}
	s.keys("o")
	s.answer(dir)
	holds(t, filepath.Join(dir, "dana.md"), "content of memver_2")
	s.keys("o")
	s.answer(filepath.Join(dir, "new") + "/")
	holds(t, filepath.Join(dir, "new", "dana.md"), "content of memver_2")
}

func TestExport_AsksBeforeItReplacesAFile(t *testing.T) {
	s := newSim(t, sample()).on("people/dana.md")
	file := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(file, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.keys("o")
	s.answer(file)
	q := asked[screen.Choose](s)
	holds(t, file, "theirs")
	if q.Options[len(q.Options)-1].Then != nil { // leaving the dialog runs the last option
		t.Errorf("asked %+v", q)
	}
	s.run(q.Options[0].Then())
	holds(t, file, "content of memver_2")
}

func TestExport_WritesTheSelectionUnderItsPaths(t *testing.T) {
	s := newSim(t, sample()).on("people/dana.md")
	dir := filepath.Join(t.TempDir(), "out")
	s.keys("space")
	s.on("projects/release")
	s.keys("space o")
	if p := asked[screen.Prompt](s); p.Label != "export 3 memories to" {
		t.Errorf("asked %+v", p)
	}
	s.answer(dir)
	for _, name := range []string{"people/dana.md", "projects/release/plan.md", "projects/release/checklist.md"} {
		holds(t, filepath.Join(dir, name), "content of")
	}
	if _, err := os.Stat(filepath.Join(dir, "MEMORY.md")); err == nil {
		t.Error("what was not chosen is written")
	}
	if s.choices() != 0 {
		t.Error("it is chosen still")
	}
	mine := filepath.Join(dir, "people", "dana.md")
	if err := os.WriteFile(mine, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.on("people")
	s.keys("o")
	s.answer(dir)
	q := asked[screen.Choose](s)
	holds(t, mine, "theirs")
	s.run(q.Options[0].Then())
	holds(t, mine, "content of")
}

func TestExport_ReportsErrors(t *testing.T) {
	s := newSim(t, sample()).on("shared")
	s.keys("o")
	if n := asked[screen.Notice](s); !n.Bad || !strings.Contains(n.Text, "no memory") {
		t.Errorf("of a link it says %+v", n)
	}
	s.on("people/dana.md").keys("o")
	s.answer("  ")
	if n := asked[screen.Notice](s); !n.Bad {
		t.Errorf("without a name it says %+v", n)
	}
	s.answerPrompt("people/dana.md", filepath.Join(t.TempDir(), "none", "x"))
	if n := asked[screen.Notice](s); !n.Bad || !strings.Contains(n.Text, "no such file") {
		t.Errorf("where no folder is it says %+v", n)
	}
}

func (s *sim) answerPrompt(on, text string) {
	s.on(on).keys("o")
	s.answer(text)
}

func TestRestoreAt_AsksForAMomentAndShowsThePlan(t *testing.T) {
	s := newSim(t, sample()).on("people")
	s.keys("R")
	s.answer("#42")
	if r := asked[request.RestoreAt](s); r.Path != at("people") || r.At.Change != 42 {
		t.Errorf("asked %+v", r)
	}
	s.keys("R")
	s.answer("2h")
	if r := asked[request.RestoreAt](s); r.At.Change != 7 || !r.At.Time.Equal(clock.Add(-2*time.Hour)) {
		t.Errorf("asked %+v", r)
	}
	s.on("MEMORY.md").keys("space")
	s.on("people").keys("space R")
	if p := asked[screen.Prompt](s); p.Label != "restore 2 entries as of" {
		t.Errorf("asked %+v", p)
	}
	s.answer("soon")
	if n := asked[screen.Notice](s); !n.Bad || s.choices() != 2 {
		t.Errorf("it says %+v, and %d are chosen", n, s.choices())
	}
	s.keys("R")
	s.answer("2026-03-01")
	if r := asked[request.RestoreSeveral](s); len(r.Paths) != 2 || r.At.Change != 7 || s.choices() != 0 {
		t.Errorf("asked %+v", r)
	}
}

func TestDuplicate_IsOfOneMemory(t *testing.T) {
	s := newSim(t, sample()).on("people/dana.md")
	s.keys("C")
	if d := asked[request.Duplicate](s); d.Path != at("people/dana.md") || d.Version != "memver_2" {
		t.Errorf("asked %+v", d)
	}
	s.on("people").keys("C")
	if len(s.asks) != 2 {
		t.Fatalf("asked %v", s.asks)
	}
}

func TestUnsavedTexts_AreMarked(t *testing.T) {
	s := newSim(t, sample())
	row := func(name string) string {
		for _, r := range strings.Split(ansi.Strip(s.View()), "\n") {
			if strings.Contains(r, name) {
				return r
			}
		}
		t.Fatalf("%s is not shown:\n%s", name, ansi.Strip(s.View()))
		return ""
	}
	wants := func(name string, marked bool) {
		t.Helper()
		if got := strings.Contains(row(name), " *"); got != marked {
			t.Errorf("%s is marked: %t in %q", name, got, row(name))
		}
	}
	s.on("people/dana.md")
	wants("dana.md", false)
	s.Editing(at("people/dana.md"))
	wants("dana.md", true)
	wants("lee.md", false)
	wants("people", false) // it is open: the mark is on the memory itself
	s.on("people").keys("h")
	wants("people", true)
	s.Editing(memfs.Root)
	wants("people", false)
	s.SetDrafts([]drafts.Draft{{Memory: "mem_people/lee.md", Path: at("elsewhere")}, {Path: at("inbox/new.md")}})
	wants("people", true)
	s.keys("l")
	wants("lee.md", true)
	wants("dana.md", false)
	for i := range s.store.entries { // it is moved
		if e := &s.store.entries[i]; e.Memory == "mem_people/lee.md" {
			e.Path = at("projects/api/lee.md")
		}
	}
	s.on("projects").keys("h")
	wants("projects", false)
	s.read()
	wants("projects", true)
	s.on("people").keys("h")
	wants("people", false)
	s.keys("l")
	s.on("inbox").keys("h")
	wants("inbox", true) // not there yet
	s.keys("l")
	s.SetDrafts([]drafts.Draft{{Memory: "mem_people/lee.md"}, {Path: at("inbox/from-web.md")}})
	wants("from-web.md", true) // now it is
	s.keys("/")
	s.typed("is:unsaved")
	if got := s.names(); strings.Join(got, " ") != "inbox inbox/from-web.md projects projects/api projects/api/lee.md" {
		t.Errorf("the filter leaves %v", got)
	}
}
