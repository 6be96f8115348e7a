//go:build unix

package memfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestNewFilesAndFoldersHaveTheirModesWhateverTheUmask(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o277} {
		t.Run(fmt.Sprintf("umask %03o", mask), func(t *testing.T) {
			d := newDir(t)
			defer syscall.Umask(syscall.Umask(mask))
			if got := d.run([]byte(`{"command":"create","path":"/memories/n/d/a.md","file_text":"x"}`)); got.IsError {
				if os.Geteuid() != 0 && mask&0o700 != 0 {
					t.Skip("a folder that its maker may not enter needs root")
				}
				t.Fatal(got.Text)
			}
			for rel, want := range map[string]os.FileMode{"n": 0o700, "n/d": 0o700, "n/d/a.md": 0o600} {
				if fi, err := os.Stat(d.host(rel)); err != nil || fi.Mode().Perm() != want {
					t.Errorf("%s has mode %v, %v; want %v", rel, fi.Mode().Perm(), err, want)
				}
			}
		})
	}
}

func TestReplaceKeepsModeAndOwner(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "old")
	if err := os.Chmod(d.host("a.md"), 0o664); err != nil {
		t.Fatal(err)
	}
	root := os.Geteuid() == 0
	if root {
		if err := os.Chown(d.host("a.md"), 4711, 4712); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.run([]byte(`{"command":"str_replace","path":"/memories/a.md","old_str":"old","new_str":"new"}`)); got.IsError {
		t.Fatal(got.Text)
	}
	info, err := d.Lstat(at(t, "a.md"))
	if err != nil || info.Mode != 0o664 {
		t.Errorf("mode is %v, %v", info.Mode, err)
	}
	if root && (info.uid != 4711 || info.gid != 4712) {
		t.Errorf("owner is %d:%d", info.uid, info.gid)
	}
}

// Each step of a write fails once, with a full disk; the file must be as it was,
// and the next write must work.
func TestFailureAtAnyStepOfAWriteLeavesTheOldContent(t *testing.T) {
	edit := []byte(`{"command":"str_replace","path":"/memories/a.md","old_str":"old","new_str":"new"}`)
	create := []byte(`{"command":"create","path":"/memories/n/b.md","file_text":"new"}`)
	for _, c := range []struct {
		step  string
		input []byte
	}{
		{"stage-open", edit}, {"stage-write", edit}, {"stage-mid", edit}, {"stage-sync", edit}, {"replace", edit},
		{"mkdir", create}, {"stage-open", create}, {"stage-write", create}, {"stage-mid", create}, {"stage-sync", create}, {"create", create},
	} {
		t.Run(c.step, func(t *testing.T) {
			d := newDir(t)
			put(t, d, "a.md", "old")
			hit := 0
			d.Hook = func(step string, p Path) error {
				if step == c.step {
					hit++
					return syscall.ENOSPC
				}
				return nil
			}
			got := d.run(c.input)
			if hit != 1 || !got.IsError || !strings.Contains(got.Text, ErrNoSpace.Error()) {
				t.Fatalf("the step came %d times; answer is %+v", hit, got)
			}
			if now, err := os.ReadFile(d.host("a.md")); string(now) != "old" {
				t.Errorf("a.md is %q, %v", now, err)
			}
			if _, err := os.Lstat(d.host("n/b.md")); !errors.Is(err, os.ErrNotExist) {
				t.Error("n/b.md:", err)
			}
			if left, err := d.Leftovers(); err != nil || len(left) > 0 {
				t.Errorf("left over: %v, %v", left, err)
			}
			d.Hook = nil
			if got := d.run(c.input); got.IsError {
				t.Error("once there is space:", got.Text)
			}
		})
	}
}

func TestEveryErrnoBecomesACauseWithoutHostPath(t *testing.T) {
	for errno, want := range map[syscall.Errno]error{
		syscall.ENOSPC: ErrNoSpace, syscall.EDQUOT: ErrNoSpace, syscall.EACCES: ErrNoPermission, syscall.EPERM: ErrNoPermission,
		syscall.EROFS: ErrReadOnlyDisk, syscall.ENOTDIR: ErrNotFolder, syscall.ELOOP: ErrLinkLoop, syscall.ENOTEMPTY: ErrNotEmpty,
		syscall.EISDIR: ErrIsFolder, syscall.ENAMETOOLONG: ErrNameTooLong, syscall.EEXIST: ErrExist, syscall.ENOENT: ErrNotExist,
		syscall.EIO: syscall.EIO,
	} {
		d := newDir(t)
		put(t, d, "a.md", "x")
		d.Hook = func(string, Path) error {
			return &os.LinkError{Op: "renameat", Old: d.folder, New: d.folder, Err: errno}
		}
		err := d.Rename(at(t, "a.md"), at(t, "b.md"))
		wantErr(t, err, want)
		noHostPath(t, d, err.Error())
		noHostPath(t, d, ResultOf(err, Rename{"/memories/a.md", "/memories/b.md"}).Text)
	}
}

