package versions

import (
	"errors"
	"testing"

	"github.com/memend/memend/memfs"
)

func (w *world) verified() map[memfs.Path]Verification {
	w.t.Helper()
	all, err := w.store.Verified(w.t.Context())
	w.must(err)
	return all
}

func (w *world) verify(paths ...string) {
	w.t.Helper()
	var vs []VersionID
	for _, p := range paths {
		vs = append(vs, w.entry(p).Version)
	}
	w.must(w.store.Verify(w.t.Context(), alice, vs...))
}

// proven checks that the trail is sound.
func (w *world) proven() {
	w.t.Helper()
	if problems, err := w.store.Check(w.t.Context()); err != nil || len(problems) > 0 {
		w.t.Errorf("check: %q, %v", problems, err)
	}
}

func TestAVerificationIsOfTheText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "one\n")
	w.write(robot, "b", "two\n")
	w.verify("a", "b")
	if got := w.verified(); len(got) != 2 || got[mustPath("a")].By != alice.Actor || got[mustPath("a")].Version != w.entry("a").Version || got[mustPath("a")].Time.IsZero() {
		t.Errorf("%+v", got)
	}

	read := w.entry("a").Version
	w.write(robot, "a", "one more\n")
	if _, ok := w.verified()[mustPath("a")]; ok {
		t.Error("a changed memory is verified")
	}
	if err := w.store.Verify(t.Context(), alice, read); !errors.Is(err, ErrNotCurrent) {
		t.Errorf("a version that is not current: %v", err)
	}
	if err := w.store.Unverify(t.Context(), alice, read); !errors.Is(err, ErrNotCurrent) {
		t.Errorf("a version that is not current: %v", err)
	}

	_, err := w.store.Undo(t.Context(), alice, 3)
	w.must(err)
	if _, ok := w.verified()[mustPath("a")]; !ok {
		t.Error("the verified text is back, and not verified")
	}
	_, err = w.store.Rename(t.Context(), robot, mustPath("a"), mustPath("c"))
	w.must(err)
	if _, ok := w.verified()[mustPath("c")]; !ok {
		t.Error("a memory that was moved is not verified")
	}

	w.must(w.store.Unverify(t.Context(), alice, w.entry("c").Version))
	if got := w.verified(); len(got) != 1 {
		t.Errorf("withdrawn: %+v", got)
	}
	if h := w.history("c"); h[0].Verified != nil || h[len(h)-1].Verified == nil || h[len(h)-1].Verified.By != alice.Actor || h[len(h)-1].Verified.Version != read {
		t.Errorf("%+v", h)
	}
	w.verify("c")
	if h := w.history("c"); h[0].Verified == nil || h[0].Verified.Time.IsZero() {
		t.Errorf("%+v", h)
	}
	if got := w.verified(); len(got) != 2 {
		t.Errorf("verified again: %+v", got)
	}
	w.deleteBy(robot, "c")
	if got := w.verified(); len(got) != 1 {
		t.Errorf("deleted: %+v", got)
	}
	w.proven()
}

func TestARedactedTextIsNotVerified(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "the secret is out\n")
	w.verify("a")
	plan, err := w.store.PlanRedact(t.Context(), RedactTarget{Match: []byte("the secret is out")})
	w.must(err)
	_, err = w.store.Redact(t.Context(), alice, plan, RedactChoice{Heads: HeadMask})
	w.must(err)
	if got := w.verified(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	w.proven()
}

// The acts record who verified what, so that a mark that was slipped in, altered or cut is found.
func TestCheckFindsAlteredVerifications(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"slipped in": `INSERT INTO verified(version,withdrawn,actor,ts) SELECT version,0,actor,ts FROM verified WHERE id=1`,
		"altered":    `UPDATE verified SET withdrawn=1 WHERE id=1`,
		"by another": `UPDATE verified SET actor=(SELECT max(id) FROM actor) WHERE id=1`,
		"cut":        `DELETE FROM verified WHERE id=1`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(alice, "a", "one\n")
			w.write(robot, "b", "two\n")
			w.verify("a")
			w.proven()
			w.exec(query)
			if problems, err := w.store.Check(t.Context()); err != nil || len(problems) == 0 {
				t.Errorf("%q, %v", problems, err)
			}
			w.rechain()
		})
	}
}
