package tree

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/versions"
)

var update = flag.Bool("update", false, "write the golden frames anew")

var gone = &versions.FolderError{Store: versions.StoreInfo{Name: "my notes", Folder: "/home/dana/memories"}, Err: versions.ErrFolderGone}

// scenes are the states in which frames are checked.
var scenes = []struct {
	name string
	play func(*sim)
}{
	{"tree", func(s *sim) {}},
	{"changed", func(s *sim) {
		s.store.put(claude, "people/dana.md", 350, 0)
		s.store.put(claude, "people/kim.md", 20, 0)
		s.read()
		s.keys("_ j j j p")
	}},
	{"attention", func(s *sim) { s.keys("c") }},
	{"reads", func(s *sim) { s.keys("c s s s") }},
	{"flat", func(s *sim) { s.keys("` s s") }},
	{"chosen", func(s *sim) { s.on("people").keys("space V j j") }},
	{"range", func(s *sim) { s.on("people").keys("space V j j") }},
	{"filter", func(s *sim) { s.keys("/"); s.typed("re") }},
	{"filter-kept", func(s *sim) { s.keys("/"); s.typed("is:stale !by:me"); s.keys("enter") }},
	{"filter-wrong", func(s *sim) { s.keys("/"); s.typed("is:x") }},
	{"filter-none", func(s *sim) { s.keys("/"); s.typed("nowhere") }},
	{"folder-gone", func(s *sim) { s.SetProblem(fmt.Errorf("look: %w", gone)) }},
}

func TestFrames_MatchGoldens(t *testing.T) {
	for _, size := range []struct{ w, h int }{{46, 18}, {30, 12}, {100, 18}} {
		for _, c := range scenes {
			s := newSim(t, sample())
			s.SetSize(size.w, size.h)
			c.play(s)
			drawtest.Golden(t, *update, fmt.Sprintf("%s-%dx%d", c.name, size.w, size.h), s.View())
		}
	}
	for _, size := range []struct{ w, h int }{{40, 20}, {24, 5}} {
		s := newSim(t, &fakeStore{reviewed: versions.ReviewState{}})
		s.SetSize(size.w, size.h)
		drawtest.Golden(t, *update, fmt.Sprintf("empty-%dx%d", size.w, size.h), s.View())
		s = newSim(t, &fakeStore{upstream: versions.Remote{URL: "https://api.example.com"}, reviewed: versions.ReviewState{}})
		s.SetSize(size.w, size.h)
		drawtest.Golden(t, *update, fmt.Sprintf("empty-hosted-%dx%d", size.w, size.h), s.View())
		s = newSim(t, sample())
		s.SetSize(size.w, size.h)
		s.data, s.rows = nil, nil
		s.Fail(errors.New("the trail is damaged: page 7"))
		drawtest.Golden(t, *update, fmt.Sprintf("failed-%dx%d", size.w, size.h), s.View())
	}
}

// gridProblem returns where a frame is not h rows of w columns of safe text.
func gridProblem(frame string, w, h int) string {
	rows := strings.Split(frame, "\n")
	if h == 0 && frame == "" {
		return ""
	}
	if len(rows) != h {
		return fmt.Sprintf("%d rows", len(rows))
	}
	for y, row := range rows {
		if got := drawtest.Width(row); got != w {
			return fmt.Sprintf("row %d has %d columns: %q", y, got, row)
		}
		for _, c := range ansi.Strip(row) {
			if c < 0x20 || c >= 0x7f && c < 0xa0 || memfs.HiddenRune(c) && c != 0x200d { // which joins emoji
				return fmt.Sprintf("row %d holds %U", y, c)
			}
		}
	}
	return ""
}

// hostile returns a store whose names and writers contain control sequences and invisible
// characters.
func hostile() *fakeStore {
	f := &fakeStore{reviewed: versions.ReviewState{Ledger: clock.Add(-9e6 * time.Second)}}
	nasty := versions.Actor{Kind: versions.Agent, Name: "x\x1b]0;t\a中文\u202e"}
	for i, p := range []string{"a\u202eb\u009b31m.md", "中文 with a very long name indeed, 🚀 and more/👩‍👩‍👧‍👦\u200b.md", "deep/er/than/the/pane/is/wide/x.md", "e\u0301\u0301/x\u2066here.md"} {
		f.put(nasty, p, int64(1)<<(i*12), time.Duration(i)*1e7*time.Second)
		f.entries[i].Hidden = i * 500
	}
	f.entries = append(f.entries, versions.Entry{Kind: versions.LinkEntry, Path: at("link"), Note: "\x1b[2J\u202e中文中文中文中文中文中文"},
		versions.Entry{Kind: versions.Unreadable, Path: at("shut")})
	f.reads = map[versions.MemoryID]versions.ReadStat{f.entries[0].Memory: {Reads: 123456}}
	return f
}

func TestGeometry_FitsEverySizeInEveryScene(t *testing.T) {
	for w := 0; w <= 130; w += 1 + w/14 {
		for h := 0; h <= 40; h += 1 + h/6 {
			for _, store := range []func() *fakeStore{sample, hostile, func() *fakeStore { return &fakeStore{} }} {
				s := newSim(t, store())
				s.SetSize(w, h)
				for _, keys := range []string{"", "_ =", "c G", "c k space V k", "esc ` s", "/ e enter", "esc / \u202e中", "esc esc ctrl+a", "f"} {
					s.keys(keys)
					if problem := gridProblem(s.View(), w, h); problem != "" {
						t.Fatalf("%dx%d after %q: %s", w, h, keys, problem)
					}
					if x, y, ok := s.Cursor(); ok && (x < 0 || x >= max(w, 1) || y < 0 || y >= h) {
						t.Fatalf("%dx%d after %q: the cursor is at %d, %d", w, h, keys, x, y)
					}
				}
				s.keys("esc esc esc")
				s.SetProblem(fmt.Errorf("\x1b[31m%w", gone))
				if problem := gridProblem(s.View(), w, h); problem != "" {
					t.Fatalf("%dx%d in trouble: %s", w, h, problem)
				}
			}
		}
	}
}

// Everything that colours show is also shown by signs.
// The title tells the position if not all rows fit, like that of the memory.
func TestTitle_TellsThePositionIfRowsAreHidden(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample())
	s.read()
	s.SetSize(40, 40)
	if _, info := s.Title(); info != "" {
		t.Errorf("with all rows shown the title has %q", info)
	}
	s.SetSize(40, 5)
	s.keys("j j")
	if _, info := s.Title(); info != fmt.Sprintf("row 3 of %d", len(s.rows)) {
		t.Errorf("after two rows the title has %q", info)
	}
}

func TestMono_ShowsEverythingBySigns(t *testing.T) {
	s := newSim(t, sample())
	s.SetTheme(theme.New(true, theme.Mono))
	s.store.put(claude, "people/kim.md", 20_000, 0)
	s.read()
	s.on("people/kim.md").keys("j space c")
	row := s.rowOf("kim.md")
	for _, sign := range []string{"●", "█"} {
		if !strings.Contains(row, sign) {
			t.Errorf("no %s in %q", sign, row)
		}
	}
	if row := s.rowOf("lee.md"); !strings.Contains(row, "✓") {
		t.Errorf("%q", row)
	}
}
