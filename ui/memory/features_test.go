package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

var _ Store = (*versions.Store)(nil)

const plan = `---
name: release plan
tags: [release, q2]
---
# Release plan

The **spring release** ships in April. See [the checklist](checklist.md), [[dana]],
[what is open](#open-points) and <https://example.com/4.2>.

## Open points

- [x] freeze the schema
- [ ] ask [nobody](nobody.md) or [the outside](../../../etc/passwd)

> Dana prefers [short notes](../people/dana.md#style).
`

func sample() *fakeStore {
	f := newFake()
	f.write("projects/plan.md", plan)
	f.write("projects/checklist.md", "- tag\n- build\n")
	f.write("people/dana.md", "# Dana\n\nprefers short notes\n\n## Style\n\nTen lines.\n")
	f.write("people/readme.txt", "see https://example.com/a, and file:///etc/passwd\n")
	return f
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func asked[T any](s *sim) T {
	s.t.Helper()
	msg, ok := s.last().(T)
	if !ok {
		s.t.Fatalf("asked for %T, not %T: %+v", s.last(), msg, s.last())
	}
	return msg
}

// goes obeys the last request to open a memory, as the root would.
func (s *sim) goes() {
	s.t.Helper()
	msg := asked[screen.Open](s)
	s.run(s.pane.Show(msg.Path, msg.Line))
}

func TestLink_IsChosenAndThenFollowed(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("enter")
	if s.last() != nil {
		t.Fatalf("the first Enter asks for %+v", s.last())
	}
	s.keys("enter")
	s.goes()
	s.shows("- tag")
	s.keys("ctrl+o")
	s.goes()
	s.shows("Release plan")
	s.keys("alt+right")
	s.goes()
	s.shows("- tag")
}

func TestLink_OfANameIsFoundAnywhere(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("] l ] l enter")
	if got := asked[screen.Open](s).Path; got != at("people/dana.md") {
		t.Errorf("it leads to %s", got)
	}
}

func TestLink_ToAHeadingGoesToItsLine(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("[ l enter")
	if got := asked[screen.Open](s); got.Path != at("people/dana.md") || got.Line != 5 {
		t.Errorf("it leads to %+v", got)
	}
	s.keys("] l 2 ] l enter") // around the end, to the third
	if s.pane.here != 9 {
		t.Errorf("a heading of the same memory: line %d", s.pane.here+1)
	}
	s.keys("ctrl+o")
	s.goes()
	if s.pane.top.line != 0 {
		t.Errorf("going back shows line %d", s.pane.top.line+1)
	}
}

func TestLink_BrokenOffersToCreate(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("5 ] l enter")
	q := asked[screen.Choose](s)
	if !strings.Contains(q.Text, "/projects/nobody.md") {
		t.Fatalf("it says %q", q.Text)
	}
	s.run(q.Options[0].Then())
	if got := asked[screen.Create](s).Path; got != at("projects/nobody.md") {
		t.Errorf("it creates %s", got)
	}
}

func TestLink_OutOfTheStoreIsNotFollowed(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("6 ] l enter")
	if n := asked[screen.Notice](s); !n.Bad || !strings.Contains(n.Text, "leads out of the store") {
		t.Errorf("it says %+v", n)
	}
}

func TestLink_NamesWhatElseIsCalledSo(t *testing.T) {
	f := sample()
	f.write("archive/old/nobody.md", "x\n")
	s := newSim(t, f, 80, 20)
	s.open("projects/plan.md")
	s.keys("5 ] l enter")
	q := asked[screen.Choose](s)
	s.run(q.Options[0].Then())
	if got := asked[screen.Open](s).Path; got != at("archive/old/nobody.md") {
		t.Errorf("it opens %s", got)
	}
}

func TestAddress_IsOpenedOutsideAndOnlyWhereItIsSafe(t *testing.T) {
	var opened []string
	was := openOutside
	t.Cleanup(func() { openOutside = was })
	openOutside = func(address string) error { opened = append(opened, address); return nil }
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("4 ] l g x")
	if len(opened) != 1 || opened[0] != "https://example.com/4.2" || !strings.Contains(asked[screen.Notice](s).Text, opened[0]) {
		t.Errorf("%v is opened", opened)
	}
	s.open("people/readme.txt")
	s.keys("] l enter")
	if len(opened) != 2 || opened[1] != "https://example.com/a" {
		t.Errorf("%v is opened", opened)
	}
	openOutside = func(string) error { return errNoBrowser }
	s.keys("enter")
	if got := asked[screen.Copy](s).Text; got != "https://example.com/a" {
		t.Errorf("%q is copied", got)
	}
	for _, bad := range []string{"file:///etc/passwd", "javascript:alert(1)", "https:", "-x", "data:text/html,x", "ftp://a/b"} {
		if external(bad) {
			t.Errorf("%q is an address to open", bad)
		}
	}
}

func TestOpenOutside_RefusesWhatIsNoPlainAddress(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the program that opens addresses is another")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("DISPLAY", ":9")
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" > "+dir+"/opened\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"file:///etc/passwd", "https://a/\nb", "--help", ""} {
		if openOutside(bad) == nil {
			t.Errorf("%q was handed to the system", bad)
		}
	}
	if err := openOutside("https://a/b?c=d"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	if openOutside("https://a/b") == nil {
		t.Error("a browser is begun where there is no display")
	}
	for range 200 {
		if b, _ := os.ReadFile(filepath.Join(dir, "opened")); string(b) == "https://a/b?c=d\n" {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the address did not arrive")
}

func TestVisits_SurviveARename(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.open("people/dana.md")
	s.pane.Moved(at("projects"), at("work"))
	s.keys("ctrl+o")
	if got := asked[screen.Open](s).Path; got != at("work/plan.md") {
		t.Errorf("back leads to %s", got)
	}
}

func TestVisits_ReturnToThePlaceThatWasLeft(t *testing.T) {
	f := sample()
	f.write("long.md", numbered(500))
	s := newSim(t, f, 80, 10)
	s.open("long.md")
	s.keys("2 0 0 G")
	top := s.pane.top
	s.open("people/dana.md")
	s.keys("ctrl+o")
	s.goes()
	if s.pane.top != top {
		t.Errorf("back at %v, left at %v", s.pane.top, top)
	}
}

func TestCut_IsDrawnWhereAnAgentStopsReading(t *testing.T) {
	f := newFake()
	f.write("MEMORY.md", numbered(230))
	f.write("notes/MEMORY.md", strings.Repeat(strings.Repeat("x", 199)+"\n", 150))
	f.write("short/MEMORY.md", numbered(200))
	f.write("other.md", numbered(230))
	s := newSim(t, f, 80, 12)
	s.open("MEMORY.md")
	s.titled("cut at line 201")
	s.keys("2 0 3 G")
	s.shows("an agent does not see what is below: 200 lines", "201 line 201")
	s.keys("w")
	s.shows("an agent does not see what is below")
	for range 300 {
		s.keys("j")
	}
	s.shows("230 line 230")
	for range 300 {
		s.keys("k")
	}
	s.shows("  1 line 1")
	s.open("notes/MEMORY.md")
	s.titled("cut at line 129") // 128 lines of 200 bytes are 25 KB
	s.open("short/MEMORY.md")
	if _, info := s.pane.Title(); strings.Contains(info, "cut") {
		t.Errorf("200 lines are cut: %s", info)
	}
	s.open("other.md")
	if _, info := s.pane.Title(); strings.Contains(info, "cut") {
		t.Errorf("another memory is cut: %s", info)
	}
}

func TestFold_MakesFrontMatterOneLine(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.shows("  2 name: release plan")
	s.keys("-")
	s.shows("  1 ▸ name: release plan · tags: [release, q2]", "  5 # Release plan")
	s.hides("  2 ")
	s.keys("j k G g g")
	s.shows("  1 ▸")
	s.keys("3 G") // what is gone to shows
	s.shows("  3 tags")
	s.open("people/dana.md")
	s.open("projects/plan.md")
	s.shows("  1 ▸") // remembered
}

func TestHidden_NextIsGoneToAndExplained(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(50)+"evil \u202ething\n"+numbered(50)+"tag \U000E0041\n")
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	s.keys("] h")
	s.shows("<U+202E>")
	if n := asked[screen.Notice](s).Text; !strings.Contains(n, "line 51 hides marks that turn the direction") {
		t.Errorf("it says %q", n)
	}
	s.keys("] h")
	if n := asked[screen.Notice](s).Text; !strings.Contains(n, "line 102 hides tag characters") {
		t.Errorf("it says %q", n)
	}
	s.keys("] h")
	if s.pane.here != 50 {
		t.Errorf("around the end: line %d", s.pane.here+1)
	}
}

func TestHeading_NextIsGoneTo(t *testing.T) {
	s := newSim(t, sample(), 80, 5)
	s.open("projects/plan.md")
	s.keys("] ]")
	if s.pane.here != 4 {
		t.Errorf("line %d", s.pane.here+1)
	}
	s.keys("] ]")
	s.shows("## Open points")
	s.keys("[ [")
	if s.pane.here != 4 {
		t.Errorf("back: line %d", s.pane.here+1)
	}
}

func TestTail_FollowsTheEndAndCountsWhatIsNew(t *testing.T) {
	f := newFake()
	f.write("log.md", numbered(100))
	s := newSim(t, f, 80, 10)
	s.open("log.md")
	s.keys("F")
	s.titled("following")
	s.shows("line 100")
	f.write("log.md", numbered(103))
	s.run(s.pane.Reload())
	s.shows("line 103")
	s.keys("k k")
	f.write("log.md", numbered(115))
	s.run(s.pane.Reload())
	s.hides("line 115")
	s.titled("12 new lines")
	s.keys("j j G")
	s.titled("following")
	f.write("log.md", numbered(116))
	s.run(s.pane.Reload())
	s.shows("line 116")
}

func TestGoTo_TakesLinesAndParts(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(1000))
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	for typed, want := range map[string]int{"42": 41, "50%": 499, "100%": 999, "0%": 0, "5000": 999} {
		s.keys(":")
		s.answers(typed)
		if s.pane.here != want {
			t.Errorf("%s goes to line %d", typed, s.pane.here+1)
		}
	}
	for _, typed := range []string{"x", "0", "-3", "101%", ""} {
		s.keys(":")
		s.answers(typed)
		if n := asked[screen.Notice](s); !n.Bad {
			t.Errorf("%q is taken: %+v", typed, n)
		}
	}
}

func TestCopy_BringsWhatItSays(t *testing.T) {
	f := sample()
	f.versions[at("projects/plan.md")] = []versions.Version{{ID: "memver_2", Memory: "mem_1", Number: 2}}
	s := newSim(t, f, 80, 20)
	s.open("projects/plan.md")
	s.keys("7 G")
	for keys, want := range map[string]string{
		"y y": plan, "y p": "/projects/plan.md", "y l": "/projects/plan.md:7", "y i": "mem_1", "y v": "memver_2",
	} {
		s.keys(keys)
		if got := asked[screen.Copy](s).Text; got != want {
			t.Errorf("%s copies %q", keys, got)
		}
	}
}

func TestSelection_OfLinesKeepsEveryByte(t *testing.T) {
	f := newFake()
	f.write("a.txt", "one\r\ntwo\r\nthree\r\nfour")
	s := newSim(t, f, 80, 20)
	s.open("a.txt")
	s.keys("2 G V j y")
	if got := asked[screen.Copy](s).Text; got != "two\r\nthree\r\n" {
		t.Errorf("%q is copied", got)
	}
	s.keys("k y")
	if got := asked[screen.Copy](s).Text; got != "two\r\n" {
		t.Errorf("one line back %q is copied", got)
	}
	s.keys("G y")
	if got := asked[screen.Copy](s).Text; got != "two\r\nthree\r\nfour" {
		t.Errorf("to the end %q is copied", got)
	}
	s.keys("o k y")
	if got := asked[screen.Copy](s).Text; got != "one\r\ntwo\r\nthree\r\nfour" {
		t.Errorf("the other end: %q is copied", got)
	}
	s.keys("esc y p")
	if got := asked[screen.Copy](s).Text; got != "/a.txt" {
		t.Errorf("after the selection y p copies %q", got)
	}
}

func TestSelection_OfALargeFileIsRead(t *testing.T) {
	f := newFake()
	f.write("big.log", numbered(300_000))
	s := newSim(t, f, 80, 20)
	s.open("big.log")
	s.keys("2 0 0 0 0 0 G 3 V y")
	if got := asked[screen.Copy](s).Text; got != "line 200000\nline 200001\nline 200002\n" {
		t.Errorf("%q is copied", got)
	}
	s.keys("G y") // would be a megabyte and more: it is within what is read at once
	if got := asked[screen.Copy](s).Text; !strings.HasSuffix(got, "line 300000\n") || strings.Count(got, "\n") != 100_001 {
		t.Errorf("%d lines are copied", strings.Count(got, "\n"))
	}
}

func (s *sim) mouse(msgs ...tea.Msg) {
	for _, msg := range msgs {
		s.run(s.pane.Update(msg))
	}
}

func press(x, y int) tea.Msg   { return tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft} }
func dragged(x, y int) tea.Msg { return tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft} }
func release(x, y int) tea.Msg {
	return tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft}
}

