package history

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func TestEvent_PutsNewVersionsOnTopAndKeepsTheSelection(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "j")
	asked := p.pairs.ID()
	c := f.write(agent, "/a.md", "new\n")
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
	wantShown(t, p, "after an event", "v5", "v2 → v3")
	if v, _ := p.list().version(); v.Number != 3 || p.of.Top != 0 || p.pairs.ID() != asked {
		t.Errorf("selected is v%d, top %d, compared again %v", v.Number, p.of.Top, p.pairs.ID() != asked)
	}
}

func TestEvent_InTheListOfChanges(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	press(p, "c j j")
	c := f.write(ana, "/c.md", "c\n")
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
	if n := selectedChange(p); n != 3 || newest(p) != 6 {
		t.Errorf("selected is #%d, newest #%d", n, newest(p))
	}
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}})) // the same event again
	undo := f.write(ana, "/c.md", "")
	undo.Kind, undo.Undoes = versions.KindUndo, 6
	drain(p, p.Event(versions.Event{Changes: []versions.Change{undo}}))
	if n := len(p.all.items); n != 7 {
		t.Errorf("%d changes are listed", n)
	}
	wantShown(t, p, "undone", "undone")
	redo := f.write(ana, "/c.md", "c\n")
	redo.Kind, redo.Undoes = versions.KindRedo, 6
	drain(p, p.Event(versions.Event{Changes: []versions.Change{redo}}))
	if strings.Contains(shown(p), "undone") {
		t.Errorf("still called undone:\n%s", shown(p))
	}
	for range 3 {
		f.write(agent, "/a.md", fmt.Sprint(len(f.changes)))
	}
	last := f.write(agent, "/a.md", "end")
	drain(p, p.Event(versions.Event{Changes: []versions.Change{last}})) // three events were missed
	if newest(p) != 12 || len(p.all.items) != 12 {
		t.Errorf("newest is #%d of %d", newest(p), len(p.all.items))
	}
	if n := selectedChange(p); n != 3 {
		t.Errorf("selected is #%d", n)
	}
}

// Only the store knows which changes an undo of several changes undid, for example that of a
// session: the list is loaded again.
func TestEvent_OfAnUndoOfSeveralShowsThemUndone(t *testing.T) {
	for name, ev := range map[string]func(versions.Change) versions.Event{
		"told":   func(c versions.Change) versions.Event { return versions.Event{Changes: []versions.Change{c}} },
		"reload": func(versions.Change) versions.Event { return versions.Event{Reload: true} },
	} {
		f := story()
		p := newPane(f, 80, 20)
		press(p, "c")
		if strings.Contains(shown(p), "undone") {
			t.Fatal("something is undone already")
		}
		undo := f.write(ana, "/c.md", "as it was\n")
		f.changes[len(f.changes)-1].Kind, undo.Kind = versions.KindUndo, versions.KindUndo
		f.changes[2].UndoneBy, f.changes[3].UndoneBy = undo.Number, undo.Number
		drain(p, p.Event(ev(undo)))
		if n := strings.Count(shown(p), "undone"); n != 2 {
			t.Errorf("%s: %d changes show as undone:\n%s", name, n, shown(p))
		}
	}
}

func TestEvent_DuringTheFirstLoadIsNotLost(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	answer := pressed(p, "c")()
	c := f.write(ana, "/c.md", "c\n")
	fresh := p.Event(versions.Event{Changes: []versions.Change{c}})
	drain(p, answer.(screen.Reply).Take())
	drain(p, fresh)
	if newest(p) != 6 || len(p.all.items) != 6 {
		t.Errorf("newest is #%d of %d", newest(p), len(p.all.items))
	}
}

func TestPages_AreFetchedWhileScrolling(t *testing.T) {
	f := newFake()
	for i := range 350 {
		f.write(agent, "/a.md", fmt.Sprintf("text %d\n", i))
	}
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	if _, info := p.Title(); len(p.of.rows) != pageSize || info != "350" {
		t.Fatalf("%d rows are loaded at first (%s)", len(p.of.rows), info)
	}
	for range 349 {
		press(p, "j")
	}
	wantShown(t, p, "the oldest", "v1 · created")
	if n := len(p.of.rows); n != 350 || !p.of.done {
		t.Errorf("%d rows are loaded", n)
	}
	for i, r := range p.of.rows {
		if p.of.items[r.at].version.Number != 350-i {
			t.Fatalf("row %d is version %d", i, p.of.items[r.at].version.Number)
		}
	}
	pages := 0
	for _, q := range f.asked {
		if strings.HasPrefix(q, "history") && !strings.HasSuffix(q, "before 0") && strings.HasSuffix(q, "51") {
			pages++
		}
	}
	if pages == 0 {
		t.Error("no page was asked for by its cursor")
	}
}

