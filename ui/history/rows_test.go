package history

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// sessions is a store with two sessions of several changes each, and two single changes.
func sessions() *fake {
	f := newFake()
	f.oneSession = true
	for i, s := range []string{"one", "one", "one", "", "two", "two", "alone"} {
		f.session = versions.SessionID(s)
		by := agent
		if s == "alone" {
			by = ana
		}
		f.write(by, "/a.md", fmt.Sprintf("text %d\n", i))
	}
	return f
}

// outline returns the list, one letter for each row.
func outline(p *Pane) string {
	var b strings.Builder
	for i, r := range p.all.rows {
		if i == p.all.Cur {
			b.WriteByte('>')
		}
		switch r.kind {
		case headRow:
			fmt.Fprintf(&b, "[%d] ", r.to-r.at)
		case actRow:
			fmt.Fprintf(&b, "(%d) ", r.to-r.at)
		case innerRow:
			b.WriteString("v ")
		default:
			fmt.Fprintf(&b, "%d ", p.all.items[r.at].number())
		}
	}
	return strings.TrimSpace(b.String())
}

func wantOutline(t *testing.T, p *Pane, what, want string) {
	t.Helper()
	if got := outline(p); got != want {
		t.Errorf("%s: %s, want %s", what, got, want)
	}
}

func TestSessions_HaveAHeading(t *testing.T) {
	f := sessions()
	p := newPane(f, 80, 24)
	press(p, "c")
	wantOutline(t, p, "at first", ">7 [2] 6 5 4 [3] 3 2 1")
	press(p, "j")
	wantShown(t, p, "a heading", "▾ ◇ claude  2 changes", "Enter folds them. U undoes", "#6     edited   /a.md")
	press(p, "enter")
	wantOutline(t, p, "folded", "7 >[2] 4 [3] 3 2 1")
	wantShown(t, p, "folded", "▸ ◇ claude  2 changes")
	press(p, "enter")
	wantOutline(t, p, "unfolded", "7 >[2] 6 5 4 [3] 3 2 1")
	press(p, "G _")
	wantOutline(t, p, "all folded", "7 [2] 4 >[3]")
	press(p, "=")
	wantOutline(t, p, "all unfolded", "7 [2] 6 5 4 >[3] 3 2 1")
}

func TestSessions_GrowWhileShown(t *testing.T) {
	f := sessions()
	f.session = "two"
	p := newPane(f, 80, 24)
	press(p, "c G")
	add := func(s string, by versions.Actor) {
		f.session = versions.SessionID(s)
		drain(p, p.Event(versions.Event{Changes: []versions.Change{f.write(by, "/b.md", fmt.Sprint(len(f.changes)))}}))
	}
	add("alone", ana)
	wantOutline(t, p, "two of what was alone", "[2] 8 7 [2] 6 5 4 [3] 3 2 >1")
	press(p, "g g")
	press(p, "gg")
	wantOutline(t, p, "on the heading", ">[2] 8 7 [2] 6 5 4 [3] 3 2 1")
	add("alone", ana)
	wantOutline(t, p, "the heading grows", ">[3] 9 8 7 [2] 6 5 4 [3] 3 2 1")
	press(p, "enter")
	add("alone", ana)
	wantOutline(t, p, "folded it grows too", ">[4] [2] 6 5 4 [3] 3 2 1")
	press(p, "j j")
	add("", other)
	wantOutline(t, p, "another", "11 [4] [2] >6 5 4 [3] 3 2 1")
}

func TestSessions_ContinueAcrossPages(t *testing.T) {
	f := newFake()
	f.oneSession, f.session = true, "long"
	for i := range 250 {
		f.write(agent, "/a.md", fmt.Sprint("text ", i))
	}
	p := newPane(f, 80, 24)
	press(p, "c")
	wantShown(t, p, "at first", "100+ changes")
	for !p.all.done {
		press(p, "G")
	}
	press(p, "gg")
	wantShown(t, p, "all", "250 changes")
	if len(p.all.rows) != 251 {
		t.Errorf("%d rows", len(p.all.rows))
	}
}

func TestEvent_OfManyChangesKeepsTheCursor(t *testing.T) {
	f := long(300)
	p := newPane(f, 80, 24)
	press(p, "c j j j j j")
	for range 950 {
		f.write(agent, "/x.md", fmt.Sprint(len(f.changes)))
	}
	drain(p, p.Event(versions.Event{Reload: true}))
	if n := selectedChange(p); n != 295 || newest(p) != 1250 || len(p.all.items) != 1050 {
		t.Errorf("selected #%d, newest #%d of %d", n, newest(p), len(p.all.items))
	}
	for i, it := range p.all.items {
		if it.number() != int64(1250-i) {
			t.Fatalf("item %d is #%d", i, it.number())
		}
	}
}

