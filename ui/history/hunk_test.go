package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

// texts returns lines that are far enough from each other to be separate hunks.
func texts(lines ...string) string { return strings.Join(lines, "\nsame\nsame\nsame\n") + "\n" }

// restoreHunk presses R in the diff and performs the request, or returns the notice.
func restoreHunk(t *testing.T, p *Pane, keys string) (said string) {
	t.Helper()
	msgs := press(p, keys+" R")
	if len(msgs) != 1 {
		t.Fatalf("%s R asks %v", keys, msgs)
	}
	switch msg := msgs[0].(type) {
	case screen.Act:
		if _, err := msg.Do(context.Background()); err != nil {
			t.Fatal(err)
		}
		return msg.Did
	case screen.Notice:
		return msg.Text
	default:
		return fmt.Sprintf("%T", msg)
	}
}

func TestRestoreHunk_RestoresItsLinesOnly(t *testing.T) {
	f := newFake()
	f.write(ana, "/a.md", texts("one", "two", "three"))
	f.write(agent, "/a.md", texts("one", "2", "3"))
	f.write(agent, "/a.md", texts("later", "2", "3"))
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	if did := restoreHunk(t, p, "j enter ]"); did != "restored a hunk of /a.md from v1" {
		t.Errorf("it did %q", did)
	}
	list := f.versions["mem_/a.md"]
	if got := f.texts[list[len(list)-1].ID]; got != texts("later", "2", "three") {
		t.Errorf("the memory is now %q", got)
	}
	if len(f.written) != 1 || !strings.Contains(f.written[0], "by ana if ") {
		t.Errorf("written: %q", f.written)
	}
	if said := restoreHunk(t, p, ""); !strings.Contains(said, "already like that") || len(f.written) != 1 {
		t.Errorf("once more it says %q", said)
	}
}

func TestRestoreHunk_RestoresSelectedLinesOnly(t *testing.T) {
	f := newFake()
	f.write(ana, "/a.md", "a\nb\nc\n")
	f.write(agent, "/a.md", "A\nB\nC\n")
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	did := restoreHunk(t, p, "enter s V j")
	list := f.versions["mem_/a.md"]
	if got := f.texts[list[len(list)-1].ID]; got != "a\nb\nC\n" || did != "restored a hunk of /a.md from v1" {
		t.Errorf("it did %q: %q", did, got)
	}
	if msgs := press(p, "V esc"); msgs != nil || !p.InDetail {
		t.Error("esc leaves the diff and not the selection")
	}
}

// changedSince returns a store with a memory in which the line to restore has changed again.
func changedSince(now string) *fake {
	f := newFake()
	f.write(ana, "/a.md", texts("one", "two"))
	f.write(agent, "/a.md", texts("one", "2"))
	f.write(agent, "/a.md", now)
	return f
}

func TestRestoreHunk_OpensTheMergeWhereItConflicts(t *testing.T) {
	f := changedSince(texts("one", "other"))
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	msgs := press(p, "j enter R")
	late, _ := msgs[0].(screen.Late)
	show, ok := late.Request.(screen.Show)
	if !ok || late.From != p || len(f.written) != 0 {
		t.Fatalf("R asks %v and writes %q", msgs, f.written)
	}
	m := show.Pane
	m.SetSize(100, 30)
	if got := ansi.Strip(m.View()); !strings.Contains(got, "other") || !strings.Contains(got, "two") || !strings.Contains(got, "before · v1") {
		t.Fatalf("the merge shows\n%s", got)
	}
	m.Press([]string{"B"}, 0)
	cmd, _ := m.Press([]string{"ctrl+s"}, 0)
	act, ok := cmd().(screen.Act)
	if !ok {
		t.Fatal("saving the merge asks for nothing")
	}
	c, err := act.Do(context.Background())
	list := f.versions["mem_/a.md"]
	if got := f.texts[list[len(list)-1].ID]; err != nil || got != texts("one", "two") {
		t.Errorf("the memory is now %q, %v", got, err)
	}
	if act.Done(c, nil) != (screen.Drop{Pane: m}) || act.Done(c, errors.New("conflict")) != nil {
		t.Error("the merge is left when it failed, or stays when it is done")
	}
}

func TestRestoreHunk_RefusesDeletedMemories(t *testing.T) {
	f := changedSince("")
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	if said := restoreHunk(t, p, "j enter"); !strings.Contains(said, errDeletedNow.Error()) || len(f.written) != 0 {
		t.Errorf("it says %q and writes %q", said, f.written)
	}
}

func TestRestoreHunk_NeedsAHunk(t *testing.T) {
	f := newFake()
	f.write(ana, "/a.md", "a\n")
	f.write(ana, "/a.md", "a\n")
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	if msgs := press(p, "enter R"); len(msgs) != 1 || msgs[0] != (keys.Refused{Name: "restore as of here or a hunk", Why: "there are no differences"}) {
		t.Errorf("R asks %v", msgs)
	}
}

func TestBase_OfAnotherMemoryIsNamed(t *testing.T) {
	p := newPane(story(), 80, 24)
	press(p, "c space")
	wantShown(t, p, "marked", "✓ #5")
	wantShown(t, p, "another memory", "/b.md v1 → v2 · deleted", "✓v4 elsewhere")
	press(p, "j j")
	wantShown(t, p, "the same memory", "/a.md v2 → v4")
}

func TestCopy_CopiesTheSelectedPart(t *testing.T) {
	f := story()
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	for key, want := range map[string]screen.Copy{
		"y": {What: "v4 of /a.md", Text: "one\n2\n3\nfour\n"},
		"d": {What: "the diff", Text: "--- a/a.md\n+++ b/a.md\n@@ -1,3 +1,4 @@\n one\n 2\n 3\n+four\n"},
		"p": {What: "the path", Text: "/a.md"},
		"i": {What: "the id of version 4", Text: "memver_/a.md_4"},
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

func TestRedacted_DisablesActionsThatNeedTheText(t *testing.T) {
	f := story()
	f.versions["mem_/a.md"][3].Redacted, f.versions["mem_/a.md"][3].Path = start, memfs.Root
	p := newPane(f, 90, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	wantShown(t, p, "redacted", "redacted", "Version 4 was redacted", "redacted by")
	for _, seq := range [][]string{{"o"}, {"B"}, {"X"}, {"y", "y"}, {"y", "p"}} {
		cmd, _ := p.Press(seq, 0)
		if msgs := drain(p, cmd); len(msgs) != 1 || msgs[0].(keys.Refused).Why != "the version was redacted" {
			t.Errorf("%v asks %v", seq, msgs)
		}
	}
}

func TestOpen_OpensTheCurrentPath(t *testing.T) {
	f := story()
	f.versions["mem_/a.md"][1].Path = path("/old.md")
	p := newPane(f, 90, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "G k enter")
	if msgs := press(p, "o"); len(msgs) != 1 || msgs[0] != (screen.Open{Path: path("/a.md"), Line: 2}) {
		t.Errorf("o asks %v", msgs)
	}
}

func TestHead_LeavesRoomForTheCounts(t *testing.T) {
	f := newFake()
	long := "/a/folder/with/a/long/name/that/goes/on/and/on/for/ever/memory.md"
	f.write(ana, long, texts("one", "two"))
	f.write(ana, long, texts("1", "2"))
	p := newPane(f, 60, 24)
	press(p, "c")
	wantShown(t, p, "a long path", "memory.md v1 → v2 +2 −2 1/2")
}
