package engine_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/schema"
	"github.com/memend/memend/versions/journal"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/repair"
	"github.com/memend/memend/versions/review"
)

// alone holds the trail's lock: a flush soon after the last write would else use the trail's writer, too.
func (w *world) alone() (release func()) {
	w.t.Helper()
	release, err := w.trail.DB.Acquire(context.Background())
	must(w, err)
	return release
}

// relog writes the log again, as a forger would.
func (w *world) relog() {
	w.t.Helper()
	defer w.alone()()
	x, err := core.BeginWrite(w.t.Context(), w.trail, true)
	must(w, err)
	defer x.Rollback()
	x.Exec(`DELETE FROM log`)
	must(w, journal.Begin(x, time.Now().UnixMicro(), func(int, int) {}))
	must(w, x.Commit())
}

// logged is a closed store with every kind of row that the log covers.
func logged(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, home: newHome(t), folder: t.TempDir()}
	w.open()
	other := w.second()
	w.write(alice, "a", "one\n")
	w.write(robot, "a", "two\n")
	w.write(versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "named secret"}, Session: "a secret session", ToolUse: "toolu_secret", Turn: 3}, "d/b", "b\n")
	w.write(robot, "d/c", "c\n")
	w.rename("d", "e")
	c := w.write(alice, "x", "x\n")
	_, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number))
	must(w, err)
	must(w, os.Symlink("a", w.host("link")))
	must(w, ignore(w.store.Delete(t.Context(), alice, mustPath("link")))) // a change without versions
	w.outside("adopted", "by claude\n")
	w.sync()
	w.tell(wrote("S", "t1", "adopted", "by claude\n", time.Now()))
	w.write(robot, "erased", "a password\n")
	w.write(robot, "erased", "none\n")
	must(w, ignore(other.Write(t.Context(), robot, mustPath("o"), []byte("o"), versions.Pre{})))
	w.exec(`UPDATE change SET message='why', email='ann@example.com' WHERE number=2`)
	must(w, review.SetPolicy(t.Context(), w.store, alice, "", "hold actor:agent path:/held\nallow\n"))
	must(w, review.Pin(t.Context(), w.store, alice, mustPath("pinned"), versions.PinAll))
	w.verify("a")
	for _, name := range []string{"held/1", "held/2"} {
		var held *versions.HeldError
		if _, err := w.store.Write(t.Context(), robot, mustPath(name), []byte("a longer line of held text\n"), versions.Pre{}); !errors.As(err, &held) {
			t.Fatal(err)
		}
		if name == "held/2" {
			must(w, review.Reject(t.Context(), w.store, alice, held.Number, "no"))
		}
	}
	for _, target := range []versions.RedactTarget{{Version: w.history("erased")[1].ID}, {Match: []byte("secret")}} {
		p, err := redact.Prepare(t.Context(), w.store, target)
		must(w, err)
		must(w, ignore(redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{})))
	}
	w.write(alice, "last", "last\n")
	w.flush()
	w.check()
	must(w, other.Close())
	w.close()
	return w
}

func ignore[T any](_ T, err error) error { return err }

// uncovered are the columns that the log leaves out; see package journal.
var uncovered = map[string][]string{
	"session": {"started", "seen"}, "actor": {"title"}, "blob": {"enc", "data"},
	"store": {"id", "folder_identity", "updated", "used", "looked", "view", "records_read", "links"},
}

var logEach = flag.Int("log.each", 80, "alter only every so many rows of each table")

var covered = []string{"change", "version", "attribution", "actor", "session", "log", "policy", "held", "held_item", "pin", "rejected", "redaction", "memory", "blob", "store"}

