package terminal

import (
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

var (
	seed = flag.Int64("seed", 1, "seed of the first random run; 0 takes one from the clock")
	runs = flag.Int("runs", 6, "random runs of each kind")
)

// seedOf returns the seed of a random test. It is printed if the test fails.
func seedOf(t *testing.T) int64 {
	s := *seed
	if s == 0 {
		s = time.Now().UnixNano()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("again with -seed=%d", s)
		}
	})
	return s
}

// Limits of the emulator: it loses marks that follow an ASCII letter, and joins no
// characters; other text is checked by hand.
var alphabets = map[string][]string{
	"ascii": strings.Split("abc def ghij klm nop", ""),
	"cjk":   append(strings.Split("abc d", ""), "記", "憶", "中", "文", "한", "글"),
	"emoji": append(strings.Split("abc d", ""), "😀", "🚀", "✅", "記"),
}

var someStyles = []string{"", "\x1b[31m", "\x1b[1;44m", "\x1b[7m", "\x1b[48;2;10;20;30m", "\x1b[38;5;208;4m"}

// randomText is a text that random frames show parts of: lines that scroll or change, beside
// others that do neither.
type randomText struct {
	*rand.Rand
	abc   []string
	lines []string
	w, h  int
	top   int
	split int // columns of a fixed pane on the left
}

func (p *randomText) line(w int) string {
	var b strings.Builder
	n := 0
	for p.Intn(25) > 0 {
		if p.Intn(6) == 0 {
			b.WriteString("\x1b[m" + someStyles[p.Intn(len(someStyles))])
		}
		g := p.abc[p.Intn(len(p.abc))]
		if n += ansi.StringWidth(g); n > w {
			n -= ansi.StringWidth(g)
			break
		}
		b.WriteString(g)
	}
	b.WriteString("\x1b[m" + strings.Repeat(" ", w-n))
	return b.String()
}

func (p *randomText) fill() {
	p.lines = make([]string, 200)
	for i := range p.lines {
		p.lines[i] = p.line(p.w - p.split)
	}
}

func (p *randomText) next() string {
	switch p.Intn(6) {
	case 0:
		p.top = max(0, p.top-1-p.Intn(3))
	case 1:
		p.top = p.Intn(150)
	case 2, 3:
		p.lines[p.top+p.Intn(p.h)] = p.line(p.w - p.split)
	default:
		p.top = min(150, p.top+1+p.Intn(2))
	}
	rows := make([]string, p.h)
	for i := range rows {
		left := strings.Repeat("-", p.split)
		rows[i] = left + p.lines[p.top+i]
	}
	return strings.Join(rows, "\n")
}

// emulator is a terminal that does not answer questions.
func emulator(w, h int) *vt.Emulator {
	e := vt.NewEmulator(w, h)
	go func() {
		b := make([]byte, 256)
		for {
			if _, err := e.Read(b); err != nil {
				return
			}
		}
	}()
	return e
}

