package db

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/memend/memend/memfs/ramdisk"
)

func TestMain(m *testing.M) { os.Exit(ramdisk.Tests(m).Run()) }

// testSchema is a schema with tables of both forms.
var testSchema = Schema{
	{`CREATE TABLE word(id INTEGER PRIMARY KEY, word TEXT NOT NULL UNIQUE, n INT NOT NULL);
	CREATE TABLE place(room INT NOT NULL, name TEXT NOT NULL, word INT NOT NULL, data BLOB NOT NULL, PRIMARY KEY(room, name)) WITHOUT ROWID;`, ""},
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
		schema[i] = Migration{m.Steps, sum}
	}
	return Config{Dir: t.TempDir(), Schema: schema, Traces: []string{"used"}, Inside: []string{countWords}, Go: func(f func()) { go f() }}
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

func TestSnapshot_NeedsNoSecondConnection(t *testing.T) {
	t.Parallel()
	d := opened(t, testConfig(t))
	d.R.SetMaxOpenConns(1)
	err := d.View(soon(t), func(s Snapshot) error {
		var n int
		if err := s.Prepared(countWords).Scan(&n); err != nil {
			return err
		}
		for row, err := range s.EachPrepared(`SELECT 5678`) {
			if err == nil {
				err = row.Scan(&n)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}, `SELECT 5678`)
	if err != nil {
		t.Error(err)
	}
}

func TestStatement_ThatWaitsForAConnectionHoldsNoneUp(t *testing.T) {
	t.Parallel()
	d := opened(t, testConfig(t))
	d.R.SetMaxOpenConns(1)
	other := make(chan error, 1)
	err := d.View(soon(t), func(s Snapshot) error {
		waited := d.R.Stats().WaitCount
		go func() {
			_, err := d.stmt(s.Ctx, `SELECT 1234`)
			other <- err
		}()
		for d.R.Stats().WaitCount == waited {
			if s.Ctx.Err() != nil {
				return s.Ctx.Err()
			}
			time.Sleep(time.Millisecond)
		}
		done := make(chan struct{})
		go func() { d.prepared(countWords); close(done) }()
		select {
		case <-done:
		case <-s.Ctx.Done():
			t.Error("the holder of the connection waits for a statement that waits for it")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-other; err != nil {
		t.Errorf("the statement that waited: %v", err)
	}
}
