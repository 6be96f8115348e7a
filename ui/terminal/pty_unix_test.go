//go:build unix

package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// waitLimit is how long a test waits for what should happen at once.
const waitLimit = 20 * time.Second

// scene is a program that does a test's action at each key.
type scene struct {
	said   string
	w, h   int
	panics bool // the next frame panics
}

type spokenMsg string

func (s scene) Init() tea.Cmd { return nil }

func (s scene) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.w, s.h = msg.Width, msg.Height
	case spokenMsg:
		s.said = string(msg)
	case SchemeMsg:
		s.said = fmt.Sprintf("dark %v", msg.Dark)
	case tea.ResumeMsg:
		s.said = "resumed"
	case tea.PasteMsg:
		s.said = "pasted " + msg.Content
	case tea.MouseClickMsg:
		s.said = fmt.Sprintf("clicked %d,%d", msg.X, msg.Y)
	case tea.KeyPressMsg:
		s.said = "key " + msg.String()
		return s.key(msg)
	}
	return s, nil
}

func (s scene) key(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	say := func(text string) tea.Cmd { return func() tea.Msg { return spokenMsg(text) } }
	fall := func() tea.Msg { panic("a command fell") }
	switch msg.String() {
	case "q":
		return s, tea.Quit
	case "z":
		return s, tea.Suspend
	case "y":
		return s, tea.SetClipboard("copied")
	case "x":
		c := exec.Command("sh", "-c", `stty -a | grep -o '[-]*icanon'
			for i in 1 2 3 4 5 6 7 8 9; do printf "give $i: "; read line; test "$line" = "word $i" || exit 1; done`)
		return s, Exec(c, func(err error) tea.Msg { return spokenMsg(fmt.Sprintf("edited %v", err)) })
	case "1":
		panic("the update fell")
	case "2":
		s.panics = true
	case "3":
		return s, fall
	case "4":
		return s, tea.Batch(say("one"), fall)
	case "5":
		return s, tea.Sequence(say("one"), fall)
	case "7":
		Go(func() { panic("a goroutine fell") })
	case "8":
		Go(func() {
			defer caught() // as code does that does not start the goroutine itself
			var none []string
			_ = none[len(msg.String())]
		})
	case "6":
		return s, tea.Sequence(say("one"), say("two"), tea.Batch(say("three")))
	}
	return s, nil
}

func (s scene) View() tea.View {
	if s.panics {
		panic("the view fell")
	}
	v := tea.NewView(fmt.Sprintf("%dx%d\nsaid: %s", s.w, s.h, s.said))
	v.WindowTitle = "scene"
	v.MouseMode = tea.MouseModeCellMotion
	v.ReportFocus = true
	v.Cursor = tea.NewCursor(1, 1)
	v.Cursor.Shape = tea.CursorBar
	return v
}

// fakeTerminal is the terminal at the other end of a pseudo-terminal. It answers questions.
type fakeTerminal struct {
	*testing.T
	master, slave *os.File
	mu            sync.Mutex
	screen        *vt.Emulator
	sent          strings.Builder
	before        *term.State
	slowLine      atomic.Bool // on a slow line: 100 KB and 10 responses a second
	silent        atomic.Bool // never answers
}

func newFakeTerminal(t *testing.T) *fakeTerminal {
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("MEMEND_RENDERER", "")
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here: ", err)
	}
	if err := pty.Setsize(slave, &pty.Winsize{Cols: 60, Rows: 12}); err != nil {
		t.Fatal(err)
	}
	// Only a non-blocking file can be closed while it is read.
	if fd, err := syscall.Dup(int(master.Fd())); err != nil || syscall.SetNonblock(fd, true) != nil {
		t.Fatal("dup", err)
	} else {
		master.Close()
		master = os.NewFile(uintptr(fd), "master")
	}
	g := &fakeTerminal{T: t, master: master, slave: slave, screen: vt.NewEmulator(60, 12)}
	if g.before, err = term.GetState(slave.Fd()); err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 1024)
		for {
			n, err := g.screen.Read(buf)
			if err != nil {
				return
			}
			if g.slowLine.Load() {
				time.Sleep(100 * time.Millisecond)
			}
			if !g.silent.Load() {
				master.Write(buf[:n])
			}
		}
	}()
	go func() {
		buf := make([]byte, 32<<10)
		for {
			part := buf
			if g.slowLine.Load() {
				part = buf[:1<<10]
				time.Sleep(10 * time.Millisecond)
			}
			n, err := master.Read(part)
			g.mu.Lock()
			g.screen.Write(buf[:n])
			g.sent.Write(buf[:n])
			g.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { master.Close(); slave.Close() })
	return g
}

