//go:build unix

package tour

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// A newcomer knows what they want, and arrows, Enter, Escape and typing; every other key they
// take from the screen. Their scripts are those of a tour, mostly of the steps do and go.
func TestNewcomers_ReachTheirGoalByWhatTheScreenSays(t *testing.T) {
	if testing.Short() {
		t.Skip("plays the program for some seconds")
	}
	t.Parallel()
	for i, goal := range []string{"correct", "undo", "redact"} {
		for j, size := range []pty.Winsize{{Cols: 120, Rows: 36}, {Cols: 80, Rows: 24}} {
			if !*tourAll && i%2 != j {
				continue
			}
			name := fmt.Sprintf("%s-%dx%d", goal, size.Cols, size.Rows)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if err := play(t, name, filepath.Join("testdata", "newcomer-"+goal+".txt"), &size, many); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

// do presses the key that the screen names for a label. If the screen names none, the help
// does.
func (v *visitor) do(label string) error {
	err := v.do1(label)
	if errors.Is(err, errNoKey) {
		var key string
		if key, err = v.helpFor(label); err == nil {
			err = v.press(key)
		}
	}
	return err
}

// helpFor looks up the key for a label in the help.
func (v *visitor) helpFor(label string) (key string, err error) {
	if err := v.do1("help"); err != nil {
		return "", err
	}
	if err := v.wait("Esc", true); err != nil {
		return "", err
	}
	ok := false
	for moved := true; moved; {
		if key, ok = v.named(label); ok {
			break
		}
		if moved, err = v.down(); err != nil {
			return "", err
		}
	}
	if err := v.escape(); err != nil {
		return "", err
	}
	if !ok {
		return "", errors.New("neither the screen nor its help names a key")
	}
	return key, nil
}

var errNoKey = errors.New("the screen names no key for it")

// do1 presses the key that the screen names for a label.
func (v *visitor) do1(label string) error {
	var key string
	if !v.within(2*time.Second, func() (ok bool) { key, ok = v.named(label); return ok }) {
		return fmt.Errorf("%s: %w", label, errNoKey)
	}
	if key == "Escape" {
		return v.escape()
	}
	return v.press(key)
}

// escape presses Escape until the screen changes: it does nothing while a screen is at work, and with the next key it would
// be another one.
func (v *visitor) escape() error {
	was := v.show()
	for range 3 {
		if err := v.press("Escape"); err != nil {
			return err
		}
		if v.within(2*time.Second, func() bool { return v.show() != was }) {
			break
		}
	}
	return nil
}

// named finds the key before a label on the screen. The hints in the last row come first. A
// frame can be half drawn: what is no key, such as the arrow of "now → before", is not taken for
// one.
func (v *visitor) named(label string) (key string, ok bool) {
	named := regexp.MustCompile(`(?:^|[\s│·])(\^?[!-~]|Enter|Esc|Space|Tab|Del) +` + regexp.QuoteMeta(label) + `(?:$|[\s│·])`)
	rows := strings.Split(v.show(), "\n")
	for y := len(rows) - 1; y >= 0; y-- {
		if m := named.FindStringSubmatch(rows[y]); m != nil {
			return keyName(m[1]), true
		}
	}
	return "", false
}

// keyName returns the step's name of a key from its name on the screen.
func keyName(shown string) string {
	if c, ok := strings.CutPrefix(shown, "^"); ok && c != "" {
		return "C-" + strings.ToLower(c)
	}
	if shown == "Esc" {
		return "Escape"
	}
	return shown
}

// goTo presses Down until the row with a text is selected.
func (v *visitor) goTo(text string) error {
	if err := v.wait(text, true); err != nil {
		return err
	}
	for range 80 {
		if v.selected(text) {
			return nil
		}
		if moved, err := v.down(); err != nil || !moved && !v.selected(text) {
			return errors.Join(err, errors.New("Down does not get there"))
		}
	}
	return errors.New("Down does not get there")
}

// down presses Down and waits for the frame, which is late under load. It reports whether the
// screen changed: at the end it does not.
func (v *visitor) down() (moved bool, err error) {
	before := v.styled()
	if err := v.press("Down"); err != nil {
		return false, err
	}
	return v.within(5*time.Second, func() bool { return v.styled() != before }), nil
}

// within waits until something is so, and reports whether it is.
func (v *visitor) within(limit time.Duration, so func() bool) bool {
	for end := time.Now().Add(limit); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// lineCursor is a row of the memory pane with the line cursor.
var lineCursor = regexp.MustCompile(`▸ *\d`)

// selected reports whether the row with a text has the mark of the line cursor or the
// background of a selection.
func (v *visitor) selected(text string) bool {
	rows := strings.Split(v.show(), "\n")
	v.mu.Lock()
	defer v.mu.Unlock()
	for y, row := range rows {
		i := strings.Index(row, text)
		if i < 0 || y >= v.screen.Height() {
			continue
		}
		if lineCursor.MatchString(row) {
			return true
		}
		if c := v.screen.CellAt(len([]rune(row[:i])), y); c != nil && c.Style.Bg != nil {
			return true
		}
	}
	return false
}
