package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/stores"
)

const thereSecret = "the launch code is 4711-0815-2342-9876-5555"

// failsAfter makes the service fail calls of one kind after some.
func (u *service) failsAfter(n int, kind string, err error) {
	u.fault = func(call string) (error, error) {
		if call != kind {
			return nil, nil
		}
		if n--; n < 0 {
			return err, nil
		}
		return nil, nil
	}
}

// redactUpstream plans and makes a redaction of the secret.
func (w *twin) redactSecret() (versions.Receipt, error) {
	w.t.Helper()
	p, err := redact.Prepare(w.t.Context(), w.store, versions.RedactTarget{Match: []byte(thereSecret)})
	if err != nil {
		w.t.Fatal(err)
	}
	return redact.Do(w.t.Context(), w.store, alice, p, versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("***")})
}

// holdsThere lists the files of the service that hold the secret.
func (w *twin) holdsThere() (out []string) {
	w.t.Helper()
	for file, b := range readFiles(w.t, w.up.s.Trail.Folder) {
		if strings.Contains(string(b), thereSecret) {
			out = append(out, file)
		}
	}
	return out
}

func TestAServiceThatFailsInTheMiddleOfARedactionIsAskedAgainByTheNextPull(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind string // of the calls that fail
		n    int    // after so many
		err  error
	}{
		"the first memory is changed":   {"update", 1, &versions.UpstreamError{Trouble: versions.Offline}},
		"current memories are changed":  {"redact", 0, &versions.UpstreamError{Trouble: versions.Offline}},
		"one version is erased":         {"redact", 1, &versions.UpstreamError{Trouble: versions.Offline}},
		"one version is erased, refuse": {"redact", 1, &versions.HostedRefusal{Message: "not now"}},
		"it does not say":               {"update", 0, &versions.UpstreamError{Trouble: versions.Offline, Unsure: true}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTwin(t)
			for _, p := range []string{"/a.md", "/b.md"} {
				w.write(alice, p, "old "+thereSecret)
				w.write(alice, p, "new "+thereSecret)
			}
			w.up.failsAfter(c.n, c.kind, c.err)
			r, err := w.redactSecret()
			if err != nil || r.Outcome != versions.OutcomePending || r.LeftUpstream == 0 || r.LeftUpstream+r.ErasedUpstream != 4 {
				t.Errorf("%+v, %v", r, err)
			}
			w.wantNowhere(thereSecret)
			if len(w.holdsThere()) == 0 {
				t.Error("the service has nothing left: the test shows nothing")
			}
			problems, err := check.Store(t.Context(), w.store)
			if err != nil || !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, "service has not erased") }) {
				t.Errorf("check: %q, %v", problems, err)
			}
			w.up.fault = nil
			w.pull()
			rs, err := redact.Receipts(t.Context(), w.trail)
			if err != nil || len(rs) != 1 || rs[0].LeftUpstream != 0 || rs[0].ErasedUpstream != 4 || rs[0].Outcome != versions.OutcomeGone {
				t.Errorf("%+v, %v", rs, err)
			}
			if held := w.holdsThere(); len(held) > 0 {
				t.Errorf("the service has it still, in %q", held)
			}
			w.agree()
			if w.file("a.md") != "new ***" || w.file("b.md") != "new ***" {
				t.Errorf("%q, %q", w.file("a.md"), w.file("b.md"))
			}
		})
	}
}

// A pull goes on when the service refuses to erase: only the redaction waits.
func TestAServiceThatRefusesToEraseDoesNotEndPulls(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", thereSecret)
	w.up.failsAfter(0, "redact", &versions.UpstreamError{Trouble: versions.Unauthorized})
	if r, err := w.redactSecret(); err != nil || r.LeftUpstream != 1 || r.WhyUpstream == "" {
		t.Errorf("%+v, %v", r, err)
	}
	w.there("/b.md", "theirs")
	if got, err := replica.Pull(t.Context(), w.store, versions.PullOptions{}); err != nil || got.Versions != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	info, err := w.trail.FindStore(t.Context(), "hosted")
	if err != nil || info.LeftUpstream != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	r, err := redact.Verify(t.Context(), w.store, versions.RedactTarget{Match: []byte(thereSecret)}, versions.Scrub{})
	if err != nil || r.Outcome != versions.OutcomeUnknown || !strings.Contains(strings.Join(r.Unknown, ""), "has not erased 1 version") {
		t.Errorf("%+v, %v", r, err)
	}
	w.up.fault = nil
	w.pull()
}

// What somebody else wrote at the service meanwhile stands, and the rest is erased.
func TestAMemoryThatChangesThereWhileARedactionWaitsKeepsItsNewText(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "a "+thereSecret)
	w.write(alice, "/b.md", "b "+thereSecret)
	w.write(alice, "/c.md", "c "+thereSecret)
	w.up.failsAfter(1, "update", &versions.UpstreamError{Trouble: versions.Offline})
	if r, err := w.redactSecret(); err != nil || r.LeftUpstream != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	w.up.fault = nil
	var theirs, deleted string
	for _, p := range []string{"/b.md", "/c.md"} { // one of a, b and c was changed already
		if theirs == "" {
			w.there(p, "theirs")
			theirs = p
			continue
		}
		if _, err := w.up.s.Delete(t.Context(), alice, mustPath(p)); err != nil {
			t.Fatal(err)
		}
		deleted = p
	}
	w.pull()
	if got := w.file(theirs[1:]); got != "theirs" {
		t.Errorf("%s holds %q", theirs, got)
	}
	if got := w.file(deleted[1:]); got != "<none>" {
		t.Errorf("%s holds %q", deleted, got)
	}
	if held := w.holdsThere(); len(held) > 0 {
		t.Errorf("the service has it still, in %q", held)
	}
	w.agree()
}

// Who edits a memory before the next pull has sent what the redaction made of it writes
// on top of that.
func TestAMemoryIsEditedWhileARedactionWaits(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "a "+thereSecret)
	w.write(alice, "/b.md", "b "+thereSecret)
	w.up.failsAfter(1, "update", &versions.UpstreamError{Trouble: versions.Offline})
	if r, err := w.redactSecret(); err != nil || r.LeftUpstream != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	w.up.fault = nil
	for _, p := range []string{"/a.md", "/b.md"} {
		if c := w.write(robot, p, "edited"); c.Number == 0 || c.Actor != robot.Actor {
			t.Errorf("%s: %+v", p, c)
		}
	}
	w.pull()
	if held := w.holdsThere(); len(held) > 0 {
		t.Errorf("the service has it still, in %q", held)
	}
	w.agree()
}

func TestAStoreThatGoesWhileItsServiceHasSomethingToEraseLeavesAReceiptThatSaysSo(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", thereSecret)
	w.up.failsAfter(0, "redact", &versions.HostedRefusal{Message: "never"})
	if r, err := w.redactSecret(); err != nil || r.LeftUpstream != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	id := w.store.Opened.ID
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := stores.Delete(t.Context(), w.trail, alice, id, versions.Scrub{}); err != nil {
		t.Fatal(err)
	}
	rs, err := redact.Receipts(t.Context(), w.trail)
	if err != nil || len(rs) != 2 || rs[1].Outcome != versions.OutcomeUnknown || !strings.Contains(strings.Join(rs[1].Unknown, ""), "before its service had erased 1 version") {
		t.Errorf("%+v, %v", rs, err)
	}
	if err := errors.Join(w.trail.Close()); err != nil {
		t.Error(err)
	}
	w.reopen()
}
