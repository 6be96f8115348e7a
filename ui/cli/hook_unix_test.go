//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/policy"
	"github.com/memend/memend/versions/review"
)

var hookRuns = flag.Int("hook.runs", 1, "how often a hook is run in each plight; the times are logged")

// maxHookTime is the longest time that a hook may take.
const maxHookTime = 200 * time.Millisecond

// hooked is a home with a store, and the hooks of an agent that writes in its folder.
type hooked struct {
	t      *testing.T
	home   string
	folder string
	calls  int
	times  []time.Duration
	last   time.Duration
}

func newHooked(t *testing.T) *hooked {
	t.Helper()
	h := &hooked{t: t, home: filepath.Join(t.TempDir(), "home"), folder: t.TempDir()}
	h.with(func(*engine.Trail, *engine.Store) {})
	return h
}

// with opens the store as another process.
func (h *hooked) with(do func(*engine.Trail, *engine.Store)) {
	h.t.Helper()
	p := &storeOpener{homeOpener: homeOpener{caller: caller{console: console{now: time.Now}}, environment: environment{home: h.home}, creates: true}, invocation: invocation{makes: true}}
	err := p.withTrail(h.t.Context(), func(t *engine.Trail) error {
		info, err := p.namedStore(h.t.Context(), t, h.folder)
		if err != nil {
			return err
		}
		return withOpen(h.t.Context(), t, info, func(s *engine.Store) error { do(t, s); return nil })
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

// write writes a file, and returns what the agent sends to its hook after it.
func (h *hooked) write() (input string) {
	h.t.Helper()
	h.calls++
	content := fmt.Sprintf("text %d\n", h.calls)
	if err := os.WriteFile(filepath.Join(h.folder, "a.md"), []byte(content), 0o644); err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ENOSPC) {
		h.t.Fatal(err)
	}
	return fmt.Sprintf(`{"session_id":"S","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":%q,"content":%q},"tool_response":{"type":"update","content":%q},"tool_use_id":"toolu_%d"}`,
		filepath.Join(h.folder, "a.md"), content, content, h.calls)
}

// run runs the program as a hook, and checks what a caller relies on.
func (h *hooked) run(input io.Reader, args ...string) {
	h.t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"--home", h.home, "hook"}, args...)...)
	cmd.Env = append(os.Environ(), runAsProgram+"=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	go func() {
		if _, err := io.Copy(in, input); err == nil {
			_ = in.Close()
		}
	}()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err = <-done:
	case <-time.After(10 * time.Second):
		_ = cmd.Process.Kill()
		h.t.Fatal("it does not end")
	}
	h.last = time.Since(began)
	h.times = append(h.times, h.last)
	if err != nil || out.Len() > 0 || errs.Len() > 0 {
		h.t.Errorf("it ended with %v, and said %q, %q", err, out.String(), errs.String())
	}
}

// logTimes logs how long the hooks took, to compare with maxHookTime on an idle machine.
func (h *hooked) logTimes() {
	h.t.Helper()
	slices.Sort(h.times)
	n := len(h.times)
	h.t.Logf("%d runs: p50 %v, p95 %v, at most %v", n, h.times[n/2].Round(time.Millisecond), h.times[n*95/100].Round(time.Millisecond), h.times[n-1].Round(time.Millisecond))
}

// writer returns the recorded actor of the newest version of a.md.
func (h *hooked) writer() (who string) {
	h.t.Helper()
	h.with(func(_ *engine.Trail, s *engine.Store) {
		if _, err := s.Sync(h.t.Context()); err != nil {
			h.t.Fatal(err)
		}
		p, err := memfs.ParsePath("a.md")
		if err != nil {
			h.t.Fatal(err)
		}
		v, err := s.VersionAt(h.t.Context(), p, 0)
		if err != nil {
			h.t.Fatal(err)
		}
		who = fmt.Sprintf("%s/%s", v.Session, v.ToolUse)
	})
	return who
}

