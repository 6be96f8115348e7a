package terminal

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// target is what the terminal should show, and what is known about it.
type target struct {
	view      tea.View
	w, h      int
	profile   colorprofile.Profile
	synced    bool // it shows frames atomically (mode 2026)
	graphemes bool // it can count columns by grapheme cluster instead of by code point (mode 2027)
	redraw    bool // its current content is unknown
}

// screen tracks what the terminal shows and computes the bytes that show the next frame. It
// writes to nothing.
type screen struct {
	r         *uv.TerminalRenderer
	out       bytes.Buffer // the output of r
	cells     uv.ScreenBuffer
	rows      []string  // the content of cells
	now       target    // the state of the terminal
	last      *tea.View // its modes; nil while it is released
	ambiguous bool      // something was drawn whose columns terminals count differently

	reorders bool // the terminal may reorder right-to-left text
}

func newScreen(env []string) *screen {
	s := &screen{cells: uv.NewScreenBuffer(0, 0)}
	s.cells.Method = ansi.GraphemeWidth // as the model counts
	s.r = uv.NewTerminalRenderer(&s.out, env)
	s.r.SetFullscreen(true)
	s.r.SetScrollOptim(true)
	s.count()
	return s
}

// count sets how the renderer assumes that the terminal counts columns: it redraws the rows
// that the frame and the terminal count differently. Without such text it counts by grapheme
// cluster, because counting code points needs a table of 2 MB.
func (s *screen) count() {
	m := ansi.GraphemeWidth
	if s.ambiguous && !s.now.graphemes {
		m = ansi.WcWidth
	}
	s.r.SetWidthMethod(m)
}

// frame appends the bytes that show w, or none if nothing differs.
func (s *screen) frame(dst []byte, w target) []byte {
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
		w.redraw = true
	} else if keyboard(last) != keyboard(&w.view) {
		dst = append(dst, ansi.KittyKeyboard(keyboard(&w.view), 1)...)
	}
	dst = change(dst, last, &w.view)
	dst = s.applyModes(dst, &w)
	s.draw(&w)
	dst = s.wrap(dst, last == &off || last.Cursor != nil, w)
	s.last = &w.view
	return dst
}

// applyModes applies what w says about the terminal.
func (s *screen) applyModes(dst []byte, w *target) []byte {
	if w.graphemes != s.now.graphemes || w.redraw && w.graphemes {
		dst = choose(dst, w.graphemes, ansi.SetModeUnicodeCore, ansi.ResetModeUnicodeCore)
		s.r.SetGraphemeWidth(w.graphemes)
		s.now.graphemes = w.graphemes
		s.count()
		w.redraw = true
	}
	if w.profile != s.now.profile {
		s.r.SetColorProfile(w.profile)
		w.redraw = true
	}
	if w.w != s.now.w || w.h != s.now.h {
		s.cells.Resize(w.w, w.h)
		s.rows = make([]string, w.h)
		s.r.Resize(w.w, w.h)
		w.redraw = true
	}
	if w.redraw {
		s.cells.Touched = nil
		clear(s.rows)
		s.cells.Clear()
		s.r.SetPosition(-1, -1)
		s.r.Erase()
	}
	s.now = *w
	s.now.redraw = false
	s.now.view = tea.View{}
	return dst
}

// scrollRows is how many rows the renderer scrolls at least.
const scrollRows = 3

// draw writes to s.out what changes the text and moves the cursor.
func (s *screen) draw(w *target) {
	changed, moved := 0, 0
	before := make(map[string]bool, len(s.rows))
	for _, row := range s.rows {
		before[row] = true
	}
	rest := w.view.Content
	for y := range s.rows {
		var row string
		row, rest, _ = strings.Cut(rest, "\n")
		if row != s.rows[y] {
			s.rows[y] = strings.Clone(row)
			if !paintRow(s.cells, y, row) {
				anchor(s.cells, y)
				if !s.ambiguous {
					s.ambiguous = true
					s.count()
				}
			}
			changed++
			if before[row] {
				moved++
			}
		}
	}
	if changed > 0 || w.redraw {
		scrolls := moved >= scrollRows
		s.r.SetScrollOptim(scrolls)
		if scrolls || s.blankBelow() { // both may change rows that are the same before and after
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

// blankBelow reports whether the last row is empty, which makes the renderer look for a way
// to clear the end of the screen.
func (s *screen) blankBelow() bool {
	for _, c := range s.cells.Line(s.now.h - 1) {
		if c.Content != " " {
			return false
		}
	}
	return true
}

// wrap appends the output of draw such that no intermediate state is visible: as a
// synchronized update if the terminal supports it, or else with the cursor hidden.
func (s *screen) wrap(dst []byte, shown bool, w target) []byte {
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

// leave appends what restores the terminal. The next frame takes it again.
func (s *screen) leave(dst []byte) []byte {
	if s.last == nil {
		return dst
	}
	dst = append(dst, ansi.CursorPosition(1, s.now.h)...) // without an alternate screen, the shell continues below
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
