package terminal

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// wish is what the terminal is to show, and what is known of it.
type wish struct {
	view      tea.View
	w, h      int
	profile   colorprofile.Profile
	synced    bool // it shows a frame whole (mode 2026)
	graphemes bool // it counts columns by character, not by code point (mode 2027)
	anew      bool // what it shows now cannot be trusted
}

// screen knows what the terminal shows and turns the next frame into the bytes
// that make it so. It writes to nothing.
type screen struct {
	r     *uv.TerminalRenderer
	out   bytes.Buffer // of r
	cells uv.ScreenBuffer
	rows  []string  // as they are in cells
	now   wish      // as the terminal is
	last  *tea.View // as it behaves; nil while it is not ours
	odd   bool      // something was drawn whose columns terminals count in different ways

	reorders bool // the terminal may put right-to-left text into its own order
}

func newScreen(env []string) *screen {
	s := &screen{cells: uv.NewScreenBuffer(0, 0)}
	s.r = uv.NewTerminalRenderer(&s.out, env)
	s.r.SetFullscreen(true)
	s.r.SetScrollOptim(true)
	s.count()
	return s
}

// count tells the renderer how columns are counted, so that it draws anew what the
// terminal may count in another way. As long as there is nothing of the kind it
// counts by character: to add up code points it would ask a table that takes 2 MB.
func (s *screen) count() {
	m := ansi.GraphemeWidth
	if s.odd {
		m = s.cells.Method
	}
	s.r.SetWidthMethod(m)
}

// frame appends the bytes that show w; none when nothing differs.
func (s *screen) frame(dst []byte, w wish) []byte {
	if w.w < 1 || w.h < 1 {
		return dst
	}
	last := s.last
	if last == nil {
		last = &off
		dst = enter(dst, &w.view)
		if !s.reorders {
			dst = append(dst, ansi.ResetModeBiDirectionalSupport...)
		}
		w.anew = true
	} else if keyboard(last) != keyboard(&w.view) {
		dst = append(dst, ansi.KittyKeyboard(keyboard(&w.view), 1)...)
	}
	dst = change(dst, last, &w.view)
	dst = s.settle(dst, &w)
	s.draw(&w)
	dst = s.wrap(dst, last == &off || last.Cursor != nil, w)
	s.last = &w.view
	return dst
}

// settle takes over what w says about the terminal.
func (s *screen) settle(dst []byte, w *wish) []byte {
	if w.graphemes != s.now.graphemes || w.anew && w.graphemes {
		dst = choose(dst, w.graphemes, ansi.SetModeUnicodeCore, ansi.ResetModeUnicodeCore)
		s.r.SetGraphemeWidth(w.graphemes)
		s.cells.Method = ansi.WcWidth
		if w.graphemes {
			s.cells.Method = ansi.GraphemeWidth
		}
		s.count()
		w.anew = true
	}
	if w.profile != s.now.profile {
		s.r.SetColorProfile(w.profile)
		w.anew = true
	}
	if w.w != s.now.w || w.h != s.now.h {
		s.cells.Resize(w.w, w.h)
		s.rows = make([]string, w.h)
		s.r.Resize(w.w, w.h)
		w.anew = true
	}
	if w.anew {
		s.cells.Touched = nil
		clear(s.rows)
		s.cells.Clear()
		s.r.SetPosition(-1, -1)
		s.r.Erase()
	}
	s.now = *w
	s.now.anew = false
	s.now.view = tea.View{}
	return dst
}

// fewRows is how many rows may change without a look at whether the screen
// scrolls: the renderer moves three rows at least.
const fewRows = 2

// draw leaves in s.out what changes the text and moves the cursor.
func (s *screen) draw(w *wish) {
	changed := 0
	rest := w.view.Content
	for y := range s.rows {
		var row string
		row, rest, _ = strings.Cut(rest, "\n")
		if row != s.rows[y] {
			s.rows[y] = strings.Clone(row)
			if !paintRow(s.cells, y, row, s.cells.Method) && !s.odd {
				s.odd = true
				s.count()
			}
			changed++
		}
	}
	if changed > 0 || w.anew {
		scrolls := changed > fewRows
		s.r.SetScrollOptim(scrolls)
		if scrolls || s.blankBelow() { // both spoil rows that are the same before and after
			for y := range s.rows {
				s.cells.TouchLine(0, y, w.w)
			}
		}
		s.r.Render(s.cells.RenderBuffer)
	}
	if c := w.view.Cursor; c != nil {
		s.r.MoveTo(min(max(c.X, 0), w.w-1), min(max(c.Y, 0), w.h-1))
	}
	_ = s.r.Flush() // to a buffer
}

// blankBelow reports whether the last row is empty, which makes the renderer
// look for a way to clear the end of the screen.
func (s *screen) blankBelow() bool {
	for _, c := range s.cells.Line(s.now.h - 1) {
		if c.Content != " " {
			return false
		}
	}
	return true
}

// wrap appends what draw left so that nobody sees it half done: shown whole where
// the terminal can, with the cursor hidden where it cannot.
func (s *screen) wrap(dst []byte, shown bool, w wish) []byte {
	show, some := w.view.Cursor != nil, s.out.Len() > 0
	if some && w.synced {
		dst = append(dst, ansi.SetModeSynchronizedOutput...)
	}
	if shown && (!show || some && !w.synced) {
		dst = append(dst, ansi.ResetModeTextCursorEnable...)
		shown = false
	}
	dst = append(dst, s.out.Bytes()...)
	s.out.Reset()
	if show && !shown {
		dst = append(dst, ansi.SetModeTextCursorEnable...)
	}
	if some && w.synced {
		dst = append(dst, ansi.ResetModeSynchronizedOutput...)
	}
	return dst
}

// leave appends what gives the terminal back. The next frame takes it again.
func (s *screen) leave(dst []byte) []byte {
	if s.last == nil {
		return dst
	}
	dst = append(dst, ansi.CursorPosition(1, s.now.h)...) // where there is no other screen, the shell goes on below
	if s.now.graphemes {
		dst = append(dst, ansi.ResetModeUnicodeCore...)
	}
	if !s.reorders {
		dst = append(dst, ansi.SetModeBiDirectionalSupport...)
	}
	dst = leave(dst, s.last)
	dst = append(dst, ansi.SetModeTextCursorEnable...)
	s.last = nil
	return dst
}
