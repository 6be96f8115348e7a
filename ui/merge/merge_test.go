package merge

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
)

var (
	update = flag.Bool("update", false, "write the golden frames anew")
	seed   = flag.Uint64("seed", 1, "of the random merges; 0 takes one from the clock")
)

const (
	baseText = `# Release plan

The spring release ships on 2 April.
Dana signs it off.

## Steps

1. freeze the schema
2. tag
3. build
4. sign
5. tell the customers
6. look at the numbers for a week before the next one is planned, and write down what they say

## People

- Dana: release manager
- Lee: on leave until May
- Kim: support
`
	theirsText = `# Release plan

The spring release ships on 9 April, a week later.
Dana signs it off.

## Steps

1. freeze the schema
2. tag
3. build
4. sign
5. tell the customers
6. look at the numbers for a week before the next one is planned, and write down what they say

## People

- Dana: release manager
- Lee: back in June
- Kim: support
- Ana: documentation
`
	mineText = `# Release plan

The spring release ships on 12 April.
Dana and Kim sign it off.

## Steps

1. freeze the schema
2. tag
3. build
4. sign
5. tell the customers
6. look at the numbers for a week before the next one is planned, and write down what they say
7. celebrate

## People

- Dana: release manager
- Lee: on leave until July
- Kim: support
`
)

func path(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

// sim drives a screen as the root does.
type sim struct {
	*Pane
	t     testing.TB
	saved [][]byte
	asked []tea.Msg
}

func play(t testing.TB, in Input, w, h int) *sim {
	s := &sim{t: t}
	in.Path = path("projects/release.md")
	if in.TheirsName == "" {
		in.TheirsName, in.MineName = "claude, 3m ago", "not saved"
	}
	s.Pane = New(screentest.Env(t.Context()), in, func(b []byte) tea.Msg {
		s.saved = append(s.saved, b)
		return nil
	})
	s.SetSize(w, h)
	return s
}

func texts(base, theirs, mine string) Input {
	return Input{Base: []byte(base), Theirs: []byte(theirs), Mine: []byte(mine)}
}

func (s *sim) run(cmd tea.Cmd) {
	defer func() { s.asked = append(s.asked, screentest.Requests(s.env)...) }()
	for cmd != nil {
		msg := cmd()
		cmd = nil
		switch msg := msg.(type) {
		case nil:
		case screen.Reply:
			cmd = msg.Take()
		case tea.BatchMsg:
			for _, c := range msg {
				s.run(c)
			}
		default:
			s.asked = append(s.asked, msg)
		}
	}
}

// press presses keys that are separated by blanks; in the editor of a hunk they are typed.
func (s *sim) press(names string) {
	s.t.Helper()
	for _, name := range strings.Fields(names) {
		if s.TakesText() {
			s.typed(name)
			continue
		}
		cmd, r := s.Press([]string{name}, 0)
		if r != keys.Done {
			s.t.Fatalf("%s is no key", name)
		}
		s.run(cmd)
	}
}

func (s *sim) typed(k string) {
	msg := map[string]tea.KeyPressMsg{"esc": {Code: tea.KeyEscape}, "ctrl+s": {Code: 's', Mod: tea.ModCtrl}, "enter": {Code: tea.KeyEnter}}[k]
	if msg.Code == 0 {
		for _, r := range k {
			s.run(s.Update(tea.KeyPressMsg{Code: r, Text: string(r)}))
		}
		return
	}
	s.run(s.Update(msg))
}

func (s *sim) shows(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if _, info := s.Title(); !strings.Contains(ansi.Strip(s.View()), w) && info != w {
			s.t.Fatalf("the screen does not show %q:\n%s", w, ansi.Strip(s.View()))
		}
	}
}

func (s *sim) result() string {
	s.t.Helper()
	n := len(s.saved)
	s.press("ctrl+s")
	if len(s.saved) != n+1 {
		s.t.Fatal("nothing was saved")
	}
	return string(s.saved[n])
}