// A process that dies in the middle of a write leaves the file whole; its staging
// file is swept.
func TestDeathInTheMiddleOfAWriteLeavesASweepableFile(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "old")
	d.Hook = func(step string, p Path) error {
		if step == "stage-mid" {
			panic("dead")
		}
		return nil
	}
	func() {
		defer func() { recover() }()
		d.Stage(bytes.Repeat([]byte("new"), 1000), 0, nil, true)
	}()
	d.Hook = nil
	left, err := d.Leftovers()
	if err != nil || len(left) != 1 {
		t.Fatalf("left over: %v, %v", left, err)
	}
	listed := d.run([]byte(`{"command":"view","path":"/memories"}`))
	if strings.Contains(listed.Text, stagingPrefix) {
		t.Errorf("a listing shows %q", listed.Text)
	}
	if err := d.Sweep(); err != nil {
		t.Fatal(err)
	}
	if left, _ := d.Leftovers(); len(left) != 0 {
		t.Errorf("after the sweep: %v", left)
	}
}

func TestRenameNeverReplaces(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "a")
	put(t, d, "d/x.md", "x")
	link(t, d, "dangling", "nowhere")
	if err := os.Link(d.host("a.md"), d.host("A.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(d.host("empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to string
		want     error
	}{
		{"a.md", "d/x.md", ErrExist},
		{"a.md", "dangling", ErrExist},
		{"a.md", "empty", ErrExist},
		{"a.md", "a.md", ErrExist},
		{"a.md", "A.md", ErrExist}, // another name of the same file, not another spelling of its name
		{"d", "empty", ErrExist},
		{"d", "d/e", ErrIntoItself},
		{"d", "", ErrIsRoot},
		{"", "d/e", ErrIsRoot},
		{"none", "b.md", ErrNotExist},
	} {
		wantErr(t, d.Rename(at(t, c.from), at(t, c.to)), c.want)
	}
	// What comes between the look and the rename is not replaced either.
	d.Hook = func(step string, p Path) error {
		put(t, d, "late.md", "late")
		return nil
	}
	err := d.Rename(at(t, "a.md"), at(t, "late.md"))
	if renameat2Works(t) {
		wantErr(t, err, ErrExist)
		if got, _ := os.ReadFile(d.host("late.md")); string(got) != "late" {
			t.Errorf("late.md is %q", got)
		}
	}
}

func renameat2Works(t *testing.T) bool {
	d := newDir(t)
	put(t, d, "a", "")
	return d.renameNoReplace(at(t, "a"), at(t, "b")) == nil
}

func TestRemoveIsNeverRecursive(t *testing.T) {
	d := newDir(t)
	put(t, d, "d/x.md", "x")
	wantErr(t, d.Remove(at(t, "d")), ErrNotEmpty)
	wantErr(t, d.Remove(Root), ErrIsRoot)
	if err := d.Remove(at(t, "d/x.md")); err != nil {
		t.Fatal(err)
	}
	if err := d.Remove(at(t, "d")); err != nil {
		t.Fatal(err)
	}
	if err := d.SyncDir(Root); err != nil {
		t.Fatal(err)
	}
}

// Left reports a staged file only if nobody else has changed it.
func TestLeftDetectsFilesThatChanged(t *testing.T) {
	for name, touch := range map[string]func(host string) error{
		"untouched": nil,
		"written in place": func(host string) error {
			time.Sleep(10 * time.Millisecond) // older kernels' clocks tick slowly
			return os.WriteFile(host, []byte("abd"), 0o600)
		},
		"replaced": func(host string) error {
			if err := os.WriteFile(host+".new", []byte("abc"), 0o600); err != nil {
				return err
			}
			return os.Rename(host+".new", host)
		},
		"removed": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			d := newDir(t)
			s, err := d.Stage([]byte("abc"), 0, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			p := at(t, "a.md")
			if err := s.Create(p); err != nil {
				t.Fatal(err)
			}
			if touch != nil {
				if err := touch(filepath.Join(d.folder, "a.md")); err != nil {
					t.Fatal(err)
				}
			}
			if got := s.PlacedSig(p) != (Sig{}); got != (touch == nil) {
				t.Errorf("vouches for it: %v", got)
			}
		})
	}
}

// A name of the form that staging files have is no memory's, and a file that another
// program gave such a name is not swept.
func TestAReservedNameIsRefusedAndOnlyOwnFilesAreSwept(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "x")
	put(t, d, "n/b.md", "y")
	name := stagingPrefix + "0123456789abcdef" + stagingSuffix
	for _, input := range []string{
		`{"command":"create","path":"/memories/` + name + `","file_text":"x"}`,
		`{"command":"create","path":"/memories/n/` + name + `","file_text":"x"}`,
		`{"command":"rename","old_path":"/memories/a.md","new_path":"/memories/` + name + `"}`,
	} {
		if got := d.run([]byte(input)); !got.IsError || !strings.Contains(got.Text, ErrReserved.Error()) {
			t.Errorf("%s: %+v", input, got)
		}
	}
	_, err := PlanWrite(d, at(t, name), []byte("x"))
	wantErr(t, err, ErrReserved)
	put(t, d, name, "theirs")
	put(t, d, "n/"+name, "theirs")
	put(t, d, stagingPrefix+"x"+stagingSuffix, "theirs")
	if err := os.Mkdir(d.host(stagingName("0123456789abcdef")), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.Scan(context.Background(), func(Found) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := d.Sweep(); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{name, "n/" + name, stagingPrefix + "x" + stagingSuffix, stagingName("0123456789abcdef")} {
		if _, err := os.Lstat(d.host(p)); err != nil {
			t.Error("swept:", err)
		}
	}
}