func TestAnswers_ToOlderQuestionsAreDropped(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	first := p.ShowMemory("mem_/a.md", path("/a.md"))
	second := p.ShowMemory("mem_/b.md", path("/b.md"))
	drain(p, second)
	drain(p, first)
	if len(p.of.rows) != 2 {
		t.Errorf("%d versions are listed", len(p.of.rows))
	}
	slow := pressed(p, "j")
	press(p, "k")
	drain(p, slow)
	wantShown(t, p, "the version selected last", "v1 → v2 · deleted")
	press(p, "c j")
	slow = pressed(p, "j")
	press(p, "k")
	drain(p, slow)
	wantShown(t, p, "the change selected last", "/b.md v1 → v2")
}

func TestErrors_AreShown(t *testing.T) {
	f := story()
	f.err = errors.New("disk on fire\x1b[31m")
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	wantShown(t, p, "a list that can't be read", "Can't be read: disk on fire^[[31m")
	press(p, "c")
	wantShown(t, p, "changes that can't be read", "Can't be read: disk on fire")
	f.err = nil
	drain(p, p.Event(versions.Event{Reload: true}))
	press(p, "c")
	wantShown(t, p, "readable again", "v3 → v4")

	f.err = errors.New("gone again")
	drain(p, p.Event(versions.Event{Reload: true}))
	wantShown(t, p, "no longer readable", "v4", "Can't be read: gone again")
	f.err = nil
	drain(p, p.Event(versions.Event{Reload: true}))
	wantShown(t, p, "once more", "v3 → v4")
}

func TestEvent_DuringALoadCausesAnother(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	event := func(text string) tea.Cmd {
		return p.Event(versions.Event{Changes: []versions.Change{f.write(agent, "/a.md", text)}})
	}
	answer := event("five\n")()
	if cmd := event("six\n"); cmd != nil {
		t.Error("two readings are under way")
	}
	drain(p, answer.(screen.Reply).Take())
	wantShown(t, p, "after both", "v5", "v6")
}

func TestEvent_KeepsAScrolledListInPlace(t *testing.T) {
	f := newFake()
	for i := range 60 {
		f.write(agent, "/a.md", fmt.Sprintf("text %d\n", i))
	}
	p := newPane(f, 80, 30)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	for range 5 {
		drain(p, p.Update(tea.MouseWheelMsg{X: 3, Y: 2, Button: tea.MouseWheelDown}))
	}
	before := strings.Split(shown(p), "\n")[0]
	drain(p, p.Event(versions.Event{Changes: []versions.Change{f.write(agent, "/a.md", "new\n")}}))
	if got := strings.Split(shown(p), "\n")[0]; got != before {
		t.Errorf("the first row was\n%s\nand is\n%s", before, got)
	}
	if v, _ := p.list().version(); v.Number != 60 {
		t.Errorf("selected is v%d", v.Number)
	}
}

// The agent that made an outside change is found out later.
func TestEvent_OfAnAttributionShowsTheActor(t *testing.T) {
	f := newFake()
	f.session = ""
	nobody := versions.Actor{Kind: versions.Outside}
	f.write(nobody, "/a.md", "one\n")
	p := newPane(f, 100, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	wantShown(t, p, "before", "○ outside")
	claude := versions.Actor{Kind: versions.Agent, Name: "claude-code"}
	c := &f.changes[0]
	c.Actor, c.Session, c.Inferred = claude, "sesn_claude", true
	v := &f.versions["mem_/a.md"][0]
	v.Actor, v.Session, v.Inferred = claude, "sesn_claude", true
	drain(p, p.Event(versions.Event{Attributed: []versions.Change{*c}}))
	wantShown(t, p, "of the memory", "≈ Claude Code", "· inferred")
	press(p, "c")
	wantShown(t, p, "of the store", "≈ Claude Code", "· inferred")
	c.Actor, c.Session, c.Inferred = nobody, "", false
	drain(p, p.Event(versions.Event{Attributed: []versions.Change{*c}}))
	wantShown(t, p, "after all", "○ outside")
	if strings.Contains(shown(p), "inferred") {
		t.Errorf("still inferred:\n%s", shown(p))
	}
}

// What the person listed below a change is listed again after everything was reloaded.
func TestReload_ListsVersionsBelowTheirChangesAgain(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	press(p, "c j j enter gg")
	wantOutline(t, p, "before", ">5 4 3 v v 2 1")
	drain(p, p.Event(versions.Event{Reload: true}))
	wantOutline(t, p, "after", ">5 4 3 v v 2 1")
	press(p, "j j enter")
	wantOutline(t, p, "hidden again", "5 4 >3 2 1")
}
