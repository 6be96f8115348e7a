package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/review"
)

// On a full disk nothing can be saved, and the agent goes on anyway.
func TestHook_OnAFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("memend-test", disk, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("no disk to fill: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }) // a process that another test starts may have its files open
	h := &hooked{t: t, home: filepath.Join(disk, "home"), folder: filepath.Join(disk, "folder")}
	if err := os.Mkdir(h.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	h.with(func(*engine.Trail, *engine.Store) {})
	input := h.write()
	fill(t, filepath.Join(disk, "filler"))
	for range *hookRuns {
		h.run(strings.NewReader(input))
	}
	h.logTimes()
	if err := os.Remove(filepath.Join(disk, "filler")); err != nil {
		t.Fatal(err)
	}
	h.run(strings.NewReader(h.write()))
	h.isWriters()
}

// A call that a policy may hold waits for the policy, also when the trail can't be read at once.
func TestHook_WaitsUntilThePolicyIsRead(t *testing.T) {
	h := newHooked(t)
	h.with(func(_ *engine.Trail, s *engine.Store) {
		person := versions.By{Door: versions.DoorCLI, Actor: versions.Actor{Kind: versions.Person, Name: "mira"}}
		if err := review.SetPolicy(t.Context(), s, person, "", "hold actor:agent"); err != nil {
			t.Fatal(err)
		}
	})
	db, err := os.OpenFile(filepath.Join(h.home, "trail.db"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	// SQLite opens a database after it has locked these bytes, which the lock of another descriptor prevents.
	shared := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart, Start: 0x40000002, Len: 510}
	if err := unix.FcntlFlock(db.Fd(), unix.F_OFD_SETLK, &shared); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(2*hookTime, func() {
		shared.Type = unix.F_UNLCK
		_ = unix.FcntlFlock(db.Fd(), unix.F_OFD_SETLK, &shared)
	})
	var out bytes.Buffer
	input := fmt.Sprintf(`{"session_id":"S","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":%q,"content":"x"},"tool_use_id":"toolu_1"}`, filepath.Join(h.folder, "b.md"))
	p := &homeOpener{caller: caller{console: console{in: strings.NewReader(input), now: time.Now, out: bufio.NewWriter(&out)}}, environment: environment{home: h.home}}
	runHook(t.Context(), p, hookTime)
	if !strings.Contains(out.String(), "held for review as #1") {
		t.Errorf("the hook answers %q", out.String())
	}
}

func fill(t *testing.T, file string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	for size := 64 << 10; size > 0; {
		if n, err := f.Write(make([]byte, size)); err != nil || n < size {
			size /= 2
		}
	}
	_ = f.Close()
}