// tamper runs statements on a copy of a trail, and returns the problems that a check finds, or "" if
// the tables refuse the statements. It rolls them back.
func tamper(t *testing.T, conn *sql.Conn, store int64, texts ...string) (problems []string, refused bool) {
	t.Helper()
	run := func(text string) error {
		_, err := conn.ExecContext(t.Context(), text)
		return err
	}
	if err := run(`BEGIN`); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := run(`ROLLBACK`); err != nil {
			t.Fatal(err)
		}
	}()
	for _, text := range texts {
		if run(text) != nil {
			return nil, true
		}
	}
	q := db.On(t.Context(), conn)
	if problems, err := journal.Verify(q); err != nil || len(problems) > 0 {
		return append(problems, fmt.Sprint(err)), false
	}
	damage, err := repair.Damage(q, schema.Migrations)
	if err != nil {
		return append(damage, err.Error()), false
	}
	problems, _, err = repair.Problems(q, store, nil)
	problems = append(damage, problems...)
	if err != nil {
		problems = append(problems, err.Error())
	}
	return problems, false
}

// openCopy opens the trail's file for statements that nothing checks, and returns the store's row.
func (w *world) openCopy() (conn *sql.Conn, store int64) {
	w.t.Helper()
	pool := db.OpenFile(filepath.Join(w.home, db.File), "")
	w.t.Cleanup(func() { _ = pool.Close() })
	conn, err := pool.Conn(w.t.Context())
	must(w, err)
	w.t.Cleanup(func() { _ = conn.Close() })
	_, err = conn.ExecContext(w.t.Context(), `PRAGMA foreign_keys=OFF`)
	must(w, err)
	must(w, conn.QueryRowContext(w.t.Context(), `SELECT id FROM store WHERE name<>'second'`).Scan(&store))
	return conn, store
}

// rowsOf lists the rows of a table that concern a store, as conditions.
func rowsOf(t *testing.T, conn *sql.Conn, table string, store int64) (out []string) {
	t.Helper()
	which := map[string]string{
		"store": `id=%d`, "version": `change IN (SELECT id FROM change WHERE store=%d)`, "attribution": `change IN (SELECT id FROM change WHERE store=%d)`,
		"actor":     `id IN (SELECT actor FROM change WHERE store=%d)`,
		"session":   `id IN (SELECT session FROM change WHERE store=%d)`,
		"held_item": `held IN (SELECT id FROM held WHERE store=%d)`,
		"blob":      `id IN (SELECT blob FROM version v JOIN change c ON c.id=v.change WHERE store=%d)`,
	}[table]
	if which == "" {
		which = `store=%d`
	}
	if table == "log" {
		which = `coalesce(store,%[1]d)=%[1]d`
	}
	key := map[string]string{"log": `'n='||n`, "pin": `'path='||quote(path)`, "rejected": `'hash='||quote(hash)`, "held_item": `'held='||held||' AND n='||n`}[table]
	if key == "" {
		key = `'id='||id`
	}
	q := db.On(t.Context(), conn)
	out, err := db.Values[string](q.Rows(`SELECT ` + key + ` FROM ` + table + ` WHERE ` + fmt.Sprintf(which, store) + ` ORDER BY 1`))
	if err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("table %s has no row here", table)
	}
	return out
}