func (g *fakeTerminal) bytes() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sent.String()
}

// wait waits for a condition.
func (g *fakeTerminal) wait(what string, is func() bool) {
	g.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if is() {
			return
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.Fatalf("%s: never; the screen is\n%s\nand what came %q", what, ansi.Strip(g.screen.Render()), g.sent.String())
}

func (g *fakeTerminal) until(text string) {
	g.Helper()
	g.wait("shows "+text, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return strings.Contains(ansi.Strip(g.screen.Render()), text)
	})
}

func (g *fakeTerminal) press(s string) { g.master.WriteString(s) }

func (g *fakeTerminal) start(m tea.Model) <-chan error {
	done := make(chan error, 1)
	go func() { done <- Run(context.Background(), m, Config{Input: g.slave, Output: g.slave}) }()
	return done
}

// ended waits for the program and checks that nothing of it is left.
func (g *fakeTerminal) ended(done <-chan error) error {
	g.Helper()
	select {
	case err := <-done:
		g.wait("all is off again", func() bool { return len(left(g.bytes())) == 0 })
		if now, e := term.GetState(g.slave.Fd()); e != nil || *now != *g.before {
			g.Errorf("the terminal is not as it was: %+v, %v", now, e)
		}
		return err
	case <-time.After(waitLimit):
		g.Fatal("the program does not end")
		return nil
	}
}

func TestRun_ShowsWhatHappensAndRestoresTheTerminal(t *testing.T) {
	g := newFakeTerminal(t)
	done := g.start(scene{})
	g.until("60x12")
	g.press("a")
	g.until("said: key a")
	g.press("\x1b[200~a text\x1b[201~")
	g.until("said: pasted a text")
	g.press("\x1b[<0;5;3M")
	g.until("said: clicked 4,2")
	g.press("\x1b[?997;2n")
	g.until("said: dark false")
	g.press("\x1b[?997;1n")
	g.until("said: dark true")
	g.press("6")
	g.until("said: three")
	g.press("y")
	g.wait("the clipboard", func() bool { return strings.Contains(g.bytes(), "\x1b]52;c;Y29waWVk\a") })
	if err := pty.Setsize(g.slave, &pty.Winsize{Cols: 44, Rows: 9}); err != nil {
		t.Fatal(err)
	}
	syscall.Kill(os.Getpid(), syscall.SIGWINCH)
	g.until("44x9")
	g.press("q")
	if err := g.ended(done); err != nil {
		t.Fatal(err)
	}
}

func TestRun_WritesNothingWhileNothingHappens(t *testing.T) {
	g := newFakeTerminal(t)
	done := g.start(scene{})
	g.press("a")
	g.until("said: key a")
	time.Sleep(50 * time.Millisecond) // the questions at the start are answered
	before := g.bytes()
	time.Sleep(1200 * time.Millisecond) // more than a tick of Bubble Tea's
	if more := g.bytes()[len(before):]; more != "" {
		t.Errorf("%q", more)
	}
	g.press("q")
	g.ended(done)
}

func TestRun_KeysDoNotWaitForFrames(t *testing.T) {
	g := newFakeTerminal(t)
	var frames atomic.Int64
	began := time.Now()
	done := g.start(counter{frames: &frames})
	g.press(strings.Repeat("j", 2000))
	g.until("2000 keys")
	if n, most := frames.Load(), int64(time.Since(began)/frameTime)+2; n > most {
		t.Errorf("%d frames where there is time for %d", n, most)
	}
	g.press("q")
	g.ended(done)
}