// shown returns the text of a screen without styles and trailing blanks.
func shown(w, h int, at func(x, y int) *uv.Cell) string {
	var b strings.Builder
	for y := range h {
		row := ""
		for x := range w {
			switch c := at(x, y); {
			case c == nil || c.Content == "" && c.Width != 0:
				row += " "
			default:
				row += c.Content
			}
		}
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
	return b.String()
}

// cellStyles returns the style of each cell that has one; of a blank cell only the visible
// attributes, because erased cells keep nothing else.
func cellStyles(w, h int, at func(x, y int) *uv.Cell) []string {
	all := make([]string, w*h)
	for i := range all {
		c := at(i%w, i/w)
		if c == nil || c.Width == 0 {
			continue
		}
		st := c.Style
		if c.Content == " " || c.Content == "" {
			st.Attrs &= uv.AttrReverse
			if st.Attrs == 0 && st.Underline == 0 {
				st.Fg = nil
			}
		}
		if !st.IsZero() {
			all[i] = st.String()
		}
	}
	return all
}

func TestFrames_ShowExactlyWhatTheModelDrew(t *testing.T) {
	t.Parallel()
	base := seedOf(t)
	for name, abc := range alphabets {
		for _, graphemes := range []bool{false, true} {
			for _, split := range []int{0, 7} {
				t.Run(fmt.Sprintf("%s/graphemes=%v/split=%d", name, graphemes, split), func(t *testing.T) {
					for run := range int64(*runs) {
						playFrames(t, rand.New(rand.NewSource(base+run)), abc, graphemes, split)
					}
				})
			}
		}
	}
}

func playFrames(t *testing.T, r *rand.Rand, abc []string, graphemes bool, split int) {
	t.Helper()
	p := &randomText{Rand: r, abc: abc, w: 20 + r.Intn(30), h: 6 + r.Intn(12), split: split}
	p.fill()
	s := newScreen()
	e := emulator(p.w, p.h)
	want := target{w: p.w, h: p.h, profile: colorprofile.TrueColor, graphemes: graphemes}
	for f := range 60 {
		want.view = tea.NewView(p.next())
		want.synced = r.Intn(2) == 0
		if r.Intn(3) == 0 {
			want.view.Cursor = tea.NewCursor(r.Intn(p.w), r.Intn(p.h))
		}
		e.Write(s.frame(nil, want))
		// The whole frame, drawn by another renderer.
		whole := uv.NewScreenBuffer(p.w, p.h)
		whole.Method = ansi.GraphemeWidth
		uv.NewStyledString(want.view.Content).Draw(whole, whole.Bounds())
		if a, b := shown(p.w, p.h, e.CellAt), shown(p.w, p.h, whole.CellAt); a != b {
			t.Fatalf("frame %d of %dx%d: the terminal shows\n%s\nand not\n%s", f, p.w, p.h, a, b)
		}
		styles := cellStyles(p.w, p.h, whole.CellAt)
		for i, got := range cellStyles(p.w, p.h, e.CellAt) {
			if got != styles[i] {
				t.Fatalf("frame %d of %dx%d: the style at %d,%d is %q and not %q", f, p.w, p.h, i%p.w, i/p.w, got, styles[i])
			}
		}
		if c := want.view.Cursor; c != nil {
			if at := e.CursorPosition(); at.X != c.X || at.Y != c.Y {
				t.Fatalf("frame %d: the cursor is at %v and not at %v", f, at, c.Position)
			}
		}
	}
}

func TestFrames_FollowTheSizeOfTheTerminal(t *testing.T) {
	t.Parallel()
	base := seedOf(t)
	for run := range int64(*runs * 3) {
		r := rand.New(rand.NewSource(base + run))
		s := newScreen()
		e := emulator(10, 10)
		for f := range 20 {
			p := &randomText{Rand: r, abc: alphabets["cjk"], w: 1 + r.Intn(60), h: 1 + f%20} // another height each time
			p.fill()
			e.Resize(p.w, p.h)
			content := p.next()
			b := s.frame(nil, target{view: tea.NewView(content), w: p.w, h: p.h})
			if !strings.Contains(string(b), ansi.EraseEntireScreen) {
				t.Fatal("what the terminal made of its text when it was resized is taken to be known")
			}
			e.Write(b)
			whole := uv.NewScreenBuffer(p.w, p.h)
			uv.NewStyledString(content).Draw(whole, whole.Bounds())
			if a, b := shown(p.w, p.h, e.CellAt), shown(p.w, p.h, whole.CellAt); a != b {
				t.Fatalf("frame %d of %dx%d: the terminal shows\n%s\nand not\n%s", f, p.w, p.h, a, b)
			}
		}
	}
}

func TestFrame_IsEmptyIfNothingChanged(t *testing.T) {
	t.Parallel()
	s := newScreen()
	w := target{view: tea.NewView("one\ntwo"), w: 20, h: 5}
	w.view.Cursor = tea.NewCursor(1, 1)
	if len(s.frame(nil, w)) == 0 {
		t.Fatal("the first frame is nothing")
	}
	if b := s.frame(nil, w); len(b) != 0 {
		t.Errorf("%q", b)
	}
	w.redraw = true
	if b := s.frame(nil, w); !strings.Contains(string(b), "two") {
		t.Errorf("a screen that cannot be trusted is not drawn anew: %q", b)
	}
}

func TestFrame_MovesLinesInsteadOfRedrawingThem(t *testing.T) {
	t.Parallel()
	s := newScreen()
	frame := func(top int) []byte {
		rows := make([]string, 40)
		for i := range rows {
			rows[i] = strings.Repeat(fmt.Sprintf("line %x ", (top+i)*7919), 9)
		}
		return s.frame(nil, target{view: tea.NewView(strings.Join(rows, "\n")), w: 120, h: 40})
	}
	frame(1)
	for top := 2; top < 6; top++ {
		if b := frame(top); len(b) > 300 {
			t.Errorf("%d bytes for one line: %q", len(b), b)
		}
	}
}

func TestFrame_MovesLinesBelowOthers(t *testing.T) {
	t.Parallel()
	for _, top := range []int{0, 1, 5} {
		for by := -3; by <= 3; by++ {
			s, e := newScreen(), emulator(40, 20)
			w := target{w: 40, h: 20}
			w.view.Cursor = tea.NewCursor(0, top)
			for _, from := range []int{50, 50 + by} {
				rows := make([]string, 20)
				for y := range rows {
					rows[y] = fmt.Sprintf("fixed %d", y)
					if y >= top && y < 18 {
						rows[y] = fmt.Sprintf("line %d", from+y)
					}
				}
				w.view.Content = strings.Join(rows, "\n")
				_, _ = e.Write(s.frame(nil, w))
				if got := shown(40, 20, e.CellAt); got != w.view.Content+"\n" {
					t.Fatalf("%d lines from %d on moved by %d: it shows\n%s", 18-top, top, by, got)
				}
			}
		}
	}
}

func TestFrame_UsesOnlyTheTerminalsColours(t *testing.T) {
	t.Parallel()
	view := tea.NewView("\x1b[38;2;200;30;40mred\x1b[m")
	for profile, want := range map[colorprofile.Profile]string{
		colorprofile.TrueColor: "\x1b[38;2;200;30;40m",
		colorprofile.ANSI256:   "\x1b[38;5;160m",
		colorprofile.ANSI:      "\x1b[91m",
		colorprofile.ASCII:     "",
	} {
		s := newScreen()
		got := string(s.frame(nil, target{view: view, w: 10, h: 2, profile: profile}))
		if !strings.Contains(got, want+"red") || want == "" && strings.Contains(got, "38;") {
			t.Errorf("%v: %q", profile, got)
		}
	}
	s := newScreen()
	w := target{view: view, w: 10, h: 2, profile: colorprofile.ANSI}
	s.frame(nil, w)
	w.profile = colorprofile.TrueColor
	if got := string(s.frame(nil, w)); !strings.Contains(got, "38;2;200;30;40") {
		t.Errorf("the answer that there are more colours changes nothing: %q", got)
	}
}

func TestFrame_HidesTheCursorUntilItIsComplete(t *testing.T) {
	t.Parallel()
	s := newScreen()
	w := target{view: tea.NewView("one"), w: 20, h: 5}
	w.view.Cursor = tea.NewCursor(1, 1)
	s.frame(nil, w)
	w.view.Content = "two"
	b := string(s.frame(nil, w))
	if !strings.HasPrefix(b, ansi.ResetModeTextCursorEnable) || !strings.HasSuffix(b, ansi.SetModeTextCursorEnable) {
		t.Errorf("the cursor is seen flying: %q", b)
	}
	w.view.Content, w.synced = "three", true
	b = string(s.frame(nil, w))
	if !strings.HasPrefix(b, ansi.SetModeSynchronizedOutput) || !strings.HasSuffix(b, ansi.ResetModeSynchronizedOutput) || strings.Contains(b, "?25") {
		t.Errorf("not in one piece: %q", b)
	}
	w.view.Cursor = nil
	if b = string(s.frame(nil, w)); !strings.Contains(b, ansi.ResetModeTextCursorEnable) {
		t.Errorf("the cursor stays: %q", b)
	}
}

// A terminal may count the columns of some characters differently: then the cursor is not
// where it should be, and a row is rewritten from its beginning.
func TestFrame_RedrawsRowsOfAmbiguousWidth(t *testing.T) {
	t.Parallel()
	for row, anew := range map[string]bool{"── note… ✓ │ ": false, "☀\ufe0f note ": true, "1\ufe0f\u20e3 note ": true} {
		s := newScreen()
		w := target{w: 30, h: 2, profile: colorprofile.TrueColor}
		w.view = tea.NewView("plain\nplain")
		s.frame(nil, w)
		w.view = tea.NewView("plain\n" + row + "a")
		s.frame(nil, w)
		w.view = tea.NewView("plain\n" + row + "b")
		if out := string(s.frame(nil, w)); strings.Contains(out, "note") != anew || !strings.Contains(out, "b") {
			t.Errorf("%q: sent %q", row, out)
		}
		w.view = tea.NewView("plain\nxx" + row[strings.Index(row, " note"):] + "b")
		if out := string(s.frame(nil, w)); strings.Contains(out, "note") != anew || !strings.Contains(out, "xx") {
			t.Errorf("after %q: sent %q", row, out)
		}
	}
}