func columnsOf(t *testing.T, conn *sql.Conn, table string) (out []db.Column) {
	t.Helper()
	out, err := db.Columns(db.On(t.Context(), conn), table)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// alterations are expressions for another value of a column: its lowest and highest bits, more of it, less of it,
// another type, none.
func alterations(column string) []string {
	return []string{
		strings.ReplaceAll(`CASE typeof(#) WHEN 'integer' THEN (#|1)-(#&1) WHEN 'text' THEN char(unicode(#)+1)||substr(#,2) WHEN 'blob' THEN CAST(x'00'||substr(#,2) AS BLOB) ELSE 1 END`, "#", column),
		strings.ReplaceAll(`CASE typeof(#) WHEN 'integer' THEN #+1 WHEN 'text' THEN substr(#,1,length(#)-1) WHEN 'blob' THEN CAST(substr(#,1,length(#)-1)||x'01' AS BLOB) ELSE 'x' END`, "#", column),
		strings.ReplaceAll(`CASE typeof(#) WHEN 'integer' THEN #+(1<<40) WHEN 'text' THEN #||'x' WHEN 'blob' THEN CAST(#||x'00' AS BLOB) ELSE x'00' END`, "#", column),
		strings.ReplaceAll(`CASE typeof(#) WHEN 'integer' THEN -1-# WHEN 'text' THEN #||char(0) WHEN 'blob' THEN substr(#,1,length(#)-1) ELSE 0 END`, "#", column),
		strings.ReplaceAll(`CASE typeof(#) WHEN 'text' THEN CAST(# AS BLOB) WHEN 'blob' THEN CAST(# AS TEXT) ELSE CAST(# AS TEXT) END`, "#", column),
		`NULL`, `''`, `0`,
	}
}

// Every column of every row that counts is covered: whatever else it says, a check finds it.
// README: "check names an altered record".
func TestCheck_FindsEveryAlteredRow(t *testing.T) {
	t.Parallel()
	w := logged(t)
	conn, store := w.openCopy()
	if problems, _ := tamper(t, conn, store); len(problems) > 0 {
		t.Fatal(problems)
	}
	found, refused := 0, 0
	for _, table := range covered {
		for i, row := range rowsOf(t, conn, table, store) {
			if i%*logEach != 0 {
				continue
			}
			for _, c := range columnsOf(t, conn, table) {
				if slices.Contains(uncovered[table], c.Name) {
					continue
				}
				for _, value := range sampled(alterations(c.Name)) {
					var differs bool
					err := conn.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT %s IS NOT %s OR typeof(%[1]s)<>typeof(%[2]s) FROM %s WHERE %s`, value, c.Name, table, row)).Scan(&differs)
					if err != nil {
						t.Fatal(err)
					}
					if !differs {
						continue
					}
					text := fmt.Sprintf(`UPDATE %s SET %s=%s WHERE %s`, table, c.Name, value, row)
					var before, after any
					_ = conn.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT %s FROM %s WHERE %s`, c.Name, table, row)).Scan(&before)
					problems, no := tamper(t, conn, store, text)
					switch {
					case no:
						refused++
					case len(problems) == 0:
						if stays(t, conn, table, row, c.Name, value) {
							continue
						}
						t.Errorf("not found: %s; it was %v, is %v", text, before, after)
					default:
						found++
					}
				}
			}
		}
	}
	t.Logf("%d alterations found; %d more that the tables refuse", found, refused)
}

