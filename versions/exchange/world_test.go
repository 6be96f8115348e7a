package exchange

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/testdata/versionstest"
)

var (
	seedFlag  = flag.Uint64("exchange.seed", 1, "seed of the random histories; 0 takes one from the clock")
	grownRuns = flag.Int("exchange.grown", 1, "random histories that go out whole and come back")
	caseEach  = flag.Int("case.each", 4, "in tests of many costly cases, try only every so many of them")
)

// sampled are the names of those of all cases that -case.each lets a test try.
func sampled[T any](all map[string]T) (out []string) {
	for i, name := range slices.Sorted(maps.Keys(all)) {
		if i%*caseEach == 0 {
			out = append(out, name)
		}
	}
	return out
}

func random(t testing.TB) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-exchange.seed=%d", seed)
	return rand.New(rand.NewPCG(seed, 7))
}

// owner makes stores and imports into them.
var owner = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}

// world is a store in a home of its own.
type world struct {
	testing.TB
	home, folder string
	trail        *core.Trail
	s            *core.Store
}

// newWorld opens a store; its invariants are checked when the test ends.
func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{TB: t, home: versionstest.Home(t, func(ctx context.Context, dir string) (*core.Trail, error) {
		return engine.Open(ctx, dir, versions.Options{})
	}), folder: t.TempDir()}
	var err error
	if w.trail, err = engine.Open(t.Context(), w.home, versions.Options{}); err != nil {
		t.Fatal(err)
	}
	info, err := stores.CreateStore(t.Context(), w.trail, owner, "", "", w.folder)
	if err == nil {
		w.s, err = w.trail.OpenStore(t.Context(), info.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.whole()
		if err := errors.Join(w.s.Close(), w.trail.Close()); err != nil {
			t.Error(err)
		}
	})
	return w
}

// in makes errors those of a subtest, until it is left.
func (w *world) in(t testing.TB) (leave func()) {
	of := w.TB
	w.TB = t
	return func() { w.TB = of }
}

