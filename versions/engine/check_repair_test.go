package engine_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/db"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/schema"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
)

var (
	damageCases = flag.Int("damage.cases", 3, "damaged trails that are opened")
	damageSeed  = flag.Uint64("damage.seed", 1, "seed of the damage; 0 takes one from the clock")
)

// worn is a store with some history, closed, and what each version holds.
func worn(t *testing.T) (w *world, contents map[versions.VersionID]string) {
	t.Helper()
	w = &world{t: t, home: newHome(t), folder: t.TempDir()}
	w.open()
	contents = map[versions.VersionID]string{}
	for i := range 60 {
		path := fmt.Sprintf("d%d/m%d", i%3, i%7)
		text := strings.Repeat(fmt.Sprintf("memory %d, text %d\n", i%7, i), 1+i%40)
		w.write(robot, path, text)
		contents[w.entry(path).Version] = text
	}
	large := make([]byte, 2*blobs.ChunkBytes+5)
	_, _ = rand.NewChaCha8([32]byte{}).Read(large)
	w.write(robot, "empty", "")
	contents[w.entry("empty").Version] = ""
	w.write(robot, "large", string(large))
	contents[w.entry("large").Version] = string(large)
	w.rename("d0/m0", "moved")
	contents[w.entry("moved").Version] = w.file("moved")
	w.remove("d1/m1")
	w.close()
	return w, contents
}

// Random damage to the trail never shows wrong bytes as good, check finds what
// touches a content, and a repair makes a trail that works.
func TestDamageIsFoundAndNeverShownAsGood(t *testing.T) {
	t.Parallel()
	seed := *damageSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-damage.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	w, contents := worn(t)
	whole, err := os.ReadFile(filepath.Join(w.home, db.File))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for i := range *damageCases {
		if err := os.RemoveAll(w.home); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			damaged := &world{t: t, home: w.home, folder: w.folder}
			what := damage(t, r, damaged.home, whole)
			defer func() {
				if t.Failed() {
					t.Log(what)
				}
			}()
			counts[damaged.judge(i, contents)]++
		})
		if t.Failed() {
			break
		}
	}
	t.Logf("%v", counts)
}

// damage writes a trail that is not as it was.
func damage(t *testing.T, r *rand.Rand, home string, whole []byte) string {
	t.Helper()
	b := bytes.Clone(whole)
	what := ""
	upTo := len(b)
	switch r.IntN(8) {
	case 0:
		at := r.IntN(len(b))
		b, what = b[:at], fmt.Sprintf("cut at %d of %d", at, len(whole))
	case 1:
		at := r.IntN(len(b))
		n := min(len(b)-at, 1+r.IntN(20_000))
		clear(b[at : at+n])
		what = fmt.Sprintf("%d zeros at %d", n, at)
	case 2: // what the file says of itself, and its schema
		upTo = 8192
		fallthrough
	case 3, 4: // the first pages of all tables, many of which never have more
		upTo = min(upTo, 40*8192)
		fallthrough
	default:
		for range 1 + r.IntN(3) {
			at := r.IntN(upTo)
			b[at] ^= 1 << r.IntN(8)
			what += fmt.Sprintf("bit flipped at %d ", at)
		}
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, db.File), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return what
}