// stays reports whether the column's type turns a value back into what was there.
func stays(t *testing.T, conn *sql.Conn, table, row, column, value string) (same bool) {
	t.Helper()
	for _, text := range []string{`BEGIN`, fmt.Sprintf(`CREATE TEMP TABLE was AS SELECT %s AS v FROM %s WHERE %s`, column, table, row), fmt.Sprintf(`UPDATE %s SET %s=%s WHERE %s`, table, column, value, row)} {
		if _, err := conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	_ = conn.QueryRowContext(t.Context(), fmt.Sprintf(`SELECT v IS %s AND typeof(v)=typeof(%[1]s) FROM was, %s WHERE %s`, column, table, row)).Scan(&same)
	if _, err := conn.ExecContext(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	return same
}

// A row that is dropped, inserted or swapped with another is found, and so is a history that was cut.
func TestCheck_FindsDroppedInsertedAndSwappedRows(t *testing.T) {
	t.Parallel()
	w := logged(t)
	conn, store := w.openCopy()
	for _, table := range covered {
		rows := rowsOf(t, conn, table, store)
		if table != "store" {
			for _, row := range rows {
				if problems, _ := tamper(t, conn, store, `DELETE FROM `+table+` WHERE `+row); len(problems) == 0 {
					t.Errorf("%s: %s: its removal was not found", table, row)
				}
			}
		}
		if slices.Contains([]string{"store", "actor", "session", "memory", "blob"}, table) {
			continue // a further one that nothing refers to says nothing
		}
		var columns, fresh, sets []string
		for _, c := range columnsOf(t, conn, table) {
			columns = append(columns, c.Name)
			fresh = append(fresh, map[string]string{"id": "id+1000", "uid": "randomblob(15)", "path": "path||'2'", "hash": "randomblob(32)", "n": "n+1000"}[c.Name])
			if fresh[len(fresh)-1] == "" || table == "version" && c.Name == "path" {
				fresh[len(fresh)-1] = c.Name
			}
			if c.Name == "number" {
				fresh[len(fresh)-1] = "number+1000"
			}
			if c.Name != "id" && c.Name != "number" && c.Name != "uid" && c.Name != "memory" {
				sets = append(sets, fmt.Sprintf(`%s=(SELECT %[1]s FROM swapped WHERE id=-%s.id)`, c.Name, table))
			}
		}
		last := rows[len(rows)-1]
		if problems, refused := tamper(t, conn, store, fmt.Sprintf(`INSERT INTO %[1]s(%[2]s) SELECT %[3]s FROM %[1]s WHERE %[4]s`, table, strings.Join(columns, ","), strings.Join(fresh, ","), last)); len(problems) == 0 || refused {
			t.Errorf("%s: an insertion was not found (refused: %t)", table, refused)
		}
		if !strings.HasPrefix(last, "id=") || len(rows) < 2 {
			continue
		}
		a, b := strings.TrimPrefix(rows[0], "id="), strings.TrimPrefix(rows[1], "id=")
		if problems, refused := tamper(t, conn, store,
			fmt.Sprintf(`CREATE TEMP TABLE swapped AS SELECT * FROM %s WHERE id IN (%s,%s)`, table, a, b),
			fmt.Sprintf(`UPDATE swapped SET id=-(%s+%s-id)`, a, b),
			fmt.Sprintf(`UPDATE %s SET %s WHERE id IN (%s,%s)`, table, strings.Join(sets, ","), a, b)); len(problems) == 0 || refused {
			t.Errorf("%s: two swapped rows were not found (refused: %t)", table, refused)
		}
	}
	cut := []string{
		`DELETE FROM head WHERE version IN (SELECT id FROM version WHERE change=(SELECT max(id) FROM change WHERE store=1))`,
		`DELETE FROM version WHERE change=(SELECT max(id) FROM change WHERE store=1)`,
		`DELETE FROM memory WHERE id NOT IN (SELECT memory FROM version)`,
		`DELETE FROM change WHERE id=(SELECT max(id) FROM change WHERE store=1)`,
		`UPDATE store SET changes=changes-1 WHERE id=1`,
	}
	for i := range cut {
		cut[i] = strings.ReplaceAll(cut[i], "=1", fmt.Sprint("=", store))
	}
	if problems, refused := tamper(t, conn, store, cut...); len(problems) == 0 || refused {
		t.Error("the last change was cut off, and that was not found")
	}
}

// Whoever computes the whole chain again after the last change was cut off, or another was altered, is found
// only by a head that was kept elsewhere.
// README: "check --since proves a history against a kept check --head".
func TestCheckSince_FindsAChainThatWasComputedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	w.write(robot, "a", "two\n")
	head := func() versions.LogHead {
		problems, h, err := check.Since(t.Context(), w.store, nil)
		if err != nil || len(problems) > 0 {
			t.Fatal(problems, err)
		}
		parsed, err := versions.ParseLogHead(h.String())
		if err != nil || parsed != h {
			t.Fatalf("%v, %v, %v", h, parsed, err)
		}
		return h
	}
	kept := head()
	since := func() []string {
		problems, _, err := check.Since(t.Context(), w.store, &kept)
		must(w, err)
		return problems
	}
	w.write(robot, "a", "three\n")
	must(w, review.Pin(t.Context(), w.store, alice, mustPath("a"), versions.PinAgents))
	if now := head(); since() != nil || now.Change != kept.Change+1 || now.Record <= kept.Record {
		t.Errorf("%v after %v: %q", now, kept, since())
	}
	must(w, review.Unpin(t.Context(), w.store, alice, mustPath("a")))
	p, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Version: w.history("a")[1].ID})
	must(w, err)
	must(w, ignore(redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{})))
	if problems := since(); problems != nil {
		t.Errorf("after a redaction: %q", problems)
	}
	kept = head()
	w.exec(`UPDATE change SET ts=ts+1 WHERE number=1`)
	w.relog()
	if problems, err := check.Store(t.Context(), w.store); err != nil || len(problems) > 0 {
		t.Errorf("%q, %v", problems, err)
	}
	if problems := since(); len(problems) == 0 {
		t.Error("a chain that was computed again was not found")
	}
	kept = head()
	kept.Change++
	if problems := since(); len(problems) == 0 {
		t.Error("a history that was cut was not found")
	}
	kept.Store = "memstore_other"
	if _, _, err := check.Since(t.Context(), w.store, &kept); !errors.Is(err, versions.ErrInvalid) {
		t.Error(err)
	}
}

