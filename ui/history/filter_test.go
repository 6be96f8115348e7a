package history

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// long is a store with a long history: every tenth change is by ana, the others are by claude.
func long(n int) *fake {
	f := newFake()
	for i := 1; i <= n; i++ {
		by := agent
		if i%10 == 0 {
			by = ana
		}
		f.write(by, fmt.Sprintf("/notes/%d.md", i%7), fmt.Sprint("text ", i))
	}
	return f
}

func TestFilter_AppliesWhileTyping(t *testing.T) {
	p := newPane(story(), 80, 24)
	press(p, "c /")
	if !p.TakesText() {
		t.Fatal("/ takes no text")
	}
	wantShown(t, p, "an empty filter", "/ ", "by:  session:  op:  since:  until:  path:")
	typed(p, "by:cl")
	wantShown(t, p, "an actor", "/ by:cl", "by:claude")
	if title, info := p.Title(); title != "all changes · by:cl" || info != "2" {
		t.Errorf("titled %q, %q", title, info)
	}
	special(p, tea.KeyTab)
	typed(p, "b.md")
	if n := len(p.all.items); n != 1 || newest(p) != 3 {
		t.Errorf("%d changes get through, the newest is #%d", n, newest(p))
	}
	special(p, tea.KeyEnter)
	if title, _ := p.Title(); p.TakesText() || title != "all changes · by:claude b.md" {
		t.Errorf("after enter it is titled %q", title)
	}
	press(p, "esc")
	if title, info := p.Title(); title != "all changes" || info != "5" {
		t.Errorf("cleared it is titled %q, %q", title, info)
	}
}

func TestFilter_ReportsInvalidWords(t *testing.T) {
	p := newPane(story(), 80, 24)
	press(p, "c /")
	typed(p, "since:xx")
	wantShown(t, p, "no time", "since: takes 2d")
	typed(p, " nowhere")
	special(p, tea.KeyEnter)
	wantShown(t, p, "nothing", "No change matches the filter. Esc clears it.")
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "c")
	wantShown(t, p, "nothing of it", "No version matches")
	press(p, "/")
	typed(p, "by:claude")
	special(p, tea.KeyEscape)
	if _, info := p.Title(); info != "4" || p.typed.On() {
		t.Errorf("after esc %s are listed", info)
	}
}

func TestFilter_AppliesToBothLists(t *testing.T) {
	p := newPane(story(), 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "/")
	typed(p, "by:claude")
	special(p, tea.KeyEnter)
	if _, info := p.Title(); info != "2" {
		t.Errorf("%s versions get through", info)
	}
	press(p, "c")
	if title, info := p.Title(); title != "all changes · by:claude" || info != "2" {
		t.Errorf("titled %q, %q", title, info)
	}
}

func TestFilter_KeepsTheListUntilTheAnswerArrives(t *testing.T) {
	p := newPane(story(), 80, 24)
	press(p, "c /")
	cmds := []tea.Cmd{p.Update(tea.KeyPressMsg{Code: 'n', Text: "n"}), p.Update(tea.KeyPressMsg{Code: 'o', Text: "o"})}
	wantShown(t, p, "while it looks", "#5", "#1")
	drain(p, cmds[1])
	if len(p.all.rows) != 0 {
		t.Errorf("%d rows are shown", len(p.all.rows))
	}
	drain(p, cmds[0]) // an outdated request
	if len(p.all.rows) != 0 || p.all.err != nil {
		t.Errorf("a stale answer is taken: %d rows, %v", len(p.all.rows), p.all.err)
	}
}

func TestFilter_SearchesALongHistory(t *testing.T) {
	f := long(12_000)
	p := newPane(f, 80, 24)
	press(p, "c /")
	f.asked = nil
	typed(p, "ana")
	if n := len(p.all.items); n < pageSize || n > 2*pageSize || p.all.done {
		t.Errorf("%d changes are loaded at first", n)
	}
	special(p, tea.KeyEnter)
	for !p.all.done {
		press(p, "G")
	}
	if n := len(p.all.items); n != 1200 {
		t.Errorf("%d changes get through", n)
	}
	for i, it := range p.all.items {
		if it.number() != int64(12_000-10*i) {
			t.Fatalf("item %d is #%d", i, it.number())
		}
	}
	press(p, "/")
	typed(p, "x")
	if len(p.all.items) != 0 || !p.all.done {
		t.Errorf("of nothing %d changes get through", len(p.all.items))
	}
}

