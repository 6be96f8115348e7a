//go:build unix

package engine_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db/pages"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
)

var (
	scrubSeed  = flag.Uint64("scrub.seed", 1, "seed of the tests of redaction; 0 takes one from the clock")
	scrubEdits = flag.Int("scrub.edits", 100, "edits of a store before most of it is redacted")
)

func scrubRand(t *testing.T) *rand.Rand {
	seed := *scrubSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-scrub.seed=%d", seed)
	return rand.New(rand.NewPCG(seed, 4))
}

// unique is a text of which every 24 bytes are found nowhere else.
func unique(r *rand.Rand, n int) string {
	b := make([]byte, n*3/4+1)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return base64.RawURLEncoding.EncodeToString(b)[:n]
}

// prints are windows of erased bytes, looked for with nothing of the code that is
// under test.
type prints map[uint64][][]byte

func (ps prints) add(b []byte) {
	for at := 0; at+24 <= len(b); at += 24 {
		k := binary.LittleEndian.Uint64(b[at:])
		ps[k] = append(ps[k], b[at:at+24])
	}
}

func (ps prints) count() (n int) {
	for _, all := range ps {
		n += len(all)
	}
	return n
}

// left counts the windows that are in the files of some folders, whoever has them
// open: another process reads them for us.
func (ps prints) left(t *testing.T, folders ...string) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(p string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			b, err := exec.Command("cat", p).Output()
			seen := map[string]bool{}
			for i := 0; i+24 <= len(b); i++ {
				for _, w := range ps[binary.LittleEndian.Uint64(b[i:])] {
					if bytes.HasPrefix(b[i:], w) {
						seen[string(w)] = true
					}
				}
			}
			if len(seen) > 0 {
				out[filepath.Base(p)] = len(seen)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// printsOf takes the windows of versions, as stored and as they read, and of
// their hashes.
func (w *world) printsOf(vs []versions.PlannedVersion) prints {
	w.t.Helper()
	ps, had := prints{}, map[int64]bool{0: true}
	for _, v := range vs {
		if had[v.Blob] {
			continue
		}
		had[v.Blob] = true
		err := core.View(w.t.Context(), w.trail, func(q tables.Reader) error {
			b, err := blobs.Get(q, v.Blob)
			ps.add(b)
			return errors.Join(err, blobs.EachStored(q, v.Blob, ps.add))
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	return ps
}

// churned fills a store and edits it until its pages were split and merged many
// times: the memories whose names begin with "x" are to go.
func churned(w *world, r *rand.Rand, edits int) {
	text := func() string { return unique(r, 30+r.IntN(4000)) }
	name := func() string { return fmt.Sprintf("%c/%d", "xyz"[r.IntN(3)], r.IntN(60)) }
	for range edits {
		p := name()
		switch r.IntN(12) {
		case 0:
			_, _ = w.store.Delete(w.t.Context(), robot, mustPath(p))
		case 1:
			to := p[:2] + fmt.Sprint(60+r.IntN(30)) // within its letter
			_, _ = w.store.Rename(w.t.Context(), robot, mustPath(p), mustPath(to))
		case 2:
			_, _ = plan.Do(w.t.Context(), w.store, robot, plan.UndoLast{By: robot.Actor})
		case 3:
			w.write(robot, p, strings.Repeat(text()[:30], 1+r.IntN(80))) // compresses well
		default:
			w.write(robot, p, text())
		}
	}
}

// redactX redacts every version of the memories that begin with x, and tells how
// it went and what must be nowhere now.
func redactX(w *world, c versions.RedactChoice) (prints, versions.Receipt, error) {
	w.t.Helper()
	var plan redact.Plan
	err := core.View(w.t.Context(), w.trail, func(q tables.Reader) (err error) {
		plan.Target = versions.RedactTarget{Memory: "mem_all"} // stands for all of them
		if err := q.Row(`SELECT max(id) FROM version`).Scan(&plan.Newest); err != nil {
			return err
		}
		plan.Erase, err = redact.PlannedVersions(q, `v.memory IN (SELECT memory FROM version WHERE path>'x/' AND path<'x0')`)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ps := w.printsOf(plan.Erase)
	r, err := redact.Do(w.t.Context(), w.store, alice, plan, c)
	return ps, r, err
}

func TestNothingOfWhatWasRedactedIsInAnyFile(t *testing.T) {
	t.Parallel()
	r := scrubRand(t)
	w := newWorld(t)
	churned(w, r, *scrubEdits)
	w.write(robot, "x/large", unique(r, 3<<20/2)) // in chunks
	w.write(robot, "x/large", unique(r, 5<<20/4))
	w.write(robot, "y/large", unique(r, 3<<20/2))
	// What a process that died while it wrote has left in the folder.
	if _, err := w.store.Dir.Stage([]byte(w.file("x/large")), 0, nil, true); err != nil {
		t.Fatal(err)
	}
	before := w.versionOf("y/large", 1)
	ps, receipt, err := redactX(w, versions.RedactChoice{Heads: versions.HeadDelete})
	if err != nil {
		t.Fatal(err)
	}
	if receipt.Outcome != versions.OutcomeGone {
		t.Errorf("receipt %+v", receipt)
	}
	if n := ps.count(); n < 16_000 {
		t.Errorf("only %d windows are looked for", n)
	}
	if left := ps.left(t, w.home, w.folder); len(left) > 0 {
		t.Errorf("of %d windows there are left %v", ps.count(), left)
	}
	t.Logf("%d versions redacted, %d windows looked for by the test, %d by the redaction in %d bytes of %d files",
		receipt.Versions, ps.count(), receipt.Windows, receipt.Bytes, receipt.Files)
	if b, err := vhistory.Content(t.Context(), w.store, before.ID); err != nil || len(b) != 3<<20/2 {
		t.Errorf("what was to stay: %d bytes, %v", len(b), err)
	}
	w.wantNowhere("x/large")
}

// The negative control of the test above: before the log is emptied the windows
// must be found, or the test could not fail.
func TestBeforeTheLogIsEmptiedTheBytesAreThere(t *testing.T) {
	t.Parallel()
	r := scrubRand(t)
	stop := errors.New("stop")
	halt := ""
	w := newWorld(t, versions.Options{Hook: func(step string) error {
		if step == halt {
			return stop
		}
		return nil
	}})
	churned(w, r, 100)
	halt = "before-truncate"
	ps, receipt, err := redactX(w, versions.RedactChoice{Heads: versions.HeadDelete})
	if !errors.Is(err, stop) || receipt.Outcome != versions.OutcomePending {
		t.Fatalf("receipt %+v, %v", receipt, err)
	}
	left := ps.left(t, w.home)
	if left["trail.db"]+left["trail.db-wal"] < 1000 {
		t.Errorf("only %v of %d windows are found before the log is emptied", left, ps.count())
	}
	t.Logf("of %d windows there are left %v", ps.count(), left)
	halt = ""
	w.write(robot, "later", "any mutation finishes it")
	if left := ps.left(t, w.home, w.folder); len(left) > 0 {
		t.Errorf("of %d windows there are left %v", ps.count(), left)
	}
}

func init() { roles["redactor"] = redactor }

const redactorSecret = "the one secret of this test, 0123456789"

// redactor is a process that redacts and dies at a named step, or one that reads
// the trail until it is killed.
func redactor(args []string) {
	what, step := args[0], strings.Join(args[1:], " ")
	go func() { // whoever is to kill us is gone
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	if err := redactorRun(context.Background(), what, step); err != nil {
		fmt.Println("bad", err)
		os.Exit(1)
	}
	fmt.Println("done")
	os.Exit(0)
}

func redactorRun(ctx context.Context, what, step string) error {
	home, folder := os.Args[1], os.Args[2]
	t, err := vengine.Open(ctx, home, versions.Options{Hook: func(at string) error {
		if at == step {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}})
	if err != nil {
		return err
	}
	info, err := t.FindStore(ctx, folder)
	if err != nil {
		return err
	}
	switch what {
	case "read":
		return core.View(ctx, t, func(q tables.Reader) error {
			var n int
			if err := q.Row(`SELECT count(*) FROM version`).Scan(&n); err != nil {
				return err
			}
			fmt.Println("reading")
			select {}
		})
	case "drop":
		_, err := stores.Delete(ctx, t, alice, info.ID, versions.Scrub{})
		return err
	}
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return err
	}
	target, choice := versions.RedactTarget{Match: []byte(redactorSecret)}, versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("***")}
	if what == "everything" {
		target, choice = everythingTarget, everythingChoice
	}
	p, err := redact.Prepare(ctx, s, target)
	if err != nil {
		return err
	}
	if what == "everything" {
		fmt.Println("redacting")
	}
	_, err = redact.Do(ctx, s, alice, p, choice)
	return err
}

// startRedactor starts such a process; it is killed with the test at the latest.
func (w *world) startRedactor(what, step string) (*exec.Cmd, io.Reader) {
	w.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd := exec.Command(exe, w.home, w.folder)
	cmd.Env = append(os.Environ(), roleEnv+"=redactor "+what+" "+step)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd, out
}

func TestARedactionWaitsForAReaderInAnotherProcess(t *testing.T) {
	t.Parallel()
	r := scrubRand(t)
	w := newWorld(t)
	churned(w, r, 60)
	reader, out := w.startRedactor("read", "")
	line := make([]byte, len("reading"))
	if _, err := io.ReadFull(out, line); err != nil {
		t.Fatal(err)
	}
	ps, receipt, err := redactX(w, versions.RedactChoice{Heads: versions.HeadDelete, Scrub: versions.Scrub{Wait: 300 * time.Millisecond}})
	if err != nil || receipt.Outcome != versions.OutcomePending {
		t.Fatalf("with a reader: %+v, %v", receipt, err)
	}
	rs, err := redact.Receipts(t.Context(), w.trail)
	if err != nil || len(rs) != 1 || rs[0].Outcome != versions.OutcomePending {
		t.Fatalf("receipts %+v, %v", rs, err)
	}
	w.write(robot, "meanwhile", "a write while the reader reads on")
	if left := ps.left(t, w.home); left["trail.db"]+left["trail.db-wal"] == 0 {
		t.Fatal("nothing is left while somebody reads: the test shows nothing")
	}
	_ = reader.Process.Kill()
	_, _ = reader.Process.Wait()
	w.write(robot, "after", "the next mutation finishes it")
	if left := ps.left(t, w.home, w.folder); len(left) > 0 {
		t.Errorf("of %d windows there are left %v", ps.count(), left)
	}
	if rs, err = redact.Receipts(t.Context(), w.trail); err != nil || rs[0].Outcome != versions.OutcomeUnknown || len(rs[0].Unknown) != 1 {
		t.Errorf("receipts %+v, %v", rs, err)
	}
}

func TestARedactionThatIsKilledIsFinishedAtTheNextOpen(t *testing.T) {
	t.Parallel()
	r := scrubRand(t)
	for _, step := range sampled([]string{
		"before-journal-commit", "after-journal-commit", "before-intent-commit", "after-intent-commit", "stage-mid", "replace", "before-final-commit", "after-final-commit",
		"before-erase-commit", "after-erase-commit", "before-clear", "after-clear", "before-truncate", "after-truncate",
	}) {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t)
			for range 3 {
				for _, p := range []string{"a", "b/c"} {
					w.write(robot, p, unique(r, 900)+redactorSecret+unique(r, 900))
				}
			}
			w.write(robot, "d", redactorSecret)
			w.write(robot, "d", "gone on")
			p := w.plan(versions.RedactTarget{Match: []byte(redactorSecret)})
			ps := w.printsOf(slices.DeleteFunc(slices.Clone(p.Erase), func(v versions.PlannedVersion) bool { return v.Current })) // of those that stand the rest stays
			ps.add([]byte(redactorSecret))
			if len(p.Erase) != 7 || len(p.Current()) != 2 {
				t.Fatalf("plan %+v", p)
			}
			w.close()
			w.dies("redact", step)
			w.open()
			if step == "before-journal-commit" { // it was never begun
				if again := w.plan(p.Target); len(again.Erase) != 7 || len(again.Current()) != 2 {
					t.Errorf("a redaction that was not journaled left the plan %+v", again)
				}
				return
			}
			if left := ps.left(t, w.home); len(left) > 0 {
				t.Errorf("of %d windows there are left %v", ps.count(), left)
			}
			if again := w.plan(p.Target); len(again.Erase) > 0 {
				t.Errorf("%d versions still hold it", len(again.Erase))
			}
			for _, p := range []string{"a", "b/c"} {
				if text := w.file(p); strings.Contains(text, redactorSecret) || strings.Count(text, "***") != 1 {
					t.Errorf("%s holds %q", p, text)
				}
			}
			rs, err := redact.Receipts(t.Context(), w.trail)
			if err != nil || len(rs) != 1 || rs[0].Versions != 7 || rs[0].Outcome == versions.OutcomePending {
				t.Errorf("receipts %+v, %v", rs, err)
			}
		})
	}
}

// dies runs a redactor that must be killed at its step.
func (w *world) dies(what, step string) {
	w.t.Helper()
	cmd, out := w.startRedactor(what, step)
	said, _ := io.ReadAll(out)
	st, err := cmd.Process.Wait()
	if err != nil {
		w.t.Fatal(err)
	}
	if ws, ok := st.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
		w.t.Fatalf("it did not get to %s: %v, said %q", step, st, said)
	}
}

// secure_delete alone leaves old copies of rows where SQLite moved them from: about
// one run in three of the tests above found a hash or a path there before the
// slack was cleared. Here such copies are planted, in every page that has room.
func TestOldCopiesOfRowsAreClearedToo(t *testing.T) {
	t.Parallel()
	r := scrubRand(t)
	w := newWorld(t)
	for range 300 {
		w.write(robot, fmt.Sprintf("%c/%s", "xy"[r.IntN(2)], unique(r, 20)), unique(r, 10+r.IntN(500)))
	}
	ps := prints{}
	w.plantInSlack(func(b []byte) {
		if mark := []byte(unique(r, 24)); copy(b, mark) == len(mark) {
			ps.add(mark)
		}
	})
	w.check()
	if planted := ps.left(t, w.home); ps.count() < 30 || planted["trail.db"]+planted["trail.db-wal"] < 30 {
		t.Fatalf("planted %d, found %v", ps.count(), planted)
	}
	own, receipt, err := redactX(w, versions.RedactChoice{Heads: versions.HeadDelete})
	if err != nil || receipt.Outcome != versions.OutcomeGone {
		t.Fatalf("receipt %+v, %v", receipt, err)
	}
	for k, all := range own {
		ps[k] = append(ps[k], all...)
	}
	if left := ps.left(t, w.home, w.folder); len(left) > 0 {
		t.Errorf("of %d windows there are left %v", ps.count(), left)
	}
	w.check()
}

// plantInSlack lets plant write into the free space of every page of the trail. It holds
// the lock: a change in the background must not free a page that is read but not yet
// written back.
func (w *world) plantInSlack(plant func([]byte)) {
	w.t.Helper()
	must := func(err error) {
		w.t.Helper()
		if err != nil {
			w.t.Fatal(err)
		}
	}
	release, err := w.trail.DB.Acquire(w.t.Context())
	must(err)
	defer release()
	tx, err := w.trail.DB.W.BeginTx(w.t.Context(), nil)
	must(err)
	defer func() { _ = tx.Rollback() }()
	var count int64
	must(tx.QueryRow(`PRAGMA page_count`).Scan(&count))
	for n := int64(1); n <= count; n++ {
		var page []byte
		must(tx.QueryRow(`SELECT data FROM sqlite_dbpage WHERE pgno=?`, n).Scan(&page))
		pages.EachSlack(page, n, func(b []byte) bool { plant(b); return false })
		_, err := tx.Exec(`UPDATE sqlite_dbpage SET data=? WHERE pgno=?`, page, n)
		must(err)
	}
	must(tx.Commit())
}
