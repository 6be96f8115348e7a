package engine_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
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
	"github.com/memend/memend/versions/db/pages"
	"github.com/memend/memend/versions/gitsync"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
)

var (
	damagePages = flag.Int("damage.pages", 1, "how large the trail is whose pages are damaged one by one")
	damageEach  = flag.Int("damage.each", 96, "empty only every so many of its pages")
)

// aged is a closed store whose trail has every kind of row, most of them on more than one
// page.
func aged(t *testing.T, size int) *world {
	t.Helper()
	w := &world{t: t, home: newHome(t), folder: t.TempDir()}
	w.open()
	other := w.second()
	r := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abcdefghijklmnopqrstuvwxyz \n"[r.IntN(28)]
		}
		return string(b)
	}
	for i := range 130 * size {
		path := fmt.Sprintf("d%d/m%d", i%3, i%(23*size))
		by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: fmt.Sprint("agent", i%5)}, Session: versions.SessionID(fmt.Sprint("sesn_", i/7)), ToolUse: fmt.Sprint("toolu_", i), Turn: i}
		w.write(by, path, noise(40+i%90))
		s := w.store
		if i%5 == 0 {
			_, err := other.Write(t.Context(), by, mustPath(path), []byte(noise(50)), versions.Pre{})
			must(w, err)
			s = other
		}
		if i%2 == 0 {
			s.NoteRead(by, mustPath(path))
		}
	}
	large := make([]byte, 2*blobs.ChunkBytes+5)
	_, _ = rand.NewChaCha8([32]byte{}).Read(large[:20_000])
	w.write(robot, "large", string(large))
	w.write(robot, "long", noise(30_000)) // goes on in other pages
	w.write(robot, "empty", "")
	w.rename("d0/m0", "moved")
	w.remove("d1/m1")
	c := w.write(alice, "undone", "undone")
	_, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number))
	must(w, err)
	for i := range 3 * size {
		name, text := fmt.Sprint("adopted", i), noise(30)
		w.outside(name, text)
		w.sync()
		w.tell(wrote(fmt.Sprint("sesn_inferred", i%2), fmt.Sprint("toolu_inferred", i), name, text, time.Now()))
	}
	w.exec(`UPDATE change SET message='why it made change '||number||' of its store', email='agent@example.com' WHERE id%3=0`)
	w.exec(`UPDATE actor SET title='The agent '||name||', as its client names it' WHERE kind='agent'`)
	w.exec(`UPDATE change SET message=? WHERE id=40`, noise(9_000)) // goes on in other pages
	w.relog()
	p, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Version: w.history("moved")[1].ID})
	must(w, err)
	_, err = redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{})
	must(w, err)
	w.flush()
	must(w, second(review.MarkReviewed(t.Context(), w.store, map[versions.MemoryID]int64{w.entry("moved").Memory: 1})))
	must(w, w.trail.NoteInputs(t.Context(), robot, versions.InputWeb|versions.InputShell, time.Time{}))
	must(w, review.SetPolicy(t.Context(), w.store, alice, robot.Session, "hold actor:agent path:/held\nallow\n"))
	must(w, review.Pin(t.Context(), w.store, alice, mustPath("pinned"), versions.PinAll))
	must(w, gitsync.SetBranch(t.Context(), w.store, versions.Branch{URL: "/srv/team.git", Name: "main", Head: "0411f90b4b870f0997b2321ed3cc334318301477", Sent: 1}, []versions.Shared{{ID: "chg_a", Change: 1}}))
	w.verify("moved")
	for i := range 3 * size {
		_, err := w.store.Write(t.Context(), robot, mustPath(fmt.Sprint("held/", i)), []byte(noise(300)), versions.Pre{})
		var held *versions.HeldError
		if !errors.As(err, &held) {
			t.Fatal(err)
		}
		if i == 0 {
			must(w, review.Reject(t.Context(), w.store, alice, held.Number, "it is noise"))
		}
	}
	attached, err := stores.Attach(t.Context(), w.trail, robot, []versions.Attachment{{Store: w.store.Info().ID}})
	must(w, err)
	must(w, errors.Join(attached.Close(), other.Close()))
	w.close()
	return w
}

// damagedPages are the ways in which a page is damaged: it is empty, or the file ends
// within it or before it.
var damagedPages = map[string]func(b []byte, page int) []byte{
	"zeros":    func(b []byte, page int) []byte { clear(b[page : page+pages.DefaultSize]); return b },
	"cut":      func(b []byte, page int) []byte { return b[:page] },
	"half cut": func(b []byte, page int) []byte { return b[:page+pages.DefaultSize/2] },
}