var scenes = []struct {
	name string
	in   Input
	keys string
}{
	{"open", texts(baseText, theirsText, mineText), ""},
	{"decided", texts(baseText, theirsText, mineText), "n tab +"},
	{"edit", texts(baseText, theirsText, mineText), "e"},
	{"deleted", Input{Base: []byte(baseText), Mine: []byte(mineText)}, ""},
	{"created", Input{Theirs: []byte("# Kim\n\nsupport\n"), Mine: []byte("# Kim\n\nhelps with support\n")}, ""},
	{"hostile", texts("a\u202eb\x1b[31m\nsame\n", "a\u202ec\x1b[31m\nsame\n", "a\u202ed\x1b[2J日本語🚀\nsame\n"), ""},
}

func TestFrames_MatchGoldens(t *testing.T) {
	for _, scene := range scenes {
		for _, size := range [][2]int{{120, 34}, {80, 22}, {40, 10}} {
			s := play(t, scene.in, size[0], size[1])
			s.press(scene.keys)
			drawtest.Styled(t, *update, fmt.Sprintf("%s-%dx%d", scene.name, size[0], size[1]), s.View())
		}
	}
}

func TestFrame_FitsEverySize(t *testing.T) {
	widths, heights := []int{1, 2, 3, 5, 8, 19, 33, 40, 59, 60, 61, 79, 80, 99, 100, 101, 120, 200}, []int{1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 14, 22, 34}
	for _, scene := range scenes {
		s := play(t, scene.in, 80, 24)
		for _, k := range strings.Fields("open " + scene.keys + " c f w l") {
			if k != "open" {
				if s.TakesText() {
					s.typed("esc")
				}
				if e, ok := entry(s, k); ok && e.Why == "" {
					s.press(k)
				}
			}
			for _, w := range widths {
				for _, h := range heights {
					s.SetSize(w, h)
					checkFrame(t, scene.name+" "+k, s, w, h)
				}
			}
		}
	}
}

func entry(s *sim, key string) (keys.Entry, bool) {
	for _, e := range s.Entries() {
		for _, k := range e.Keys {
			if k == key {
				return e, true
			}
		}
	}
	return keys.Entry{}, false
}

func checkFrame(t *testing.T, what string, s *sim, w, h int) {
	t.Helper()
	if wrong := drawtest.Problem(s.View(), w, h); wrong != "" {
		t.Fatalf("%s at %dx%d: %s", what, w, h, wrong)
	}
	if x, y, ok := s.Cursor(); ok && (x < 0 || y < 0 || x >= w || y >= h) {
		t.Fatalf("%s at %dx%d: the cursor is at %d,%d", what, w, h, x, y)
	}
}

func TestMerge_AppliesOnlyDecisions(t *testing.T) {
	in := texts(baseText, theirsText, mineText)
	s := play(t, in, 120, 34)
	s.shows("2 of 2 conflicts left", "conflict 1 of 2 · not decided", "changed only in mine · mine")
	s.press("n tab b")
	want := strings.Replace(theirsText, "and write down what they say\n", "and write down what they say\n7. celebrate\n", 1)
	want = strings.Replace(want, "- Lee: back in June\n- Kim: support\n- Ana: documentation\n", "- Lee: on leave until July\n- Kim: support\n- Ana: documentation\n", 1)
	if got := s.result(); got != want {
		t.Errorf("the result is\n%s\nwant\n%s", got, want)
	}
}

func TestFirstFrame_ShowsTheFirstConflict(t *testing.T) {
	lines := func(i int) string { return strings.Repeat(fmt.Sprintln("line"), i) }
	for _, size := range [][2]int{{120, 34}, {80, 22}, {40, 10}} {
		s := play(t, texts(lines(90)+"x\n"+lines(60), lines(90)+"their x\n"+lines(60), lines(90)+"my x\n"+lines(60)), size[0], size[1])
		s.shows("conflict 1 of 1", "their x")
		s = play(t, texts("a\n"+lines(30)+"x\n"+lines(60), "b\n"+lines(30)+"their x\n"+lines(60), "a\n"+lines(30)+"my x\n"+lines(60)), size[0], size[1])
		s.shows("conflict 1 of 1", "their x")
	}
}

