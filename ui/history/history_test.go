package history

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw/drawtest"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

var update = flag.Bool("update", false, "write the golden frames anew")

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// drain runs a command and what its answers lead to, and returns the messages
// that are for the owner.
func drain(p *Pane, cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
		return nil
	case tea.BatchMsg:
		var out []tea.Msg
		for _, c := range msg {
			out = append(out, drain(p, c)...)
		}
		return out
	case screen.Answer:
		return drain(p, p.Update(msg))
	default:
		return []tea.Msg{msg}
	}
}

// pressed obeys a key; gg is a sequence.
func pressed(p *Pane, name string) tea.Cmd {
	seq := []string{name}
	if name == "gg" {
		seq = []string{"g", "g"}
	}
	cmd, _ := p.Press(seq, 0)
	return cmd
}

func press(p *Pane, names string) []tea.Msg {
	var out []tea.Msg
	for _, n := range strings.Fields(names) {
		out = append(out, drain(p, pressed(p, n))...)
	}
	return out
}

func newPane(f *fake, w, h int) *Pane {
	p := New(context.Background(), theme.New(true, theme.Many), f, versions.By{Actor: ana, Session: "sesn_me"}, nil)
	p.SetNow(start.Add(50 * time.Hour))
	p.SetFocused(true)
	p.SetSize(w, h)
	return p
}

var (
	ana   = versions.Actor{Kind: versions.Person, Name: "ana"}
	agent = versions.Actor{Kind: versions.Agent, Name: "claude"}
	other = versions.Actor{Kind: versions.Outside}
)

// story is a store with a little past.
func story() *fake {
	f := newFake()
	f.write(ana, "/a.md", "one\ntwo\nthree\n")
	f.write(agent, "/a.md", "one\n2\nthree\n")
	f.write(agent, "/a.md", "one\n2\n3\n", "/b.md", "b\n")
	f.write(other, "/b.md", "")
	f.write(ana, "/a.md", "one\n2\n3\nfour\n")
	return f
}

// newest is the number of the newest change that is loaded.
func newest(p *Pane) int64 {
	if len(p.all.items) == 0 {
		return 0
	}
	return p.all.items[0].number()
}

func shown(p *Pane) string { return ansi.Strip(p.View()) }

func wantShown(t *testing.T, p *Pane, what string, wants ...string) {
	t.Helper()
	got := shown(p)
	for _, w := range wants {
		if !strings.Contains(got, w) {
			t.Errorf("%s: no %q in\n%s", what, w, got)
		}
	}
}

// notes is a store as people have them: an agent that writes in sessions, a person
// who corrects it.
func notes() *fake {
	f := newFake()
	f.oneSession = true
	in := func(s string, by versions.Actor, texts ...string) {
		f.session = versions.SessionID(s)
		c := f.write(by, texts...)
		if by == agent {
			n := len(f.changes) - 1
			f.changes[n].Turn, f.changes[n].ToolUse = int(c.Number), fmt.Sprintf("toolu_%02d", c.Number)
		}
	}
	plan := func(day, owner string) string {
		return "# Release\n\nThe release is on " + day + ".\n\n## Steps\n\n- freeze\n- test\n- sign\n- publish\n\n## Who\n\n" + owner + " decides.\n"
	}
	in("sesn_monday01", agent, "/plan.md", plan("Monday", "Kim"))
	in("sesn_monday01", agent, "/people/kim.md", "# Kim\n\nlikes short notes\n")
	in("sesn_monday01", agent, "/plan.md", plan("Tuesday", "Kim"), "/people/kim.md", "# Kim\n\nlikes long notes\n")
	in("sesn_ana", ana, "/plan.md", plan("Friday", "Kim"))
	in("sesn_tuesday2", agent, "/plan.md", plan("Monday", "Lee"))
	in("sesn_tuesday2", agent, "/people/lee.md", "# Lee\n")
	in("", other, "/people/kim.md", "")
	return f
}

