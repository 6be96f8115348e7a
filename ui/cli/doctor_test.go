package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

// What doctor reports about a machine with problems.
// README: "the trail needs a local disk".
func TestDoctorReportsProblemsOfTheMachine(t *testing.T) {
	home, folder, person := filepath.Join(t.TempDir(), "home"), t.TempDir(), t.TempDir()
	for name, value := range map[string]string{"HOME": person, "XDG_DATA_HOME": "", "CLAUDE_CONFIG_DIR": ""} {
		t.Setenv(name, value)
	}
	trail, err := engine.Open(t.Context(), home, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = stores.CreateStore(t.Context(), trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "mira"}}, "work", "", folder)
	if err := errors.Join(err, trail.Close()); err != nil {
		t.Fatal(err)
	}
	sound := machine{
		writable:   func(string) error { return nil },
		freeBytes:  func(string) (int64, bool) { return minFreeBytes, true },
		fileSystem: func(string) (string, bool) { return "ext4", false },
		maxWatches: func() (int, bool) { return 10, true },
		watches:    watches,
	}
	for _, c := range []struct {
		name  string
		is    func(*machine)
		want  []string // lines, in part
		wrong bool
	}{
		{"sound", func(*machine) {}, []string{"ok     disk: 210 MB are free", "ok     home: " + home, "ok     limits: 1 folder to watch; the system allows this user 10 "}, false},
		{"disk nearly full", func(m *machine) { m.freeBytes = func(string) (int64, bool) { return minFreeBytes - 1, true } }, []string{"wrong  disk: only 210 MB are free on the disk of " + home, "         free some space"}, true},
		{"free space not known", func(m *machine) { m.freeBytes = func(string) (int64, bool) { return 0, false } }, []string{"ok     home: " + home}, false},
		{"disk full", func(m *machine) {
			m.writable = func(dir string) error { return &fs.PathError{Op: "open", Path: dir, Err: syscall.ENOSPC} }
			m.freeBytes = func(string) (int64, bool) { return 0, true }
		}, []string{"wrong  home: open " + home + ": no space left on device", "wrong  disk: only 0 B are free"}, true},
		{"read-only", func(m *machine) {
			m.writable = func(dir string) error { return &fs.PathError{Op: "open", Path: dir, Err: syscall.EROFS} }
		}, []string{"wrong  home: open " + home + ": read-only file system", "         make it writable, or name another home with --home"}, true},
		{"home on a network", func(m *machine) { m.fileSystem = func(dir string) (string, bool) { return "nfs", dir == home } },
			[]string{"wrong  home: " + home + " is on a network file system (nfs), where locks", "         move it to a local disk"}, true},
		{"store on a network", func(m *machine) { m.fileSystem = func(dir string) (string, bool) { return "cifs", dir != home } },
			[]string{"note   store work: ", "is on a network file system (cifs): changes by other machines are found at the next scan", "ok     home: "}, false},
		{"most watches taken", func(m *machine) { m.maxWatches = func() (int, bool) { return 1, true } },
			[]string{"wrong  limits: 1 folder to watch; the system allows this user 1 ", "         sudo sysctl fs.inotify.max_user_watches=524288"}, true},
		{"nothing can be watched", func(m *machine) { m.watches = func() error { return syscall.EMFILE } },
			[]string{"wrong  limits: no folder can be watched, so changes by other programs are found by scans, not at once: too many open files", "         end what watches folders, or sudo sysctl fs.inotify.max_user_instances=1024"}, true},
		{"no limit of watches", func(m *machine) { m.maxWatches = func() (int, bool) { return 0, false } }, []string{"ok     trail: 1 store"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := sound
			c.is(&m)
			var out bytes.Buffer
			p := &homeOpener{caller: caller{console: console{out: bufio.NewWriter(&out), now: time.Now}}, environment: environment{home: home}}
			if err := runDoctor(t.Context(), p, m); errors.Is(err, errReported) != c.wrong || err != nil && !c.wrong {
				t.Errorf("ends with %v", err)
			}
			if err := p.out.Flush(); err != nil {
				t.Fatal(err)
			}
			for _, line := range c.want {
				if !strings.Contains(out.String(), line) {
					t.Errorf("no %q in\n%s", line, out.String())
				}
			}
			if strings.Contains(out.String(), "wrong ") != c.wrong {
				t.Errorf("wrong: %v, in\n%s", !c.wrong, out.String())
			}
		})
	}
}

func TestDoctorCountsTheProblemsThatItDoesNotList(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{4: "1 more problem", 6: "3 more problems"} {
		var f findings
		f.problems("store", "work", "", make([]string, n))
		if last := f[len(f)-1]; last.Text != want {
			t.Errorf("%q, want %q", last.Text, want)
		}
	}
}
