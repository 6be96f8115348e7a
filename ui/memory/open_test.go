package memory

import (
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func TestZeroBytes_AreShownAsSigns(t *testing.T) {
	f := newFake()
	f.write("logo.png", "\x89PNG\r\n\x1a\n\x00\x01"+strings.Repeat("abcdefghijklmnop", 100_000))
	s := newSim(t, f, 90, 10)
	s.open("logo.png")
	s.shows("<89>PNG", "^@^Aabcdefghijklmnop")
	s.titled("not UTF-8")
	s.keys("G g g")
	s.shows("<89>PNG")
}

func TestGone_ShowsWhoDeletedItAndRestoresIt(t *testing.T) {
	f := newFake()
	dana := versions.Actor{Kind: versions.Person, Name: "dana"}
	f.versions[at("a.md")] = []versions.Version{
		{ID: "memver_2", Memory: "mem_1", Number: 2, Operation: versions.Deleted, Actor: dana, Time: clock.Add(-3 * 60e9)},
		{ID: "memver_1", Memory: "mem_1", Number: 1, Operation: versions.Created},
	}
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	s.shows("/a.md was deleted by dana 3m ago. R restores it.")
	s.keys("R")
	if got := asked[screen.Restore](s).Version.ID; got != "memver_1" {
		t.Errorf("it restores %s", got)
	}
	f.versions[at("a.md")][1].Redacted = clock
	f.versions[at("a.md")][1].RedactedBy = dana
	s.run(s.pane.Reload())
	s.shows("/a.md was redacted by dana on", "its content can't be")
	s.keys("R")
	if _, ok := s.last().(screen.Restore); ok {
		t.Error("what was redacted is to be restored")
	}
}

func TestGone_IsPlainIfTheTrailHasNoRecord(t *testing.T) {
	f := newFake()
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	s.shows("no such memory")
	f.errors[at("b.md")] = memfs.ErrNoPermission
	s.open("b.md")
	s.shows("permission denied")
}

func TestReload_KeepsThePlaceInALargeFile(t *testing.T) {
	f := newFake()
	f.write("big.log", numbered(300_000))
	s := newSim(t, f, 80, 10)
	s.open("big.log")
	s.keys("2 0 0 0 0 0 G")
	top := s.pane.text.top()
	f.write("big.log", numbered(300_005))
	s.run(s.pane.Reload())
	if s.pane.text.top() != top {
		t.Errorf("line %d was on top, now %d", top.line+1, s.pane.text.top().line+1)
	}
	s.shows("line 200000")
	f.write("a.md", "one\n")
	s.open("a.md")
	s.open("big.log")
	s.shows("line 200000")
}

func TestChange_NextIsFound(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(100))
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	f.write("a.md", strings.Replace(numbered(100), "line 80\n", "changed\n", 1))
	s.run(s.pane.Reload())
	s.hides("changed")
	s.keys("]")
	s.shows("80▌changed")
	f.write("a.md", strings.Replace(numbered(100), "line 90\n", "", 1))
	s.run(s.pane.Reload())
	s.keys("]")
	s.shows("89 line 89", "90▔line 91")
}

func TestChange_IsCountedAndWrapsAround(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(100))
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	text := numbered(100)
	for _, n := range []string{"20", "50", "80"} {
		text = strings.Replace(text, "line "+n+"\n", "changed\n", 1)
	}
	f.write("a.md", text)
	s.run(s.pane.Reload())
	for _, step := range []struct {
		keys string
		want int
	}{{"]", 20}, {"2 ]", 80}, {"]", 20}, {"[", 80}, {"2 [", 20}, {"6 0 G [", 50}, {"6 0 G ]", 80}, {"9 9 9 9 9 9 ]", 80}} {
		if s.keys(step.keys); s.pane.Line() != step.want {
			t.Errorf("%s goes to line %d, want %d", step.keys, s.pane.Line(), step.want)
		}
	}
}

func TestChange_IsMarkedOnEveryRowOfAWrappedLine(t *testing.T) {
	f := newFake()
	f.write("a.md", "one\ntwo\n")
	s := newSim(t, f, 40, 10)
	s.open("a.md")
	f.write("a.md", strings.Repeat("words ", 12)+"\ntwo\n")
	s.run(s.pane.Reload())
	s.shows("1▌words", "↪▌words")
}