func TestEvent_OfAnUndoneSessionKeepsTheCursor(t *testing.T) {
	f := long(250)
	p := newPane(f, 80, 24)
	press(p, "c")
	for len(p.all.items) < 150 {
		press(p, "G")
	}
	p.moveBy(130 - p.Cur)
	before, top := p.all.keyAt(p.all.Cur), p.all.keyAt(p.all.Top)
	undo := f.write(ana, "/c.md", "as it was\n")
	undo.Kind = versions.KindUndo
	f.changes[len(f.changes)-1].Kind = versions.KindUndo
	f.changes[100].UndoneBy = undo.Number
	drain(p, p.Event(versions.Event{Changes: []versions.Change{undo}}))
	if p.all.keyAt(p.all.Cur) != before || p.all.keyAt(p.all.Top) != top {
		t.Errorf("the place is #%d below #%d, was #%d below #%d", p.all.keyAt(p.all.Cur).number, p.all.keyAt(p.all.Top).number, before.number, top.number)
	}
	for _, it := range p.all.items {
		if it.number() == 101 && it.change.UndoneBy != 251 {
			t.Error("what was undone is not told")
		}
	}
}

func TestFold_OfAChangeSurvivesNewChanges(t *testing.T) {
	f := newFake()
	f.write(agent, "/a.md", "a", "/b.md", "b")
	f.write(ana, "/a.md", "2")
	p := newPane(f, 80, 24)
	press(p, "c j enter j j")
	wantOutline(t, p, "unfolded", "2 1 v >v")
	drain(p, p.Event(versions.Event{Changes: []versions.Change{f.write(ana, "/c.md", "c")}}))
	wantOutline(t, p, "after an event", "3 2 1 v >v")
	drain(p, p.Event(versions.Event{Reload: true}))
	if n := selectedChange(p); n != 1 {
		t.Errorf("after all was read anew: %s", outline(p))
	}
}

func TestVersionRow_ShowsThePathOnlyIfItDiffers(t *testing.T) {
	p := newPane(notes(), 120, 36)
	v := &versions.Version{Number: 2, Operation: versions.Modified, Path: path("/b.md"), From: path("/a/folder/of/old.md")}
	for w, want := range map[int]string{90: "from /a/folder/of/old.md", 80: "from …r/of/old.md", 72: ""} {
		c := draw.NewRow(nil, w)
		p.rowPen().versionRow(&c, v, false, w)
		got := ansi.Strip(string(c.End()))
		if _, from, _ := strings.Cut(got, "from "); want == "" && strings.Contains(got, "…") || want != "" && "from "+strings.TrimRight(from, " ") != want {
			t.Errorf("in %d columns %q", w, got)
		}
	}
}

// The line below the list shows the subject of an imported commit, sanitized, after the facts
// that distinguish commits, and the filter finds it.
func TestDetail_ShowsTheSubjectOfACommit(t *testing.T) {
	f := newFake()
	c := f.write(agent, "/a.md", "one\n")
	f.write(agent, "/a.md", "two\n")
	const subject = "Fix \x1b[31ma typo \u202ein the plan"
	f.changes[0].Subject, f.versions["mem_/a.md"][0].Subject = subject, subject
	for i := range f.changes {
		f.changes[i].Session = versions.SessionID(strings.Repeat("0123456789", 4))
		f.versions["mem_/a.md"][i].Session = f.changes[i].Session
	}
	p := newPane(f, 120, 36)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	for _, list := range []string{"", "c"} {
		if list != "" {
			press(p, list)
		}
		press(p, "/")
		typed(p, "typo")
		special(p, tea.KeyEnter)
		for w, want := range map[int]string{120: "in the plan", 100: "Fix ", 30: ""} {
			row := factsRow(p, w)
			if strings.Contains(row, "\x1b[31m") || strings.Contains(row, "\u202e") || drawtest.Width(row) != w {
				t.Errorf("in %d columns %q", w, row)
			}
			if row = ansi.Strip(row); !strings.Contains(row, want) || want == "" && strings.Contains(row, "Fix") || !strings.Contains(row, "2026-11-20") {
				t.Errorf("change %d in %d columns: %q", c.Number, w, row)
			}
		}
	}
}

// factsRow draws the facts about the selected row in w columns.
func factsRow(p *Pane, w int) string {
	c := draw.NewRow(nil, w)
	c.Space(1)
	p.Facts()[0].Put(&c)
	return string(c.End())
}

