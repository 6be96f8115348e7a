package history

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func TestFrames_MatchGoldens(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 36}, {80, 24}, {40, 12}, {40, 9}} {
		for _, c := range []struct{ name, keys, typed, then string }{
			{name: "versions"},
			{name: "typing", keys: "c /", typed: "by:claude op:"},
			{name: "filtered", keys: "c /", typed: "by:claude kim", then: "enter"},
			{name: "two", keys: "space G"},
			{name: "hunk", keys: "enter ]"},
			{name: "sessions", keys: "c j"},
			{name: "folded", keys: "c _"},
			{name: "several", keys: "c G k k enter j j"},
		} {
			p := newPane(notes(), size.w, size.h)
			drain(p, p.ShowMemory("mem_/plan.md", path("/plan.md")))
			press(p, c.keys)
			typed(p, c.typed)
			if c.then == "enter" {
				special(p, tea.KeyEnter)
			}
			drawtest.Golden(t, *update, fmt.Sprintf("%s-%dx%d", c.name, size.w, size.h), p.View())
		}
	}
}

func TestColours_FollowTheirRoles(t *testing.T) {
	p := newPane(story(), 80, 18)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	th := theme.New(true, theme.Many)
	rows := strings.Split(p.View(), "\n")
	if !strings.Contains(rows[0], th.Selected.On+" v4") {
		t.Errorf("the selected row is %q", rows[0])
	}
	if !strings.Contains(rows[1], th.Actor("agent").On+"◇ claude") || !strings.Contains(rows[1], th.Removed.On+"−1") {
		t.Errorf("another row is %q", rows[1])
	}
	press(p, "enter")
	if row := strings.Split(p.View(), "\n")[0]; !strings.Contains(row, th.SelectedDim.On+" v4") {
		t.Errorf("with the keys in the diff, the selected row is %q", row)
	}
	p.SetTheme(theme.New(true, theme.Mono))
	if strings.Contains(p.View(), "38;") || strings.Contains(p.View(), "48;") {
		t.Error("colours are left in a theme without any")
	}
}

