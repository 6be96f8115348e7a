package terminal

import (
	"fmt"
	"image/color"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// What the title was before; terminals that keep none ignore both.
const (
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"
)

// off is how the terminal is for a program that asks nothing of it.
var off = tea.View{DisableBracketedPasteMode: true}

// enter takes the terminal over: the other screen, and keys told apart as well
// as it can. Keyboards have a state for each screen, so it comes second.
func enter(dst []byte, v *tea.View) []byte {
	dst = append(dst, ansi.SetModeAltScreenSaveCursor...)
	dst = append(dst, pushTitle...)
	dst = append(dst, ansi.SetModifyOtherKeys2...)
	dst = append(dst, ansi.PushKittyKeyboard(keyboard(v))...)
	return append(dst, ansi.SetModeLightDark...)
}

// leave gives the terminal back as it was.
func leave(dst []byte, v *tea.View) []byte {
	dst = change(dst, v, &off)
	dst = append(dst, ansi.ResetModeLightDark...)
	dst = append(dst, ansi.ResetModifyOtherKeys...)
	dst = append(dst, ansi.PopKittyKeyboard(1)...)
	dst = append(dst, popTitle...)
	return append(dst, ansi.ResetModeAltScreenSaveCursor...)
}

// change appends what turns the terminal's behaviour from one view's to
// another's. The text and the place of the cursor are not its business.
func change(dst []byte, from, to *tea.View) []byte {
	if from.DisableBracketedPasteMode != to.DisableBracketedPasteMode {
		dst = choose(dst, !to.DisableBracketedPasteMode, ansi.SetModeBracketedPaste, ansi.ResetModeBracketedPaste)
	}
	if from.ReportFocus != to.ReportFocus {
		dst = choose(dst, to.ReportFocus, ansi.SetModeFocusEvent, ansi.ResetModeFocusEvent)
	}
	if from.MouseMode != to.MouseMode {
		dst = mouse(dst, from.MouseMode, to.MouseMode)
	}
	if from.WindowTitle != to.WindowTitle {
		dst = append(dst, ansi.SetWindowTitle(printable(to.WindowTitle))...)
	}
	dst = paint(dst, from.ForegroundColor, to.ForegroundColor, ansi.SetForegroundColor, ansi.ResetForegroundColor)
	dst = paint(dst, from.BackgroundColor, to.BackgroundColor, ansi.SetBackgroundColor, ansi.ResetBackgroundColor)
	dst = paint(dst, cursorColor(from), cursorColor(to), ansi.SetCursorColor, ansi.ResetCursorColor)
	if from, to := cursorStyle(from), cursorStyle(to); from != to {
		dst = append(dst, ansi.SetCursorStyle(to)...)
	}
	if from, to := progress(from), progress(to); from != to {
		dst = append(dst, to...)
	}
	return dst
}

func choose(dst []byte, on bool, set, reset string) []byte {
	if on {
		return append(dst, set...)
	}
	return append(dst, reset...)
}

func mouse(dst []byte, from, to tea.MouseMode) []byte {
	switch from {
	case tea.MouseModeCellMotion:
		dst = append(dst, ansi.ResetModeMouseButtonEvent...)
	case tea.MouseModeAllMotion:
		dst = append(dst, ansi.ResetModeMouseAnyEvent...)
	}
	switch to {
	case tea.MouseModeCellMotion:
		dst = append(dst, ansi.SetModeMouseButtonEvent...)
	case tea.MouseModeAllMotion:
		dst = append(dst, ansi.SetModeMouseAnyEvent...)
	default:
		return append(dst, ansi.ResetModeMouseExtSgr...)
	}
	return append(dst, ansi.SetModeMouseExtSgr...)
}

// keyboard is the level of the Kitty protocol: keys told apart, always.
func keyboard(v *tea.View) int {
	flags, k := ansi.KittyDisambiguateEscapeCodes, v.KeyboardEnhancements
	for flag, on := range map[int]bool{
		ansi.KittyReportEventTypes:           k.ReportEventTypes,
		ansi.KittyReportAlternateKeys:        k.ReportAlternateKeys,
		ansi.KittyReportAllKeysAsEscapeCodes: k.ReportAllKeysAsEscapeCodes,
		ansi.KittyReportAssociatedKeys:       k.ReportAssociatedText,
	} {
		if on {
			flags |= flag
		}
	}
	return flags
}

func paint(dst []byte, from, to color.Color, set func(string) string, reset string) []byte {
	switch {
	case from == to:
		return dst
	case to == nil:
		return append(dst, reset...)
	}
	r, g, b, _ := to.RGBA()
	return append(dst, set(fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8))...)
}

func cursorColor(v *tea.View) color.Color {
	if v.Cursor == nil {
		return nil
	}
	return v.Cursor.Color
}

// cursorStyle is the number of the cursor's shape, 0 for the terminal's own: that
// is also what a blinking block stands for, which tea.NewCursor gives to who asks
// for nothing.
func cursorStyle(v *tea.View) int {
	c := v.Cursor
	switch {
	case c == nil || c.Shape == tea.CursorBlock && c.Blink:
		return 0
	case c.Blink:
		return int(c.Shape)*2 + 1
	}
	return int(c.Shape)*2 + 2
}

// progress is the sequence that shows the bar of the view.
func progress(v *tea.View) string {
	if v.ProgressBar == nil {
		return ansi.ResetProgressBar
	}
	switch b := v.ProgressBar; b.State {
	case tea.ProgressBarDefault:
		return ansi.SetProgressBar(b.Value)
	case tea.ProgressBarError:
		return ansi.SetErrorProgressBar(b.Value)
	case tea.ProgressBarIndeterminate:
		return ansi.SetIndeterminateProgressBar
	case tea.ProgressBarWarning:
		return ansi.SetWarningProgressBar(b.Value)
	}
	return ansi.ResetProgressBar
}

// printable is s without what a terminal would obey.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r // also what is no UTF-8, as U+FFFD
	}, s)
}