// A repair keeps every row that a damaged page did not hold, marks what is lost, and
// leaves a trail that is whole and goes on.
// README: "check --repair keeps what can be read".
func TestARepairKeepsAllAroundADamagedPage(t *testing.T) {
	t.Parallel()
	w := aged(t, *damagePages)
	whole, err := os.ReadFile(filepath.Join(w.home, db.File))
	must(w, err)
	before := contentOfTrail(w)
	kept := filepath.Join(t.TempDir(), db.File)
	must(w, os.WriteFile(kept, whole, 0o600))
	count := len(whole) / pages.DefaultSize
	for n := 1; n <= count; n++ {
		for how, damage := range damagedPages {
			if how == "zeros" && (n-1)%*damageEach != 0 || how != "zeros" && *damagePages == 1 && n != count && n != count-3 && n != count-count/3 {
				continue
			}
			t.Run(fmt.Sprint("page ", n, " ", how), func(t *testing.T) {
				one := how == "zeros" // where many pages are lost, what the rows left refer to is lost with them
				d := &world{t: t, home: w.home, folder: w.folder}
				d.clearTrail()
				held := heldBy(d, kept, func(page int) bool { return page == n || how != "zeros" && page > n })
				must(d, os.WriteFile(filepath.Join(d.home, db.File), damage(bytes.Clone(whole), (n-1)*pages.DefaultSize), 0o600))
				done, err := check.Repair(t.Context(), d.home, versions.Options{})
				if err == nil && done.Lost && !one && n < 5 {
					return // the stores are lost with nearly all else
				}
				if err != nil || done.Lost {
					t.Fatalf("%+v, %v", done, err)
				}
				after := contentOfTrail(d)
				for row, text := range before {
					table, _, _ := strings.Cut(row, " ")
					if !one && !slices.Contains([]string{"store", "session", "change", "version", "redaction"}, table) {
						continue
					}
					logged := one && slices.Contains([]string{"store", "memory", "change", "version", "redaction"}, table)
					if (logged || !held[row]) && after[row] != text {
						t.Errorf("%s was\n\t%s\nand is\n\t%s", row, text, after[row])
					}
				}
				d.open()
				defer d.close()
				if report := d.sync(); one && report.Adopted > 0 {
					t.Errorf("the folder was adopted: %+v", report)
				}
				d.check()
				d.write(alice, "after", fmt.Sprint("works ", n, how))
				d.wantFile("after", fmt.Sprint("works ", n, how))
				must(d, os.Remove(d.host("after")))
			})
		}
	}
	t.Logf("%d pages", count)
}

// clearTrail removes the trail of a home and leaves the folders of its stores.
func (w *world) clearTrail() {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.home, "trail.*"))
	must(w, err)
	for _, file := range files {
		must(w, os.Remove(file))
	}
}

// contentOfTrail is every row of a closed trail's history, by its table and id.
func contentOfTrail(w *world) map[string]string {
	w.t.Helper()
	pool := db.OpenFile(filepath.Join(w.home, db.File), "")
	defer func() { _ = pool.Close() }()
	out := map[string]string{}
	for table, columns := range map[string]string{
		"store": "id,hex(uid),name,description,folder,max_bytes,changes", "actor": "*", "session": "*", "memory": "id,hex(uid),store",
		"blob": "id,hex(sha),size,hex(data)", "change": "*", "version": "*", "read": "*", "redaction": "*", "look": "*",
	} {
		if columns == "*" { // a repair may number the records again
			columns = fmt.Sprint(allRows(w, pool, `SELECT group_concat(name) FROM pragma_table_info('`+table+`') WHERE name<>'record'`)[0][0])
		}
		for _, row := range allRows(w, pool, `SELECT `+columns+` FROM `+table) {
			out[fmt.Sprint(table, " ", row[0])] = fmt.Sprint(row...)
		}
	}
	for _, table := range []string{"blob_chunk", "attachment"} {
		for _, row := range allRows(w, pool, `SELECT * FROM `+table) {
			out[fmt.Sprint(table, " ", row[0], "/", row[1])] = fmt.Sprint(row...)
		}
	}
	return out
}

// heldBy names the rows that are on some pages, wholly or in part.
func heldBy(w *world, file string, on func(page int) bool) map[string]bool {
	w.t.Helper()
	pool := db.OpenFile(file, "")
	p, err := pages.Open(file)
	must(w, err)
	defer func() { p.Close(); _ = pool.Close() }()
	held := map[string]bool{}
	var root uint32
	for _, row := range allRows(w, pool, `SELECT name,rootpage FROM sqlite_schema WHERE type='table'`) {
		root = uint32(row[1].(int64))
		for _, n := range below(p, root) {
			t := p.Tree(n)
			for _, c := range t.Cells {
				if on(int(n)) || slices.ContainsFunc(c.Overflow, func(n uint32) bool { return on(int(n)) }) {
					held[fmt.Sprint(row[0], " ", c.RowID)] = true
					if c.RowID == 0 {
						held[fmt.Sprint(row[0], " ", c.Values[0], "/", c.Values[1])] = true
					}
				}
			}
		}
	}
	return held
}

// When the trees that lead to the pages are lost, the rows alone tell which table each page belongs
// to. A new table whose rows look like those of another one breaks that.
func TestRepair_KnowsPagesByTheirRowsAlone(t *testing.T) {
	t.Parallel()
	w := aged(t, 1)
	file := filepath.Join(w.home, db.File)
	want := contentOfTrail(w)
	pool := db.OpenFile(file, "")
	for _, row := range allRows(w, pool, `SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%'`) {
		name := row[0].(string)
		if slices.Contains([]string{"intent", "evidence"}, name) {
			continue // none is left over
		}
		if rows := allRows(w, pool, `SELECT 1 FROM `+name+` LIMIT 1`); len(rows) == 0 {
			t.Errorf("table %s has no row here: aged has to make one", name)
		}
	}
	must(w, pool.Close())
	w.harm(`PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage=0`)
	if done, err := check.Repair(t.Context(), w.home, versions.Options{}); err != nil || !done.Rebuilt || done.Changes+done.Versions+done.Damaged > 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	got := contentOfTrail(w)
	for row, content := range want {
		if got[row] != content {
			t.Errorf("%s is %s, want %s", row, got[row], content)
		}
	}
}