func (w *world) whole() {
	w.Helper()
	problems, err := check.Store(context.Background(), w.s)
	if err != nil || len(problems) > 0 {
		w.Errorf("check: %v, %v", problems, err)
	}
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func at(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

var names = []string{"a", "b.md", "notes/a b.md", `notes/"quoted".md`, `notes/back\slash.md`, "notes/ünï 日本.md", " lead/in ", "-dash", "#hash",
	".hidden/x", "deep/er/and/deeper.md", "deep/er/b", "right\u202eleft", ":colon", "*star?"}

var texts = []string{"", "one\n", "one\r\ntwo\r\n", "no newline", "\x00\xff\xfe binary", "{\"json\":true}\n", "ünï \u2028 日本\n", "\xef\xbb\xbfbom\n", "done\n"}

// grow makes a random history.
func (w *world) grow(r *rand.Rand, steps int) {
	w.Helper()
	ctx := w.Context()
	bys := []versions.By{
		{Actor: versions.Actor{Kind: versions.Person, Name: "Ann <x> \"y\""}, Session: "sesn_ann"},
		{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "sess\nion", ToolUse: " toolu_1", Turn: 3},
		{Actor: versions.Actor{Kind: versions.APIKey, Name: "key_1"}, ToolUse: `"null"`},
	}
	pick := func() memfs.Path { return at(names[r.IntN(len(names))]) }
	for range steps {
		by := bys[r.IntN(len(bys))]
		var err error
		switch r.IntN(13) {
		case 0, 1, 2, 3:
			text := texts[r.IntN(len(texts))]
			if r.IntN(2) == 0 {
				text += fmt.Sprintf("%d\n", r.IntN(50))
			}
			_, err = w.s.Write(ctx, by, pick(), []byte(text), versions.Pre{})
		case 4, 5:
			_, err = w.s.Rename(ctx, by, pick(), pick())
		case 6:
			_, err = w.s.Rename(ctx, by, at("deep"), at("moved"))
			if err != nil {
				_, err = w.s.Rename(ctx, by, at("moved"), at("deep"))
			}
		case 7:
			_, err = w.s.Delete(ctx, by, pick())
		case 8:
			if _, err = plan.Do(ctx, w.s, by, plan.UndoLast{By: by.Actor}); err == nil && r.IntN(2) == 0 {
				_, err = plan.Do(ctx, w.s, by, plan.RedoLast{By: by.Actor})
			}
		case 9:
			w.outside(r)
			_, err = w.s.Sync(ctx)
		case 10:
			err = w.restore(r, by)
		case 12:
			err = w.call(r)
		case 11: // something becomes a folder
			p := pick()
			if _, err = w.s.Delete(ctx, by, p); err == nil {
				_, err = w.s.Write(ctx, by, at(p.String()+"/inner"), []byte("inner\n"), versions.Pre{})
				if err == nil {
					_, err = w.s.Delete(ctx, by, p)
				}
			}
		}
		refused := false
		for _, e := range []error{memfs.ErrNotExist, memfs.ErrExist, memfs.ErrIsFolder, memfs.ErrNotFolder, memfs.ErrIntoItself, versions.ErrNothing, versions.ErrRedacted, versions.ErrUndone} {
			refused = refused || errors.Is(err, e)
		}
		if later := (*versions.LaterChangeError)(nil); err != nil && !refused && !errors.As(err, &later) {
			w.Fatal(err)
		}
	}
}

func (w *world) outside(r *rand.Rand) {
	names := []string{"o/1", "o/2", "o/3"}
	place := func() string { return filepath.Join(w.folder, names[r.IntN(len(names))]) }
	w.must(os.MkdirAll(filepath.Join(w.folder, "o"), 0o755))
	switch r.IntN(4) {
	case 0, 1:
		w.must(os.WriteFile(place(), []byte(texts[r.IntN(len(texts))]), 0o644))
	case 2:
		_ = os.Rename(place(), place())
	case 3:
		_ = os.Remove(place())
	}
}

// call is a write of an agent past memend, of which somebody tells.
func (w *world) call(r *rand.Rand) error {
	w.must(os.MkdirAll(filepath.Join(w.folder, "o"), 0o755))
	n := r.Int64()
	text := fmt.Sprintf("told %d\n", n)
	name := []string{"o/1", "o/2", "o/3"}[r.IntN(3)]
	w.must(os.WriteFile(filepath.Join(w.folder, name), []byte(text), 0o644))
	return w.s.Report(w.Context(), versions.Evidence{Op: versions.CallWrote, Path: at(name), Ended: time.Now(), SHA256: sha256.Sum256([]byte(text)),
		By: versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: "sesn_told", ToolUse: fmt.Sprintf("toolu_%d", n), Turn: 2}})
}

func (w *world) restore(r *rand.Rand, by versions.By) error {
	cs, err := history.Changes(w.Context(), w.s, versions.Filter{}, 0, 30)
	if err != nil || len(cs) == 0 {
		return err
	}
	_, vs, err := history.Change(w.Context(), w.s, cs[r.IntN(len(cs))].Number)
	if err != nil || len(vs) == 0 || vs[0].Operation == versions.Deleted {
		return err
	}
	_, err = plan.Do(w.Context(), w.s, by, plan.Restore(vs[0].ID))
	return err
}

// redact redacts every third content that no head holds, and every fourth deletion that is not the last of its memory.
func (w *world) redact() {
	w.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.home, "trail.db")+"?_pragma=busy_timeout(5000)")
	w.must(err)
	defer db.Close()
	rows, err := db.Query(`SELECT uid FROM version v WHERE redacted IS NULL AND (blob IN (SELECT b.id FROM blob b WHERE b.id%3=0 AND NOT EXISTS(SELECT 1 FROM head h WHERE h.sha=b.sha))
		OR op='deleted' AND number%2=0 AND id%2=0 AND EXISTS(SELECT 1 FROM version WHERE memory=v.memory AND number>v.number))`)
	w.must(err)
	var target versions.RedactTarget
	for rows.Next() {
		var uid []byte
		w.must(rows.Scan(&uid))
		target.Versions = append(target.Versions, versions.VersionID(ids.Format(ids.VersionPrefix, uid)))
	}
	w.must(rows.Err())
	if len(target.Versions) == 0 {
		w.Fatal("there is nothing to redact")
	}
	p, err := redact.Prepare(w.Context(), w.s, target)
	w.must(err)
	_, err = redact.Do(w.Context(), w.s, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "ann"}, Door: versions.DoorCLI}, p, versions.RedactChoice{})
	w.must(err)
}

