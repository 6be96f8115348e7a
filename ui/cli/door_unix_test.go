//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func doorOf(t *testing.T) (p *homeOpener, log string) {
	home := t.TempDir()
	return &homeOpener{caller: caller{console: console{now: time.Now, err: &bytes.Buffer{}}}, environment: environment{home: home}}, filepath.Join(home, "log", "test.log")
}

func contents(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestDoor_EndsCleanlyBySignals(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p, _ := doorOf(t)
		err := p.withDoor(t.Context(), "test", func(ctx context.Context, d *door) error {
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				t.Fatal(err)
			}
			<-ctx.Done()
			return fmt.Errorf("waited: %w", ctx.Err())
		})
		if err != nil {
			t.Errorf("%v: ended with %v", sig, err)
		}
	}
}

// A command that does not end is killed by the second signal.
func TestDoor_IsKilledByASecondSignal(t *testing.T) {
	t.Parallel()
	if os.Getenv("MEMEND_TEST_STUCK") != "" {
		p := &homeOpener{caller: caller{console: console{now: time.Now}}, environment: environment{home: os.Getenv("MEMEND_TEST_STUCK")}}
		_ = p.withDoor(t.Context(), "test", func(ctx context.Context, d *door) error {
			fmt.Println("open")
			<-ctx.Done()
			fmt.Println("stuck")
			time.Sleep(time.Minute)
			return nil
		})
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "MEMEND_TEST_STUCK="+t.TempDir())
	out := begin(t, cmd)
	for _, word := range []string{"open", "stuck"} {
		buf := make([]byte, 100)
		n, _ := out.Read(buf)
		if !strings.HasPrefix(string(buf[:n]), word) {
			t.Errorf("it says %q, not %s", buf[:n], word)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() { // the default handling of the signal is restored soon after the first, not with it
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				_ = cmd.Process.Signal(syscall.SIGTERM)
			}
		}
	}()
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("ended with %v", err)
	}
}

func TestDoor_LogsAndReturnsAPanic(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(context.Context, *door) error{
		"its own": func(context.Context, *door) error { panic("broken\nthing") },
		"a goroutine's": func(ctx context.Context, d *door) error {
			d.Go(func() { panic("broken\nthing") })
			<-ctx.Done()
			return ctx.Err()
		},
	} {
		p, log := doorOf(t)
		err := p.withDoor(t.Context(), "test", do)
		if err == nil || !strings.Contains(err.Error(), "broken") || !strings.Contains(hint(err), log) {
			t.Errorf("%s: ended with %v, hint %q", name, err, hint(err))
		}
		if output := contents(t, log); !strings.Contains(output, `value="broken\nthing"`) || !strings.Contains(output, "door_unix_test.go") || strings.Count(output, "\n") != 1 {
			t.Errorf("%s: the log says %q", name, output)
		}
	}
}

func TestDoor_NeedsNoLog(t *testing.T) {
	t.Parallel()
	p, log := doorOf(t)
	if err := os.WriteFile(filepath.Dir(log), []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := p.withDoor(t.Context(), "test", func(ctx context.Context, d *door) error {
		d.log.Info("lost")
		if err := os.Remove(filepath.Dir(log)); err != nil {
			return err
		}
		d.log.Info("kept")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if output := contents(t, log); strings.Contains(output, "lost") || !strings.Contains(output, "kept") {
		t.Errorf("the log says %q", output)
	}
	if fi, err := os.Stat(log); err != nil || fi.Mode() != 0o600 {
		t.Error("the log can be read by others:", fi.Mode(), err)
	}
}

func TestDoor_CreatesNoHome(t *testing.T) {
	t.Parallel()
	p, log := doorOf(t)
	p.home = filepath.Join(p.home, "none")
	err := p.withDoor(t.Context(), "test", func(ctx context.Context, d *door) error { d.log.Info("lost"); return nil })
	if _, serr := os.Stat(p.home); err != nil || !errors.Is(serr, os.ErrNotExist) {
		t.Error(err, serr, log)
	}
}

// Processes that append to one log lose no line except with the old log that is dropped,
// tear none, and keep it within its bounds.
func TestLogFile_IsSharedAndBounded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "log", "test.log")
	const writers, lines, most = 8, 400, 20_000
	var all sync.WaitGroup
	for w := range writers {
		l := &logFile{path: file, maxBytes: most}
		all.Go(func() {
			defer l.close()
			for n := range lines {
				fmt.Fprintf(l, "writer %d line %03d %s\n", w, n, strings.Repeat("x", 30))
			}
		})
	}
	all.Wait()
	now, old := contents(t, file), contents(t, file+".old")
	for _, log := range []string{now, old} {
		for line := range strings.Lines(log) {
			if len(line) != 49 || !strings.HasSuffix(line, "x\n") {
				t.Fatalf("a line is %q", line)
			}
		}
	}
	if bound := most + writers*49; len(now) > bound || len(old) > bound {
		t.Errorf("logs of %d and %d bytes", len(now), len(old))
	}
	if len(old) < most {
		t.Errorf("the old log has %d bytes only: it was turned twice", len(old))
	}
	left, _ := filepath.Glob(file + ".*")
	if want := []string{file + ".lock", file + ".old"}; !slices.Equal(left, want) {
		t.Errorf("left behind: %v", left)
	}
}

func TestLogFile_IsRecreatedIfRemoved(t *testing.T) {
	t.Parallel()
	l := &logFile{path: filepath.Join(t.TempDir(), "log", "test.log"), maxBytes: logBytes}
	defer l.close()
	fmt.Fprintln(l, "one")
	if err := os.Remove(l.path); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(l, "two")
	if output := contents(t, l.path); output != "two\n" {
		t.Errorf("the log says %q", output)
	}
}
