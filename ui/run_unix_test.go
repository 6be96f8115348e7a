//go:build unix

package ui

import (
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// emulator is a terminal emulator at the other end of a pseudo-terminal.
type emulator struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	mu     sync.Mutex
	screen *vt.Emulator
	bytes  strings.Builder
}

func newTerminal(t *testing.T, w, h int) *emulator {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		t.Fatal(err)
	}
	x := &emulator{t: t, master: master, slave: slave, screen: vt.NewEmulator(w, h)}
	go func() { // drain the emulator's replies, or it would block
		buf := make([]byte, 1024)
		for {
			if _, err := x.screen.Read(buf); err != nil {
				return
			}
		}
	}()
	go func() {
		buf := make([]byte, 32<<10)
		for {
			n, err := master.Read(buf)
			x.mu.Lock()
			x.screen.Write(buf[:n])
			x.bytes.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { master.Close(); slave.Close() })
	return x
}

// until waits until the screen shows a text.
func (x *emulator) until(text string) {
	x.t.Helper()
	var shown string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		x.mu.Lock()
		shown = ansi.Strip(x.screen.Render())
		x.mu.Unlock()
		if strings.Contains(shown, text) {
			return
		}
	}
	x.t.Fatalf("the terminal never shows %q:\n%s", text, shown)
}

// wrote reports whether the program wrote a sequence; it waits because the last bytes may not
// have arrived.
func (x *emulator) wrote(seq string) bool {
	for range 1000 {
		x.mu.Lock()
		found := strings.Contains(x.bytes.String(), seq)
		x.mu.Unlock()
		if found {
			return true
		}
		time.Sleep(2 * time.Millisecond)
	}
	return false
}

func (x *emulator) press(s string) { x.master.WriteString(s) }

// start runs the program on the terminal.
func (x *emulator) start(cfg Config) <-chan error {
	cfg.Input, cfg.Output = x.slave, x.slave
	done := make(chan error, 1)
	go func() { done <- Run(context.Background(), cfg) }()
	return done
}

func (x *emulator) end(done <-chan error) error {
	x.t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		x.t.Fatal("the program does not end")
		return nil
	}
}

func TestRun_DrawsHandlesKeysAndRestoresTheTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	x := newTerminal(t, 100, 30)
	done := x.start(Config{Store: sample(), By: me, Background: Dark, Mouse: true})
	x.until("follow: o")
	x.press("\x10errors\r")
	x.until(`"retry": true`)
	if err := pty.Setsize(x.master, &pty.Winsize{Cols: 44, Rows: 12}); err != nil {
		t.Fatal(err)
	}
	syscall.Kill(os.Getpid(), syscall.SIGWINCH)
	x.mu.Lock()
	x.screen.Resize(44, 12)
	x.mu.Unlock()
	x.until("api/errors.json ─")
	x.press("q")
	if err := x.end(done); err != nil {
		t.Fatal(err)
	}
	for name, seqs := range map[string][2]string{
		"the other screen": {ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor},
		"the mouse":        {ansi.SetModeMouseButtonEvent, ansi.ResetModeMouseButtonEvent},
	} {
		if !x.wrote(seqs[0]) || !x.wrote(seqs[1]) {
			t.Errorf("%s is not switched on and off again", name)
		}
	}
}

func TestRun_HangUpKeepsUnsavedTextAndRestoresTheTerminal(t *testing.T) {
	t.Setenv("TERM", "xterm-256color")
	drafts := newDrafts(t)
	x := newTerminal(t, 100, 30)
	done := x.start(Config{Store: sample(), By: me, Background: Dark, Drafts: drafts})
	x.until("follow: o")
	x.press("\x10dana\r")
	x.until("line 1 of 3") // the search shows the text too, but not this
	x.press("e")
	x.until("edit /people/dana.md")
	x.press("unsaved ")
	x.until("unsaved # Dana")
	syscall.Kill(os.Getpid(), syscall.SIGHUP)
	err := x.end(done)
	if err == nil || !strings.Contains(err.Error(), "offered at the next start") {
		t.Fatalf("the error does not say where the text is: %v", err)
	}
	if !x.wrote(ansi.ResetModeAltScreenSaveCursor) {
		t.Error("the terminal is not restored")
	}
	if left := listed(t, drafts); len(left) != 1 || !strings.HasPrefix(string(left[0].Text), "unsaved # Dana") {
		t.Errorf("kept is %v", left)
	}
}

func TestRun_RefusesATerminalThatCannotShowScreens(t *testing.T) {
	t.Setenv("TERM", "dumb")
	if err := Run(context.Background(), Config{Store: sample()}); err == nil || !strings.Contains(err.Error(), "TERM=dumb") {
		t.Errorf("%v", err)
	}
}