func TestSides_HaveSignsOnlyOnTheirChanges(t *testing.T) {
	s := play(t, texts("a\nb\nc\n", "a\nB\nc\n", "a\nb\nc\nd\n"), 120, 20)
	s.shows("+ B", "+ d", "n B", "b d")
	if strings.Contains(ansi.Strip(s.View()), "+ b") {
		t.Errorf("mine did not change b:\n%s", ansi.Strip(s.View()))
	}
	s.press("b") // mine, which is the default
	s.shows("+ B", "b b")
	if strings.Contains(ansi.Strip(s.View()), "+ b") {
		t.Errorf("mine did not change b:\n%s", ansi.Strip(s.View()))
	}
}

func TestSave_IsRefusedWhileAConflictIsLeft(t *testing.T) {
	s := play(t, texts(baseText, theirsText, mineText), 120, 34)
	s.press("n ctrl+s")
	if len(s.saved) != 0 {
		t.Fatal("it was saved with a conflict left")
	}
	if len(s.asked) != 1 || s.asked[0] != (keys.Refused{Name: "save", Why: "1 conflict is not decided"}) {
		t.Errorf("the person is told %v", s.asked)
	}
}

func TestUndo_UndoesOneDecisionAtATime(t *testing.T) {
	s := play(t, texts("a\nx\nb\nx\nc\n", "a1\nx\nb1\nx\nc1\n", "a2\nx\nb2\nx\nc2\n"), 80, 24)
	s.press("n tab + + tab N")
	if got := s.result(); got != "a1\nx\nb2\nb1\nx\nc1\n" {
		t.Fatalf("the result is %q", got)
	}
	s.press("u u")
	s.press("u")
	s.shows("2 of 3 conflicts left")
	s.press("B")
	if got := s.result(); got != "a1\nx\nb2\nx\nc2\n" {
		t.Errorf("after undo and another decision the result is %q", got)
	}
}

func TestCleanChange_CanBeOverridden(t *testing.T) {
	s := play(t, texts("a\nx\nx\nb\n", "a1\nx\nx\nb\n", "a\nx\nx\nb2\n"), 80, 24)
	s.shows("no conflict", "changed only in now · now")
	s.press("b ] o")
	if got := s.result(); got != "a\nx\nx\nb\n" {
		t.Errorf("the result is %q", got)
	}
	s.press("u u")
	if got := s.result(); got != "a1\nx\nx\nb2\n" {
		t.Errorf("then it is %q", got)
	}
}

func TestHunk_IsEditedInPlaceAndAppliedOnLeaving(t *testing.T) {
	s := play(t, texts("a\r\nb\r\nc\r\n", "a\r\nB\r\nc\r\n", "a\r\nbb\r\nc\r\n"), 80, 24)
	s.press("e")
	s.shows("edit conflict 1", "bb")
	s.press("new enter esc")
	if s.TakesText() {
		t.Fatal("the editor is still there")
	}
	s.shows("conflict 1 of 1 · edited")
	if got := s.result(); got != "a\r\nnew\r\nbb\r\nc\r\n" {
		t.Fatalf("the result is %q", got)
	}
	s.press("u")
	s.shows("1 of 1 conflict left")
	s.press("e esc")
	s.shows("1 of 1 conflict left") // nothing was typed, so nothing is decided
	s.press("e")
	s.run(s.Update(tea.KeyPressMsg{Code: 'f', Mod: tea.ModCtrl}))
	s.press("b")
	s.shows("1 of 2") // the counts are restored
	s.press("esc ctrl+s")
	s.shows("edited")
	if len(s.asked) != 0 {
		t.Errorf("the owner gets %v", s.asked)
	}
	s = play(t, texts("a\nb\nc\n", "a\nB\nc\n", "a\nc\n"), 80, 24)
	s.press("e ctrl+s")
	if got := s.result(); got != "a\nc\n" { // an empty text is a decision too
		t.Errorf("the result is %q", got)
	}
}

