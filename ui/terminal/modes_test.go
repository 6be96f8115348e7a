package terminal

import (
	"image/color"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// everything returns a view with every mode.
func everything() tea.View {
	v := tea.NewView("text")
	v.WindowTitle = "title"
	v.MouseMode = tea.MouseModeAllMotion
	v.ReportFocus = true
	v.ProgressBar = tea.NewProgressBar(tea.ProgressBarDefault, 40)
	v.BackgroundColor, v.ForegroundColor = color.Black, color.White
	v.Cursor = tea.NewCursor(1, 0)
	v.Cursor.Shape, v.Cursor.Blink, v.Cursor.Color = tea.CursorBar, false, color.White
	v.KeyboardEnhancements.ReportEventTypes = true
	return v
}

// left returns the modes that are still on after a program's output.
func left(sent string) (on []string) {
	modes := map[string]bool{"25": true, "7": true} // the cursor is visible and lines wrap before, too
	for _, m := range regexp.MustCompile(`\x1b\[\?([0-9;]+)([hl])`).FindAllStringSubmatch(sent, -1) {
		modes[m[1]] = m[2] == "h"
	}
	for m, set := range modes {
		if set != (m == "25" || m == "7") {
			on = append(on, "mode "+m)
		}
	}
	last := func(what, rest, re string) {
		if all := regexp.MustCompile(re).FindAllString(sent, -1); len(all) > 0 && all[len(all)-1] != rest {
			on = append(on, what)
		}
	}
	last("title", "\x1b]2;\a", `\x1b\]2;[^\a]*\a`)
	last("progress", "\x1b]9;4;0\a", `\x1b\]9;4;[^\a]*\a`)
	last("foreground", "\x1b]110\a", `\x1b\](10;[^\a]*|110)\a`)
	last("background", "\x1b]111\a", `\x1b\](11;[^\a]*|111)\a`)
	last("cursor colour", "\x1b]112\a", `\x1b\](12;[^\a]*|112)\a`)
	last("cursor shape", "\x1b[0 q", `\x1b\[\d* q`)
	last("order of text", "\x1b[8h", `\x1b\[8[hl]`)
	last("scroll region", "", `\x1b\[\d+;\d+r$`)
	last("modifyOtherKeys", "\x1b[>4m", `\x1b\[>4(;\d)?m`)
	if strings.Count(sent, "\x1b[>")-strings.Count(sent, "\x1b[>4") != strings.Count(sent, "\x1b[<") {
		on = append(on, "kitty keyboard")
	}
	if strings.Count(sent, pushTitle) != strings.Count(sent, popTitle) {
		on = append(on, "title stack")
	}
	return on
}

func TestLeave_ResetsAllModes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewSource(seedOf(t)))
	for range 200 {
		s := newScreen()
		var sent []byte
		for range 1 + r.Intn(4) {
			v := tea.NewView("text")
			if r.Intn(2) == 0 {
				v = everything()
				v.MouseMode = tea.MouseMode(r.Intn(3))
				v.DisableBracketedPasteMode = r.Intn(2) == 0
				if r.Intn(2) == 0 {
					v.Cursor = nil
				}
			}
			sent = s.frame(sent, target{view: v, w: 20, h: 4, graphemes: r.Intn(2) == 0, synced: r.Intn(2) == 0, profile: colorprofile.TrueColor})
			if r.Intn(4) == 0 {
				sent = s.leave(sent) // to an editor and back
			}
		}
		sent = s.leave(sent)
		if on := left(string(sent)); len(on) > 0 {
			t.Fatalf("%v stays on: %q", on, sent)
		}
		if again := s.leave(nil); len(again) > 0 {
			t.Fatalf("left twice: %q", again)
		}
	}
}

func TestFrame_SetsTheModesOfTheView(t *testing.T) {
	t.Parallel()
	s := newScreen()
	v := everything()
	got := string(s.frame(nil, target{view: v, w: 20, h: 4}))
	for _, want := range []string{
		"\x1b[?1049h", "\x1b]2;title\a", "\x1b[?1003h", "\x1b[?1006h", "\x1b[?1004h", "\x1b[?2004h", "\x1b[?2031h", "\x1b[6 q", "\x1b[8l",
		"\x1b]9;4;1;40\a", "\x1b]11;#000000\a", "\x1b]10;#ffffff\a", "\x1b]12;#ffffff\a", "\x1b[>3u", "\x1b[?25h",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not sent", want)
		}
	}
	if v.KeyboardEnhancements.ReportEventTypes = false; !strings.Contains(string(s.frame(nil, target{view: v, w: 20, h: 4})), "\x1b[=1;1u") {
		t.Error("the level of the keyboard is not lowered in place")
	}
}

// Terminals say only after the first frame that they can count columns by grapheme cluster. A frame is drawn again then if
// some of its text may have other columns.
func TestClustersAreCountedFromNow_RedrawsOnlyTextOfUnsureWidth(t *testing.T) {
	t.Parallel()
	for text, again := range map[string]bool{"plain text, ä 漢": false, "a family 👩‍👩‍👧": true} {
		s := newScreen()
		want := target{view: tea.NewView(text), w: 20, h: 2, profile: colorprofile.TrueColor}
		s.frame(nil, want)
		want.graphemes = true
		sent := string(s.frame(nil, want))
		if rest, chosen := strings.CutPrefix(sent, ansi.SetModeUnicodeCore); !chosen || strings.Contains(rest, ansi.EraseEntireScreen) != again {
			t.Errorf("%q: sent %q", text, sent)
		}
	}
}