// A short secret can be guessed. While its version is there, a record of the log has its hash; after a redaction
// nothing in the trail shows which guess is right.
func TestARedaction_LeavesNothingToCompareAGuessWith(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "pin.txt", "pin 4711")
	w.write(alice, "pin.txt", "gone")
	v := w.history("pin.txt")[1]
	at := fmt.Sprint(w.one(`SELECT n FROM log WHERE instr(secret,(SELECT sha FROM blob WHERE id=(SELECT blob FROM version WHERE number=1)))>0`))
	secret, _ := w.one(`SELECT secret FROM log WHERE n=` + at).([]byte)
	right := versions.Sum([]byte("pin 4711"))
	guesses := func() (fits []string) {
		all := slices.Concat(w.blobs(`SELECT secret FROM log`), w.blobs(`SELECT was FROM log`), w.blobs(`SELECT hash FROM log`), w.blobs(`SELECT head FROM log`), w.blobs(`SELECT sha FROM blob`))
		for i := 4700; i < 4720; i++ {
			guess := fmt.Sprint("pin ", i)
			h := versions.Sum([]byte(guess))
			// The record's own commitment with each salt that is still there, and none.
			bodies := [][]byte{bytes.ReplaceAll(secret[16:], right[:], h[:])}
			for _, b := range all {
				for k := 0; k+16 <= len(b); k++ {
					bodies = append(bodies, append(slices.Clone(b[k:k+16]), bodies[0]...))
				}
			}
			for _, b := range all {
				found := bytes.Contains(b, h[:])
				for _, body := range bodies {
					c := sha256.Sum256(body)
					found = found || bytes.Equal(b, c[:])
				}
				if found {
					fits = append(fits, guess)
					break
				}
			}
		}
		return fits
	}
	if got := guesses(); !slices.Equal(got, []string{"pin 4711"}) {
		t.Fatalf("before the redaction: %q", got)
	}
	p, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Version: v.ID})
	must(w, err)
	must(w, ignore(redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{})))
	if got := guesses(); len(got) > 0 {
		t.Errorf("after it, these guesses fit: %q", got)
	}
}

// one reads one value of the trail.
func (w *world) one(text string) (v any) {
	w.t.Helper()
	must(w, db.On(w.t.Context(), w.trail.DB.W).Row(text).Scan(&v))
	return v
}

// blobs reads a column of blobs and leaves out NULLs.
func (w *world) blobs(text string) (out [][]byte) {
	w.t.Helper()
	all, err := db.Values[[]byte](db.On(w.t.Context(), w.trail.DB.W).Rows(text))
	must(w, err)
	for _, b := range all {
		if b != nil {
			out = append(out, b)
		}
	}
	return out
}