// judge opens a damaged trail, reads all of it, repairs it and works on it.
func (w *world) judge(i int, contents map[versions.VersionID]string) (outcome string) {
	w.t.Helper()
	wrong, lost, problems, err := w.readAll(contents)
	if err == nil && lost > len(problems) && !slices.ContainsFunc(problems, func(p string) bool { return strings.HasPrefix(p, "database: ") }) {
		w.t.Errorf("%d contents can't be read, and check finds %q", lost, problems)
	}
	for _, v := range wrong {
		w.t.Errorf("%s was shown with wrong bytes", v)
	}
	if err != nil && !errors.Is(err, versions.ErrDamaged) && !errors.Is(err, versions.ErrNoStore) && !(errors.Is(err, versions.ErrTrailFormat) && w.saysFormat() > len(schema.Migrations)) {
		w.t.Errorf("an error of no kind of ours: %v", err)
	}
	done, err := check.Repair(w.t.Context(), w.home, versions.Options{})
	if errors.Is(err, versions.ErrTrailFormat) && w.saysFormat() > len(schema.Migrations) {
		return "like one of a newer format" // schema and number are damaged, and it is left as it is
	}
	if err != nil {
		w.t.Errorf("repair: %v", err)
		return
	}
	w.open()
	defer w.close()
	w.sync()
	left, err := check.Store(w.t.Context(), w.store)
	if err != nil {
		w.t.Error(err)
	}
	if wrong, _, _, err := w.readAll(contents); err != nil || len(wrong) > 0 {
		w.t.Errorf("after the repair %v are shown with wrong bytes, %v", wrong, err)
	}
	if len(left) > 0 {
		w.t.Errorf("after the repair check finds %q", left)
	}
	w.write(alice, "after", fmt.Sprint("works ", i))
	w.wantFile("after", fmt.Sprint("works ", i))
	if err := os.Remove(w.host("after")); err != nil {
		w.t.Error(err)
	}
	switch {
	case done.Lost:
		return "begun anew"
	case done.Rebuilt:
		return "rebuilt"
	case done.Healed > 0:
		return "healed"
	case len(problems) > 0:
		return "found"
	}
	return "no harm"
}

// saysFormat is the number of the format that stands in the trail's file.
func (w *world) saysFormat() int {
	b, err := os.ReadFile(filepath.Join(w.home, db.File))
	if err != nil || len(b) < 64 {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(b[60:])))
}

// readAll reads every version that can be read, and checks.
func (w *world) readAll(contents map[versions.VersionID]string) (wrong []versions.VersionID, lost int, problems []string, err error) {
	t, err := vengine.Open(w.t.Context(), w.home, versions.Options{})
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() { _ = t.Close() }()
	info, err := t.FindStore(w.t.Context(), w.folder)
	if err != nil {
		return nil, 0, nil, err
	}
	s, err := t.OpenStore(w.t.Context(), info.ID)
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() { _ = s.Close() }()
	gone := map[string]bool{} // a content may be that of several versions
	for id, want := range contents {
		b, err := vhistory.Content(w.t.Context(), s, id)
		if errors.Is(err, versions.ErrDamaged) {
			gone[want] = true
		}
		if err == nil && string(b) != want {
			wrong = append(wrong, id)
		}
	}
	problems, err = check.Store(w.t.Context(), s)
	return wrong, len(gone), problems, err
}

// A trail that is gone ends with one version a file, by nobody we know.
func TestARepairWithoutATrailAdoptsTheFolder(t *testing.T) {
	t.Parallel()
	w, _ := worn(t)
	if err := os.Remove(filepath.Join(w.home, db.File)); err != nil {
		t.Fatal(err)
	}
	done, err := check.Repair(t.Context(), w.home, versions.Options{})
	if err != nil || !done.Lost {
		t.Fatalf("%+v, %v", done, err)
	}
	w.open()
	defer w.close()
	w.sync()
	w.check()
	es, err := vhistory.Tree(t.Context(), w.store)
	if err != nil || len(es) == 0 {
		t.Fatal(es, err)
	}
	for _, e := range es {
		vs := w.history(e.Path.String()[1:])
		if len(vs) != 1 || vs[0].Actor.Kind != versions.Outside {
			t.Errorf("%s: %+v", e.Path, vs)
		}
	}
}

