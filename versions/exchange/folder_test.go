package exchange

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
)

func (w *world) exportFolder(dir string, overwrite bool) (int, error) {
	es, err := history.Tree(w.Context(), w.s)
	w.must(err)
	return WriteFolder(dir, es, func(e versions.Entry) ([]byte, error) { return history.Content(w.Context(), w.s, e.Version) }, overwrite)
}

func TestAFolderGoesOutAndComesIn(t *testing.T) {
	t.Parallel()
	a, b := newWorld(t), newWorld(t)
	a.grow(random(t), 100)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if n, err := a.exportFolder(dir, false); err != nil || n != len(a.tree()) {
		t.Fatal(n, err)
	}
	if got := (&repo{t, dir}).files(); !maps.Equal(got, a.tree()) {
		t.Fatalf("the folder holds %q, want %q", got, a.tree())
	}
	files, err := ReadFolder(t.Context(), dir, at("in/side"), func(what string) { t.Error(what) })
	b.must(err)
	if len(files) > 0 {
		_, err = ImportFiles(t.Context(), b.s, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "ann"}}, files, false)
		b.must(err)
	}
	want := map[string]string{}
	for p, c := range a.tree() {
		if !at(p).Hidden() { // passed over, as scans do
			want["/in/side"+p] = c
		}
	}
	if got := b.tree(); !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAFolderThatHoldsSomethingIsNotTouchedUnasked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.take(ReadJSON(strings.NewReader(one())))
	dir := t.TempDir()
	r := &repo{t, dir}
	r.write("a", "mine\n")
	r.write("b", "mine\n")
	if _, err := w.exportFolder(dir, false); !errors.Is(err, ErrNotEmpty) {
		t.Error(err)
	}
	if got := r.files(); got["/a"] != "mine\n" || len(got) != 2 {
		t.Error(got)
	}
	if _, err := w.exportFolder(dir, true); err != nil {
		t.Error(err)
	}
	if got := r.files(); !maps.Equal(got, map[string]string{"/a": "hello\n", "/b": "mine\n"}) {
		t.Error(got)
	}
}

func TestALinkInTheFolderLeadsNoExportOutOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.take(ReadJSON(strings.NewReader(one(`"path":"/a"`, `"path":"/out/a"`))))
	dir, out := t.TempDir(), t.TempDir()
	w.must(os.Symlink(out, filepath.Join(dir, "out")))
	if _, err := w.exportFolder(dir, true); err == nil {
		t.Error("it went through the link")
	}
	if es, err := os.ReadDir(out); err != nil || len(es) > 0 {
		t.Error(es, err)
	}
}

func TestWhatCantBeAMemoryIsLeftOutAndNamed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := &repo{t, dir}
	r.write("fine", "x")
	r.write("bad\nname", "x")
	r.write(".hidden", "x")
	err := errors.Join(os.Symlink("fine", filepath.Join(dir, "link")), os.WriteFile(filepath.Join(dir, "big"), nil, 0o644),
		os.Truncate(filepath.Join(dir, "big"), versions.DefaultMaxBytes+1))
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	files, err := ReadFolder(t.Context(), dir, memfs.Root, func(what string) { left = append(left, what) })
	slices.Sort(left)
	want := []string{`"bad\nname" is left out: a name that no memory can have`, `"big" is left out: over 8 MiB`, `"link" is left out: not a regular file`}
	if err != nil || !slices.Equal(left, want) || len(files) != 1 || files[0].Path != at("fine") {
		t.Errorf("%q, %v, %v", left, files, err)
	}
	if _, err := ReadFolder(t.Context(), filepath.Join(dir, "nowhere"), memfs.Root, nil); !errors.Is(err, memfs.ErrNotExist) && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestAPackedHistoryThatIsCutOffChangesNothing(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(one()))
	_ = z.Close()
	for _, cut := range []int{0, 1, 5, packed.Len() / 2, packed.Len() - 1} {
		w := newWorld(t)
		r, err := Unzip(bytes.NewReader(packed.Bytes()[:cut]))
		if err == nil {
			_, err = Import(t.Context(), w.s, owner, ReadJSON(r))
		}
		if err == nil {
			t.Errorf("cut after %d bytes: no error", cut)
		}
		w.untouched()
	}
	r, err := Unzip(&packed)
	if err == nil {
		err = read(ReadJSON(r))
	}
	if err != nil {
		t.Error("whole:", err)
	}
}

func TestWhatAFileIsShowsByItsBeginning(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Format{
		header: JSONLines, `{"format":1,"memend":"history"}`: JSONLines, `{"ts":1,"ops":[]}`: Simple, "\n\n{": Simple,
		"": "", "# hello\n": "", "hello": "", "\x1b[2J": "", "blobs\n": "",
	} {
		r, err := Unzip(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Detect(r)
		if got != want || (want == "") != errors.Is(err, ErrUnknownFormat) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for _, text := range []string{"blob\nmark :1\n", "feature done\n", "reset refs/heads/main\n", "# v2 git bundle\n"} {
		if _, err := Detect(bufio.NewReader(strings.NewReader(text))); !errors.Is(err, ErrStream) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