func TestSelection_ShowsWhatAVersionChanged(t *testing.T) {
	p := newPane(story(), 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	wantShown(t, p, "the newest", "v3 → v4", "+ four")
	press(p, "j")
	wantShown(t, p, "the one before", "v2 → v3", "- three", "+ 3")
	press(p, "G")
	wantShown(t, p, "the first", "v1 · created", "+ one")
	title, info := p.Title()
	if title != "history of /a.md" || info != "4" {
		t.Errorf("titled %q, %q", title, info)
	}
}

func TestBase_ComparesAnyTwoVersions(t *testing.T) {
	p := newPane(story(), 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "space G")
	wantShown(t, p, "newest and oldest", "v1 → v4", "- two", "+ four", "✓v4")
	press(p, "k")
	wantShown(t, p, "the next", "v2 → v4")
	if msgs := press(p, "esc"); msgs != nil {
		t.Errorf("esc asks %v", msgs)
	}
	wantShown(t, p, "without a base", "v1 → v2")
}

func TestDeletedAndRedactedVersions_AreLabelled(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/b.md", path("/b.md")))
	wantShown(t, p, "deleted", "v1 → v2 · deleted", "- b")
	delete(f.texts, "memver_/b.md_1")
	press(p, "j")
	wantShown(t, p, "redacted", "Version 1 was redacted: its content is gone for good.")
	press(p, "k")
	wantShown(t, p, "redacted before", "Version 1 was redacted")
}

func TestChanges_ShowTheirVersionsAndOpenTheirMemory(t *testing.T) {
	p := newPane(story(), 90, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "c")
	wantShown(t, p, "the newest change", "#5", "/a.md v3 → v4", "+ four")
	if msgs := press(p, "o"); len(msgs) != 1 || msgs[0] != (screen.Open{Path: path("/a.md")}) {
		t.Errorf("o asks %v", msgs)
	}
	press(p, "j j")
	wantShown(t, p, "a change of two", "#3 · 2 memories", "edited   /a.md", "created  /b.md")
	press(p, "enter")
	wantShown(t, p, "unfolded", "▾#3")
	press(p, "j j")
	wantShown(t, p, "its second version", "/b.md v1 · created")
	if msgs := press(p, "o"); len(msgs) != 1 || msgs[0] != (screen.Open{Path: path("/b.md")}) {
		t.Errorf("o asks %v", msgs)
	}
	press(p, "k k enter")
	if len(p.all.rows) != 5 || p.all.Cur != 2 {
		t.Errorf("folded to %d rows, cursor on %d", len(p.all.rows), p.all.Cur)
	}
}

func TestRequests_NameWhatIsSelected(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "j")
	if r, ok := press(p, "R")[0].(screen.AskRestore); !ok || r.Version.ID != "memver_/a.md_3" || r.Path != path("/a.md") || r.At.Change != 3 {
		t.Errorf("R asks %+v", r)
	}
	for _, c := range []struct {
		key  string
		want tea.Msg
	}{
		{"u", screen.Undo{Change: 3}},
		{"U", screen.UndoSession{Session: "sesn_00000003"}},
		{"t", screen.Timeline{Change: 3}},
		{"B", screen.Blame{Path: path("/a.md"), Version: "memver_/a.md_3"}},
		{"o", screen.Open{Path: path("/a.md")}},
		{"X", screen.Redact{Version: "memver_/a.md_3", Path: path("/a.md")}},
	} {
		if msgs := press(p, c.key); len(msgs) != 1 || msgs[0] != c.want {
			t.Errorf("%s asks %v", c.key, msgs)
		}
	}
	press(p, "c j")
	if msgs := press(p, "u"); len(msgs) != 1 || msgs[0] != (screen.Undo{Change: 4}) {
		t.Errorf("u in the list of changes asks %v", msgs)
	}
	undo := f.write(ana, "/b.md", "b\n")
	undo.Kind, undo.Undoes = versions.KindUndo, 4
	drain(p, p.Event(versions.Event{Changes: []versions.Change{undo}}))
	if msgs := press(p, "u"); len(msgs) != 1 || msgs[0] != (screen.Redo{Change: 4}) {
		t.Errorf("u on a change that was undone asks %v", msgs)
	}
	if msgs := press(p, "esc"); len(msgs) != 1 || msgs[0] != (screen.Back{}) {
		t.Errorf("esc asks %v", msgs)
	}
	empty := newPane(newFake(), 80, 20)
	drain(empty, empty.ShowMemory("", memfs.Root))
	for _, msg := range press(empty, "R u U t b o X x enter space l c R u U enter") {
		if r, ok := msg.(keys.Refused); !ok || r.Why != "nothing is listed" {
			t.Errorf("with nothing selected %v is asked", msg)
		}
	}
}

func TestWithoutAMemory_TheListShowsAHint(t *testing.T) {
	p := newPane(story(), 80, 20)
	drain(p, p.ShowVersion("", memfs.Root, 0))
	wantShown(t, p, "no memory", "No memory is open")
	if msgs := press(p, "c c"); len(msgs) != 1 || msgs[0].(keys.Refused).Why != "no memory is open" {
		t.Errorf("c asks %v", msgs)
	}
	wantShown(t, p, "all changes", "#5")
}

func TestDiff_TakesAndReturnsTheFocus(t *testing.T) {
	f := newFake()
	f.write(ana, "/a.md", strings.Repeat("line\n", 200))
	f.write(ana, "/a.md", strings.Repeat("other\n", 200))
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "enter")
	before := shown(p)
	press(p, "j j j")
	if p.of.Cur != 0 || shown(p) == before {
		t.Error("j does not scroll the diff")
	}
	press(p, "esc j")
	if p.of.Cur != 1 {
		t.Error("j does not move in the list again")
	}
	press(p, "k")
	before = shown(p)
	press(p, "s")
	if shown(p) == before {
		t.Error("s does not reach the diff from the list")
	}
}