// Heads that are wrong, and a content that is damaged while its file is not.
func TestARepairHealsWhatTheFolderHolds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "old text of a\n")
	w.write(alice, "a", "new text of a\n")
	w.write(alice, "b", "text of b\n")
	old := w.history("a")[1].ID
	if _, err := w.trail.DB.W.ExecContext(t.Context(), `UPDATE head SET sha=x'00', version=1 WHERE path='b'; DELETE FROM head WHERE path='a'; UPDATE blob SET data=x'00'`); err != nil {
		t.Fatal(err)
	}
	w.close()
	done, err := check.Repair(t.Context(), w.home, versions.Options{})
	if err != nil || done.Healed != 2 || done.Damaged != 1 || done.Rebuilt || done.Aside != "" {
		t.Fatalf("%+v, %v", done, err)
	}
	w.open()
	w.sync()
	for path, want := range map[string]string{"a": "new text of a\n", "b": "text of b\n"} {
		if b, err := vhistory.Content(t.Context(), w.store, w.entry(path).Version); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", path, b, err)
		}
	}
	if _, err := vhistory.Content(t.Context(), w.store, old); !errors.Is(err, versions.ErrDamaged) {
		t.Errorf("the lost content: %v", err)
	}
	if losses, err := check.Losses(t.Context(), w.store); err != nil || !slices.Equal(losses, []string{"/memories/a version 1: its content is lost"}) {
		t.Errorf("%q, %v", losses, err)
	}
	w.check()
	w.write(alice, "c", "old text of a\n") // whoever writes it again brings it back
	if b, err := vhistory.Content(t.Context(), w.store, old); err != nil || string(b) != "old text of a\n" {
		t.Errorf("%q, %v", b, err)
	}
	if losses, err := check.Losses(t.Context(), w.store); err != nil || len(losses) > 0 {
		t.Errorf("%q, %v", losses, err)
	}
}

