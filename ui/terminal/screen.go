package terminal

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
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
	painter
	now  target    // the state of the terminal
	last *tea.View // its modes; nil while it is released

	reorders bool // the terminal may reorder right-to-left text
}

func newScreen() *screen { return &screen{painter: painter{looks: newLooks(colorprofile.TrueColor)}} }

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
		w.redraw = w.redraw || slices.ContainsFunc(s.rows, func(r row) bool { return r.unsure })
	}
	if w.profile != s.profile {
		s.looks = newLooks(w.profile)
		w.redraw = true
	}
	if w.redraw || w.w != s.now.w || w.h != s.now.h {
		s.erase(w.w, w.h)
	}
	s.now = *w
	s.now.redraw = false
	s.now.view = tea.View{}
	return dst
}

// draw makes the bytes that change the text and move the cursor.
func (s *screen) draw(w *target) {
	s.show(w.view.Content)
	if c := w.view.Cursor; c != nil {
		s.to(min(max(c.X, 0), w.w-1), min(max(c.Y, 0), w.h-1))
	}
}

// wrap appends the output of draw such that no intermediate state is visible: as a
// synchronized update if the terminal supports it, or else with the cursor hidden.
func (s *screen) wrap(dst []byte, shown bool, w target) []byte {
	show, some := w.view.Cursor != nil, len(s.out) > 0
	if some && w.synced {
		dst = append(dst, ansi.SetModeSynchronizedOutput...)
	}
	if shown && (!show || some && !w.synced) {
		dst = append(dst, ansi.ResetModeTextCursorEnable...)
		shown = false
	}
	dst = append(dst, s.out...)
	s.out = s.out[:0]
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