// counter counts keys and frames.
type counter struct {
	n      int
	frames *atomic.Int64
}

func (c counter) Init() tea.Cmd { return nil }

func (c counter) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if c.n++; k.String() == "q" {
			return c, tea.Quit
		}
	}
	return c, nil
}

func (c counter) View() tea.View {
	c.frames.Add(1)
	return tea.NewView(fmt.Sprintf("%d keys", c.n))
}

func TestRun_APanicEndsTheProgramAndRestoresTheTerminal(t *testing.T) {
	for key, want := range map[string]string{"1": "the update fell", "2": "the view fell", "3": "a command fell", "4": "a command fell", "5": "a command fell", "7": "a goroutine fell", "8": "index out of range"} {
		t.Run(want+" "+key, func(t *testing.T) {
			g := newFakeTerminal(t)
			done := g.start(scene{})
			g.until("60x12")
			g.press(key)
			var f *Fault
			if err := g.ended(done); !errors.As(err, &f) || !strings.Contains(err.Error(), want) {
				t.Fatalf("%v", err)
			}
			if !strings.Contains(string(f.Stack), "scene") {
				t.Errorf("the stack does not say where: %s", f.Stack)
			}
		})
	}
}

func TestRun_SignalsEndTheProgramAndRestoreTheTerminal(t *testing.T) {
	for s, want := range map[syscall.Signal]error{
		syscall.SIGTERM: nil, syscall.SIGHUP: nil, syscall.SIGQUIT: nil, syscall.SIGINT: tea.ErrInterrupted,
	} {
		t.Run(s.String(), func(t *testing.T) {
			g := newFakeTerminal(t)
			done := g.start(scene{})
			g.until("60x12")
			syscall.Kill(os.Getpid(), s)
			if err := g.ended(done); !errors.Is(err, want) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestRun_EndsWhenTheTerminalIsGone(t *testing.T) {
	g := newFakeTerminal(t)
	done := g.start(scene{})
	g.until("60x12")
	g.master.Close()
	select {
	case <-done:
	case <-time.After(waitLimit):
		t.Fatal("the program lives on without a terminal")
	}
}

// give types what the scene's command asks for, line by line: a reader of ours that still
// runs would get some of it.
func (g *fakeTerminal) give() {
	for i := 1; i <= 9; i++ {
		g.until(fmt.Sprintf("give %d:", i))
		g.press(fmt.Sprintf("word %d\r", i))
	}
}

// A command that starts before the terminal has answered the first questions does not get the answers.
func TestRun_LeavesNoReplyForACommand(t *testing.T) {
	g := newFakeTerminal(t)
	g.slowLine.Store(true)
	done := g.start(scene{})
	g.press("x")
	g.give()
	g.until("said: edited <nil>")
	g.press("q")
	if err := g.ended(done); err != nil {
		t.Fatal(err)
	}
}

func TestRun_ACommandUsesTheTerminalAndReturnsIt(t *testing.T) {
	g := newFakeTerminal(t)
	done := g.start(scene{})
	g.until("60x12")
	g.press("x")
	g.until("give 1:")
	if on := left(g.bytes()); len(on) > 0 {
		t.Errorf("%v stays on for the command", on)
	}
	if err := pty.Setsize(g.slave, &pty.Winsize{Cols: 44, Rows: 10}); err != nil {
		t.Fatal(err)
	}
	syscall.Kill(os.Getpid(), syscall.SIGWINCH) // meant for the command
	g.give()
	g.until("said: edited <nil>")
	g.until("44x10")
	if b := g.bytes(); !strings.Contains(b, "icanon") || strings.Contains(b, "-icanon") {
		t.Errorf("the command finds a raw terminal: %q", b)
	}
	g.press("a")
	g.until("said: key a")
	g.press("q")
	g.ended(done)
}

func TestRun_LeavesNoReplyForTheShell(t *testing.T) {
	for range 20 {
		g := newFakeTerminal(t)
		done := g.start(scene{})
		g.press("q") // before any response can have arrived
		if err := g.ended(done); err != nil {
			t.Fatal(err)
		}
		if _, err := term.MakeRaw(g.slave.Fd()); err != nil { // otherwise only whole lines can be read
			t.Fatal(err)
		}
		fds := []unix.PollFd{{Fd: int32(g.slave.Fd()), Events: unix.POLLIN}}
		if n, _ := unix.Poll(fds, 20); n > 0 {
			b := make([]byte, 100)
			n, _ := g.slave.Read(b)
			t.Fatalf("the shell would read %q", b[:n])
		}
	}
}

// TestMain also runs a program that a shell can stop and continue.
func TestMain(m *testing.M) {
	if os.Getenv("TERMINAL_SCENE") != "" {
		if err := Run(context.Background(), scene{}, Config{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestRun_SuspendsAndResumes(t *testing.T) {
	g := newFakeTerminal(t)
	sh := exec.Command("sh", "-i")
	sh.Env = append(os.Environ(), "TERMINAL_SCENE=1", "PS1=shell> ", "PROGRAM="+os.Args[0], "ENV=", "HISTFILE=")
	sh.Stdin, sh.Stdout, sh.Stderr = g.slave, g.slave, g.slave
	sh.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := sh.Start(); err != nil {
		t.Skip(err)
	}
	defer sh.Process.Kill()
	g.until("shell>")
	g.press("set -m; \"$PROGRAM\"\r")
	g.until("60x12")
	g.press("z")
	g.wait("the shell has the terminal", func() bool { return strings.HasSuffix(g.bytes(), "shell> ") })
	if on := left(g.bytes()); len(on) > 0 {
		t.Errorf("%v stays on for the shell", on)
	}
	g.press("echo I am $((6*7))\r")
	g.until("I am 42")
	if err := pty.Setsize(g.slave, &pty.Winsize{Cols: 50, Rows: 10}); err != nil {
		t.Fatal(err)
	}
	g.press("fg\r")
	g.until("50x10")
	g.press("a")
	g.until("said: key a")
	g.press("q")
	g.wait("all is off again", func() bool { return len(left(g.bytes())) == 0 })
	g.wait("the shell has the terminal again", func() bool { return strings.HasSuffix(g.bytes(), "shell> ") })
	g.press("echo back in the shell; exit\r")
	g.until("back in the shell")
	if err := sh.Wait(); err != nil {
		t.Error(err)
	}
}

func TestRun_StockRendererServesTheSameProgram(t *testing.T) {
	g := newFakeTerminal(t)
	t.Setenv("MEMEND_RENDERER", "stock")
	done := g.start(scene{})
	g.until("60x12")
	g.wait("is told of switched colours", func() bool { return slices.Contains(left(g.bytes()), "mode 2031") })
	g.press("\x1b[?997;2n")
	g.until("said: dark false")
	g.press("\x1b[?997;1n")
	g.until("said: dark true")
	g.press("x")
	g.until("give 1:")
	g.wait("the other program is not told of them", func() bool { return !slices.Contains(left(g.bytes()), "mode 2031") })
	g.give()
	g.until("said: edited <nil>")
	g.wait("is told again", func() bool { return slices.Contains(left(g.bytes()), "mode 2031") })
	g.press("q")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	g.wait("is told no more", func() bool { return !slices.Contains(left(g.bytes()), "mode 2031") })
}

func TestRun_StockRendererEndsOnAPanicOfAGoroutine(t *testing.T) {
	g := newFakeTerminal(t)
	t.Setenv("MEMEND_RENDERER", "stock")
	done := g.start(scene{})
	g.until("60x12")
	g.press("7")
	var f *Fault
	if err := <-done; !errors.As(err, &f) || f.Value != "a goroutine fell" {
		t.Fatal(err)
	}
	if now, e := term.GetState(g.slave.Fd()); e != nil || *now != *g.before {
		t.Errorf("the terminal is not as it was: %+v, %v", now, e)
	}
}