// isWriters checks that the newest version is attributed to the last call, unless a busy
// machine gave the hook too little time to finish.
func (h *hooked) isWriters() {
	h.t.Helper()
	got, want := h.writer(), fmt.Sprintf("S/toolu_%d", h.calls)
	switch {
	case got == want:
	case h.last > maxHookTime:
		h.t.Logf("a call was lost after %v", h.last)
	default:
		log, _ := os.ReadFile(filepath.Join(h.home, "log", "hook.log"))
		h.t.Errorf("after %v the newest version is by %s, want %s; the log says %s", h.last, got, want, log)
	}
}

func TestHook_RecordsACall(t *testing.T) {
	h := newHooked(t)
	for range *hookRuns {
		h.run(strings.NewReader(h.write()))
		h.isWriters()
	}
	h.logTimes()
	if log, err := os.ReadFile(filepath.Join(h.home, "log", "hook.log")); err == nil && slices.Max(h.times) <= maxHookTime { // a busy machine may cut a hook short, which is logged
		t.Errorf("the log says %s", log)
	}
}

// The home is in use for longer than a hook can wait: the call is saved.
func TestHook_WhileTheTrailIsLocked(t *testing.T) {
	h := newHooked(t)
	f, err := os.OpenFile(filepath.Join(h.home, "trail.lock"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for range *hookRuns {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			t.Fatal(err)
		}
		h.run(strings.NewReader(h.write()))
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_UN); err != nil {
			t.Fatal(err)
		}
		h.isWriters()
	}
	h.logTimes()
}

// The lock is free, but the database itself is locked.
func TestHook_WhileTheDatabaseIsHeld(t *testing.T) {
	h := newHooked(t)
	for range *hookRuns {
		held, free := holdDatabase(t, h.home)
		<-held
		h.run(strings.NewReader(h.write()))
		free()
		h.isWriters()
	}
	h.logTimes()
}

// holdDatabase makes another process hold a transaction open.
func holdDatabase(t *testing.T, home string) (held chan struct{}, free func()) {
	t.Helper()
	held, over := make(chan struct{}), make(chan struct{})
	stop := make(chan struct{})
	go func() {
		defer close(over)
		first := true
		// A step of a mutation inside its transaction, which waits there.
		trail, err := engine.Open(context.Background(), home, versions.Options{Hook: func(step string) error {
			if step == "before-intent-commit" && first {
				first = false
				close(held)
				<-stop
				return errors.New("given up")
			}
			return nil
		}})
		if err != nil {
			t.Error(err)
			return
		}
		info, err := trail.MakeStore(context.Background(), versions.By{Door: versions.DoorCLI, Actor: versions.Actor{Kind: versions.Person, Name: "x"}}, versions.NewStore{Name: "memories", ForAgents: true})
		if err == nil {
			err = withOpen(context.Background(), trail, info, func(s *engine.Store) error {
				p, err := memfs.ParsePath("held.md")
				if err == nil {
					_, _ = s.Write(context.Background(), versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "x"}}, p, []byte("x"), versions.Pre{})
				}
				return err
			})
		}
		if err := errors.Join(err, trail.Close()); err != nil {
			t.Error(err)
		}
	}()
	return held, func() { close(stop); <-over }
}

func TestHook_OfAMissingHome_CreatesNone(t *testing.T) {
	h := newHooked(t)
	h.home = filepath.Join(t.TempDir(), "gone")
	for range *hookRuns {
		h.run(strings.NewReader(h.write()))
	}
	h.logTimes()
	if _, err := os.Lstat(h.home); err == nil {
		t.Error("a home was made")
	}
}

