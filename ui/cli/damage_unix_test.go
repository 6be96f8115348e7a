//go:build unix

package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var pagesApart = flag.Int("pages.apart", 9, "zero one of this many pages of a trail, each in a home of its own")

// Whenever a command that looks fails, doctor says what is wrong.
func TestDoctorNamesWhateverMakesOtherCommandsFail(t *testing.T) {
	past(t)
	dir := os.Getenv("HOME")
	for i := range 30 { // the trail has more pages than those of the schema
		if code, _, errs := runWith(fmt.Sprintf("write -s w many/%d.md", i), strings.Repeat(fmt.Sprintf("line %d of a text\n", i*i), 100)); code != exitDone {
			t.Fatal(errs)
		}
	}
	kept := filepath.Join(t.TempDir(), "kept")
	if err := os.CopyFS(kept, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := runLine("doctor"); code != exitDone {
		t.Fatalf("doctor finds something wrong with a sound home: %s%s", out, errs)
	}
	home, folder, trail := filepath.Join(dir, "home"), filepath.Join(dir, "w"), filepath.Join(dir, "home", "trail.db")
	fi, err := os.Stat(trail)
	if err != nil {
		t.Fatal(err)
	}
	damages := map[string]func() error{
		"no trail":                func() error { return os.Remove(trail) },
		"an empty trail":          func() error { return os.Truncate(trail, 0) },
		"half a trail":            func() error { return os.Truncate(trail, fi.Size()/2) },
		"a trail without its end": func() error { return os.Truncate(trail, fi.Size()-100) },
		"no database":             func() error { return os.WriteFile(trail, []byte("not a database\n"), 0o600) },
		"no folder":               func() error { return os.RemoveAll(folder) },
		"a file for the folder":   func() error { return errors.Join(os.RemoveAll(folder), os.WriteFile(folder, nil, 0o600)) },
		"an empty folder":         func() error { return errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o700)) },
		"a link for the folder":   func() error { return errors.Join(os.Rename(folder, folder+"2"), os.Symlink(folder+"2", folder)) },
		"a file for the home":     func() error { return errors.Join(os.RemoveAll(home), os.WriteFile(home, nil, 0o600)) },
		"a folder for the lock": func() error {
			l := filepath.Join(home, "trail.lock")
			return errors.Join(os.Remove(l), os.Mkdir(l, 0o700))
		},
		"a folder for the trail":   func() error { return errors.Join(os.Remove(trail), os.Mkdir(trail, 0o700)) },
		"an unreadable folder":     func() error { return os.Chmod(folder, 0) },
		"an unreadable home":       func() error { return os.Chmod(home, 0) },
		"an unreadable trail":      func() error { return os.Chmod(trail, 0) },
		"the home of another user": func() error { return os.Chmod(home, 0o500) },
	}
	const page = 8192
	for at := int64(0); at < fi.Size(); at += int64(*pagesApart) * page {
		damages[fmt.Sprintf("page %d zeroed", at/page)] = func() error {
			f, err := os.OpenFile(trail, os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.NewOffsetWriter(f, at), strings.NewReader(strings.Repeat("\x00", page)))
			return errors.Join(err, f.Close())
		}
	}
	failed := 0
	private := func(path string, d fs.DirEntry, err error) error { // CopyFS does not keep the modes
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	}
	for what, damage := range damages {
		for _, root := range []string{home, folder, folder + "2"} {
			_ = os.Chmod(root, 0o700)
			if err := os.RemoveAll(root); err != nil {
				t.Fatal(err)
			}
		}
		for _, root := range []string{"home", "w"} {
			if err := os.CopyFS(filepath.Join(dir, root), os.DirFS(filepath.Join(kept, root))); err != nil {
				t.Fatal(err)
			}
		}
		if err := filepath.WalkDir(home, private); err != nil {
			t.Fatal(err)
		}
		if err := damage(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		code, out, errs := runLine("doctor")
		fails := ""
		for _, line := range []string{"ls", "log", "status", "check --all-stores"} {
			if code, _, errs := runLine(line); code != exitDone {
				fails += line + ": " + errs
			}
		}
		if fails != "" {
			failed++
		}
		if fails != "" && (code != exitFailed || !strings.Contains(out, "wrong ")) {
			t.Errorf("%s: doctor ends with %d, %s%s\nbut %s", what, code, out, errs, fails)
		}
		if said := out + fails; strings.Contains(said, "***") || strings.Contains(said, "^J") {
			t.Errorf("%s: %s", what, said)
		}
	}
	if failed < len(damages)/2 {
		t.Errorf("only %d of %d damages make a command fail", failed, len(damages))
	}
	_ = os.Chmod(home, 0o700)
	_ = os.Chmod(folder, 0o700)
}
