package engine_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/db"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/schema"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
)

// frozenFiles are the files of the store in the frozen trails.
var frozenFiles = map[string]string{
	"agent.md":      "by the agent\n",
	"outside.md":    "written outside\n",
	"people/ann.md": "Ann likes tea.\n",
	"plan.md":       "one\ntwo\nthree\n",
	"secret.md":     "no token here\n",
}

// frozenInferred are the further files of a trail that has inferences.
var frozenInferred = map[string]string{
	"inferred.md": "a shell command\n",
	"asked.md":    "nobody knows\n",
	"both.md":     "two wrote it\n",
}

func frozenFilesOf(format int) map[string]string {
	files := maps.Clone(frozenFiles)
	if format >= 7 {
		maps.Copy(files, frozenInferred)
	}
	return files
}

// frozen is a home with a trail that the program of an earlier format wrote: a store
// "notes" in it, with ten changes by a person, an agent and another program; from
// format 2 on one version of secret.md is redacted, and from format 6 on the first change has
// the message and the e-mail address of a commit. From format 7 on there are three more adopted
// changes: one inferred to be an agent's, which has a title, one that the agents' records do not
// explain, and one whose inference was reverted. Format 9 has a policy, two pins, and two held changes,
// one of which was rejected. Format 11 has a verified memory.
func frozen(t *testing.T, format int) (home string) {
	t.Helper()
	home = t.TempDir()
	packed, err := os.Open(filepath.Join("testdata", "formats", fmt.Sprintf("trail-%d.db.gz", format)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = packed.Close() }()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err == nil {
		err = os.WriteFile(filepath.Join(home, db.File), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range frozenFilesOf(format) {
		file := filepath.Join(home, "stores", "notes", filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// Trails that earlier programs wrote open with all that is in them, and the trail as it
// was is kept beside.
func TestTrailsOfAllEarlierFormatsOpen(t *testing.T) {
	t.Parallel()
	for _, format := range earlierFormats() {
		t.Run(fmt.Sprint("format ", format), func(t *testing.T) {
			home := frozen(t, format)
			before, err := os.ReadFile(filepath.Join(home, db.File))
			if err != nil {
				t.Fatal(err)
			}
			trail, s := openFrozen(t, home)
			checkFrozen(t, s, format)
			kept := filepath.Join(home, db.BeforeMigration(format))
			if fi, err := os.Stat(kept); err != nil || fi.Mode().Perm() != 0o600 {
				t.Errorf("the copy before the migration: %v, %v", fi, err)
			}
			if err := errors.Join(s.Close(), trail.Close()); err != nil {
				t.Fatal(err)
			}
			if was, now := dumped(t, before), dumpedFile(t, kept); was != now {
				t.Errorf("the copy is not the trail as it was:\n%s\n%s", was, now)
			}
			if !slices.Contains(sampled(earlierFormats()), format) {
				return
			}

			// The copy takes the trail's place again, and is what it was.
			for _, end := range []string{"-wal", "-shm"} {
				_ = os.Remove(filepath.Join(home, db.File+end))
			}
			if err := os.Rename(kept, filepath.Join(home, db.File)); err != nil {
				t.Fatal(err)
			}
			trail, s = openFrozen(t, home)
			checkFrozen(t, s, format)
			if err := errors.Join(s.Close(), trail.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

// earlierFormats are those that are no longer written.
func earlierFormats() (out []int) {
	for format := 1; format < len(schema.Migrations); format++ {
		out = append(out, format)
	}
	return out
}

// A repair of a damaged trail of an earlier format keeps all of its history.
func TestARepairKeepsTheHistoryOfAllEarlierFormats(t *testing.T) {
	t.Parallel()
	for _, format := range sampled(earlierFormats()) {
		t.Run(fmt.Sprint("format ", format), func(t *testing.T) {
			home := frozen(t, format)
			pool := db.OpenFile(filepath.Join(home, db.File), "")
			_, err := pool.ExecContext(t.Context(), `PRAGMA writable_schema=ON; DELETE FROM sqlite_schema WHERE tbl_name IN ('change','version')`)
			if err := errors.Join(err, pool.Close()); err != nil {
				t.Fatal(err)
			}
			if done, err := check.Repair(t.Context(), home, versions.Options{}); err != nil || done.Changes+done.Versions+done.Damaged > 0 {
				t.Fatalf("%+v, %v", done, err)
			}
			trail, s := openFrozen(t, home)
			checkFrozen(t, s, format)
			if err := errors.Join(s.Close(), trail.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

func openFrozen(t *testing.T, home string) (*core.Trail, *core.Store) {
	t.Helper()
	trail, err := vengine.Open(t.Context(), home, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := trail.FindStore(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(trail.Real, "stores", "notes"); info.Folder != want {
		t.Errorf("the folder is %s, want %s", info.Folder, want)
	}
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	return trail, s
}

func checkFrozen(t *testing.T, s *core.Store, format int) {
	t.Helper()
	if report, err := s.Sync(t.Context()); err != nil || report.Adopted > 0 {
		t.Errorf("sync: %+v, %v", report, err)
	}
	es, err := vhistory.Tree(t.Context(), s)
	if err != nil || len(es) != len(frozenFilesOf(format)) {
		t.Errorf("tree: %+v, %v", es, err)
	}
	for _, e := range es {
		if b, err := vhistory.Content(t.Context(), s, e.Version); err != nil || string(b) != frozenFilesOf(format)[e.Path.Rel()] {
			t.Errorf("%s: %q, %v", e.Path, b, err)
		}
	}
	cs, err := vhistory.Changes(t.Context(), s, versions.Filter{}, 0, 100)
	var kinds []string
	for _, c := range cs {
		committed := map[bool][2]string{true: {"Begin the plan", "ann@example.com"}}[format >= 6 && c.Number == 1]
		if message, email, err := vhistory.Message(t.Context(), s, c.Number); [2]string{message, email} != committed || c.Subject != message || c.Email != email || err != nil {
			t.Errorf("change %d: message %q, e-mail %q, %v", c.Number, message, email, err)
		}
		title, by := "", versions.By{Actor: c.Actor, Session: c.Session, ToolUse: c.ToolUse, Turn: c.Turn}
		if c.Inferred {
			title = "Claude Code"
			if want := (versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code", Title: title}, Session: "S1", ToolUse: "toolu_9"}); by != want {
				t.Errorf("change %d: inferred to be by %+v, want %+v", c.Number, by, want)
			}
		}
		if c.Actor.Title != title || c.Inferred != (format >= 7 && c.Number == 11) {
			t.Errorf("change %d: the actor has the title %q, inferred %t", c.Number, c.Actor.Title, c.Inferred)
		}
		kinds = append(kinds, fmt.Sprintf("%s by %s", c.Kind, c.Actor.Kind))
	}
	want := "adopt by outside, edit by person, create by person, delete by person, create by person, create by agent, rename by person, edit by person, create by person, create by person"
	if format >= 7 {
		want = "adopt by outside, adopt by outside, adopt by agent, " + want
		cs, err := vhistory.Changes(t.Context(), s, versions.Filter{Session: "S1"}, 0, 100)
		if err != nil || len(cs) != 1 || cs[0].Number != 11 {
			t.Errorf("the changes of the inferred session: %+v, %v", cs, err)
		}
	}
	if got := strings.Join(kinds, ", "); err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	if format >= 9 {
		checkFrozenTrust(t, s)
	}
	var verified int // marks of a feature that is gone are kept
	if err := s.Trail.DB.Row(t.Context(), `SELECT count(*) FROM verified`).Scan(&verified); err != nil || format >= 11 != (verified > 0) {
		t.Errorf("%d verified, %v", verified, err)
	}
	if !s.Info().Files.All() {
		t.Errorf("a store of a folder has named files: %v", s.Info().Files)
	}
	_, _, err = redactedSecret(t, s)
	if format > 1 != errors.Is(err, versions.ErrRedacted) {
		t.Errorf("the first version of secret.md: %v", err)
	}
	if problems, err := check.Store(t.Context(), s); err != nil || len(problems) > 0 {
		t.Errorf("check: %q, %v", problems, err)
	}
}

// checkFrozenTrust checks what a trail of format 9 says of who may change what.
func checkFrozenTrust(t *testing.T, s *core.Store) {
	t.Helper()
	pins, err := review.Pins(t.Context(), s)
	if err != nil || len(pins) != 2 {
		t.Errorf("pins: %+v, %v", pins, err)
	}
	p, err := review.PolicyOf(t.Context(), s, "")
	if err != nil || p.String() != "hold actor:agent path:/held\nallow\n" {
		t.Errorf("policy: %+v, %v", p, err)
	}
	var states []versions.HeldState
	for n := int64(1); n <= 2; n++ {
		h, err := review.HeldChange(t.Context(), s.Trail, n)
		if err != nil {
			t.Error(err)
		}
		states = append(states, h.State)
	}
	if !slices.Equal(states, []versions.HeldState{versions.HeldWaiting, versions.HeldRejected}) {
		t.Errorf("held changes: %v", states)
	}
}

// redactedSecret reads the first version of secret.md.
func redactedSecret(t *testing.T, s *core.Store) (versions.VersionID, []byte, error) {
	t.Helper()
	e, err := vhistory.Entry(t.Context(), s, mustPath("secret.md"))
	if err != nil {
		t.Fatal(err)
	}
	vs, err := vhistory.Of(t.Context(), s, e.Memory, 2, 1)
	if err != nil || len(vs) != 1 {
		t.Fatalf("%+v, %v", vs, err)
	}
	b, err := vhistory.Content(t.Context(), s, vs[0].ID)
	return vs[0].ID, b, err
}

// A receipt of format 7 called a current memory "live". A text that says the same stays.
func TestReceipts_NameCurrentMemoriesAfterTheUpgrade(t *testing.T) {
	t.Parallel()
	home := frozen(t, 7)
	pool := db.OpenFile(filepath.Join(home, db.File), "")
	_, err := pool.ExecContext(t.Context(), `UPDATE redaction SET receipt=json_set(receipt,'$.found',json_array(json_object('path','/memories/"live":true','live',json('true'),'windows',1)))`)
	if err := errors.Join(err, pool.Close()); err != nil {
		t.Fatal(err)
	}
	trail, s := openFrozen(t, home)
	rs, err := redact.Receipts(t.Context(), trail)
	if err != nil || len(rs) != 1 || len(rs[0].Found) != 1 || !rs[0].Found[0].Current || rs[0].Found[0].Path != `/memories/"live":true` {
		t.Errorf("%+v, %v", rs, err)
	}
	if err := errors.Join(s.Close(), trail.Close()); err != nil {
		t.Error(err)
	}
}

// A redaction reaches the copy of the trail that a migration left: it is removed.
func TestARedactionRemovesTheCopyBeforeAMigration(t *testing.T) {
	t.Parallel()
	home := frozen(t, len(schema.Migrations)-1)
	trail, s := openFrozen(t, home)
	defer func() { _ = errors.Join(s.Close(), trail.Close()) }()
	plan, err := redact.Prepare(t.Context(), s, versions.RedactTarget{Match: []byte("Ann likes tea.")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := redact.Do(t.Context(), s, alice, plan, versions.RedactChoice{Heads: versions.HeadDelete})
	if err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(filepath.Join(home, "trail.format-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %q, %v", left, err)
	}
	if r.Outcome != versions.OutcomeGone {
		t.Errorf("%+v", r)
	}
}

// dumped is a database as text.
func dumped(t *testing.T, file []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "dumped.db")
	if err := os.WriteFile(name, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return dumpedFile(t, name)
}

func dumpedFile(t *testing.T, name string) string {
	t.Helper()
	pool := db.OpenFile(name, "")
	defer func() { _ = pool.Close() }()
	tables, err := db.Tables(db.On(t.Context(), pool))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, table := range tables {
		rows, err := pool.QueryContext(t.Context(), `SELECT * FROM `+table)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := rows.Columns()
		values, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			dest[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(dest...); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&b, table, values)
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// The schema is compared by what it means: another SQLite may word it differently.
func TestASchemaInOtherWordsIsOfTheSameFormat(t *testing.T) {
	t.Parallel()
	w, _ := worn(t)
	w.harm(`PRAGMA writable_schema=ON;
		UPDATE sqlite_schema SET sql=replace(sql,'INT NOT NULL','int not  null') WHERE name='version';
		UPDATE sqlite_schema SET sql=replace(sql,'CREATE TABLE store','CREATE TABLE "store"') WHERE name='store';
		UPDATE sqlite_schema SET sql=replace(sql,'session IS NOT NULL','session IS  NOT NULL') WHERE name='attribution_session'`)
	w.open()
	defer w.close()
	w.check()
}

// A program that runs on while a newer one changes the format writes nothing more.
func TestAProgramOfAnOlderFormatWritesNothingAfterAnUpgrade(t *testing.T) {
	t.Parallel()
	w := &world{t: t, home: t.TempDir(), folder: t.TempDir()}
	w.open()
	defer func() { _ = errors.Join(w.store.Close(), w.trail.Close()) }()
	w.trail.FlushDelay = time.Hour // a flush may be beyond its check of the format: harm takes no lock, as an upgrade does
	w.write(alice, "a", "1")
	w.harm(fmt.Sprintf(`ALTER TABLE store ADD COLUMN later TEXT; PRAGMA user_version=%d`, len(schema.Migrations)+1))
	before := dumpedFile(t, filepath.Join(w.home, db.File))
	acts := map[string]func(context.Context) error{
		"write": func(ctx context.Context) error {
			_, err := w.store.Write(ctx, alice, mustPath("a"), []byte("2"), versions.Pre{})
			return err
		},
		"sync": func(ctx context.Context) error {
			_, err := w.store.Sync(ctx)
			return err
		},
		"archive": func(ctx context.Context) error {
			_, err := stores.Archive(ctx, w.trail, alice, w.store.Info().ID)
			return err
		},
		"create a store": func(ctx context.Context) error {
			_, err := stores.CreateStore(ctx, w.trail, alice, "another", "", "")
			return err
		},
		"use": func(ctx context.Context) error { return stores.UseStore(ctx, w.trail, w.store.Info().ID) },
	}
	for name, act := range acts {
		if err := act(t.Context()); !errors.Is(err, versions.ErrTrailFormat) || !strings.Contains(err.Error(), "newer memend") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := dumpedFile(t, filepath.Join(w.home, db.File)); after != before {
		t.Errorf("the trail was changed:\n%s\n%s", before, after)
	}
	if b := w.file("a"); b != "1" {
		t.Errorf("the file was changed: %q", b)
	}
}

// A migration for which the copy can't be made does not begin.
func TestNoMigrationWithoutACopy(t *testing.T) {
	t.Parallel()
	home := frozen(t, 4)
	before, err := os.ReadFile(filepath.Join(home, db.File))
	if err != nil {
		t.Fatal(err)
	}
	inTheWay := filepath.Join(home, db.BeforeMigration(4))
	if err := os.MkdirAll(filepath.Join(inTheWay, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := vengine.Open(t.Context(), home, versions.Options{}); err == nil || !strings.Contains(err.Error(), filepath.Base(inTheWay)) {
		t.Errorf("open: %v", err)
	}
	after, err := os.ReadFile(filepath.Join(home, db.File))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the trail was changed, %v", err)
	}
}

// Agents that name no store keep what they wrote, and lose what was a person's folder.
func TestTheStoreForAgentsOfAnEarlierFormatIsTheOneThatMemendMade(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]bool{"stores/memories": true, "/srv/vault": false} {
		home := frozen(t, 12)
		old, err := sql.Open("sqlite", filepath.Join(home, db.File))
		if err == nil {
			_, err = old.Exec(`UPDATE store SET name='memories', folder=?, home=?`, folder, map[bool]string{true: "", false: home}[want])
		}
		if err := errors.Join(err, old.Close()); err != nil {
			t.Fatal(err)
		}
		trail, err := vengine.Open(t.Context(), home, versions.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := trail.Stores(t.Context())
		if err != nil || len(all) != 1 || all[0].ForAgents != want {
			t.Errorf("%s: %+v, %v", folder, all, err)
		}
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A folder in step with a service, and a store that ssh connected, are ordinary stores with their history
// afterwards, and that is told once. A replica in the home stays one.
func TestFoldersInStepBecomeOrdinaryStores(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set    string
		parted string
	}{
		"by ssh":                {`upstream='{"url":"ssh://devbox","store":"memstore_x"}'`, "ssh://devbox"},
		"a folder":              {`upstream='{"url":"https://api.example.com","store":"memstore_x"}', home='/elsewhere'`, "https://api.example.com"},
		"a replica in the home": {`upstream='{"url":"https://api.example.com","store":"memstore_x"}'`, ""},
		"no replica":            {`home=''`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			home := frozen(t, 13)
			pool := db.OpenFile(filepath.Join(home, db.File), "")
			_, err := pool.ExecContext(t.Context(), `UPDATE store SET `+c.set)
			if err := errors.Join(err, pool.Close()); err != nil {
				t.Fatal(err)
			}
			trail, err := vengine.Open(t.Context(), home, versions.Options{Look: true})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = trail.Close() }()
			info, err := trail.FindStore(t.Context(), "notes")
			if err != nil || info.Hosted() != (name == "a replica in the home") {
				t.Errorf("%+v, %v", info, err)
			}
			told := ""
			for range 2 {
				if err := stores.TellParted(t.Context(), trail, func(all []versions.Parted) {
					for _, p := range all {
						told += p.Name + " " + p.URL
					}
				}); err != nil {
					t.Fatal(err)
				}
			}
			if want := strings.TrimSpace("notes " + c.parted); c.parted != "" && told != want || c.parted == "" && told != "" {
				t.Errorf("told %q", told)
			}
		})
	}
}
