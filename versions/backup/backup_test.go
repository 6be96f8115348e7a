package backup

import (
	"crypto/sha256"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions/db"
)

// write writes files with their names as text, unless a text follows an equals sign.
func write(t *testing.T, dir string, files ...string) {
	t.Helper()
	for _, file := range files {
		name, text, ok := strings.Cut(file, "=")
		if !ok {
			text = name
		}
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// trail writes a trail with the tables that a backup reads. Store 1 is in the home and has the memories
// a.md, d/b.md and damaged.md; store 2 is elsewhere.
func trail(t *testing.T, dir string) {
	t.Helper()
	pool := db.OpenFile(filepath.Join(dir, db.File), "&mode=rwc")
	defer func() { _ = pool.Close() }()
	exec := func(text string, args ...any) {
		t.Helper()
		if _, err := pool.Exec(text, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE store(id INTEGER PRIMARY KEY, folder TEXT)`)
	exec(`CREATE TABLE intent(carried INT)`)
	exec(`CREATE TABLE blob(id INTEGER PRIMARY KEY, sha BLOB UNIQUE, size INT, enc INT, data BLOB)`)
	exec(`CREATE TABLE version(id INTEGER PRIMARY KEY, blob INT)`)
	exec(`CREATE TABLE head(store INT, path TEXT, version INT)`)
	exec(`INSERT INTO store VALUES(1,'stores/notes'),(2,?)`, t.TempDir())
	exec(`INSERT INTO intent VALUES(0),(1)`)
	for i, m := range []struct{ path, text string }{{"a.md", "text of a"}, {"d/b.md", "text of b"}, {"damaged.md", "x"}} {
		sha := sha256.Sum256([]byte(m.text))
		data := []byte(m.text)
		if m.path == "damaged.md" {
			data = []byte("y")
		}
		exec(`INSERT INTO blob VALUES(?,?,?,0,?)`, i+1, sha[:], len(m.text), data)
		exec(`INSERT INTO version VALUES(?,?)`, i+1, i+1)
		exec(`INSERT INTO head VALUES(1,?,?)`, m.path, i+1)
	}
}

func TestFiles_WritesMemoriesFromTheTrailAndCopiesTheRest(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	write(t, from, "trail.db", "trail.db-wal", "drafts/x.draft", "conversations/s.jsonl",
		"stores/notes/a.md=a newer text", "stores/notes/new.md", "stores/notes/.hidden", "stores/notes/.memend-unfinished",
		"stores/notes/large="+strings.Repeat("x", 101), "stores/notes/damaged.md=x")
	trail(t, to)
	n := 0
	b, err := Files(t.Context(), from, to, Options{StoresFolder: "stores", MaxBytes: 100, Each: func() { n++ }})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	err = filepath.WalkDir(to, func(name string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(to, name)
		if err != nil || e.IsDir() || strings.HasPrefix(rel, "trail.") {
			return err
		}
		text, err := os.ReadFile(name)
		got[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"drafts/x.draft": "drafts/x.draft", "conversations/s.jsonl": "conversations/s.jsonl",
		"stores/notes/a.md": "text of a", "stores/notes/d/b.md": "text of b", "stores/notes/.hidden": "stores/notes/.hidden",
		"stores/notes/large": strings.Repeat("x", 101), // no memory: it is over the limit
	}
	if !maps.Equal(got, want) {
		t.Errorf("the files are %v, want %v", got, want)
	}
	if b.Stores != 2 || b.Versions != 3 || b.Files != len(want) || n != len(want) || len(b.Elsewhere) != 1 || !slices.Equal(b.Damaged, []string{"stores/notes/damaged.md"}) {
		t.Errorf("it reports %+v, and %d files", b, n)
	}
	pool := db.OpenFile(filepath.Join(to, db.File), "")
	defer func() { _ = pool.Close() }()
	var intents int
	if err := pool.QueryRow(`SELECT count(*) FROM intent`).Scan(&intents); err != nil || intents != 1 {
		t.Errorf("%d intents are left, %v; want the one whose steps are not done", intents, err)
	}
}