func TestMouse_SelectsCharactersAndCopiesThem(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("people/dana.md") // the text begins in column 5
	s.mouse(press(5+8, 2), dragged(5+2, 4), release(5+2, 4))
	if got := asked[screen.Copy](s).Text; got != "short notes\n\n##" {
		t.Errorf("%q is copied", got)
	}
	s.mouse(press(5+9, 2), release(5+9, 2), press(5+9, 2), release(5+9, 2))
	if got := asked[screen.Copy](s).Text; got != "short" {
		t.Errorf("a double click copies %q", got)
	}
	s.mouse(press(5+9, 2), release(5+9, 2))
	if got := asked[screen.Copy](s).Text; got != "prefers short notes\n" {
		t.Errorf("a third one %q", got)
	}
	s.mouse(press(5+3, 2), dragged(5+5, 2), release(5+5, 2))
	s.keys("j j y") // keys go on by lines
	if got := asked[screen.Copy](s).Text; got != "prefers short notes\n\n## Style\n" {
		t.Errorf("after a drag and two keys %q is copied", got)
	}
	s.mouse(press(2, 2), dragged(2, 0), release(2, 0))
	if got := asked[screen.Copy](s).Text; got != "# Dana\n\nprefers short notes\n" {
		t.Errorf("beside the text %q is copied", got)
	}
}