// Where only an index is damaged, nothing of the history is lost.
func TestARepairKeepsTheHistoryWhereAnIndexIsDamaged(t *testing.T) {
	t.Parallel()
	w, contents := worn(t)
	w.open()
	var page int64
	if err := w.trail.DB.W.QueryRow(`SELECT pageno FROM dbstat WHERE name='version_path' AND pagetype='leaf' LIMIT 1`).Scan(&page); err != nil {
		t.Fatal(err)
	}
	w.close()
	f, err := os.OpenFile(filepath.Join(w.home, db.File), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(make([]byte, 8192), (page-1)*8192)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	done, err := check.Repair(t.Context(), w.home, versions.Options{})
	if err != nil || !done.Rebuilt || done.Lost || done.Damaged != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if _, err := os.Stat(done.Aside); err != nil {
		t.Error(err)
	}
	wrong, lost, problems, err := w.readAll(contents)
	if err != nil || len(wrong)+lost+len(problems) > 0 {
		t.Errorf("wrong %v, lost %d, problems %q, %v", wrong, lost, problems, err)
	}
}

// A repair that dies before the new database stands in its place is finished by
// whoever opens the home next.
func TestARepairThatDiedIsFinishedAtOpen(t *testing.T) {
	t.Parallel()
	w, _ := worn(t)
	if err := os.Rename(filepath.Join(w.home, db.File), filepath.Join(w.home, "trail.repaired")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{db.File, db.File + "-wal"} {
		if err := os.WriteFile(filepath.Join(w.home, name), []byte("of the damaged one"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.open()
	defer w.close()
	w.check()
	if len(w.history("moved")) == 0 {
		t.Error("the history is gone")
	}
}

// harmTable changes rows of a table so that its indexes know nothing of it.
func (w *world) harmTable(table, columns, text string) {
	w.t.Helper()
	w.harm(`PRAGMA writable_schema=ON; CREATE TABLE was AS SELECT rowid AS id,* FROM sqlite_schema WHERE tbl_name='` + table + `';
		DELETE FROM sqlite_schema WHERE tbl_name='` + table + `' AND type='index';
		UPDATE sqlite_schema SET sql='CREATE TABLE ` + table + `(` + columns + `)' WHERE name='` + table + `'`)
	w.harm(text)
	w.harm(`PRAGMA writable_schema=ON; DELETE FROM sqlite_schema WHERE tbl_name='` + table + `';
		INSERT INTO sqlite_schema(rowid,type,name,tbl_name,rootpage,sql) SELECT * FROM was`)
	w.harm(`DROP TABLE was`)
}

// A version whose row leads to another content than the index of contents, or to
// which the index of ids does not lead back, is damaged, however whole the contents.
func TestAVersionIsNeverShownAsAnother(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"two ids changed places": `CREATE TEMP TABLE had AS SELECT id,uid FROM version; UPDATE version SET uid=(SELECT uid FROM had WHERE had.id=8-version.id) WHERE id IN (3,5)`,
		"another content":        `UPDATE version SET blob=blob+1 WHERE id IN (3,5)`,
	} {
		t.Run(name, func(t *testing.T) {
			w, contents := worn(t)
			w.open()
			var uid []byte
			must(w, w.trail.DB.W.QueryRow(`SELECT uid FROM version WHERE id=3`).Scan(&uid))
			id := versions.VersionID(ids.Format(ids.VersionPrefix, uid))
			w.close()
			w.harmTable("version", "id INTEGER PRIMARY KEY,uid,memory,number,change,op,path,origin,blob,mode,source,redacted,redacted_by", damage)
			w.open()
			_, content := vhistory.Content(t.Context(), w.store, id)
			_, version := vhistory.Version(t.Context(), w.store, id)
			_, blame := vhistory.Blame(t.Context(), w.store, id)
			_, restore := plan.Make(t.Context(), w.store, plan.Restore(id))
			_, redact := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Version: id})
			for what, err := range map[string]error{"content": content, "version": version, "blame": blame, "restore": restore, "redact": redact} {
				if !errors.Is(err, versions.ErrDamaged) {
					t.Errorf("%s: %v", what, err)
				}
			}
			w.close()
			wrong, lost, problems, err := w.readAll(contents)
			if err != nil || len(wrong) > 0 || lost != 2 || len(problems) == 0 {
				t.Errorf("wrong %v, lost %d, problems %q, %v", wrong, lost, problems, err)
			}
			if done, err := check.Repair(t.Context(), w.home, versions.Options{}); err != nil || !done.Rebuilt || done.Lost {
				t.Errorf("%+v, %v", done, err)
			}
		})
	}
}

func TestAHeadThatIsListedAsAnotherIsFoundAndMended(t *testing.T) {
	t.Parallel()
	w := &world{t: t, home: t.TempDir(), folder: t.TempDir()}
	w.open()
	w.write(alice, "a", "1")
	w.close()
	w.harmTable("head", `store,path,memory,version,sha,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts,muid,vuid,packed,
		PRIMARY KEY(store,path)) WITHOUT ROWID --`, `UPDATE head SET packed=CAST('9'||packed AS BLOB)`)
	w.open()
	problems, err := check.Store(t.Context(), w.store)
	if err != nil || len(problems) != 1 || problems[0] != "head /memories/a: it is listed as another one" {
		t.Errorf("%q, %v", problems, err)
	}
	w.close()
	if _, err := check.Repair(t.Context(), w.home, versions.Options{}); err != nil {
		t.Fatal(err)
	}
	w.open()
	problems, err = check.Store(t.Context(), w.store)
	if es, also := vhistory.Tree(t.Context(), w.store); err != nil || also != nil || len(problems) > 0 || es[0].Change != 1 {
		t.Errorf("%+v, %v, %q, %v", es, also, problems, err)
	}
	w.close()
}

// Numbers and times have the order of their rows; a repair gives it back to them.
func TestARepairPutsNumbersInOrder(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"too few changes":     `UPDATE store SET changes=28`,
		"a change ahead":      `UPDATE change SET number=500 WHERE id=20`,
		"a version ahead":     `UPDATE version SET number=500 WHERE id=20`,
		"a time ahead":        `UPDATE change SET ts=ts+1000000000 WHERE id=20`,
		"a time far behind":   `UPDATE change SET ts=5 WHERE id=20`,
		"the first time":      `UPDATE change SET ts=ts+1000000000 WHERE id=1`,
		"a number below zero": `UPDATE change SET number=-20 WHERE id=20`,
	}
	for _, name := range sampled(slices.Sorted(maps.Keys(cases))) {
		damage := cases[name]
		t.Run(name, func(t *testing.T) {
			w, contents := worn(t)
			before := w.ordered()
			w.harm(damage)
			if _, _, problems, err := w.readAll(contents); err != nil || len(problems) == 0 {
				t.Errorf("check before: %q, %v", problems, err)
			}
			if done, err := check.Repair(t.Context(), w.home, versions.Options{}); err != nil || done.Rebuilt || done.Lost {
				t.Errorf("%+v, %v", done, err)
			}
			if after := w.ordered(); after != before {
				t.Errorf("it was\n%s\nand is\n%s", before, after)
			}
			w.open()
			w.check()
			w.write(alice, "after", "works")
			w.close()
		})
	}
}

// ordered is all numbers and times of a trail that is closed.
func (w *world) ordered() (out string) {
	w.t.Helper()
	pool := db.OpenFile(filepath.Join(w.home, db.File), "")
	must(w, pool.QueryRow(`SELECT (SELECT changes FROM store)||(SELECT group_concat(id||' '||number||' '||ts,char(10)) FROM change)||char(10)||
		(SELECT group_concat(id||' '||number,char(10)) FROM version)||char(10)||(SELECT group_concat(path||' '||version||' '||number||' '||ts,char(10)) FROM head)`).Scan(&out))
	must(w, pool.Close())
	return out
}

// A large content is in chunks. If only its own row is lost, the log knows its hash, and the chunks have the text.
func TestARepairFindsTheChunksOfALargeContent(t *testing.T) {
	t.Parallel()
	w, contents := worn(t)
	must(w, os.Remove(w.host("large"))) // else the file would have it, too
	w.harm(`DELETE FROM blob WHERE id IN (SELECT blob FROM blob_chunk)`)
	if done, err := check.Repair(t.Context(), w.home, versions.Options{}); err != nil || done.Damaged != 0 || done.Healed != 0 || done.Lost {
		t.Errorf("%+v, %v", done, err)
	}
	if wrong, lost, problems, err := w.readAll(contents); err != nil || len(wrong)+lost > 0 {
		t.Errorf("wrong %v, lost %d, problems %q, %v", wrong, lost, problems, err)
	}
}

// A content that is not there at all is damage like any other.
func TestARepairSaysWhatContentIsMissing(t *testing.T) {
	t.Parallel()
	w, contents := worn(t)
	w.harm(`DELETE FROM blob WHERE id IN (3,(SELECT v.blob FROM head h JOIN version v ON v.id=h.version WHERE h.path='moved'))`)
	wrong, lost, problems, err := w.readAll(contents)
	if err != nil || len(wrong) > 0 || lost < 2 || len(problems) < 2 {
		t.Errorf("wrong %v, lost %d, problems %q, %v", wrong, lost, problems, err)
	}
	if done, err := check.Repair(t.Context(), w.home, versions.Options{}); err != nil || done.Damaged != 1 || done.Healed != 1 || done.Lost { // the log knows the hash of what a file has
		t.Errorf("%+v, %v", done, err)
	}
	w.open()
	defer w.close()
	if p, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Match: []byte("no memory holds this")}); err != nil || p.Unreadable > 0 {
		t.Errorf("%d contents can't be searched, %v", p.Unreadable, err)
	}
	w.sync() // what stands in the folder is a version of its own now
	if b, err := vhistory.Content(t.Context(), w.store, w.entry("moved").Version); err != nil || string(b) != w.file("moved") {
		t.Errorf("%q, %v", b, err)
	}
	w.write(alice, "after", "works")
}

