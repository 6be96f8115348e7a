package memfs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newDir makes a store in a folder of its own, with a canary beside it.
func newDir(t testing.TB) *Dir {
	t.Helper()
	base := t.TempDir()
	folder := filepath.Join(base, "memories")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(base, "canary"), []byte(canary), 0o644); err != nil {
		t.Fatal(err)
	}
	d, err := OpenDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

const canary = "CANARY outside the store"

func (d *Dir) host(rel string) string { return filepath.Join(d.folder, filepath.FromSlash(rel)) }

func put(t testing.TB, d *Dir, rel, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.host(rel)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(d.host(rel), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, d *Dir, rel, target string) {
	t.Helper()
	if err := os.Symlink(target, d.host(rel)); err != nil {
		t.Skip("no symbolic links here:", err)
	}
}

func at(t testing.TB, s string) Path {
	t.Helper()
	p, err := ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func checkCanary(t testing.TB, d *Dir) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(filepath.Dir(d.folder), "canary"))
	if err != nil || string(got) != canary {
		t.Fatalf("the canary outside the store is %q, %v", got, err)
	}
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

// noHostPath fails when a text shows where the store is on this machine.
func noHostPath(t testing.TB, d *Dir, text string) {
	t.Helper()
	if strings.Contains(text, filepath.Dir(d.folder)) {
		t.Errorf("host path in %q", text)
	}
}

func TestReadReturnsContentAndSignature(t *testing.T) {
	d := newDir(t)
	put(t, d, "notes/a.md", "hello\r\nworld")
	got, sig, err := d.Read(at(t, "notes/a.md"), 0)
	if err != nil || string(got) != "hello\r\nworld" {
		t.Fatalf("read %q, %v", got, err)
	}
	info, err := d.Lstat(at(t, "notes/a.md"))
	if err != nil || info.Sig != sig || sig.Size != 12 {
		t.Fatalf("signature read %+v, looked at %+v, %v", sig, info.Sig, err)
	}
	_, _, err = d.Read(at(t, "notes/a.md"), 11)
	wantErr(t, err, ErrTooBig)
	_, _, err = d.Read(at(t, "notes"), 0)
	wantErr(t, err, ErrIsFolder)
	_, _, err = d.Read(at(t, "nope"), 0)
	wantErr(t, err, ErrNotExist)
	_, _, err = d.Read(at(t, "notes/a.md/x"), 0)
	wantErr(t, err, ErrNotFolder)
	noHostPath(t, d, fmt.Sprint(err))
}

func TestReadFollowsNoLinkAtThePathItself(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "inside")
	link(t, d, "in", "a.md")
	link(t, d, "out", "../canary")
	for _, name := range []string{"in", "out"} {
		_, _, err := d.Read(at(t, name), 0)
		wantErr(t, err, ErrNotRegular)
	}
}

func TestResolveFollowsLinksThatStayInside(t *testing.T) {
	d := newDir(t)
	put(t, d, "v2/deep/a.md", "x")
	link(t, d, "cur", "v2")
	link(t, d, "v2/up", "../v2/deep")
	link(t, d, "self", "self")
	link(t, d, "out", "../canary")
	link(t, d, "back", "../memories/v2")
	link(t, d, "abs", d.host("v2"))
	link(t, d, "dangling", "nowhere/x")
	for _, c := range []struct {
		path, want string
		err        error
	}{
		{"/", "/", nil},
		{"/v2/deep/a.md", "/v2/deep/a.md", nil},
		{"/cur", "/v2", nil},
		{"/cur/up/a.md", "/v2/deep/a.md", nil},
		{"/cur/new/b.md", "/v2/new/b.md", ErrNotExist},
		{"/dangling", "/nowhere/x", ErrNotExist},
		{"/self", "/", ErrLinkLoop},
		{"/out", "/", ErrLinkOut},
		{"/out/below", "/", ErrLinkOut},
		{"/back/deep", "/", ErrLinkOut},
		{"/abs/deep/a.md", "/", ErrLinkOut},
		{"/v2/deep/a.md/b", "/", ErrNotFolder},
	} {
		got, info, err := d.Resolve(at(t, c.path))
		if got.String() != c.want || !errors.Is(err, c.err) {
			t.Errorf("Resolve(%s) = %s, %v; want %s, %v", c.path, got, err, c.want, c.err)
		}
		if err == nil && info.Path != got {
			t.Errorf("Resolve(%s): info is of %s", c.path, info.Path)
		}
	}
}

func TestScanReturnsWhatAListingShows(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "x")
	put(t, d, "n/b.md", "y")
	put(t, d, ".hidden", "")
	put(t, d, ".git/config", "")
	put(t, d, "n/node_modules/c.js", "")
	put(t, d, "n/"+stagingName("0123456789abcdef"), "")
	put(t, d, "bad\x1bname", "")
	link(t, d, "n/out", "../../canary")
	got := map[string]string{}
	err := d.Scan(context.Background(), func(f Found) error {
		got[f.Name] = fmt.Sprint(f.Path, " ", f.Kind, " ", f.Target, " ", f.Err)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"a.md":          "/a.md 0  <nil>",
		"b.md":          "/n/b.md 0  <nil>",
		"out":           "/n/out 2 ../../canary <nil>",
		`"bad\x1bname"`: "/ 0  " + ErrName.Error(),
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("scan found\n%v\nwant\n%v", got, want)
	}
	if err := d.Sweep(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(d.host("n")); len(left) != 3 {
		t.Errorf("after the sweep n holds %v", left)
	}
}

func TestStagedCreateNeverReplaces(t *testing.T) {
	d := newDir(t)
	put(t, d, "a.md", "old")
	link(t, d, "dangling", "nowhere")
	for _, name := range []string{"a.md", "dangling"} {
		s, err := d.Stage([]byte("new"), 0, nil, true)
		if err != nil {
			t.Fatal(err)
		}
		wantErr(t, s.Create(at(t, name)), ErrExist)
	}
	s, err := d.Stage([]byte("new"), 0, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Create(at(t, "b.md")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(d.host("a.md")); string(got) != "old" {
		t.Error("a.md is", string(got), err)
	}
	if fi, err := os.Stat(d.host("b.md")); err != nil || fi.Mode().Perm() != 0o600 {
		t.Error("b.md:", fi.Mode(), err)
	}
	if left, err := d.Leftovers(); err != nil || len(left) != 0 {
		t.Error("left over:", left, err)
	}
}