func TestRows_CutNoWordInNarrowPanes(t *testing.T) {
	f := story()
	f.oneSession, f.session = true, "sesn_a-session-with-a-long-name"
	f.write(agent, "/a.md", "one\n", "/b.md", "two\n")
	f.changes[len(f.changes)-1].UndoneBy = 1000
	many := f.write(agent, "/a.md", "three\n", "/b.md", "four\n")
	f.changes[len(f.changes)-1].Versions = 4321
	f.changes[len(f.changes)-1].UndoneBy = 1000
	p := newPane(f, 40, 12)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "c")
	wantShown(t, p, "changes", "edited   ×2  [undone]", "edited   ×4321  [undone]")
	press(p, "j l")
	for _, w := range []int{30, 36, 40, 56} {
		p.SetSize(w, 12)
		if row := ansi.Strip(factsRow(p, w)); strings.Contains(row, "…") {
			t.Errorf("%d columns: %q is cut", w, row)
		}
	}
	p.SetSize(70, 12)
	wantShown(t, p, "the session in brief", "#"+strconv.FormatInt(many.Number, 10)+" · session ong-name")
}

// bulks is a store with two bulk edits: another program rewrote memories in three changes, and
// an agent's shell command in two, between other changes of its session.
func bulks() *fake {
	f := newFake()
	outside := versions.Actor{Kind: versions.Outside}
	f.oneSession = true
	for _, c := range []struct {
		by      versions.Actor
		session string
	}{{ana, "ana"}, {outside, ""}, {outside, ""}, {outside, ""}, {agent, "run"}, {agent, "run"}, {agent, "run"}, {ana, "ana"}} {
		f.session = versions.SessionID(c.session)
		f.write(c.by, "/a.md", fmt.Sprint(len(f.changes)), "/b.md", fmt.Sprint(len(f.changes)))
	}
	f.acts = []versions.Bulk{{Changes: []int64{2, 3, 4}, Actor: outside, Versions: 12, OneAct: true}, {Changes: []int64{6, 7}, Actor: agent, Session: "run", Versions: 10, OneAct: true}}
	return f
}

func TestActs_AreOneRowUntilUnfolded(t *testing.T) {
	p := newPane(bulks(), 80, 24)
	press(p, "c")
	wantOutline(t, p, "at first", ">8 [3] (2) 5 (3) 1")
	press(p, "j j j j")
	wantShown(t, p, "an act", "12 memories 3 changes", "Another program wrote them in one go. Enter lists them. u undoes all of them.")
	press(p, "enter")
	wantOutline(t, p, "listed", "8 [3] (2) 5 >(3) 4 3 2 1")
	press(p, "enter")
	wantOutline(t, p, "folded again", "8 [3] (2) 5 >(3) 1")
	press(p, "enter j j _")
	wantOutline(t, p, "all folded", "8 [3] >(3) 1")
	press(p, "/")
	typed(p, "path:a.md")
	special(p, tea.KeyEnter)
	if got := outline(p); strings.Contains(got, "(") {
		t.Errorf("what is searched for paths: %s", got)
	}
}

// If other changes interrupt a bulk edit, each row shows how much of it is there.
func TestActs_WithInterleavedChangesShowTheirPart(t *testing.T) {
	f := bulks()
	f.acts[0].Changes, f.acts[0].Versions = []int64{2, 3, 4, 8}, 16
	p := newPane(f, 80, 24)
	press(p, "c j j j j")
	wantShown(t, p, "a part of an act", "6 memories 3 of 4 changes", "Another program wrote 3 of its 4 changes here; others wrote in between.", "u undoes all 4.")
}

// What an undo undid follows its verb; that the undo was undone is no part of the sentence.
func TestRows_NameAnUndoByWhatItUndid(t *testing.T) {
	f := story()
	for _, session := range []versions.SessionID{"sesn_first", "sesn_other"} {
		f.write(agent, "/a.md", "one\n", "/b.md", "two\n")
		c := &f.changes[len(f.changes)-1]
		c.Session = session
		c.Kind, c.Undoes, c.UndoneBy, c.Path, c.Effect = versions.KindUndo, 2, 9, memfs.Root, versions.Effect{Edited: 1, Deleted: 1}
	}
	c := &f.changes[len(f.changes)-2]
	c.Versions, c.Effect = 1, versions.Effect{Edited: 1, Path: path("/c.md")}
	p := newPane(f, 80, 24)
	press(p, "c")
	wantShown(t, p, "undos", "other      undid    #2 1 edited, 1 deleted  [undone]", "first      undid    #2 /c.md  [undone]")
}

