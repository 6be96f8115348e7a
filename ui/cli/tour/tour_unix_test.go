//go:build unix

// Package tour holds no code: its test runs tours of the program's binary in a terminal.
package tour

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/memend/memend/memfs/testdata/ramdisk"
	"github.com/memend/memend/ui/cli"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/review"
)

func TestMain(m *testing.M) {
	testscript.Main(ramdisk.Tests(m).AtOnce(2), map[string]func(){
		"memend": func() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// A tour is a script of keys for one of the three things that memend is for, and
// of what the screen must show on the way. One step per line:
//
//	key j j Enter    press keys: a character, Enter, Escape, Tab, Space, Up, C-x, M-x, ...
//	type some text   type a text
//	wait 200ms       let time pass
//	until TEXT       wait until the screen shows it
//	gone TEXT        wait until the screen no longer shows it
//	sh COMMAND       run a command beside the program, as an agent or another person
//	run ARGS         begin with "memend ARGS" instead of the tour's own store
//	leave            quit, and confirm if asked
//	do LABEL         press the key that the screen names for LABEL, or else the help
//	go TEXT          press Down until the row with TEXT is selected
//	shot NAME        take a picture; -tour.shots DIR writes it there
//
// The texts that a tour waits for are shown at every size at which it is run. A
// program that has ended leaves "[exit CODE]" on the screen.

var tourAll = flag.Bool("tour.all", false, "play each tour at each size, not at one")

var tourShots = flag.String("tour.shots", "", "folder that the tours' screens are written to, as text")

func TestTours_WorkAtEverySize(t *testing.T) {
	if testing.Short() {
		t.Skip("plays the program for some seconds")
	}
	t.Parallel()
	sizes := []pty.Winsize{{Cols: 120, Rows: 36}, {Cols: 80, Rows: 24}, {Cols: 40, Rows: 12}}
	for i, tour := range []string{"review", "watch", "rollback", "agents", "talk", "demo"} {
		for j, size := range sizes {
			if !*tourAll && i%len(sizes) != j {
				continue
			}
			k := []kind{many, sixteen, none}[j]
			name := fmt.Sprintf("%s-%dx%d", tour, size.Cols, size.Rows)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				// Changes by others are shown after a moment, and a tour may be faster than
				// that on a busy machine: each has three tries.
				const tries = 3
				for try := 1; ; try++ {
					err := play(t, name, filepath.Join("testdata", tour+".txt"), &size, k)
					if err == nil {
						return
					}
					if try == tries {
						t.Fatal(err)
					}
					t.Logf("try %d: %v", try, err)
				}
			})
		}
	}
}

// kind is a kind of terminal: its environment, and the parameters of the SGR sequences that the
// program may send to it.
type kind struct {
	env []string
	sgr *regexp.Regexp
}

const attributes = `0?|[1-9]|2[1-9]|39|49`

var (
	many    = kind{[]string{"TERM=xterm-256color", "NO_COLOR="}, regexp.MustCompile(``)}
	sixteen = kind{[]string{"TERM=xterm-16color", "COLORTERM=", "NO_COLOR="}, regexp.MustCompile(`^((` + attributes + `|[34][0-7]|(9|10)[0-7])(;|$))*$`)}
	none    = kind{[]string{"TERM=xterm-256color", "NO_COLOR=1"}, regexp.MustCompile(`^((` + attributes + `)(;|$))*$`)}
)

var sgr = regexp.MustCompile("\x1b\\[([0-9;:]*)m")

// check returns an error if the program sent colours that the terminal does not have, or none.
func (k kind) check(sent []byte) error {
	all := sgr.FindAllSubmatch(sent, -1)
	if len(all) == 0 {
		return errors.New("the program sent no SGR sequence")
	}
	for _, m := range all {
		if !k.sgr.Match(m[1]) {
			return fmt.Errorf("the program sent %q with %v", m[0], k.env)
		}
	}
	return nil
}

// play runs a script on a new store.
func play(t *testing.T, name, script string, size *pty.Winsize, k kind) error {
	f, err := os.Open(script)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	args, err := asked(f)
	if err != nil {
		t.Fatal(err)
	}
	v := newVisitor(t, size, k, args)
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		verb, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if verb == "" || verb[0] == '#' || verb == "run" {
			continue
		}
		if err := v.step(verb, rest, name); err != nil {
			return fmt.Errorf("%s:%d: %s %s: %w; the screen is\n%s", script, n, verb, rest, err, v.show())
		}
	}
	if !strings.Contains(v.show(), "[exit 0]") {
		return fmt.Errorf("the tour is over, and the program is not; the screen is\n%s", v.show())
	}
	if left, err := os.ReadDir(v.temp); err != nil || len(left) > 0 {
		return fmt.Errorf("the program is over and left %v in the folder for what is temporary, %v", left, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return k.check(v.sent)
}

// asked returns the arguments with which a script starts the program.
func asked(script io.ReadSeeker) (args []string, err error) {
	for lines := bufio.NewScanner(script); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "run "); ok {
			args = strings.Fields(rest)
			break
		}
	}
	_, err = script.Seek(0, io.SeekStart)
	return args, err
}

