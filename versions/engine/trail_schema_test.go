package engine_test

import (
	"bytes"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/db"
	vengine "github.com/memend/memend/versions/engine"
	vschema "github.com/memend/memend/versions/internal/schema"
)

// What is released is never edited; and as each step makes a schema of its own,
// the schema says which format a trail is of.
func TestEachMigrationMakesTheSchemaOfItsSum(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range vschema.Migrations {
		pool := db.OpenFile(":memory:", "")
		for _, m := range vschema.Migrations[:i+1] {
			if _, err := pool.ExecContext(t.Context(), m.Steps); err != nil {
				t.Fatal(err)
			}
		}
		_, sum, err := db.SchemaSum(db.On(t.Context(), pool))
		if err != nil || vschema.Migrations[i].Sum != sum || seen[sum] {
			t.Errorf("format %d: its schema has the sum %s, %v", i+1, sum, err)
		}
		seen[sum] = true
		if m := vschema.Migrations[i]; m.Whole != "" || i == len(vschema.Migrations)-1 {
			checkWhole(t, pool, m)
		}
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	}
}

var updateTables = flag.Bool("update", false, "write the file with the tables of the newest format")

// checkWhole compares the statements for a new home with the schema that the migrations made.
func checkWhole(t *testing.T, migrated *sql.DB, m db.Migration) {
	const all = `SELECT group_concat(sql||';'||char(10), '' ORDER BY rowid) FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*'`
	var want string
	if err := migrated.QueryRowContext(t.Context(), all).Scan(&want); err != nil {
		t.Fatal(err)
	}
	if *updateTables {
		if err := os.WriteFile("../internal/schema/tables.sql", []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if m.Whole != want {
		t.Error("the tables of a new home are not those that the migrations make; -update writes them")
	}
}

// The number of a trail's format and its schema are text and digits in a file like
// all else: what the disk changes in them is seen at once, and costs nothing.
func TestDamageToTheSchemaIsSeenAtOpenAndMended(t *testing.T) {
	t.Parallel()
	w, contents := worn(t)
	whole, err := os.ReadFile(filepath.Join(w.home, db.File))
	if err != nil {
		t.Fatal(err)
	}
	must(w, os.RemoveAll(w.home)) // the folder goes with the only home that there is
	schema := func(set, name string) string {
		return fmt.Sprintf(`PRAGMA writable_schema=ON; UPDATE sqlite_schema SET %s WHERE name='%s'`, set, name)
	}
	cases := map[string]string{
		"a column of another name":        schema(`sql=replace(sql,'session(id)','session(hd)')`, "redaction"),
		"a key that is none":              schema(`sql=replace(sql,'sha BLOB NOT NULL UNIQUE','sha BLOB NOT NULL UNHQUE')`, "blob"),
		"a limit that is none":            schema(`sql=replace(sql,'number INT NOT NULL','number INT NOT_NULL')`, "version"),
		"text that is no SQL":             schema(`sql=replace(sql,'CREATE','CRFATE')`, "memory"),
		"text that ends early":            schema(`sql=replace(sql,' ROWID',x'00'||'ROWID')`, "intent"),
		"text of another kind":            schema(`sql=CAST(sql AS BLOB)`, "head"),
		"an index of another name":        schema(`name='versiom_path'`, "version_path"),
		"an index of another table":       schema(`tbl_name='memory'`, "version_path"),
		"a table that is an index":        schema(`type='index'`, "actor"),
		"three rows":                      `PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=replace(sql,'INT','IN') WHERE name IN ('store','change','head_memory','blob_chunk')`,
		"a number before all":             `PRAGMA user_version=0`,
		"the number of an earlier format": `PRAGMA user_version=2`,
		"a number that comes one day":     fmt.Sprint(`PRAGMA user_version=`, len(vschema.Migrations)+1),
		"a number below zero":             `PRAGMA user_version=-2147483646`,
		"a number that never comes":       `PRAGMA user_version=262148`,
		"that and a table that is none":   `PRAGMA user_version=262148;` + schema(`sql=replace(sql,'CREATE','CRFATE')`, "memory"),
	}
	for _, name := range sampled(slices.Sorted(maps.Keys(cases))) {
		damage := cases[name]
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, home: t.TempDir(), folder: w.folder}
			if err := os.WriteFile(filepath.Join(w.home, db.File), whole, 0o600); err != nil {
				t.Fatal(err)
			}
			w.harm(damage)
			if _, err := vengine.Open(t.Context(), w.home, versions.Options{}); !errors.Is(err, versions.ErrDamaged) {
				t.Errorf("open: %v", err)
			}
			done, err := check.Repair(t.Context(), w.home, versions.Options{})
			if err != nil || !done.Rebuilt || done.Lost || done.Damaged+done.Healed != 0 {
				t.Fatalf("%+v, %v", done, err)
			}
			wrong, lost, problems, err := w.readAll(contents)
			if err != nil || len(wrong)+lost+len(problems) > 0 {
				t.Errorf("wrong %v, lost %d, problems %q, %v", wrong, lost, problems, err)
			}
		})
	}
}