func TestDeletedMeanwhile_IsAllOrNothing(t *testing.T) {
	in := Input{Base: []byte("a\nb\n"), Mine: []byte("a\nb2\n")}
	s := play(t, in, 120, 30)
	s.shows("deleted or renamed meanwhile", "(no memory)")
	s.press("n ctrl+s")
	if len(s.saved) != 1 || s.saved[0] != nil {
		t.Fatalf("theirs is %q", s.saved)
	}
	s.press("b")
	if got := s.result(); got != "a\nb2\n" {
		t.Errorf("mine is %q", got)
	}
	s.press("+")
	if len(s.asked) != 1 || s.asked[0].(keys.Refused).Why != "one of them is deleted" {
		t.Errorf("both of them: %v", s.asked)
	}
}

func TestCreatedMeanwhile_KeepsCommonLinesOnce(t *testing.T) {
	s := play(t, Input{Theirs: []byte("# Kim\nsupport\nlikes tea\n"), Mine: []byte("# Kim\nlikes tea\nnew desk\n")}, 120, 30)
	if got := s.result(); got != "# Kim\nsupport\nlikes tea\nnew desk\n" {
		t.Errorf("the result is %q", got)
	}
}

func TestBytes_ArePreserved(t *testing.T) {
	bin := "\x00\x01\xff\n\xfe"
	s := play(t, texts("x"+bin, "y"+bin, "z"+bin), 80, 24)
	s.shows("not a text")
	s.press("n")
	if got := s.result(); got != "y"+bin {
		t.Errorf("binary: %q", got)
	}
	s = play(t, texts("a\nb", "a\nb1", "a\nb2"), 80, 24)
	s.press("+")
	if got := s.result(); got != "a\nb1\nb2" {
		t.Errorf("without a last newline: %q", got)
	}
	s.shows("(no newline at the end)")
}

func TestLeaving_AsksAndOffersToContinue(t *testing.T) {
	in := texts(baseText, theirsText, mineText)
	chosen := ""
	in.Leave = []screen.Option{{Key: "e", Label: "edit", Then: func() tea.Cmd { chosen = "e"; return nil }}}
	s := play(t, in, 80, 24)
	s.press("n esc")
	ask, ok := s.asked[0].(screen.Choose)
	if !ok || len(ask.Options) != 2 || ask.Options[1].Then != nil {
		t.Fatalf("it asks %v", s.asked)
	}
	if ask.Options[0].Then(); chosen != "e" {
		t.Error("the answer of the owner is not taken")
	}
	if !s.Of(in.Theirs, in.Mine) || s.Of(in.Mine, in.Theirs) {
		t.Error("it does not know what it merges")
	}
}

// Without the person's own text at stake, leaving asks only for decisions, which would be lost.
func TestLeaving_AsksIfSomethingWasDecided(t *testing.T) {
	s := play(t, texts(baseText, theirsText, mineText), 80, 24)
	s.press("esc")
	if _, left := s.asked[0].(screen.Back); !left || len(s.asked) != 1 {
		t.Fatalf("without a decision it asks %v", s.asked)
	}
	s.asked = nil
	s.press("+ esc")
	ask, ok := s.asked[0].(screen.Choose)
	if !ok || len(ask.Options) != 2 || ask.Options[1].Then != nil {
		t.Fatalf("it asks %v", s.asked)
	}
	s.asked = nil
	s.run(ask.Options[0].Then())
	if _, left := s.asked[0].(screen.Back); !left {
		t.Errorf("it does not leave: %v", s.asked)
	}
}