// visitor is a terminal in which memend runs. It is wider than the size that the program is
// given, so a row that is too long is visible.
type visitor struct {
	t    *testing.T
	env  []string
	cols int
	pty  *os.File
	pid  int
	temp string // the program's folder for temporary files

	mu      sync.Mutex
	screen  *vt.Emulator
	sent    []byte // everything that the program sent
	changes int    // how often the screen was written to
}

const margin = 16

// newVisitor runs the program; without arguments, on a new store.
func newVisitor(t *testing.T, size *pty.Winsize, k kind, args []string) *visitor {
	home, store, config := t.TempDir(), filepath.Join(t.TempDir(), "team"), filepath.Join(t.TempDir(), "config.toml")
	if err := os.Mkdir(store, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "MEMEND_HOME="+home, "MEMEND_STORE="+store, "MEMEND_CONFIG="+config, "TZ=UTC")
	env = append(env, k.env...)
	temp := t.TempDir()
	if args == nil {
		args = []string{"--actor", "person:mira", "--session", "sesn_mira"}
		v := &visitor{env: append(env, "TMPDIR="+temp)}
		if err := v.run("testdata/make.sh"); err != nil {
			t.Fatal("make the store: ", err)
		}
		if err := reviewed(t.Context(), home); err != nil {
			t.Fatal("mark the store as reviewed: ", err)
		}
	}
	return newVisitorIn(t, size, env, temp, args)
}

// reviewed marks all changes of a home's only store as reviewed.
func reviewed(ctx context.Context, home string) error {
	trail, err := engine.Open(ctx, home, versions.Options{})
	if err != nil {
		return err
	}
	defer trail.Close()
	infos, err := trail.Stores(ctx)
	if err != nil {
		return err
	}
	s, err := trail.OpenStore(ctx, infos[0].ID)
	if err != nil {
		return err
	}
	defer s.Close()
	n, err := s.LastChange(ctx)
	if err != nil {
		return err
	}
	_, err = review.MarkAllReviewed(ctx, s, n)
	return err
}

// newVisitorIn runs the program in an environment.
func newVisitorIn(t *testing.T, size *pty.Winsize, env []string, temp string, args []string) *visitor {
	v := &visitor{t: t, temp: temp, cols: int(size.Cols), screen: vt.NewEmulator(int(size.Cols)+margin, int(size.Rows))}
	v.env = append(env, "TMPDIR="+temp)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: append([]string{"memend"}, args...), Env: v.env}
	if v.pty, err = pty.StartWithSize(cmd, size); err != nil {
		t.Skip("no terminal to be had here: ", err)
	}
	v.pid = cmd.Process.Pid
	go v.answer()
	ended := make(chan struct{})
	go v.watch(cmd, ended)
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
		v.pty.Close()
		v.screen.Close()
	})
	return v
}

// answer sends the terminal's responses to the program.
func (v *visitor) answer() { _, _ = io.Copy(v.pty, v.screen) }

