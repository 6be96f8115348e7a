package terminal

import (
	"fmt"
	"image/color"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// Saves and restores the title; terminals that can't do that ignore both.
const (
	pushTitle = "\x1b[22;2t"
	popTitle  = "\x1b[23;2t"
)

// off is the state of the terminal for a program without any modes.
var off = tea.View{DisableBracketedPasteMode: true}

// enter switches to the alternate screen and enables distinct keys. Keyboard modes are kept
// for each screen, so they come second.
func enter(dst []byte, v *tea.View) []byte {
	dst = append(dst, ansi.SetModeAltScreenSaveCursor...)
	dst = append(dst, pushTitle...)
	dst = append(dst, ansi.SetModifyOtherKeys2...)
	dst = append(dst, ansi.PushKittyKeyboard(keyboard(v))...)
	return append(dst, ansi.SetModeLightDark...)
}

// leave restores the terminal.
func leave(dst []byte, v *tea.View) []byte {
	dst = change(dst, v, &off)
	dst = append(dst, ansi.ResetModeLightDark...)
	dst = append(dst, ansi.ResetModifyOtherKeys...)
	dst = append(dst, ansi.PopKittyKeyboard(1)...)
	dst = append(dst, popTitle...)
	return append(dst, ansi.ResetModeAltScreenSaveCursor...)
}

// change appends what changes the terminal's modes from one view's to another's. It does
// not change the text and the position of the cursor.
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

// keyboard returns the level of the Kitty protocol: at least distinct keys.
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

// cursorStyle returns the number of the cursor's shape, or 0 for the terminal's own. A
// blinking block also means that, because tea.NewCursor returns it by default.
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

// progress returns the sequence that shows the view's progress bar.
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

// printable returns s without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r // also for invalid UTF-8, as U+FFFD
	}, s)
}