func TestMouse_AClickFollowsTheLinkUnderIt(t *testing.T) {
	for _, view := range []string{"", "m"} {
		s := newSim(t, sample(), 100, 20)
		s.open("projects/plan.md")
		s.keys(view)
		for y, row := range strings.Split(s.screen(), "\n") {
			if x := strings.Index(row, "the checklist"); x >= 0 {
				x = ansi.StringWidth(row[:x]) + len("the checklist") - 1
				s.mouse(press(x-len("the checklist")-1, y), release(x-len("the checklist")-1, y))
				if s.last() != nil {
					t.Errorf("%q: a click beside the link asks for %+v", view, s.last())
				}
				s.mouse(press(x, y), release(x, y))
			}
		}
		if got := asked[screen.Open](s).Path; got != at("projects/checklist.md") {
			t.Errorf("%q: it leads to %s", view, got)
		}
	}
}

func TestBytes_AreShownForWhatIsNoText(t *testing.T) {
	f := newFake()
	f.write("logo.png", "\x89PNG\r\n\x1a\n\x00\x01"+strings.Repeat("abcdefghijklmnop", 100_000))
	s := newSim(t, f, 90, 10)
	s.open("logo.png")
	s.shows("00000000  89 50 4e 47 0d 0a 1a 0a  00 01 61 62 63 64 65 66  ·PNG······abcdef")
	s.keys("G")
	s.shows("00186a00  67 68 69 6a 6b 6c 6d 6e  6f 70                    ghijklmnop")
	s.keys("k pgup g g j")
	s.shows("00000010")
	s.keys(":")
	s.answers("0x10000")
	s.shows("00010000  67")
	s.keys(":")
	s.answers("50%")
	s.shows("000c3500  67")
	s.pane.SetSize(40, 10)
	s.run(s.pane.Fetch())
	s.shows("67 68 69 6a")
	s.keys(":")
	s.answers("0x4")
	s.pane.SetSize(90, 10)
	if s.pane.hex.top%16 != 0 {
		t.Errorf("rows begin at %x", s.pane.hex.top)
	}
	s.keys("x")
	s.shows("<89>PNG")
}