func TestFrames_AreAsTheyWere(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 36}, {80, 24}, {40, 12}, {40, 9}} {
		for _, c := range []struct{ name, keys, typed, then string }{
			{name: "versions"},
			{name: "typing", keys: "c /", typed: "by:claude op:"},
			{name: "filtered", keys: "c /", typed: "by:claude kim", then: "enter"},
			{name: "two", keys: "space G"},
			{name: "words", keys: "w enter"},
			{name: "hunk", keys: "enter ]"},
			{name: "sessions", keys: "c j"},
			{name: "folded", keys: "c -"},
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
	wantShown(t, p, "newest and oldest", "v1 → v4", "- two", "+ four", "◆v4")
	press(p, "k")
	wantShown(t, p, "the next", "v2 → v4")
	if msgs := press(p, "esc"); msgs != nil {
		t.Errorf("esc asks %v", msgs)
	}
	wantShown(t, p, "without a base", "v1 → v2")
}

func TestDeletedAndRedactedVersions_SayWhatTheyAre(t *testing.T) {
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
	if len(p.all.rows) != 5 || p.all.cursor != 2 {
		t.Errorf("folded to %d rows, cursor on %d", len(p.all.rows), p.all.cursor)
	}
}

func TestRequests_NameWhatIsSelected(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "j")
	if msgs := press(p, "R"); len(msgs) != 1 || msgs[0].(screen.Restore).Version.ID != "memver_/a.md_3" {
		t.Errorf("R asks %v", msgs)
	}
	for _, c := range []struct {
		key  string
		want tea.Msg
	}{
		{"r", screen.Undo{Change: 3}},
		{"U", screen.UndoSession{Session: "sesn_00000003"}},
		{"t", screen.Scrub{Change: 3}},
		{"b", screen.Blame{Path: path("/a.md"), Version: "memver_/a.md_3"}},
		{"o", screen.Open{Path: path("/a.md")}},
		{"X", screen.Redact{Version: "memver_/a.md_3", Path: path("/a.md")}},
	} {
		if msgs := press(p, c.key); len(msgs) != 1 || msgs[0] != c.want {
			t.Errorf("%s asks %v", c.key, msgs)
		}
	}
	if cmd, r := p.Press([]string{"u"}, 0); cmd != nil || r != keys.None {
		t.Error("u, which undoes what was done last everywhere, is not left to the root")
	}
	press(p, "c j")
	if msgs := press(p, "r"); len(msgs) != 1 || msgs[0] != (screen.Undo{Change: 4}) {
		t.Errorf("r in the list of changes asks %v", msgs)
	}
	undo := f.write(ana, "/b.md", "b\n")
	undo.Kind, undo.Undoes = versions.KindUndo, 4
	drain(p, p.Event(versions.Event{Changes: []versions.Change{undo}}))
	if msgs := press(p, "r"); len(msgs) != 1 || msgs[0] != (screen.Redo{Change: 4}) {
		t.Errorf("r on a change that was undone asks %v", msgs)
	}
	if msgs := press(p, "esc"); len(msgs) != 1 || msgs[0] != (screen.Back{}) {
		t.Errorf("esc asks %v", msgs)
	}
	empty := newPane(newFake(), 80, 20)
	drain(empty, empty.ShowMemory("", memfs.Root))
	for _, msg := range press(empty, "R r U t b o X x a enter space l c R r U enter") {
		if r, ok := msg.(keys.Refused); !ok || r.Why != "nothing is listed" {
			t.Errorf("with nothing selected %v is asked", msg)
		}
	}
}

func TestEvent_PutsNewVersionsOnTopAndKeepsTheSelection(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "j")
	asked := p.pairID
	c := f.write(agent, "/a.md", "new\n")
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
	wantShown(t, p, "after an event", "v5", "v2 → v3")
	if v, _ := p.selected(); v.Number != 3 || p.of.top != 0 || p.pairID != asked {
		t.Errorf("selected is v%d, top %d, compared again %v", v.Number, p.of.top, p.pairID != asked)
	}
}

func TestEvent_InTheListOfChanges(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	press(p, "c j j")
	c := f.write(ana, "/c.md", "c\n")
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
	if n, _ := p.selectedChange(); n != 3 || newest(p) != 6 {
		t.Errorf("selected is #%d, newest #%d", n, newest(p))
	}
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}})) // told twice
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
	drain(p, p.Event(versions.Event{Changes: []versions.Change{last}})) // three were missed
	if newest(p) != 12 || len(p.all.items) != 12 {
		t.Errorf("newest is #%d of %d", newest(p), len(p.all.items))
	}
	if n, _ := p.selectedChange(); n != 3 {
		t.Errorf("selected is #%d", n)
	}
}

func TestWithoutAMemory_TheListOfOneSaysWhatToDo(t *testing.T) {
	p := newPane(story(), 80, 20)
	drain(p, p.ShowVersion("", memfs.Root, 0))
	wantShown(t, p, "no memory", "No memory is open")
	if msgs := press(p, "c c"); len(msgs) != 1 || msgs[0].(keys.Refused).Why != "no memory is open" {
		t.Errorf("c asks %v", msgs)
	}
	wantShown(t, p, "all changes", "#5")
}