// relog lets the log fit what a test did to the tables.
func (w *world) relog() {
	w.Helper()
	id := w.s.Info().ID
	w.must(errors.Join(w.s.Close(), w.trail.Close()))
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.home, "trail.db"))
	w.must(err)
	_, err = db.Exec(`DELETE FROM log`)
	w.must(errors.Join(err, db.Close()))
	_, err = check.Repair(w.Context(), w.home, versions.Options{})
	w.must(err)
	w.trail, err = engine.Open(w.Context(), w.home, versions.Options{})
	w.must(err)
	w.s, err = w.trail.OpenStore(w.Context(), id)
	w.must(err)
}

// said are messages and e-mail addresses that a trail can hold.
var said = []struct{ message, email string }{
	{"Fix a typo", "ann@example.com"},
	{"Subject\n\nBody, first line\nsecond line\n\n\tquoted \"text\"\n\nSigned-off-by: Ann <ann@example.com>", "ann@example.com"},
	{"\n\n  indented", ""},
	{"", "only@example.com"},
	{"line\r\n\r\nends\r", " spaces in it "},
	{"\x1b[2J\u202eün 日本 🔑", "ün@日本.example"},
	{"Fake\n\nMemend-Change: 1\nMemend-Kind: edit", "\"quoted\"@example.com"},
	{"data 3\ncommit refs/heads/main\ndone", "from :1"},
	{strings.Repeat("long ", 13_000) + "end", strings.Repeat("x", versions.MaxEmailBytes)},
}

// say gives two of three changes a message and an e-mail address, as imports do.
func (w *world) say() {
	w.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.home, "trail.db")+"?_pragma=busy_timeout(5000)")
	w.must(err)
	defer db.Close()
	for i, x := range said {
		_, err := db.Exec(`UPDATE change SET message=nullif(?,''), email=nullif(?,'') WHERE number%?=?`, x.message, x.email, len(said)*3/2, i)
		w.must(err)
	}
	w.relog()
}

func (w *world) json() []byte {
	w.Helper()
	var b bytes.Buffer
	j := NewJSONWriter(&b)
	w.must(Export(w.Context(), w.s, j.Write))
	w.must(j.Close())
	return b.Bytes()
}

func (w *world) git() []byte {
	w.Helper()
	var b bytes.Buffer
	g := NewGitWriter(&b)
	w.must(Export(w.Context(), w.s, g.Write))
	w.must(g.Close())
	return b.Bytes()
}

func (w *world) take(source iter.Seq2[versions.Item, error]) versions.Imported {
	w.Helper()
	n, err := Import(w.Context(), w.s, owner, source)
	w.must(err)
	return n
}

// tree is what the folder holds, by path.
func (w *world) tree() map[string]string {
	w.Helper()
	out := map[string]string{}
	es, err := history.Tree(w.Context(), w.s)
	w.must(err)
	for _, e := range es {
		b, err := os.ReadFile(filepath.Join(w.folder, e.Path.Rel()))
		w.must(err)
		if hashOf(b) != e.SHA256 {
			w.Errorf("%s: the folder holds something else", e.Path)
		}
		out[e.Path.String()] = string(b)
	}
	return out
}

// told is the history as the engine's other calls tell it.
func (w *world) told(withIDs bool) string {
	w.Helper()
	var b strings.Builder
	last, err := w.s.LastChange(w.Context())
	w.must(err)
	for n := int64(1); n <= last; n++ {
		c, vs, err := history.Change(w.Context(), w.s, n)
		w.must(err)
		message, email, err := history.Message(w.Context(), w.s, n)
		w.must(err)
		fmt.Fprintf(&b, "%+v %q %q\n", c, message, email)
		for _, v := range vs {
			content, err := history.Content(w.Context(), w.s, v.ID)
			v.Added, v.Removed = 0, 0 // counted against what a redaction took since
			if !withIDs {
				v.ID, v.Memory = "", ""
			}
			fmt.Fprintf(&b, "  %+v %q %v\n", v, content, err != nil)
		}
	}
	return b.String()
}

func read(source iter.Seq2[versions.Item, error]) error {
	for _, err := range source {
		if err != nil {
			return err
		}
	}
	return nil
}

func same(t testing.TB, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s differs in line %d:\n%.600s\nwant\n%.600s", what, i+1, g[i], w[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", what, len(g), len(w))
}