// harm does to the trail's file what memend never does.
func (w *world) harm(text string) {
	w.t.Helper()
	pool := db.OpenFile(filepath.Join(w.home, db.File), "")
	_, err := pool.ExecContext(w.t.Context(), text)
	must(w, errors.Join(err, pool.Close()))
}

// What stands in the file beside memend's own tables is no damage.
func TestTablesOfOtherProgramsAreNoDamage(t *testing.T) {
	t.Parallel()
	w, _ := worn(t)
	w.harm(`ANALYZE; CREATE TABLE _copied_by(name TEXT); CREATE INDEX _copied ON _copied_by(name); VACUUM`)
	w.open()
	defer w.close()
	w.check()
}

// A trail of a format that does not exist yet is left as it is.
func TestARepairLeavesATrailOfANewerFormat(t *testing.T) {
	t.Parallel()
	w, _ := worn(t)
	w.harm(`CREATE TABLE later(id INTEGER PRIMARY KEY); PRAGMA user_version=` + strconv.Itoa(len(vschema.Migrations)+1))
	before, err := os.ReadFile(filepath.Join(w.home, db.File))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vengine.Open(t.Context(), w.home, versions.Options{}); !errors.Is(err, versions.ErrTrailFormat) {
		t.Errorf("open: %v", err)
	}
	if done, err := check.Repair(t.Context(), w.home, versions.Options{}); !errors.Is(err, versions.ErrTrailFormat) || done.Aside != "" {
		t.Errorf("repair: %+v, %v", done, err)
	}
	after, err := os.ReadFile(filepath.Join(w.home, db.File))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the trail was changed, %v", err)
	}
}

// Check sees it too, where the damage comes while the trail is open.
func TestCheckSeesDamageToTheSchema(t *testing.T) {
	t.Parallel()
	w, _ := worn(t)
	w.open()
	w.harm(`PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=replace(sql,'session(id)','session(hd)') WHERE name='redaction'`)
	problems, err := check.Store(t.Context(), w.store)
	if err != nil || !slices.ContainsFunc(problems, func(p string) bool {
		return strings.Contains(p, fmt.Sprint("not those of format ", len(vschema.Migrations)))
	}) {
		t.Errorf("%q, %v", problems, err)
	}
	w.close()
}

// An empty file is a trail that is lost, however whole.
func TestARepairSaysThatAnEmptyTrailIsLost(t *testing.T) {
	t.Parallel()
	w, _ := worn(t)
	must(w, os.WriteFile(filepath.Join(w.home, db.File), nil, 0o600))
	if done, err := check.Repair(t.Context(), w.home, versions.Options{}); err != nil || !done.Lost {
		t.Errorf("%+v, %v", done, err)
	}
}
