package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/memfs/testdata/ramdisk"
)

func TestMain(m *testing.M) { os.Exit(ramdisk.Tests(m).Run()) }

// testSchema is a schema with tables of both forms.
var testSchema = Schema{
	{Steps: `CREATE TABLE word(id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, n INT NOT NULL);
	CREATE TABLE place(room INT NOT NULL, name TEXT NOT NULL, word INT NOT NULL, data BLOB NOT NULL, PRIMARY KEY(room, name)) WITHOUT ROWID;`},
}

// testConfig describes a database in a folder of its own.
func testConfig(t *testing.T) Config {
	schema := make(Schema, len(testSchema))
	pool := OpenFile(":memory:", "")
	defer func() { _ = pool.Close() }()
	for i, m := range testSchema {
		if _, err := pool.ExecContext(t.Context(), m.Steps); err != nil {
			t.Fatal(err)
		}
		_, sum, err := SchemaSum(On(t.Context(), pool))
		if err != nil {
			t.Fatal(err)
		}
		schema[i] = Migration{Steps: m.Steps, Sum: sum}
	}
	return Config{Dir: t.TempDir(), Schema: schema, Traces: []string{"used"}, Go: func(f func()) { go f() }}
}

const countWords = `SELECT count(*) FROM word`

// opened opens a database that is closed with the test.
func opened(t *testing.T, c Config) *DB {
	t.Helper()
	d, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// change runs a durable transaction.
func change(t *testing.T, d *DB, do func(x *Tx) error) {
	t.Helper()
	unlock, err := d.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	x, err := d.Begin(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Rollback()
	if err := do(x); err != nil {
		t.Fatal(err)
	}
	if err := x.Commit(); err != nil {
		t.Fatal(err)
	}
}

// soon is a context in which nothing may wait forever.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// hold keeps n connections of readers in use until the test ends.
func hold(t *testing.T, d *DB, n int) {
	t.Helper()
	held, done := make(chan error), make(chan struct{})
	ended := sync.WaitGroup{}
	for range n {
		ended.Go(func() {
			err := d.View(soon(t), func(Snapshot) error {
				held <- nil
				<-done
				return nil
			})
			if err != nil {
				held <- err
			}
		})
		if err := <-held; err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		close(done)
		ended.Wait()
	})
}

func TestSnapshot_NeedsNoSecondConnection(t *testing.T) {
	t.Parallel()
	d := opened(t, testConfig(t))
	hold(t, d, MaxReaders-1)
	err := d.View(soon(t), func(s Snapshot) error {
		var n int
		if err := s.Row(countWords).Scan(&n); err != nil {
			return err
		}
		return s.Row(`SELECT 5678`).Scan(&n)
	})
	if err != nil {
		t.Error(err)
	}
}

// Whoever finds all connections in use waits, but not longer than it wants.
func TestView_WaitsForAConnection(t *testing.T) {
	t.Parallel()
	d := opened(t, testConfig(t))
	hold(t, d, MaxReaders)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Row(ctx, countWords).Scan(new(int)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A statement can run while its own rows are read, in the same transaction.
func TestStatement_RunsInsideItself(t *testing.T) {
	t.Parallel()
	d := opened(t, testConfig(t))
	change(t, d, func(x *Tx) error { return errors.Join(put(x, 1, "one"), put(x, 2, "two"), put(x, 3, "three")) })
	pairs := func(q Queryer) (out []string, err error) {
		const words = `SELECT word FROM word ORDER BY id`
		var a, b string
		outer := q.Rows(words)
		for range outer.Each(&a) {
			inner := q.Rows(words)
			for range inner.Each(&b) {
				out = append(out, a+" "+b)
			}
			if err := inner.Err(); err != nil {
				return nil, err
			}
			if err := q.Row(words).Scan(&b); err != nil || b != "one" {
				t.Errorf("%q, %v", b, err)
			}
		}
		return out, outer.Err()
	}
	for range 2 { // the second time everything is prepared
		err := d.View(soon(t), func(s Snapshot) error {
			if got, err := pairs(s); err != nil || len(got) != 9 || got[5] != "two three" {
				t.Errorf("%q, %v", got, err)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		change(t, d, func(x *Tx) error {
			if got, err := pairs(x); err != nil || len(got) != 9 || got[5] != "two three" {
				t.Errorf("%q, %v", got, err)
			}
			return nil
		})
	}
}

// More texts than a connection keeps are forgotten, also while they run.
func TestStatements_AreBounded(t *testing.T) {
	t.Parallel()
	d := opened(t, testConfig(t))
	err := d.View(soon(t), func(s Snapshot) error {
		rows := s.Rows(`SELECT 1 UNION SELECT 2`)
		for range rows.Each(new(int)) {
			for i := range 3 * maxPrepared {
				var n int
				if err := s.Row(fmt.Sprint(`SELECT `, i)).Scan(&n); err != nil || n != i {
					return fmt.Errorf("%d: %d, %w", i, n, err)
				}
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if n := len(s.c.byText); n > maxPrepared {
			t.Errorf("it keeps %d", n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A read that is cancelled ends its snapshot: the next one on its connection sees what was written since.
func TestView_ThatIsCancelledEndsItsSnapshot(t *testing.T) {
	t.Parallel()
	d := opened(t, testConfig(t))
	hold(t, d, MaxReaders-1)
	ctx, cancel := context.WithCancel(soon(t))
	err := d.View(ctx, func(s Snapshot) error {
		_ = s.Row(countWords).Scan(new(int))
		cancel()
		return s.Row(countWords).Scan(new(int))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	change(t, d, func(x *Tx) error { return put(x, 1, "one") })
	var n int
	if err := d.Row(soon(t), countWords).Scan(&n); err != nil || n != 1 {
		t.Errorf("%d words, %v", n, err)
	}
}

// Queries that fail, that find nothing or that are not read to their end give their connection back.
func TestQueries_GiveTheirConnectionBack(t *testing.T) {
	t.Parallel()
	d := opened(t, testConfig(t))
	change(t, d, func(x *Tx) error { return errors.Join(put(x, 1, "one"), put(x, 2, "two")) })
	for range 2 * MaxReaders {
		if err := d.Row(soon(t), `SELECT nothing FROM word`).Scan(new(int)); err == nil {
			t.Error("a column that is not there was read")
		}
		if err := d.Row(soon(t), `SELECT n FROM word WHERE id=3`).Scan(new(int)); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("%v", err)
		}
		if _, err := Values[int](d.Rows(soon(t), `SELECT nothing FROM word`)); err == nil {
			t.Error("a column that is not there was read")
		}
		rows := d.Rows(soon(t), `SELECT n FROM word`)
		for range rows.Each(new(int)) {
			break
		}
		if err := rows.Err(); err != nil {
			t.Error(err)
		}
	}
}