// watch shows the program's output until it ends.
func (v *visitor) watch(cmd *exec.Cmd, ended chan<- struct{}) {
	defer close(ended)
	buf := make([]byte, 32<<10)
	for {
		n, err := v.pty.Read(buf)
		v.mu.Lock()
		v.screen.Write(buf[:n])
		v.sent = append(v.sent, buf[:n]...)
		v.changes++
		v.mu.Unlock()
		if err != nil {
			break
		}
	}
	cmd.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	fmt.Fprintf(v.screen, "\r\n[exit %d]", cmd.ProcessState.ExitCode())
	v.changes++
}

func (v *visitor) run(args ...string) error {
	cmd := exec.Command("sh", args...)
	cmd.Env = v.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func (v *visitor) show() string { return ansi.Strip(v.styled()) }

func (v *visitor) styled() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.screen.Render()
}

// tooWide returns an error with what a row shows right of the terminal's edge.
func (v *visitor) tooWide() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	for y := range v.screen.Height() {
		for x := v.cols; x < v.cols+margin; x++ {
			if c := v.screen.CellAt(x, y); c != nil && strings.TrimSpace(c.Content) != "" {
				return fmt.Errorf("row %d is wider than the terminal: %q", y+1, c.Content)
			}
		}
	}
	return nil
}

func (v *visitor) step(verb, rest, name string) error {
	switch verb {
	case "key":
		for _, k := range strings.Fields(rest) {
			if err := v.press(k); err != nil {
				return err
			}
		}
		return nil
	case "wait":
		pause, err := time.ParseDuration(rest)
		time.Sleep(pause)
		return err
	case "type":
		_, err := io.WriteString(v.pty, rest)
		return err
	case "until", "gone":
		return v.wait(rest, verb == "until")
	case "leave":
		return v.leave()
	case "do":
		return v.do(rest)
	case "go":
		return v.goTo(rest)
	case "sh":
		return v.run("-c", rest)
	case "shot":
		if *tourShots == "" {
			return nil
		}
		return os.WriteFile(filepath.Join(*tourShots, name+"-"+rest+".txt"), []byte(v.show()), 0o600)
	}
	return errors.New("no such step")
}

// leave quits; it handles the question that is asked while agents work. Like a person, it presses the key again if nothing happens.
func (v *visitor) leave() error {
	time.Sleep(100 * time.Millisecond) // right after Escape, q would be another key with it
	pressed := time.Time{}
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if time.Since(pressed) > 4*time.Second {
			pressed = time.Now()
			if err := v.press("q"); err != nil {
				return err
			}
		}
		switch now := v.show(); {
		case strings.Contains(now, "[exit 0]"):
			return nil
		case strings.Contains(now, "stop and quit"):
			if err := v.press("y"); err != nil {
				return err
			}
			return v.wait("[exit 0]", true)
		}
	}
	return errors.New("it does not end")
}

// wait waits for a text to appear or to disappear. No frame on the way may be too wide.
func (v *visitor) wait(text string, there bool) error {
	seen := -1 // a screen that didn't change isn't read again: that costs more than the program does
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		now := v.changed()
		if now == seen {
			continue
		}
		seen = now
		if err := v.tooWide(); err != nil {
			return err
		}
		if strings.Contains(v.show(), text) == there {
			return nil
		}
	}
	return errors.New("never comes true")
}

// changed returns how often the screen was written to.
func (v *visitor) changed() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changes
}

var keyBytes = map[string]string{
	"Enter": "\r", "Escape": "\x1b", "Tab": "\t", "Space": " ", "BSpace": "\x7f",
	"Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D",
}

// press presses a key as people do, with a pause, so that Escape and the next key are not
// taken for one key.
func (v *visitor) press(name string) error {
	s, ok := keyBytes[name]
	switch {
	case ok:
	case strings.HasPrefix(name, "C-") && len(name) == 3:
		s = string(rune(name[2] & 0x1f))
	case strings.HasPrefix(name, "M-"):
		s = "\x1b" + name[2:]
	case len([]rune(name)) == 1:
		s = name
	default:
		return errors.New("no such key: " + name)
	}
	if _, err := io.WriteString(v.pty, s); err != nil {
		return err
	}
	pause := 5 * time.Millisecond
	if s == "\x1b" {
		pause = 100 * time.Millisecond
	}
	time.Sleep(pause)
	return nil
}