// Of a change that took several back, an undo of a session, only the store knows
// which: the list is read anew.
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

func TestEvent_WhileTheFirstPageIsOnItsWayIsNotLost(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	answer := pressed(p, "c")()
	c := f.write(ana, "/c.md", "c\n")
	fresh := p.Event(versions.Event{Changes: []versions.Change{c}})
	drain(p, p.Update(answer))
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
	if _, info := p.Title(); len(p.of.rows) != pageSize || info != "100+" {
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

func TestEvent_DuringAReadingIsReadOnceMore(t *testing.T) {
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
	drain(p, p.Update(answer))
	wantShown(t, p, "after both", "v5", "v6")
}

func TestEvent_LeavesAScrolledListInPlace(t *testing.T) {
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
	if v, _ := p.selected(); v.Number != 60 {
		t.Errorf("selected is v%d", v.Number)
	}
}

func TestDiff_TakesTheKeysAndGivesThemBack(t *testing.T) {
	f := newFake()
	f.write(ana, "/a.md", strings.Repeat("line\n", 200))
	f.write(ana, "/a.md", strings.Repeat("other\n", 200))
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "enter")
	before := shown(p)
	press(p, "j j j")
	if p.of.cursor != 0 || shown(p) == before {
		t.Error("j does not scroll the diff")
	}
	press(p, "esc j")
	if p.of.cursor != 1 {
		t.Error("j does not move in the list again")
	}
	press(p, "k")
	before = shown(p)
	press(p, "s")
	if shown(p) == before {
		t.Error("s does not reach the diff from the list")
	}
}

func TestGeometry_HoldsAtEverySize(t *testing.T) {
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
			p := newPane(f, w, h)
			drain(p, p.ShowMemory("mem_/b.md", path("/b.md")))
			for _, keys := range []string{"", "j space j", "enter", "l l G", "V j x", "esc esc c", "j enter j", "enter", "- = w", "G", "/", "c esc"} {
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

func TestLooks_MarkWhatNobodyHasSeen(t *testing.T) {
	p := newPane(story(), 80, 20)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	marks := func() string {
		var b strings.Builder
		for _, r := range strings.Split(shown(p), "\n")[:4] {
			b.WriteString(string([]rune(r)[:1]))
		}
		return b.String()
	}
	for want, l := range map[string]*versions.Looks{
		"    ": nil,
		" ●● ": {Begun: true, Seen: 1}, // the newest is one's own
		" ●  ": {Begun: true, Seen: 1, Of: map[versions.MemoryID]versions.Look{"mem_/a.md": {Seen: 2}}},
	} {
		if p.SetLooks(l); marks() != want {
			t.Errorf("the marks are %q, want %q", marks(), want)
		}
	}
	p.SetLooks(&versions.Looks{})
	if marks() != "    " {
		t.Error("what nobody ever looked at is news")
	}
	press(p, "space")
	if !strings.HasPrefix(marks(), "◆") {
		t.Error("the base is not marked")
	}
}

func TestKeys_NameEachKeyOnce(t *testing.T) {
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

func TestSmall_ShowsOneAtATime(t *testing.T) {
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

// BenchmarkMove is a key and a frame; it must not depend on how much is loaded.
func BenchmarkMove(b *testing.B) {
	for _, n := range []int{50, 5000} {
		f := newFake()
		for i := range n {
			f.write(agent, "/a.md", fmt.Sprintf("text %d\n", i))
		}
		p := newPane(f, 120, 40)
		drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
		for len(p.of.rows) < n {
			press(p, "G")
		}
		b.Run(fmt.Sprintf("%d_versions", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				pressed(p, []string{"k", "j"}[i%2])
				_ = p.View()
				i++
			}
		})
	}
}

// BenchmarkChanges is a key and a frame in the list of changes, below headings.
func BenchmarkChanges(b *testing.B) {
	for _, n := range []int{100, 20_000} {
		f := long(n)
		p := newPane(f, 120, 40)
		press(p, "c")
		for !p.all.done {
			press(p, "G")
		}
		b.Run(fmt.Sprintf("%d_changes", n), func(b *testing.B) {
			i := 0
			for b.Loop() {
				pressed(p, []string{"k", "j"}[i%2])
				_ = p.View()
				_, _ = p.Title()
				i++
			}
		})
	}
}
