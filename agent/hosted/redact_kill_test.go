package hosted_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/redact"
)

// redactEnv makes the test's own program redact the secret in a home, and names the step
// at which it kills itself.
const redactEnv = "MEMEND_TEST_REDACTOR_STEP"

// secret needs no escape in JSON or in a URL, so that a plain search of the files finds it.
const secret = "the-secret-of-the-hosted-redaction-0123456789"

var (
	secretTarget = versions.RedactTarget{Match: []byte(secret), AllStores: true}
	secretChoice = versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("***")}
)

// redactionSteps are the named steps of a redaction of a hosted store, in order.
var redactionSteps = []string{
	"before-journal-commit", "after-journal-commit",
	"before-service", "before-intent-commit", "after-intent-commit", "stage-mid", "replace", "before-final-commit", "after-final-commit", "after-service-heads",
	"service-mid", "before-strike",
	"before-calls", "before-drafts", "before-conversations", "before-copies", "before-folders",
	"before-erase-commit", "after-erase-commit", "before-clear", "after-clear", "before-truncate", "after-truncate",
	"before-search", "before-receipt",
}

var everyStep = flag.Bool("hosted.steps", false, "kill and cancel redactions at every step, not at every eighth")

// sampledSteps are every eighth of redactionSteps, from the given one.
func sampledSteps(from int) (steps []string) {
	for i, step := range redactionSteps {
		if *everyStep || i%8 == from {
			steps = append(steps, step)
		}
	}
	return steps
}

// redactSecret plans and makes the redaction. Ready is called right before it.
func redactSecret(ctx context.Context, s *engine.Store, ready func()) (versions.Receipt, error) {
	if _, err := s.Sync(ctx); err != nil {
		return versions.Receipt{}, err
	}
	p, err := redact.Prepare(ctx, s, secretTarget)
	if err != nil {
		return versions.Receipt{}, err
	}
	ready()
	return redact.Do(ctx, s, alice, p, secretChoice)
}

