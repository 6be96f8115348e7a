package exchange

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/memend/memend/versions"
)

func TestTheSimpleFormNeedsNothingButOperations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.take(ReadSimple(strings.NewReader(`
{"ts":1700000000.25,"actor":"agent:x","session":"s1","ops":[{"op":"create","path":"/a","content":"1"},{"op":"create","path":"b/c","content_base64":"/wA="}]}
{"ts":1700000001,"actor":"user:1","commit":"abc","new":true,"ops":[{"op":"rename","from":"/a","path":"/d"},{"op":"update","path":"/d","content":"2"},{"op":"delete","path":"b/c"},{"op":"create","path":"b/c","content":"3"}]}
{"ts":1700000002,"actor":"outside","ops":[{"op":"create","path":"gone","content":"4"},{"op":"delete","path":"gone"}]}
{"ts":1700000003,"actor":"outside","ops":[{"op":"delete","path":"d"},{"op":"create","path":"d/e","content":"5"}]}
`), nil))
	if got, want := w.tree(), map[string]string{"/b/c": "3", "/d/e": "5"}; !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
	told := w.told(false)
	for _, part := range []string{"Kind:create Path:/ To:/ Versions:2 Effect:{Found:0 Created:2", "Actor:x Session:s1", "Time:2023-11-14 22:13:20.25", "Operation:modified Found:false Path:/d From:/a Actor:1 Session:abc",
		"Number:2 Change:2 Kind:edit Operation:modified Found:false Path:/b/c", "Operation:deleted Found:false Path:/d"} {
		if !strings.Contains(told, part) {
			t.Errorf("no %q in\n%s", part, told)
		}
	}
	if n := strings.Count(told, " Versions:"); n != 3 { // the third comes to nothing
		t.Errorf("%d changes", n)
	}
}

func TestAnUnsoundSimpleFormChangesNothingAndSaysWhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // one for all: each leaves it as it was
	const fine = `{"ts":1,"actor":"user:1","ops":[{"op":"create","path":"/a","content":"x"}]}` + "\n"
	op := func(op string) string { return fine + `{"ts":2,"actor":"user:1","ops":[` + op + `]}` }
	for name, c := range map[string]struct{ ops, blobs, says string }{
		"create twice":        {op(`{"op":"create","path":"/a","content":"x"}`), "", "line 2: not a sound history: create /a: the memory exists"},
		"update nothing":      {op(`{"op":"update","path":"/b","content":"x"}`), "", "update /b"},
		"delete nothing":      {op(`{"op":"delete","path":"/b"}`), "", "no such memory"},
		"rename nothing":      {op(`{"op":"rename","from":"/b","path":"/c"}`), "", "no such memory"},
		"rename onto itself":  {op(`{"op":"rename","from":"/a","path":"/a"}`), "", "the new path is taken"},
		"unknown op":          {op(`{"op":"burn","path":"/a"}`), "", `op "burn"`},
		"escape":              {op(`{"op":"create","path":"/../b","content":"x"}`), "", "would escape"},
		"root":                {op(`{"op":"create","path":"/","content":"x"}`), "", "names the store itself"},
		"below a file":        {op(`{"op":"create","path":"/a/b","content":"x"}`), "", "in the way"},
		"no content":          {op(`{"op":"create","path":"/b"}`), "", "not a SHA-256"},
		"content that is not": {op(`{"op":"create","path":"/b","sha256":"` + helloHash + `"}`), "", "is missing"},
		"bytes":               {op(`{"op":"create","path":"/b","content":"x","bytes":2}`), "", "has 1 bytes, not 2"},
		"no time":             {`{"actor":"user:1","ops":[]}`, "", "line 1: not a sound history: ts is missing"},
		"no actor":            {`{"ts":1,"ops":[]}`, "", "actor is missing"},
		"kind of actor":       {strings.Replace(fine, "user", "god", 1), "", "is not a kind of actor"},
		"time":                {strings.Replace(fine, `"ts":1`, `"ts":1e300`, 1), "", "is not a time in seconds"},
		"blob":                {fine, `{"sha256":"` + helloHash + `","content":"hullo\n"}`, "content, line 1: not a sound history: a content does not match its hash"},
	} {
		t.Run(name, func(t *testing.T) {
			defer w.in(t)()
			_, err := Import(t.Context(), w.s, owner, ReadSimple(strings.NewReader(c.ops), strings.NewReader(c.blobs)))
			if !errors.Is(err, versions.ErrUnsound) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("it says %v, want %q", err, c.says)
			}
			w.untouched()
		})
	}
}

func TestAReadThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is broken")
	w := newWorld(t)
	text := one()
	_, err := Import(t.Context(), w.s, owner, ReadJSON(io.MultiReader(strings.NewReader(text[:len(text)-10]), iotest.ErrReader(broken))))
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	w.untouched()
}

