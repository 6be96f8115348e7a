package engine_test

import (
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
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/schema"
	"github.com/memend/memend/versions/journal"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
)

var convertHomes = flag.Int("convert.homes", 2, "how many random homes are converted, and exported")

// The conversion of a home of the format before the log changes nothing that it says, and the log that it writes
// has all of it.
func TestAHomeOfTheFormatBeforeTheLogIsConvertedExactly(t *testing.T) {
	t.Parallel()
	seed := testSeed(t)
	for i := range *convertHomes {
		t.Run(fmt.Sprint("home ", i), func(t *testing.T) {
			t.Parallel()
			w := randomHome(t, rand.New(rand.NewPCG(uint64(seed), uint64(i))))
			w.converts()
		})
	}
}

// So does that of a real history: 4,414 changes by agents.
func TestARealHistoryIsConvertedExactly(t *testing.T) {
	t.Parallel()
	ops := corpusOps(t)
	w := &world{t: t, home: newHome(t), folder: t.TempDir()}
	w.open()
	for i, op := range ops {
		by := versions.By{Door: versions.DoorTool, Actor: versions.Actor{Kind: versions.Agent, Name: op.actor}, Session: versions.SessionID("run " + op.actor), ToolUse: fmt.Sprint("toolu_", i)}
		path := mustPath(op.Path[1:])
		var err error
		switch op.Op {
		case "delete":
			err = ignore(w.store.Delete(t.Context(), by, path))
		case "rename":
			err = ignore(w.store.Rename(t.Context(), by, mustPath(op.From[1:]), path))
		default:
			err = ignore(w.store.Write(t.Context(), by, path, []byte(op.content), versions.Pre{}))
		}
		must(w, err)
	}
	w.close()
	w.converts()
}

// converts makes a closed home one of the format before the log, and opens it again.
func (w *world) converts() {
	w.t.Helper()
	w.harm(`UPDATE change SET others=NULL`) // the format had no such column
	before := w.tables()
	w.downgrade()
	began := time.Now()
	w.open()
	w.t.Logf("converted in %v", time.Since(began))
	w.check()
	w.close()
	if after := w.tables(); after != before {
		was, is := strings.Split(before, "\n"), strings.Split(after, "\n")
		w.t.Errorf("the conversion changed the tables: without %q, with %q", lacking(is, was), lacking(was, is))
	}
	if !slices.ContainsFunc(mustGlob(w, "trail.format-*.db"), func(s string) bool { return strings.HasSuffix(s, fmt.Sprint("-", journal.Format-1, ".db")) }) {
		w.t.Error("no copy of the trail was left")
	}
}

func mustGlob(w *world, pattern string) []string {
	w.t.Helper()
	names, err := filepath.Glob(filepath.Join(w.home, pattern))
	must(w, err)
	return names
}

// downgrade writes the database of a closed home in the format before the log.
func (w *world) downgrade() {
	w.t.Helper()
	now, old := filepath.Join(w.home, db.File), filepath.Join(w.home, "old.db")
	pool := db.OpenFile(old, "&_pragma=foreign_keys(0)")
	for _, m := range schema.Migrations[:journal.Format-1] {
		must(w, second(pool.ExecContext(w.t.Context(), m.Steps)))
	}
	q := db.On(w.t.Context(), pool)
	tables, err := db.Tables(q)
	must(w, err)
	must(w, second(pool.ExecContext(w.t.Context(), `ATTACH ? AS now`, now)))
	for _, table := range tables {
		var shared []string
		for _, c := range columnsInOrder(w.t, q, table) {
			var has bool
			must(w, q.Row(`SELECT EXISTS(SELECT 1 FROM pragma_table_info(?,'now') WHERE name=?)`, table, c).Scan(&has))
			if has {
				shared = append(shared, c)
			}
		}
		if len(shared) > 0 {
			names := strings.Join(shared, ",")
			must(w, second(pool.ExecContext(w.t.Context(), `INSERT INTO main.`+table+`(`+names+`) SELECT `+names+` FROM now.`+table)))
		}
	}
	must(w, second(pool.ExecContext(w.t.Context(), fmt.Sprintf(`PRAGMA user_version=%d`, journal.Format-1))))
	must(w, errors.Join(pool.Close(), os.Rename(old, now)))
	for _, end := range []string{"-wal", "-shm"} {
		_ = os.Remove(now + end)
	}
}

// randomHome is a closed home with a random history: changes by people, agents and other programs, undone and redone
// ones, renames, policies, pins, held and rejected changes, and redactions.
func randomHome(t *testing.T, r *rand.Rand) *world {
	w := &world{t: t, home: newHome(t), folder: t.TempDir()}
	w.open()
	names := []string{"a", "b", "d/c", "d/e", "f/g/h", "i"}
	name := func() string { return names[r.IntN(len(names))] }
	who := []versions.By{alice, robot, {Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "other"}, Session: "other's session", ToolUse: "toolu_1", Turn: 2}}
	allowed := func(err error) { // what policy, pins and what is in the way refuse
		var held *versions.HeldError
		var denied *versions.DeniedError
		if err != nil && !errors.As(err, &held) && !errors.As(err, &denied) && strings.Contains(err.Error(), "damaged") {
			t.Fatal(err)
		}
	}
	var last int64
	for range 60 {
		by := who[r.IntN(len(who))]
		switch r.IntN(14) {
		case 0:
			allowed(ignore(w.store.Delete(t.Context(), by, mustPath(name()))))
		case 1:
			allowed(ignore(w.store.Rename(t.Context(), by, mustPath(name()), mustPath(name()))))
		case 2:
			if last > 0 {
				allowed(ignore(plan.Do(t.Context(), w.store, alice, plan.UndoChange(1+r.Int64N(last)))))
			}
		case 3:
			if last > 0 {
				allowed(ignore(plan.Do(t.Context(), w.store, alice, plan.RedoChange(1+r.Int64N(last)))))
			}
		case 4:
			_ = os.MkdirAll(filepath.Dir(w.host("d/outside")), 0o700)
			if os.WriteFile(w.host("d/outside"), fmt.Appendf(nil, "outside %d\n", r.IntN(100)), 0o600) == nil {
				w.sync()
			}
		case 5:
			allowed(review.SetPolicy(t.Context(), w.store, alice, "", []string{"hold actor:agent path:/d\nallow\n", "allow\n"}[r.IntN(2)]))
		case 6:
			if p := mustPath(name()); r.IntN(2) == 0 {
				allowed(review.Pin(t.Context(), w.store, alice, p, versions.PinAgents))
			} else {
				allowed(review.Unpin(t.Context(), w.store, alice, p))
			}
		case 7:
			held, err := review.Held(t.Context(), w.store, versions.HeldFilter{State: versions.HeldWaiting})
			must(w, err)
			for _, h := range held {
				allowed(review.Reject(t.Context(), w.store, alice, h.Number, "no"))
			}
		case 8:
			p, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Match: fmt.Appendf(nil, "secret %d", r.IntN(4))})
			must(w, err)
			allowed(ignore(redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("gone")})))
		default:
			c, err := w.store.Write(t.Context(), by, mustPath(name()), fmt.Appendf(nil, "a line of text\nsecret %d\nnumber %d\n", r.IntN(4), r.IntN(50)), versions.Pre{})
			allowed(err)
			last = max(last, c.Number)
		}
	}
	w.close()
	return w
}