func beRedactor(home, step string) {
	var armed atomic.Bool
	ctx := context.Background()
	t, err := engine.Open(ctx, home, versions.Options{Upstream: hosted.Dial, Hook: func(at string) error {
		if armed.Load() && at == step {
			if self, err := os.FindProcess(os.Getpid()); err == nil && self.Kill() == nil {
				select {} // until it is dead
			}
		}
		return nil
	}})
	if err != nil {
		panic(err)
	}
	info, err := t.FindStore(ctx, "team")
	if err != nil {
		panic(err)
	}
	s, err := t.OpenStore(ctx, info.ID)
	if err == nil {
		_, err = redactSecret(ctx, s, func() { armed.Store(true) })
	}
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// plantSecret puts the secret into past and current memories, a path, a file of another
// program in the replica's folder, and an editor's copy.
func (w *world) plantSecret() {
	w.t.Helper()
	w.write(w.here, "/past.md", "key: "+secret+"\n")
	w.write(w.here, "/past.md", "harmless\n")
	w.write(w.here, "/now.md", "key: "+secret+"\nand more\n")
	w.write(w.here, "/too.md", "again "+secret+"\n")
	w.write(w.here, "/dir-"+secret+"/x.md", "its folder holds it\n")
	if _, err := w.here.Delete(context.Background(), alice, path("/dir-"+secret+"/x.md")); err != nil {
		w.t.Fatal(err)
	}
	edit, _, err := w.here.NewEditCopy("memory.md", []byte("copy of "+secret))
	if err == nil {
		err = errors.Join(edit.Keep(), os.WriteFile(filepath.Join(w.here.Info().Folder, "foreign.md"), []byte("outside "+secret+"\n"), 0o600))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// holders lists what below a folder holds the secret: files, and their and folders' names.
func holders(t *testing.T, folder string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if strings.Contains(filepath.Base(name), secret) {
			out = append(out, name)
		}
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(name)
		if bytes.Contains(b, []byte(secret)) {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// receipts are those of the home, and how many versions their services have yet to erase.
func (w *world) receipts() (rs []versions.Receipt, left int) {
	w.t.Helper()
	rs, err := redact.Receipts(context.Background(), w.trail)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range rs {
		if left += r.LeftUpstream; (r.LeftUpstream > 0) != (r.Outcome == versions.OutcomePending) {
			w.t.Errorf("receipt %+v", r)
		}
	}
	return rs, left
}

// wantFinished opens the home while the service can't be reached, and wants nothing of
// the secret left in it, and whatever the service has left said. Then the service is
// there again, and with the next pull it has nothing left either.
func (w *world) wantFinished(step string) {
	t := w.t
	t.Helper()
	redacts := slices.ContainsFunc(w.wire.requests(), func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/redact") })
	w.wire.set(always(status(401)))
	w.open()
	if asked := w.wire.requests(); len(asked) > 0 {
		t.Errorf("opening asked the service %d times", len(asked))
	}
	rs, left := w.receipts()
	if len(rs) == 0 && (step != "before-journal-commit" || redacts) {
		t.Errorf("nothing was journaled; the service was asked to erase: %v", redacts)
	}
	w.wantReported(left)
	if len(rs) > 0 {
		w.close()
		if held := holders(t, w.home); len(held) > 0 {
			t.Errorf("without the service the secret is still in %q", held)
		}
		w.open()
	}
	w.wire.set(nil)
	w.pull(versions.PullOptions{})
	if len(rs) == 0 { // it was never journaled: it is made again
		if r, err := redactSecret(context.Background(), w.here, func() {}); err != nil || r.Outcome != versions.OutcomeGone {
			t.Errorf("receipt %+v, %v", r, err)
		}
	}
	if _, left := w.receipts(); left > 0 {
		t.Errorf("the service has %d versions left", left)
	}
	w.wantReported(0)
	w.agree()
	for p, want := range map[string]string{"past.md": "harmless\n", "now.md": "key: ***\nand more\n", "too.md": "again ***\n", "foreign.md": "<none>"} {
		if got := w.file(p); got != want {
			t.Errorf("%s holds %q", p, got)
		}
	}
	w.close()
	// A folder that a deletion left empty is none of the API's: the service's owner sees it.
	there := slices.DeleteFunc(holders(t, w.thereHome), func(name string) bool {
		in, err := os.ReadDir(name)
		return err == nil && len(in) == 0
	})
	if held := append(holders(t, w.home), there...); len(held) > 0 {
		t.Errorf("the secret is still in %q", held)
	}
	w.open()
}

// wantReported holds that the list of stores, check and the search for the text say what the
// service has left, and only then.
func (w *world) wantReported(left int) {
	w.t.Helper()
	ctx := context.Background()
	info, err := w.trail.FindStore(ctx, "team")
	if err != nil || info.LeftUpstream != left {
		w.t.Errorf("store %+v, %v: want %d left", info, err, left)
	}
	problems, err := check.Store(ctx, w.here)
	if err != nil || slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, "service") }) != (left > 0) {
		w.t.Errorf("check says %q, %v", problems, err)
	}
	if left == 0 {
		return
	}
	r, err := redact.Verify(ctx, w.here, secretTarget, versions.Scrub{})
	if err != nil || r.Outcome == versions.OutcomeGone || !slices.ContainsFunc(r.Unknown, func(why string) bool { return strings.Contains(why, "service") }) {
		w.t.Errorf("verify: %+v, %v", r, err)
	}
}

func TestAHostedRedactionThatIsKilledAtAStepIsFinished(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range sampledSteps(1) {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t)
			w.plantSecret()
			w.close()
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), victimEnv+"="+w.home, redactEnv+"="+step)
			out, _ := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code == 0 || code == 2 { // it ended, or panicked
				t.Fatalf("it did not get to this step: %v, said %s", cmd.ProcessState, out)
			}
			w.wantFinished(step)
		})
	}
}

// Whoever cancels a redaction that is journaled does not stop it.
func TestAHostedRedactionThatIsCancelledAtAStepIsFinished(t *testing.T) {
	t.Parallel()
	for _, step := range sampledSteps(3) {
		t.Run(step, func(t *testing.T) {
			w := newWorld(t)
			w.plantSecret()
			w.close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var armed atomic.Bool
			w.hook = func(at string) error {
				if armed.Load() && at == step {
					cancel()
				}
				return nil
			}
			w.open()
			r, err := redactSecret(ctx, w.here, func() { armed.Store(true) })
			if ctx.Err() == nil {
				t.Fatal("it did not get to this step")
			}
			if r.ID == 0 {
				t.Errorf("there is no receipt: %v", err)
			}
			armed.Store(false)
			w.close()
			w.wantFinished(step)
		})
	}
}