func TestHook_WithAFileAsHome(t *testing.T) {
	h := newHooked(t)
	h.home = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(h.home, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range *hookRuns {
		h.run(strings.NewReader(h.write()))
	}
	h.logTimes()
}

func TestHook_WithAMissingStoreFolder(t *testing.T) {
	h := newHooked(t)
	if err := os.Remove(h.folder); err != nil {
		t.Fatal(err)
	}
	for range *hookRuns {
		h.run(strings.NewReader(h.write()))
	}
	h.logTimes()
}

func TestHook_WithADamagedTrail(t *testing.T) {
	h := newHooked(t)
	if err := os.WriteFile(filepath.Join(h.home, "trail.db"), bytes.Repeat([]byte("no trail "), 10_000), 0o600); err != nil {
		t.Fatal(err)
	}
	for range *hookRuns {
		h.run(strings.NewReader(h.write()))
	}
	h.logTimes()
	if log := contents(t, filepath.Join(h.home, "log", "hook.log")); !strings.Contains(log, "ended") {
		t.Errorf("the log says %q", log)
	}
}

// endless returns spaces without end, or a number of them.
type endless struct{ left int64 }

func (e *endless) Read(b []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	for i := range b {
		b[i] = ' '
	}
	e.left -= min(e.left, int64(len(b)))
	return len(b), nil
}

// blockedInput is an input that never arrives.
type blockedInput struct{ until <-chan struct{} }

func (s blockedInput) Read([]byte) (int, error) { <-s.until; return 0, io.EOF }

func TestHook_WithInvalidInput(t *testing.T) {
	t.Parallel()
	text := func(s string) func() io.Reader { return func() io.Reader { return strings.NewReader(s) } }
	for name, input := range map[string]func() io.Reader{
		"nothing":                    text(""),
		"no JSON":                    text("what is this"),
		"half of it":                 text(`{"session_id":"S","hook_event_name":"PostToolUse","tool_na`),
		"an event that is not known": text(`{"session_id":"S","hook_event_name":"Tomorrow"}`),
		"a call of something else":   text(`{"session_id":"S","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`),
		"100 MB":                     func() io.Reader { return &endless{100 << 20} },
		"no end":                     func() io.Reader { return &endless{1 << 50} },
		"silence":                    func() io.Reader { return blockedInput{t.Context().Done()} },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHooked(t)
			for range *hookRuns {
				h.run(input())
			}
			h.logTimes()
		})
	}
}

// A wrong flag in the settings of another program must not stop that program: Claude Code
// takes exit code 2 of a hook as a block.
func TestHook_WithInvalidArguments(t *testing.T) {
	h := newHooked(t)
	h.run(strings.NewReader(h.write()), "--nonsense", "and", "more")
	h.isWriters()
}

// What a session takes in while the trail is in use is known to the decision about its next write.
func TestHook_WhileTheTrailIsLocked_LosesNoInputs(t *testing.T) {
	t.Parallel()
	for name, took := range map[string]string{
		"a page":   `"tool_name":"WebFetch","tool_input":{"url":"https://example.com"},"tool_response":{"result":"x"}`,
		"a memory": `"tool_name":"Read","tool_input":{"file_path":"MEMORIES/told.md"},"tool_response":{}`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHooked(t)
			careful, _ := policy.ByName("careful")
			h.with(func(trail *engine.Trail, s *engine.Store) {
				teller := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: "teller"}
				told, err := memfs.ParsePath("told.md")
				if err == nil {
					err = trail.NoteInputs(t.Context(), teller, versions.InputWeb, time.Time{})
				}
				if err == nil {
					_, err = s.Write(t.Context(), teller, told, []byte("as the web says\n"), versions.Pre{})
				}
				if err == nil {
					err = review.SetPolicy(t.Context(), s, versions.By{Door: versions.DoorCLI, Actor: versions.Actor{Kind: versions.Person, Name: "mira"}}, "", careful.Text)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
			lock, err := os.OpenFile(filepath.Join(h.home, "trail.lock"), os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = lock.Close() }()
			if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
				t.Fatal(err)
			}
			h.run(strings.NewReader(`{"session_id":"S","cwd":"/","hook_event_name":"PostToolUse","tool_use_id":"toolu_1",` + strings.ReplaceAll(took, "MEMORIES", h.folder) + `}`))
			if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_UN); err != nil {
				t.Fatal(err)
			}
			answer := h.answer(event{line: fmt.Sprintf(`{"session_id":"S","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":%q,"content":"x"},"tool_use_id":"toolu_2"}`, filepath.Join(h.folder, "b.md"))})
			if !strings.Contains(answer, "held for review as #1") {
				t.Errorf("the hook answers %q", answer)
			}
		})
	}
}
