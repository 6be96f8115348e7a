//go:build unix

package engine_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
)

var redactKills = flag.Int("redact.kills", 3, "how many redactions TestARedactionThatIsKilledAnywhereLeavesNothing kills at a random moment; 200 is the full size")

// killSecret needs no escape in JSON, so that a plain search of the files finds it.
const killSecret = "the-secret-of-the-killed-redaction-0123456789"

// everything is what the redactions of these tests erase.
var (
	everythingTarget = versions.RedactTarget{Match: []byte(killSecret), AllStores: true}
	everythingChoice = versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("***")}
)

// redactionSteps are the named steps of a redaction, in order.
var redactionSteps = []string{
	"before-journal-commit", "after-journal-commit",
	"before-intent-commit", "after-intent-commit", "stage-mid", "replace", "before-final-commit", "after-final-commit",
	"before-calls", "before-drafts", "before-conversations", "before-copies", "before-folders",
	"before-erase-commit", "after-erase-commit", "before-clear", "after-clear", "before-truncate", "after-truncate",
	"before-search", "before-receipt",
}

// hide puts the secret wherever a redaction has to find it.
func (w *world) hide() {
	w.t.Helper()
	ctx := w.t.Context()
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot " + killSecret}, Session: "run of " + killSecret, ToolUse: "call " + killSecret}
	description, value := "about "+killSecret, killSecret
	if _, err := stores.Update(ctx, w.trail, alice, w.store.Info().ID, versions.StoreUpdate{Description: &description, Title: &description, Metadata: map[string]*string{"a": &value, killSecret: &value}}); err != nil {
		w.t.Fatal(err)
	}
	w.must(w.trail.Spool(w.store.Info().ID, versions.Evidence{Op: versions.CallWrote, Path: mustPath(killSecret), By: by, Ended: time.Now()}))
	w.must(review.SetView(ctx, w.store, []byte(killSecret)))
	edit, _, err := w.store.NewEditCopy("memory.md", []byte("copy of "+killSecret))
	w.must(err)
	w.must(edit.Keep())
	w.must(os.WriteFile(edit.File()+".swp", []byte("\x00\x01 swap of "+killSecret), 0o600))
	w.write(by, "dir-"+killSecret+"/a", "its folder tells it")
	w.deleteBy(by, "dir-"+killSecret+"/a")
	w.must(os.MkdirAll(w.host("dir-"+killSecret+"/sub"), 0o755)) // empty folders stay
	w.write(by, "a", "key: "+killSecret+"\nand more\n")
	w.write(by, "b", killSecret)
	w.write(by, "b", "no longer")
	w.exec(`UPDATE change SET message=?1, email=?1`, "committed "+killSecret)
	w.exec(`UPDATE actor SET title=? WHERE kind='agent'`, "Agent "+killSecret)
	w.relog()
	other := w.second()
	if _, err := other.Write(ctx, by, mustPath("c"), []byte("again "+killSecret), versions.Pre{}); err != nil {
		w.t.Fatal(err)
	}
	c := w.begin(versions.NewSession())
	w.said(c, map[string]any{"type": "result", "text": "     1\tkey: " + killSecret})
	d := w.trail.Drafts(w.store.Info().ID)
	w.keep(d, draftOf(mustPath("a"), "my draft of "+killSecret), 1)
	for _, err := range []error{c.Close(), d.Close(), other.Close()} {
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// holders lists the files of the home and the folders that hold the secret.
func (w *world) holders() (out []string) {
	w.t.Helper()
	for file, b := range readFiles(w.t, w.home, w.folder) {
		if bytes.Contains(b, []byte(killSecret)) {
			out = append(out, file)
		}
	}
	for _, folder := range []string{w.home, w.folder} {
		err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
			if strings.Contains(name, killSecret) {
				out = append(out, name)
			}
			return err
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	return out
}

// wantFinished opens the home, as the next program does, and wants nothing of the
// secret left in any file. A redaction that was never journaled is made again.
func (w *world) wantFinished() {
	w.t.Helper()
	w.open()
	target := everythingTarget
	rs, err := redact.Receipts(w.t.Context(), w.trail)
	if err != nil {
		w.t.Fatal(err)
	}
	if len(rs) == 0 {
		if w.plan(target).Empty() {
			w.t.Error("nothing was journaled, and nothing holds the secret")
		}
		if r := w.redact(target, everythingChoice); r.Outcome != versions.OutcomeGone {
			w.t.Errorf("receipt %+v", r)
		}
	}
	for _, r := range rs {
		if r.Outcome == versions.OutcomePending {
			w.t.Errorf("not finished: %+v", r)
		}
	}
	if p := w.plan(target); !p.Empty() {
		w.t.Errorf("there is still something to erase: %+v", p)
	}
	w.close()
	if left := w.holders(); len(left) > 0 {
		w.t.Errorf("the secret is still in %q", left)
	}
}

func TestARedactionThatIsKilledAtAStepLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, step := range sampled(redactionSteps) {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t)
			w.hide()
			w.close()
			w.dies("everything", step)
			w.wantFinished()
			w.open()
		})
	}
}