func BenchmarkScroll(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var base, theirs, mine strings.Builder
			for i := range n {
				fmt.Fprintf(&base, "line %d of the text\n", i)
				word := [2]string{"text", "text"}
				if i%100 == 50 {
					word = [2]string{"book", "page"}
				}
				fmt.Fprintf(&theirs, "line %d of the %s\n", i, word[0])
				fmt.Fprintf(&mine, "line %d of the %s\n", i, word[1])
			}
			s := play(b, texts(base.String(), theirs.String(), mine.String()), 120, 34)
			b.ResetTimer()
			for i := range b.N {
				s.press([]string{"j", "tab", "pgdown", "n"}[i%4])
			}
		})
	}
}

// BenchmarkLargest merges two texts of 8 MiB that differ in every line, and in one line.
func BenchmarkLargest(b *testing.B) {
	lines := func(word string) string {
		return strings.Repeat("a line of words, "+word+" and others, as memories have them\n", 8<<20/64)
	}
	line := func(word string) string { return strings.Repeat("words in one line ", 8<<20/18) + word + "\n" }
	for name, text := range map[string]func(string) string{"lines": lines, "one_line": line} {
		s := play(b, texts(text("base"), text("theirs"), text("mine")), 120, 34)
		for what, keys := range map[string][]string{"move": {"j", "k"}, "decide": {"n", "m"}, "wrap": {"w", "w"}} {
			b.Run(name+"/"+what, func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					s.press(keys[i%2])
				}
			})
		}
	}
}

func TestShift_StopsAtTheEndOfTheLongestLineAndNeedsUnwrappedLines(t *testing.T) {
	long := strings.Repeat("long ", 40)
	s := play(t, texts("a\n", "日本語\n", long+"end\n"), 120, 20)
	s.press("l l l")
	s.shows("日本語") // wrapped lines do not move
	s.press("w")
	for range 50 {
		s.press("l")
	}
	s.shows("long end")
	s.press("h")
	if got := ansi.Strip(s.View()); strings.Contains(got, "end ") {
		t.Errorf("the text does not move back:\n%s", got)
	}
}

// The result can have more lines than any of the texts.
func TestNumbers_OfTheResultFitTheirColumn(t *testing.T) {
	var theirs, mine strings.Builder
	for i := range 60 {
		fmt.Fprintf(&theirs, "theirs %d\n", i)
		fmt.Fprintf(&mine, "mine %d\n", i)
	}
	s := play(t, texts("one\n", theirs.String(), mine.String()), 120, 20)
	s.press("+ G")
	if wrong := drawtest.Problem(s.View(), 120, 20); wrong != "" {
		t.Fatal(wrong)
	}
	s.shows("120")
}

// A drag in the editor of a change ends also where the button is released above it.
func TestHunk_DragEndsAboveTheEditor(t *testing.T) {
	s := play(t, texts(baseText, theirsText, mineText), 120, 34)
	s.press("e")
	y := s.hunkRow() + 1
	s.run(s.Update(tea.MouseClickMsg{X: 8, Y: y, Button: tea.MouseLeft}))
	s.run(s.Update(tea.MouseMotionMsg{X: 4, Y: 2, Button: tea.MouseLeft}))
	s.run(s.Update(tea.MouseReleaseMsg{X: 4, Y: 2, Button: tea.MouseLeft}))
	if s.Beyond() {
		t.Error("the text goes on scrolling")
	}
}

// The sign of a line in the result is the key that takes it, whatever that is.
func TestSigns_AreTheKeysThatAreBound(t *testing.T) {
	for _, c := range []struct{ bound, press, sign string }{{"", "n", "n"}, {"t", "t", "t"}, {"ctrl+t", "ctrl+t", "*"}} {
		env := screentest.Env(t.Context())
		if c.bound != "" {
			env.Keys = keys.Bindings{"conflict.now": {c.bound}}
		}
		in := texts(baseText, theirsText, mineText)
		in.Path = path("a.md")
		p := New(env, in, nil)
		p.SetSize(120, 30)
		p.Press([]string{c.press}, 0)
		shown := ansi.Strip(p.View())
		if n := p.board.signs[theirs]; n != c.sign || !strings.Contains(shown, " "+c.sign+" ") {
			t.Errorf("with %q the sign is %q:\n%s", c.bound, n, shown)
		}
	}
}