func TestActs_AreUndoneAndRedoneTogether(t *testing.T) {
	f := bulks()
	p := newPane(f, 80, 24)
	press(p, "c j j j j")
	if got := press(p, "u"); len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(screen.UndoChanges{Changes: []int64{2, 3, 4}}) {
		t.Errorf("u asks for %#v", got)
	}
	press(p, "enter j j")
	if got := press(p, "u"); len(got) != 1 || got[0] != (screen.Undo{Change: 3}) {
		t.Errorf("on one of the changes u asks for %#v", got)
	}
	press(p, "k k enter")
	for i := range 3 {
		f.changes[i+1].UndoneBy = 9
	}
	f.acts[0].UndoneBy = 9
	f.session = "ana"
	c := f.write(ana, "/a.md", "x")
	c.Kind, f.changes[8].Kind = versions.KindUndo, versions.KindUndo
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
	wantOutline(t, p, "undone", "[2] 9 8 [3] (2) 5 >(3) 1")
	wantShown(t, p, "undone", "edited   12 memories 3 changes [undone]", "u redoes all of them")
	if got := press(p, "u"); len(got) != 1 || got[0] != (screen.Undo{Change: 9}) {
		t.Errorf("u asks for %#v", got)
	}
	f.changes[2].UndoneBy = 0 // one of them was redone
	c.Kind, c.Undoes, c.Number = versions.KindRedo, 3, 10
	f.changes = append(f.changes, c)
	f.acts[0] = versions.Bulk{Changes: []int64{2, 4}, UndoneBy: 9, Versions: 8, OneAct: true}
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
	wantOutline(t, p, "one is redone", "[3] 10 9 8 [3] (2) 5 >4 3 2 1")
}

// A live change joins the bulk edit that it continues.
func TestActs_GrowWhileShown(t *testing.T) {
	f := bulks()
	f.changes, f.acts = f.changes[:3], nil
	p := newPane(f, 80, 24)
	press(p, "c j")
	wantOutline(t, p, "at first", "3 >2 1")
	c := f.write(versions.Actor{Kind: versions.Outside}, "/a.md", "x", "/b.md", "x")
	c.Kind, f.changes[3].Kind = versions.KindAdopt, versions.KindAdopt
	f.acts = []versions.Bulk{{Changes: []int64{2, 3, 4}, Versions: 12, OneAct: true}}
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
	wantOutline(t, p, "more came", ">(3) 1")
}

func TestVersions_NameTheActThatMadeThem(t *testing.T) {
	f := newFake()
	for _, kind := range []versions.ChangeKind{versions.KindCreate, versions.KindEdit, versions.KindUndo, versions.KindRedo, versions.KindRestore} {
		f.write(ana, "/a.md", string(kind))
		list := f.versions["mem_/a.md"]
		list[len(list)-1].Kind = kind
	}
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	wantShown(t, p, "acts", "v5    2d   restored", "v4    2d   redid", "v3    2d   undid", "v2    2d   edited", "v1    2d   created")
	press(p, "/")
	typed(p, "op:undo")
	special(p, tea.KeyEnter)
	if _, info := p.Title(); info != "1" {
		t.Errorf("of the undos are listed %s", info)
	}
}

func TestTitle_CountsVersionsThatAreNotLoaded(t *testing.T) {
	f := newFake()
	for i := range 147 {
		f.write(ana, "/a.md", fmt.Sprint(i))
	}
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	if _, info := p.Title(); info != "147" {
		t.Errorf("of 147 versions the title says %s", info)
	}
	press(p, "c")
	if _, info := p.Title(); info != "147" {
		t.Errorf("of 147 changes the title says %s", info)
	}
}

// Beside how many memories a change wrote, a path is whole or has room to be recognized.
func TestRows_OfManyMemoriesCutNoPathToAFewLetters(t *testing.T) {
	f := newFake()
	f.write(ana, "/support/a.md", "one", "/support/b.md", "two")
	f.changes[0].Path = path("/support")
	for w := 40; w < 80; w++ {
		p := newPane(f, w, 12)
		press(p, "c")
		row := strings.Split(p.View(), "\n")[0]
		_, path, ok := strings.Cut(ansi.Strip(row), "memories")
		if path = strings.TrimSpace(path); ok && strings.HasPrefix(path, "…") && len([]rune(path)) < shortPathCols {
			t.Errorf("at %d columns it shows %q", w, path)
		}
	}
}

// A memory that came from another store says from where, and its deletion there says where it went.
func TestVersionRow_ShowsTheOtherStore(t *testing.T) {
	p := newPane(notes(), 120, 36)
	across := &versions.Across{Name: "app", Number: 3, Path: path("/notes/plan.md")}
	for op, want := range map[versions.Operation]string{versions.Created: "from app:/notes/plan.md@3", versions.Deleted: " to app:/notes/plan.md@3"} {
		c := draw.NewRow(nil, 110)
		p.rowPen().versionRow(&c, &versions.Version{Number: 1, Operation: op, Path: path("/b.md"), Across: across}, false, 110)
		if got := ansi.Strip(string(c.End())); !strings.Contains(got, want) {
			t.Errorf("%s: %q", op, got)
		}
	}
}