func TestGone_SaysWhoDeletedItAndBringsItBack(t *testing.T) {
	f := newFake()
	dana := versions.Actor{Kind: versions.Person, Name: "dana"}
	f.versions[at("a.md")] = []versions.Version{
		{ID: "memver_2", Memory: "mem_1", Number: 2, Operation: versions.Deleted, Actor: dana, Time: clock.Add(-3 * 60e9)},
		{ID: "memver_1", Memory: "mem_1", Number: 1, Operation: versions.Created},
	}
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	s.shows("/a.md was deleted by dana 3m ago. R brings it back.")
	s.keys("R")
	if got := asked[screen.Restore](s).Version.ID; got != "memver_1" {
		t.Errorf("it restores %s", got)
	}
	f.versions[at("a.md")][1].Redacted = clock
	f.versions[at("a.md")][1].RedactedBy = dana
	s.run(s.pane.Reload())
	s.shows("/a.md was redacted by dana on", "its content is gone")
	s.keys("R")
	if _, ok := s.last().(screen.Restore); ok {
		t.Error("what was redacted is to be restored")
	}
}

func TestGone_IsPlainWhereTheTrailKnowsNothing(t *testing.T) {
	f := newFake()
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	s.shows("no such memory")
	f.errors[at("b.md")] = memfs.ErrNoPermission
	s.open("b.md")
	s.shows("permission denied")
}