func FuzzReadSimple(f *testing.F) {
	f.Add([]byte(`{"ts":1,"actor":"user:1","ops":[{"op":"create","path":"/a","content":"x"},{"op":"rename","from":"/a","path":"/b"},{"op":"delete","path":"/b"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) { _ = read(ReadSimple(bytes.NewReader(b), nil)) })
}

func corpus(t testing.TB, name string) string {
	dir := os.Getenv("MEMEND_CORPUS")
	if dir == "" {
		t.Skip("MEMEND_CORPUS is not set")
	}
	return filepath.Join(dir, name)
}

func unzip(t testing.TB, file string) io.Reader {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// replayed is the tree after each line of operations, by a reader of its own.
func replayed(t testing.TB, ops io.Reader) (trees []map[string]string, operations int) {
	t.Helper()
	now := map[string]string{}
	for dec := json.NewDecoder(ops); ; {
		var l struct {
			Ops []struct{ Op, Path, From, SHA256 string }
		}
		if err := dec.Decode(&l); errors.Is(err, io.EOF) {
			return trees, operations
		} else if err != nil {
			t.Fatal(err)
		}
		for _, o := range l.Ops {
			delete(now, o.From)
			if delete(now, o.Path); o.Op != "delete" {
				now[o.Path] = o.SHA256
			}
			operations++
		}
		trees = append(trees, maps.Clone(now))
	}
}

func TestTheHistoriesOfRealAgentsComeInWhole(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		sessions, ops int
	}{{"ai-agents-history", 458, 4414}, {"lazyclaude-history", 8, 27}} {
		t.Run(c.name, func(t *testing.T) {
			dir := corpus(t, c.name)
			trees, operations := replayed(t, unzip(t, filepath.Join(dir, "ops.jsonl.gz")))
			if len(trees) != c.sessions || operations != c.ops {
				t.Fatalf("%d sessions, %d operations", len(trees), operations)
			}
			w := newWorld(t)
			n := w.take(ReadSimple(unzip(t, filepath.Join(dir, "ops.jsonl.gz")), unzip(t, filepath.Join(dir, "blobs.jsonl.gz"))))
			if n.Changes != c.sessions || n.Versions != c.ops || n.Memories != len(trees[len(trees)-1]) {
				t.Errorf("%+v", n)
			}
			now := map[versions.MemoryID][2]string{}
			w.must(Export(t.Context(), w.s, func(it versions.Item) error {
				if it.Record == nil {
					return nil
				}
				for _, v := range it.Record.Versions {
					if now[v.Memory] = [2]string{v.Path.String(), v.SHA256.String()}; v.Operation == versions.Deleted {
						delete(now, v.Memory)
					}
				}
				got := map[string]string{}
				for _, at := range now {
					got[at[0]] = at[1]
				}
				if !maps.Equal(got, trees[it.Record.Number-1]) {
					t.Fatalf("after change %d the tree differs", it.Record.Number)
				}
				return nil
			}))
			got := map[string]string{}
			for p, content := range w.tree() {
				got[p] = hashOf([]byte(content)).String()
			}
			if !maps.Equal(got, trees[len(trees)-1]) {
				t.Error("the folder differs from the end of the data")
			}
			again := newWorld(t)
			first := w.json()
			again.take(ReadJSON(bytes.NewReader(first)))
			if !bytes.Equal(first, again.json()) {
				t.Error("the second export differs")
			}
			same(t, "the history", again.told(true), w.told(true))
		})
	}
}

// The bars: 4,000 versions a second in and out.
func BenchmarkImportAndExportOfARealHistory(b *testing.B) {
	dir := corpus(b, "ai-agents-history")
	src := newWorld(b)
	n := src.take(ReadSimple(unzip(b, filepath.Join(dir, "ops.jsonl.gz")), unzip(b, filepath.Join(dir, "blobs.jsonl.gz"))))
	lines, stream := src.json(), src.git()
	run := func(name string, do func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				do(b)
			}
			b.ReportMetric(float64(n.Versions*b.N)/b.Elapsed().Seconds(), "versions/s")
		})
	}
	run("import/simple", func(b *testing.B) {
		newWorld(b).take(ReadSimple(unzip(b, filepath.Join(dir, "ops.jsonl.gz")), unzip(b, filepath.Join(dir, "blobs.jsonl.gz"))))
	})
	run("import/json", func(b *testing.B) { newWorld(b).take(ReadJSON(bytes.NewReader(lines))) })
	history := newRepo(b)
	history.git(string(stream), "fast-import", "--quiet")
	run("import/git", func(b *testing.B) { history.silently(newWorld(b)) })
	run("import/by git itself", func(b *testing.B) { // beside it: the same stream, and a checkout
		git := newRepo(b)
		git.git(string(stream), "fast-import", "--quiet")
		git.git("", "reset", "-q", "--hard", "main")
	})
	run("export/json", func(b *testing.B) { src.json() })
	run("export/git", func(b *testing.B) { src.git() })
}