// A repair writes altered rows again as the log has them. If a record of the log itself was altered, it accepts what it
// finds, and says for good from where on the log is not what it was.
func TestARepair_ReplaysTheLogAndSaysWhereItBeginsAnew(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, says string }{
		"a change":           {`UPDATE change SET ts=ts+1 WHERE number=2`, ""},
		"a removed change":   {`DELETE FROM version WHERE change=3; DELETE FROM change WHERE id=3`, ""},
		"two numbers":        {`UPDATE change SET number=-1 WHERE number=2; UPDATE change SET number=2 WHERE number=3; UPDATE change SET number=3 WHERE number=-1`, ""},
		"a policy":           {`UPDATE policy SET text='allow'`, ""},
		"all that is logged": {`DELETE FROM head; DELETE FROM version; DELETE FROM attribution; DELETE FROM change; DELETE FROM policy; DELETE FROM held_item; DELETE FROM held; DELETE FROM pin; DELETE FROM verified`, ""},
		"a record":           {`UPDATE log SET ts=ts+1 WHERE n=5`, "the log begins anew at record 5, after a repair on 20"},
		"a secret":           {`UPDATE log SET secret=x'00' WHERE n=(SELECT max(n) FROM log WHERE secret IS NOT NULL)`, "the log begins anew at record"},
		"some records":       {`DELETE FROM log WHERE n IN (7,9,10)`, "the log begins anew at record 7"},
		"the whole log":      {`DELETE FROM log`, "rows were written again"},
		"nothing":            {`SELECT 1`, ""},
	}
	for _, name := range sampled(slices.Sorted(maps.Keys(cases))) {
		c := cases[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := logged(t)
			before := w.tables()
			w.harm(c.text)
			conn, store := w.openCopy()
			if problems, _ := tamper(t, conn, store); (len(problems) > 0) != (name != "nothing") {
				t.Errorf("before the repair: %q", problems)
			}
			must(w, ignore(check.Repair(t.Context(), w.home, versions.Options{})))
			w.open()
			w.check()
			losses, err := check.Losses(t.Context(), w.store)
			if err != nil || (len(losses) > 0) != (c.says != "") || !strings.Contains(strings.Join(losses, "\n"), c.says) {
				t.Errorf("losses %q, %v", losses, err)
			}
			w.close()
			if after := w.tables(); after != before {
				was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
				t.Errorf("the tables are not what they were: without %q, with %q", lacking(is, was), lacking(was, is))
			}
			w.open()
			defer w.close()
			w.write(alice, "after", "it goes on")
			w.check()
		})
	}
}

// lacking returns what the second list has and the first has not.
func lacking(b, a []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// tables returns all rows of the tables that the log writes, and of the heads without the signatures of files.
func (w *world) tables() string {
	w.t.Helper()
	pool := db.OpenFile(filepath.Join(w.home, db.File), "")
	defer func() { must(w, pool.Close()) }()
	return tablesOf(w, db.On(w.t.Context(), pool), "head")
}

// projected are the tables that the log writes.
var projected = append(slices.DeleteFunc(slices.Clone(covered), func(s string) bool { return s == "log" }), "verified")

func tablesOf(w *world, q db.Queryer, more ...string) string {
	w.t.Helper()
	var out strings.Builder
	for _, table := range append(slices.Clone(projected), more...) {
		var columns []string
		for _, c := range columnsInOrder(w.t, q, table) {
			if c != "record" && !slices.Contains(uncovered[table], c) && !(table == "head" && slices.Contains([]string{"size", "mtime", "ctime", "ino", "seen", "packed"}, c)) {
				columns = append(columns, c)
			}
		}
		values, to := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		var texts []string
		rows := q.Rows(`SELECT ` + strings.Join(columns, ",") + ` FROM ` + table) // a text of each row by SQLite would take longer to prepare
		for range rows.Each(to...) {
			texts = append(texts, fmt.Sprintf("%s %#v\n", table, values))
		}
		must(w, rows.Err())
		slices.Sort(texts)
		for _, text := range texts {
			out.WriteString(text)
		}
	}
	return out.String()
}

// replays writes the tables anew from the log, and compares them with what they were.
func (w *world) replays() {
	w.t.Helper()
	defer w.alone()()
	x, err := w.trail.DB.Begin(context.Background(), true)
	must(w, err)
	defer x.Rollback()
	var changes int
	must(w, x.Row(`SELECT count(*) FROM change`).Scan(&changes))
	if changes > 200 && *logEach > 1 {
		return // it takes long
	}
	before := tablesOf(w, x)
	w.writeAnew(x)
	if after := tablesOf(w, x); after != before {
		was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
		w.t.Errorf("replaying the log: without %q, with %q", lacking(is, was), lacking(was, is))
	}
}

// writeAnew deletes what is in the tables, and writes it from the log.
func (w *world) writeAnew(x journal.Tx) {
	w.t.Helper()
	x.Exec(`PRAGMA defer_foreign_keys=ON`)
	for _, table := range []string{"verified", "redaction", "rejected", "held_item", "held", "pin", "policy", "attribution", "version", "change"} {
		x.Exec(`DELETE FROM ` + table)
	}
	for _, text := range []string{`UPDATE store SET name='lost '||id, files='lost'`, `UPDATE session SET uid='lost '||id`, `UPDATE actor SET name='lost '||id`, `UPDATE memory SET uid=randomblob(15)`} {
		x.Exec(text)
	}
	must(w, ignore(journal.Replay(x, func(int, int) {})))
}

// exports returns the history of the store in the formats that hold all of it.
func (w *world) exports() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	for name, open := range map[string]func(io.Writer) exportWriter{
		"JSON lines": func(to io.Writer) exportWriter { return exchange.NewJSONWriter(to) },
		"git":        func(to io.Writer) exportWriter { return exchange.NewGitWriter(to) },
	} {
		var b strings.Builder
		to := open(&b)
		must(w, errors.Join(exchange.Export(w.t.Context(), w.store, to.Write), to.Close()))
		out[name] = b.String()
	}
	return out
}

