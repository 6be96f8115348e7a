package history

import (
	"context"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

// texts are lines far enough from each other to be changed each for itself.
func texts(lines ...string) string { return strings.Join(lines, "\nsame\nsame\nsame\n") + "\n" }

// restoreHunk presses R in the diff and does what is asked for.
func restoreHunk(t *testing.T, p *Pane, keys string) (did string, err error) {
	t.Helper()
	msgs := press(p, keys+" R")
	if len(msgs) != 1 {
		t.Fatalf("%s R asks %v", keys, msgs)
	}
	act, ok := msgs[0].(screen.Act)
	if !ok {
		t.Fatalf("%s R asks %v", keys, msgs[0])
	}
	_, err = act.Do(context.Background())
	return act.Did, err
}

func TestRestoreHunk_BringsItsLinesBackAndKeepsAllElse(t *testing.T) {
	f := newFake()
	f.write(ana, "/a.md", texts("one", "two", "three"))
	f.write(agent, "/a.md", texts("one", "2", "3"))
	f.write(agent, "/a.md", texts("later", "2", "3"))
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	did, err := restoreHunk(t, p, "j enter ]")
	if err != nil || did != "restored 1 line of v1 · u undoes" {
		t.Errorf("it did %q: %v", did, err)
	}
	list := f.versions["mem_/a.md"]
	if got := f.texts[list[len(list)-1].ID]; got != texts("later", "2", "three") {
		t.Errorf("the memory is now %q", got)
	}
	if len(f.written) != 1 || !strings.Contains(f.written[0], "by ana if ") {
		t.Errorf("written: %q", f.written)
	}
	if _, err := restoreHunk(t, p, ""); !errors.Is(err, versions.ErrNothing) {
		t.Errorf("once more it says %v", err)
	}
}

func TestRestoreHunk_TakesSelectedLinesOnly(t *testing.T) {
	f := newFake()
	f.write(ana, "/a.md", "a\nb\nc\n")
	f.write(agent, "/a.md", "A\nB\nC\n")
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	did, err := restoreHunk(t, p, "enter s V j")
	list := f.versions["mem_/a.md"]
	if got := f.texts[list[len(list)-1].ID]; err != nil || got != "a\nb\nC\n" || did != "restored 2 lines of v1 · u undoes" {
		t.Errorf("it did %q: %q, %v", did, got, err)
	}
	if msgs := press(p, "V esc"); msgs != nil || !p.inDiff {
		t.Error("esc leaves the diff and not the selection")
	}
}

func TestRestoreHunk_RefusesWhatItWouldLose(t *testing.T) {
	for name, c := range map[string]struct {
		now  string
		want error
	}{
		"changed since": {texts("one", "other"), errChanged},
		"deleted":       {"", errDeletedNow},
	} {
		f := newFake()
		f.write(ana, "/a.md", texts("one", "two"))
		f.write(agent, "/a.md", texts("one", "2"))
		f.write(agent, "/a.md", c.now)
		p := newPane(f, 80, 24)
		drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
		if _, err := restoreHunk(t, p, "j enter"); !errors.Is(err, c.want) || len(f.written) != 0 {
			t.Errorf("%s: it says %v and writes %q", name, err, f.written)
		}
	}
}

func TestRestoreHunk_NeedsOne(t *testing.T) {
	f := newFake()
	f.write(ana, "/a.md", "a\n")
	f.write(ana, "/a.md", "a\n")
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	if msgs := press(p, "enter R"); len(msgs) != 1 || msgs[0] != (keys.Refused{Name: "restore this hunk", Why: "nothing differs here"}) {
		t.Errorf("R asks %v", msgs)
	}
}

func TestSwap_ShowsTheNewerTextOnTheLeft(t *testing.T) {
	f := story()
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "x")
	wantShown(t, p, "swapped", "v4 → v3 · swapped", "- four")
	press(p, "space G")
	wantShown(t, p, "any two", "v4 → v1 · swapped", "+ two")
	did, err := restoreHunk(t, p, "enter")
	if err == nil || !errors.Is(err, versions.ErrNothing) || did != "restored 3 lines of v4 · u undoes" {
		t.Errorf("it did %q, %v", did, err)
	}
	press(p, "x")
	wantShown(t, p, "swapped back", "v1 → v4", "+ four")
}

func TestBase_IsToldWhereItIsOfAnotherMemory(t *testing.T) {
	p := newPane(story(), 80, 24)
	press(p, "c space")
	wantShown(t, p, "marked", "◆ #5")
	press(p, "j")
	wantShown(t, p, "another memory", "/b.md v1 → v2 · deleted", "◆v4 elsewhere")
	press(p, "j j")
	wantShown(t, p, "the same memory", "/a.md v2 → v4")
}

func TestCopy_TakesWhatIsMeant(t *testing.T) {
	f := story()
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	for key, want := range map[string]screen.Copy{
		"y": {What: "v4 of /a.md", Text: "one\n2\n3\nfour\n"},
		"d": {What: "the diff", Text: "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,4 @@\n one\n 2\n 3\n+four\n"},
		"p": {What: "the path", Text: "/a.md"},
		"v": {What: "the id of version 4", Text: "memver_/a.md_4"},
		"s": {What: "the id of the session", Text: "sesn_00000005"},
		"c": {What: "the number of the change", Text: "5"},
	} {
		cmd, _ := p.Press([]string{"y", key}, 0)
		if msgs := drain(p, cmd); len(msgs) != 1 || msgs[0] != want {
			t.Errorf("y %s copies %v", key, msgs)
		}
	}
	press(p, "G")
	cmd, _ := p.Press([]string{"y", "d"}, 0)
	if msgs := drain(p, cmd); !strings.HasPrefix(msgs[0].(screen.Copy).Text, "--- /dev/null\n+++ b/a.md\n") {
		t.Errorf("of what was made y d copies %v", msgs)
	}
	delete(f.texts, "memver_/a.md_1")
	cmd, _ = p.Press([]string{"y", "y"}, 0)
	if msgs := drain(p, cmd); !strings.Contains(msgs[0].(screen.Notice).Text, "redacted") {
		t.Errorf("of what was redacted y y copies %v", msgs)
	}
}

func TestRestoreAsOf_OffersTheMemoryItsFolderAndAll(t *testing.T) {
	f := newFake()
	c := f.write(ana, "/dir/a.md", "a\n")
	p := newPane(f, 80, 24)
	press(p, "c")
	choose := press(p, "a")[0].(screen.Choose)
	at := versions.Moment{Change: 1, Time: c.Time}
	want := []tea.Msg{screen.RestoreAt{At: at, Path: path("/dir/a.md")}, screen.RestoreAt{At: at, Path: path("/dir")}, screen.RestoreAt{At: at, Path: memfs.Root}}
	for i, w := range want {
		if got := choose.Options[i].Then()(); got != w {
			t.Errorf("%s asks %v", choose.Options[i].Label, got)
		}
	}
	if choose.Options[3].Then != nil || !strings.Contains(choose.Text, "#1 (2026-11-20 12:10)") {
		t.Errorf("it asks %q", choose.Text)
	}
}