// Whoever cancels a redaction that is journaled does not stop it.
func TestARedactionThatIsCancelledAtAStepLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, step := range sampled(redactionSteps) {
		t.Run(step, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var armed atomic.Bool
			w := newWorld(t, versions.Options{Hook: func(at string) error {
				if armed.Load() && at == step {
					cancel()
				}
				return nil
			}})
			w.hide()
			armed.Store(true)
			r, err := redact.Do(ctx, w.store, alice, w.plan(everythingTarget), everythingChoice)
			if ctx.Err() == nil {
				t.Fatal("it did not get to this step")
			}
			if r.ID == 0 {
				t.Errorf("there is no receipt: %v", err)
			}
			w.close()
			w.wantFinished()
			w.open()
		})
	}
}

// What another program writes after the redaction was journaled is erased with the rest.
func TestARedactionErasesWhatCameWhileItWasMade(t *testing.T) {
	t.Parallel()
	var w *world
	once := func() {}
	w = newWorld(t, versions.Options{Hook: func(at string) error {
		if at == "after-journal-commit" {
			once()
		}
		return nil
	}})
	for _, p := range []string{"a", "b"} {
		w.write(robot, p, "key: "+killSecret)
	}
	plan := w.plan(everythingTarget)
	once = func() {
		w.outside("a", "their key: "+killSecret+" and more")
		w.outside("b", "clean")
	}
	r, err := redact.Do(t.Context(), w.store, alice, plan, everythingChoice)
	if err != nil || r.Outcome != versions.OutcomeGone || r.Versions != 3 {
		t.Errorf("receipt %+v, %v", r, err)
	}
	w.wantFile("a", "their key: *** and more")
	w.wantFile("b", "clean")
	w.wantNowhere(killSecret)
}

// Another program may write a memory after the redaction committed its change and before it replaced the file. The change is
// reverted and planned again.
func TestARedactionIsPlannedAgainWhenAnotherProgramWritesFirst(t *testing.T) {
	t.Parallel()
	var w *world
	once := func() {}
	w = newWorld(t, versions.Options{Hook: func(at string) error {
		if at == "after-intent-commit" {
			once()
		}
		return nil
	}})
	w.write(robot, "a", "key: "+killSecret)
	plan := w.plan(everythingTarget)
	once = func() {
		once = func() {}
		w.outside("a", "their key: "+killSecret+" and more")
	}
	if r, err := redact.Do(t.Context(), w.store, alice, plan, everythingChoice); err != nil || r.Outcome != versions.OutcomeGone {
		t.Errorf("receipt %+v, %v", r, err)
	}
	w.wantFile("a", "their key: *** and more")
	w.wantNowhere(killSecret)
}

func TestARedactionThatIsKilledAnywhereLeavesNothing(t *testing.T) {
	r := scrubRand(t)
	ended, whole := 0, time.Duration(0)
	for i := range *redactKills + 1 {
		w := newWorld(t)
		w.hide()
		w.close()
		cmd, out := w.startRedactor("everything", "none")
		line := make([]byte, len("redacting"))
		if _, err := io.ReadFull(out, line); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if i > 0 { // the first shows how long one takes
			kill := time.AfterFunc(time.Duration(r.Int64N(int64(whole)*5/4)), func() { _ = cmd.Process.Kill() })
			defer kill.Stop()
		}
		rest, _ := io.ReadAll(out)
		if i == 0 {
			whole = time.Since(begun)
		}
		if _, err := cmd.Process.Wait(); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if i > 0 && bytes.Contains(rest, []byte("done")) {
			ended++
		}
		w.wantFinished()
		w.open()
	}
	t.Logf("%d redactions, of which %d had ended before they were killed; one takes %v", *redactKills, ended, whole)
}