func TestMarks_DistinguishChangedAndRemovedLines(t *testing.T) {
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

func TestShowFound_HighlightsTheQueryAndContinues(t *testing.T) {
	store, write := realStore(t)
	write(dana, "a.md", "refund\nup to 80\n\nrefunds and up to 90\n")
	write(dana, "b.md", "nothing\n")
	s := newSim(t, local.Store{Store: store}, 80, 10)
	found := func(line int) {
		t.Helper()
		s.run(s.pane.ShowFound(at("a.md"), line, "/up to [0-9]+|refund/"))
	}
	found(2)
	s.titled("“/up to [0-9]+|refund/” 2/4")
	if n := strings.Count(s.pane.View(), s.pane.env.Theme.Match.On); n < 3 {
		t.Errorf("%d hits are lit beside the one that one is at", n)
	}
	s.keys("n")
	s.titled("3/4")
	s.keys("N N N")
	s.titled("4/4")
	found(2) // it is open
	s.titled("2/4")
	s.open("b.md")
	s.keys("n")
	found(4)
	s.titled("3/4")
	s.run(s.pane.ShowFound(at("b.md"), 1, "gone by now")) // nothing is reported
	for _, msg := range s.asked {
		if n, ok := msg.(screen.Notice); ok {
			t.Errorf("it tells %q", n.Text)
		}
	}
	s.open("a.md")
	if _, info := s.pane.Title(); strings.Contains(info, "“") {
		t.Errorf("what was looked for elsewhere is looked for here: %s", info)
	}
}

// A line that is requested while the memory is still being read is gone to once it is.
func TestShow_GoesToTheLineRequestedLast(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(100))
	f.write("b.md", numbered(100))
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	first := s.pane.Show(at("b.md"), 50)
	second := s.pane.Show(at("b.md"), 70)
	if s.pane.Line() != 1 {
		t.Errorf("the cursor of what is still shown is in line %d", s.pane.Line())
	}
	s.run(second)
	s.run(first)
	if s.pane.Path() != at("b.md") || s.pane.Line() != 70 {
		t.Errorf("line %d of %s is shown", s.pane.Line(), s.pane.Path())
	}
}

// A key that moves in what is still shown does not cancel a request.
func TestShow_GoesToItsLineAfterAKey(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(100))
	f.write("b.md", numbered(100))
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	open := s.pane.Show(at("b.md"), 50)
	s.keys("9 G")
	if s.run(open); s.pane.Line() != 50 {
		t.Errorf("line %d is shown", s.pane.Line())
	}
}

func TestReload_KeepsTheCursorInALargeFileThatShrank(t *testing.T) {
	f := newFake()
	f.write("big.log", strings.Repeat("several words, enough to be a line\n", 91<<20/35))
	s := newSim(t, f, 80, 10)
	s.open("big.log")
	s.keys("G")
	f.write("big.log", "one\ntwo\n")
	s.run(s.pane.Reload())
	s.titled("line 2 of 2")
}

// The memory that was open before a preview is followed to its new path.
func TestMoved_FollowsWhatWasOpenBeforeAPreview(t *testing.T) {
	f := newFake()
	f.write("a.md", "one\n")
	f.write("b.md", "two\n")
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	s.run(s.pane.Preview(at("b.md")))
	s.pane.Moved(at("a.md"), at("c.md"))
	s.pane.EndPreview()
	s.keys("ctrl+o")
	if got := asked[screen.Open](s).Path; got != at("c.md") {
		t.Errorf("back leads to %s", got)
	}
}

// A memory that is renamed while it is being read is read where it is now.
func TestMoved_FollowsWhatIsBeingRead(t *testing.T) {
	f := newFake()
	f.write("a.md", "one\n")
	f.write("b.md", "two\n")
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	open := s.pane.Show(at("b.md"), 0)
	delete(f.files, at("b.md"))
	f.write("c.md", "two\n")
	s.pane.Moved(at("b.md"), at("c.md"))
	s.run(s.pane.Reload())
	s.run(open)
	if s.pane.Path() != at("c.md") {
		t.Errorf("open is %s", s.pane.Path())
	}
	s.shows("two")
}