func TestFind_LooksWhileItIsTyped(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(200)+"needle\n"+numbered(20)+"new\n")
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	s.keys("/")
	p := asked[screen.Prompt](s)
	s.run(p.Changed("ne"))
	s.run(p.Changed("nee"))
	s.shows("needle")
	s.run(p.Changed("neeX"))
	if _, ok := s.last().(screen.Notice); ok {
		t.Error("what is half typed is complained of")
	}
	s.run(p.Changed("nee"))
	s.run(p.Left())
	s.hides("needle")
	if s.pane.top != (place{}) || s.pane.find.query != "" {
		t.Errorf("leaving shows line %d, with %q looked for", s.pane.top.line+1, s.pane.find.query)
	}
	s.run(p.Then("new"))
	s.shows("new")
	s.titled("“new” 1/1")
	s.keys("esc g g /")
	s.run(asked[screen.Prompt](s).Then(""))
	s.titled("“new” 1/1") // the last one again
}

func TestFind_TakesExpressionsBetweenSlashes(t *testing.T) {
	f := newFake()
	f.write("a.md", "ab12\nAB34 ab5\r\nxx\n/ab/\n")
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	for query, want := range map[string]string{
		`/^ab\d+$/`: "1/1", `/ab\d/`: "1/3", `/AB\d/`: "1/1", `/\W/`: "1/3", `/x*/`: "1/1", `/ab`: "1/1", `xX`: "“xX” 0",
	} {
		s.keys("/")
		s.answers(query)
		s.titled(want)
	}
	s.keys("/")
	s.answers("/(/")
	if n := asked[screen.Notice](s); !n.Bad || !strings.Contains(n.Text, "not a regular expression") {
		t.Errorf("it says %+v", n)
	}
}

func TestFind_ShowsAHitFarDownALongLine(t *testing.T) {
	f := newFake()
	f.write("a.txt", strings.Repeat("word ", 2000)+"needle "+strings.Repeat("word ", 2000)+"\n")
	s := newSim(t, f, 60, 10)
	s.open("a.txt")
	s.keys("/")
	s.answers("needle")
	s.shows("needle")
	s.keys("w esc /")
	s.answers("needle")
	s.shows("needle")
}

func TestReload_KeepsThePlaceInALargeFile(t *testing.T) {
	f := newFake()
	f.write("big.log", numbered(300_000))
	s := newSim(t, f, 80, 10)
	s.open("big.log")
	s.keys("2 0 0 0 0 0 G")
	top := s.pane.top
	f.write("big.log", numbered(300_005))
	if again := s.pane.Reload()().(fileOpenedMsg).doc; !again.window.holds(top.line) {
		t.Errorf("what is on the screen is not read at once: from line %d", again.window.first+1)
	}
	s.run(s.pane.Reload())
	if s.pane.top != top {
		t.Errorf("line %d was on top, now %d", top.line+1, s.pane.top.line+1)
	}
	s.shows("line 200000")
}

func TestChange_NextIsGoneTo(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(100))
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	f.write("a.md", strings.Replace(numbered(100), "line 80\n", "changed\n", 1))
	s.run(s.pane.Reload())
	s.hides("changed")
	s.keys("] c")
	s.shows("80▌changed")
	f.write("a.md", strings.Replace(numbered(100), "line 90\n", "", 1))
	s.run(s.pane.Reload())
	s.keys("] c")
	s.shows("89 line 89", "90▔line 91")
}

func TestMarks_TellChangedLinesFromRemovedOnes(t *testing.T) {
	m := lineMarks{{New: 2, NewLines: 2}, {New: 6, OldLines: 1}}
	for _, c := range []struct {
		from, to     int
		changed, gap bool
	}{{0, 2, false, false}, {1, 3, true, false}, {3, 4, true, false}, {4, 6, false, false}, {5, 7, false, true}, {6, 7, false, true}, {7, 9, false, false}, {0, 9, true, true}} {
		if changed, gap := m.in(c.from, c.to); changed != c.changed || gap != c.gap {
			t.Errorf("lines %d to %d: %v, %v", c.from, c.to, changed, gap)
		}
	}
}

func TestStale_LinkAnswersAreDropped(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("] l")
	cmd, _ := s.pane.Press([]string{"enter"}, 0)
	s.open("people/dana.md")
	s.run(cmd)
	if _, ok := s.last().(screen.Open); ok {
		t.Error("a link is followed from a memory that was left")
	}
}