type exportWriter interface {
	Write(versions.Item) error
	Close() error
}

// An export reads the tables. What it writes is in the log all the same: it has the same bytes after the tables were
// written from the log alone.
func TestAnExportSaysWhatTheLogSays(t *testing.T) {
	t.Parallel()
	opened := func(w *world) *world {
		w.open()
		w.t.Cleanup(w.close)
		return w
	}
	homes := map[string]func(t *testing.T) *world{
		"every kind of record": func(t *testing.T) *world { return opened(logged(t)) },
		"a hosted store": func(t *testing.T) *world {
			w := newTwin(t)
			w.there("/a.md", "a "+thereSecret+"\n")
			w.there("/a.md", "two\n")
			w.pull()
			w.write(robot, "b.md", "b\n")
			w.outside("c.md", "c\n")
			w.sync()
			w.pull()
			must(w.world, ignore(w.redactSecret()))
			return w.world
		},
	}
	seed := testSeed(t)
	for i := range *convertHomes {
		homes[fmt.Sprint("random home ", i)] = func(t *testing.T) *world {
			return opened(randomHome(t, rand.New(rand.NewPCG(uint64(seed), uint64(i)))))
		}
	}
	for name, home := range homes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := home(t)
			before := w.exports()
			func() {
				defer w.alone()()
				x, err := w.trail.DB.Begin(t.Context(), true)
				must(w, err)
				defer x.Rollback()
				w.writeAnew(x)
				must(w, x.Commit())
			}()
			for format, was := range before {
				if is := w.exports()[format]; is != was || len(was) < 1000 {
					t.Errorf("%s: without %q, with %q, of %d bytes", format, lacking(strings.Split(is, "\n"), strings.Split(was, "\n")), lacking(strings.Split(was, "\n"), strings.Split(is, "\n")), len(was))
				}
			}
		})
	}
}

// columnsOfTables are the names of columns by the statement that made their table: most tests have the same tables, and ask
// at their end.
var columnsOfTables sync.Map

func columnsInOrder(t *testing.T, q db.Queryer, table string) (out []string) {
	t.Helper()
	var made string
	if err := q.Row(`SELECT sql FROM sqlite_schema WHERE name=?`, table).Scan(&made); err != nil {
		t.Fatal(err)
	}
	if known, ok := columnsOfTables.Load(made); ok {
		return known.([]string)
	}
	defer func() { columnsOfTables.Store(made, out) }()
	all, err := db.Columns(q, table)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		out = append(out, c.Name)
	}
	return out
}

// verify marks the current version of a memory as verified, as releases did that had such marks: the log still
// has the rows, and a repair keeps them.
func (w *world) verify(p string) {
	w.t.Helper()
	w.must(core.AsPerson(w.t.Context(), w.store, alice, "verify", func(x *core.Txn) error {
		actor, err := x.Actor(alice.Actor)
		if err != nil {
			return err
		}
		x.Exec(`INSERT INTO verified(version,withdrawn,actor,ts) SELECT version,0,?,? FROM head WHERE store=? AND vuid=?`,
			actor, x.TS, w.store.Row, ids.Parse(ids.VersionPrefix, string(w.entry(p).Version)))
		return x.Err()
	}))
}