// SQLite takes a value of any kind. One that nothing of ours can read is damage,
// and does not cost more than itself.
func TestARepairMendsValuesOfAnotherKind(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ damage, read string }{
		"a time that is text":     {`UPDATE store SET created='soon'`, `SELECT quote(created) FROM store`},
		"no time":                 {`UPDATE store SET archived='never'`, `SELECT quote(archived) FROM store`},
		"a time between two":      {`UPDATE change SET wall=1.5 WHERE id=4`, `SELECT quote(wall) FROM change WHERE id=4`},
		"a name that is bytes":    {`UPDATE store SET name=CAST(name AS BLOB)`, `SELECT quote(name) FROM store`},
		"bytes that are a text":   {`UPDATE memory SET uid=CAST(uid AS TEXT) WHERE id=3`, `SELECT quote(uid) FROM memory WHERE id=3`},
		"a description of number": {`UPDATE change SET tool_use=CAST('7' AS BLOB) WHERE id=4`, `SELECT quote(tool_use) FROM change WHERE id=4`},
	}
	for _, name := range sampled(slices.Sorted(maps.Keys(cases))) {
		c := cases[name]
		t.Run(name, func(t *testing.T) {
			w, contents := worn(t)
			w.open()
			before := w.one(c.read)
			w.close()
			w.harm(c.damage)
			_, _, problems, err := w.readAll(contents)
			if err == nil && len(problems) == 0 || err != nil && !errors.Is(err, versions.ErrDamaged) {
				t.Errorf("before: %q, %v", problems, err)
			}
			if done, err := check.Repair(t.Context(), w.home, versions.Options{}); err != nil || !done.Rebuilt || done.Lost {
				t.Fatalf("%+v, %v", done, err)
			}
			wrong, lost, problems, err := w.readAll(contents)
			if err != nil || len(wrong)+lost+len(problems) > 0 {
				t.Errorf("wrong %v, lost %d, problems %q, %v", wrong, lost, problems, err)
			}
			w.open()
			defer w.close()
			if after := w.one(c.read); after != before {
				t.Errorf("it is %v, not %v", after, before)
			}
		})
	}
}