func TestFilter_ShowsItsProgress(t *testing.T) {
	p := newPane(long(12_000), 80, 24)
	press(p, "c /")
	p.Update(tea.PasteMsg{Content: "nobody"})().(screen.Reply).Take()
	wantShown(t, p, "half way", "looked back to #7001")
}

func TestFilter_AppliesToNewItems(t *testing.T) {
	f := story()
	p := newPane(f, 80, 24)
	press(p, "c /")
	typed(p, "by:claude")
	special(p, tea.KeyEnter)
	press(p, "j")
	f.filters = nil
	for _, by := range []versions.Actor{ana, agent} {
		drain(p, p.Event(versions.Event{Changes: []versions.Change{f.write(by, "/c.md", by.Name)}}))
	}
	if n := selectedChange(p); len(p.all.items) != 3 || newest(p) != 7 || n != 2 {
		t.Errorf("%d changes, the newest #%d, selected #%d", len(p.all.items), newest(p), n)
	}
}

func TestCandidates_AreWordsActorsAndSessions(t *testing.T) {
	p := newPane(story(), 80, 24)
	press(p, "c")
	for word, want := range map[string]string{
		"":         "by: session: op: since: until: path: is:",
		"is:":      "is:new",
		"s":        "session: since:",
		"by:a":     "by:ana by:agent by:api_key",
		"op:re":    "op:renamed op:restored op:redid",
		"op:un":    "op:undid op:undone",
		"since:y":  "since:yesterday",
		"until:20": "until:2026-11-22",
		"nothing":  "",
	} {
		if got := strings.Join(p.candidates(word), " "); got != want {
			t.Errorf("%q may become %q", word, got)
		}
	}
	if got := p.candidates("session:0000000"); len(got) != 5 || got[0] != "session:00000005" {
		t.Errorf("sessions are %v", got)
	}
}

func TestFilter_CanNotInjectSequences(t *testing.T) {
	f := newFake()
	f.write(versions.Actor{Kind: versions.Agent, Name: "\x1b]0;x\a\u202eevil"}, "/a.md", "a")
	p := newPane(f, 80, 24)
	press(p, "c /")
	typed(p, "by:")
	p.Update(tea.PasteMsg{Content: "\x1b[31m\u009b\u202e"})
	if got := ansi.Strip(p.View()); strings.ContainsAny(got, "\x1b\a\u202e\u009b") {
		t.Errorf("drawn as %q", got)
	}
}

func TestFilter_ShowsItsCursor(t *testing.T) {
	p := newPane(story(), 80, 24)
	if _, _, ok := p.Cursor(); ok {
		t.Error("there is a cursor where nothing is typed")
	}
	press(p, "c /")
	typed(p, "ab")
	if x, y, ok := p.Cursor(); !ok || x != 4 || y != 0 {
		t.Errorf("the cursor is at %d, %d, %v", x, y, ok)
	}
}

func TestGoTo_LoadsAsManyPagesAsNeeded(t *testing.T) {
	f := long(1000)
	p := newPane(f, 80, 24)
	drain(p, p.setFilter("by:nobody"))
	drain(p, p.ShowChange(321))
	if n := selectedChange(p); n != 321 || p.query.text != "" {
		t.Errorf("#%d is selected, filtered by %q", n, p.query.text)
	}
	drain(p, p.ShowChange(0))
	drain(p, p.ShowVersion("mem_/notes/3.md", path("/notes/3.md"), 9))
	if v, _ := p.list().version(); v.Number != 9 || p.showsAll {
		t.Errorf("v%d is selected", v.Number)
	}
	drain(p, p.ShowVersion("mem_/notes/3.md", path("/notes/3.md"), 9999))
	if p.of.want != 0 || p.of.pages.Waiting() {
		t.Error("it looks for a version that there is not")
	}
	drain(p, p.ShowChange(5000))
	if p.all.want != 0 || p.all.pages.Waiting() {
		t.Error("it looks for a change that there is not")
	}
	drain(p, p.ShowMemory("", memfs.Root))
}