func TestGeometry_FitsEverySize(t *testing.T) {
	f := newFake()
	nasty := versions.Actor{Kind: versions.Agent, Name: "x\x1b]0;t\a中文\u202e"}
	for i := range 40 {
		f.write(nasty, "/dir with 中文 and a very long name indeed/\u202efile.md", fmt.Sprintf("\x1b[31m %d 中文\r\n", i), "/b.md", fmt.Sprint(i))
	}
	m := f.versions["mem_/b.md"]
	m[30].Redacted, m[30].Path = start, memfs.Root
	m[35].From = path("/old\u202ename.md")
	for w := 0; w <= 130; w += 1 + w/12 {
		for h := 0; h <= 40; h += 1 + h/6 {
			if !drawtest.Tries(0, w, h) {
				continue
			}
			p := newPane(f, w, h)
			drain(p, p.ShowMemory("mem_/b.md", path("/b.md")))
			for _, keys := range []string{"", "j space j", "enter", "l l G", "V j x", "esc esc c", "j enter j", "enter", "_ = w", "G", "/", "c esc"} {
				press(p, keys)
				if keys == "/" {
					typed(p, "since:\u202e中 by:")
				}
				if problem := drawtest.Problem(p.View(), w, h); problem != "" {
					t.Fatalf("%dx%d after %q: %s", w, h, keys, problem)
				}
			}
		}
	}
}

func TestUnreviewed_IsMarked(t *testing.T) {
	p := newPane(story(), 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	marks := func() string {
		var b strings.Builder
		for _, r := range strings.Split(shown(p), "\n")[:4] {
			b.WriteString(string([]rune(r)[:1]))
		}
		return b.String()
	}
	for want, l := range map[string]*versions.ReviewState{
		"    ": nil,
		" ●● ": {Reviewed: 1}, // the newest is by the user
		" ●  ": {Reviewed: 1, Of: map[versions.MemoryID]int64{"mem_/a.md": 2}},
	} {
		if p.SetReviewed(l); marks() != want {
			t.Errorf("the marks are %q, want %q", marks(), want)
		}
	}
	p.SetReviewed(nil)
	press(p, "space")
	if !strings.HasPrefix(marks(), "✓") {
		t.Error("the base is not marked")
	}
}

func TestKeys_AreListedOnce(t *testing.T) {
	p := newPane(notes(), 80, 20)
	drain(p, p.ShowMemory("mem_/plan.md", path("/plan.md")))
	for _, keys := range []string{"", "enter", "esc c", "/"} {
		press(p, keys)
		taken := map[string]bool{}
		for _, e := range p.Entries() {
			for _, k := range e.Keys {
				if taken[k] {
					t.Errorf("%s means two things after %q", k, keys)
				}
				taken[k] = true
			}
			if e.Label() == "" || e.Name == "" {
				t.Errorf("%v has no help", e.Keys)
			}
		}
	}
}

func TestSmall_ShowsOnePartAtATime(t *testing.T) {
	p := newPane(notes(), 40, 9)
	drain(p, p.ShowMemory("mem_/plan.md", path("/plan.md")))
	wantShown(t, p, "the list", "v4", "v1")
	press(p, "enter")
	wantShown(t, p, "the diff", "‹ Esc v3 → v4", "Friday")
	if strings.Contains(shown(p), "v1") {
		t.Error("both are shown")
	}
	drain(p, p.Update(tea.MouseClickMsg{X: 2, Y: 0, Button: tea.MouseLeft}))
	wantShown(t, p, "the list again", "v4", "v1")
}

func TestUndo_IsRefusedForWhatWasThereWhenTheHistoryBegan(t *testing.T) {
	f := newFake()
	f.write(other, "/a.md", "one\n", "/b.md", "one\n")
	f.changes[0].Effect = versions.Effect{Found: 2}
	p := newPane(f, 80, 20)
	press(p, "c")
	asked := press(p, "u")
	if refused, ok := asked[0].(keys.Refused); !ok || refused.Why != "it was there when the history began" {
		t.Errorf("u asks %v", asked)
	}
}

func TestEnter_ShowsWhatItListsAtTheEndOfTheList(t *testing.T) {
	f := newFake()
	f.write(other, "/a.md", "one\n", "/b.md", "one\n", "/c.md", "one\n")
	for range 30 {
		f.write(ana, "/a.md", fmt.Sprint(len(f.changes)))
	}
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "c G")
	wantShown(t, p, "before", "Enter lists them.")
	press(p, "enter")
	wantShown(t, p, "after", "/a.md", "/b.md", "Enter folds them.")
	if l := p.list(); !(l.Cur >= l.Top && l.Cur+3 < l.Top+p.Page()) {
		t.Errorf("the rows below are not all visible: from %d on, the cursor is on %d:\n%s", l.Top, l.Cur, shown(p))
	}
	press(p, "enter")
	wantShown(t, p, "folded", "Enter lists them.")
}