// A size that the disk changed takes neither the content along nor all memory.
func TestAWrongSizeOfAContentIsNoHarm(t *testing.T) {
	t.Parallel()
	for _, size := range sampled([]int{-1 << 62, -1, 0, 1 << 62}) {
		w, contents := worn(t)
		w.harm(fmt.Sprintf(`UPDATE blob SET size=%d`, size))
		wrong, lost, _, err := w.readAll(contents)
		if err != nil || len(wrong)+lost > 0 {
			t.Errorf("size %d: wrong %v, lost %d, %v", size, wrong, lost, err)
		}
	}
}

// A content whose row got the id of another one, or one that none has, is never shown as
// that one, and a repair gives it its own id back.
func TestARepairGivesContentsTheirIDsBack(t *testing.T) {
	t.Parallel()
	for _, id := range []int{4, 5000} {
		t.Run(fmt.Sprint("id ", id), func(t *testing.T) {
			w, contents := worn(t)
			w.harmTable("blob", "id INTEGER PRIMARY KEY,sha,size,enc,data", fmt.Sprintf(`DELETE FROM blob WHERE id=%d; UPDATE blob SET id=%[1]d WHERE id=3`, id))
			wrong, lost, problems, err := w.readAll(contents)
			if err != nil || len(wrong) > 0 || lost == 0 || len(problems) == 0 {
				t.Errorf("before: wrong %v, lost %d, problems %q, %v", wrong, lost, problems, err)
			}
			if done, err := check.Repair(t.Context(), w.home, versions.Options{}); err != nil || !done.Rebuilt {
				t.Fatalf("%+v, %v", done, err)
			}
			wrong, lost, problems, err = w.readAll(contents)
			if err != nil || len(wrong) > 0 || lost > 1 || id > 4 && lost > 0 || len(problems) > 0 {
				t.Errorf("after: wrong %v, lost %d, problems %q, %v", wrong, lost, problems, err)
			}
		})
	}
}
