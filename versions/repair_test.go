package versions

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var (
	damageCases = flag.Int("damage.cases", 40, "damaged trails that are opened")
	damageSeed  = flag.Uint64("damage.seed", 0, "seed of the damage; 0 takes one from the clock")
)

// worn is a store with some history, closed, and what each version holds.
func worn(t *testing.T) (w *world, contents map[VersionID]string) {
	t.Helper()
	w = &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: t.TempDir()}
	w.open()
	contents = map[VersionID]string{}
	for i := range 60 {
		path := fmt.Sprintf("d%d/m%d", i%3, i%7)
		text := strings.Repeat(fmt.Sprintf("memory %d, text %d\n", i%7, i), 1+i%40)
		w.write(robot, path, text)
		contents[w.entry(path).Version] = text
	}
	large := make([]byte, 2*chunkBytes+5)
	_, _ = rand.NewChaCha8([32]byte{}).Read(large)
	w.write(robot, "empty", "")
	contents[w.entry("empty").Version] = ""
	w.write(robot, "large", string(large))
	contents[w.entry("large").Version] = string(large)
	w.rename("d0/m0", "moved")
	contents[w.entry("moved").Version] = w.file("moved")
	w.remove("d1/m1")
	w.close()
	return w, contents
}

// Random damage to the trail never shows wrong bytes as good, check finds what
// touches a content, and a repair makes a trail that works.
func TestDamageIsFoundAndNeverShownAsGood(t *testing.T) {
	seed := *damageSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-damage.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	w, contents := worn(t)
	whole, err := os.ReadFile(filepath.Join(w.home, trailFile))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for i := range *damageCases {
		if err := os.RemoveAll(w.home); err != nil {
			t.Fatal(err)
		}
		damaged := &world{t: t, home: w.home, folder: w.folder}
		what := damage(t, r, damaged.home, whole)
		counts[damaged.judge(i, what, contents)]++
		if t.Failed() {
			t.Fatalf("case %d: %s", i, what)
		}
	}
	t.Logf("%v", counts)
}

// damage writes a trail that is not as it was.
func damage(t *testing.T, r *rand.Rand, home string, whole []byte) string {
	t.Helper()
	b := bytes.Clone(whole)
	what := ""
	switch r.IntN(5) {
	case 0:
		at := r.IntN(len(b))
		b, what = b[:at], fmt.Sprintf("cut at %d of %d", at, len(whole))
	case 1:
		at := r.IntN(len(b))
		n := min(len(b)-at, 1+r.IntN(20_000))
		clear(b[at : at+n])
		what = fmt.Sprintf("%d zeros at %d", n, at)
	default:
		for range 1 + r.IntN(3) {
			at := r.IntN(len(b))
			b[at] ^= 1 << r.IntN(8)
			what += fmt.Sprintf("bit flipped at %d ", at)
		}
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, trailFile), b, 0o600); err != nil {
		t.Fatal(err)
	}
	return what
}

// judge opens a damaged trail, reads all of it, repairs it and works on it.
func (w *world) judge(i int, what string, contents map[VersionID]string) (outcome string) {
	w.t.Helper()
	wrong, lost, problems, err := w.readAll(contents)
	if err == nil && lost > len(problems) {
		w.t.Errorf("%d contents can't be read, and check finds %q", lost, problems)
	}
	for _, v := range wrong {
		w.t.Errorf("%s was shown with wrong bytes", v)
	}
	if err != nil && !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNoStore) {
		w.t.Logf("%s: an error of no kind of ours: %v", what, err)
	}
	done, err := Repair(w.t.Context(), w.home, Options{})
	if err != nil {
		w.t.Errorf("repair: %v", err)
		return
	}
	w.open()
	defer w.close()
	w.sync()
	left, err := w.store.Check(w.t.Context())
	if err != nil {
		w.t.Error(err)
	}
	if len(left) > done.Damaged {
		w.t.Errorf("%d damaged contents are known, and after the repair there are %q", done.Damaged, left)
	}
	w.write(alice, "after", fmt.Sprint("works ", i))
	w.wantFile("after", fmt.Sprint("works ", i))
	if err := os.Remove(w.host("after")); err != nil {
		w.t.Error(err)
	}
	switch {
	case done.Lost:
		return "begun anew"
	case done.Rebuilt:
		return "rebuilt"
	case done.Healed > 0:
		return "healed"
	case len(problems) > 0:
		return "found"
	}
	return "no harm"
}

// readAll reads every version that can be read, and checks.
func (w *world) readAll(contents map[VersionID]string) (wrong []VersionID, lost int, problems []string, err error) {
	t, err := Open(w.t.Context(), w.home, Options{})
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() { _ = t.Close() }()
	info, err := t.FindStore(w.t.Context(), w.folder)
	if err != nil {
		return nil, 0, nil, err
	}
	s, err := t.OpenStore(w.t.Context(), info.ID)
	if err != nil {
		return nil, 0, nil, err
	}
	defer func() { _ = s.Close() }()
	for id, want := range contents {
		b, err := s.Content(w.t.Context(), id)
		if errors.Is(err, ErrDamaged) {
			lost++
		}
		if err == nil && string(b) != want {
			wrong = append(wrong, id)
		}
	}
	problems, err = s.Check(w.t.Context())
	return wrong, lost, problems, err
}

// A trail that is gone ends with one version a file, by nobody we know.
func TestARepairWithoutATrailAdoptsTheFolder(t *testing.T) {
	w, _ := worn(t)
	if err := os.Remove(filepath.Join(w.home, trailFile)); err != nil {
		t.Fatal(err)
	}
	done, err := Repair(t.Context(), w.home, Options{})
	if err != nil || !done.Lost {
		t.Fatalf("%+v, %v", done, err)
	}
	w.open()
	defer w.close()
	w.sync()
	w.check()
	es, err := w.store.Tree(t.Context())
	if err != nil || len(es) == 0 {
		t.Fatal(es, err)
	}
	for _, e := range es {
		vs := w.history(e.Path.String()[1:])
		if len(vs) != 1 || vs[0].Actor.Kind != Outside {
			t.Errorf("%s: %+v", e.Path, vs)
		}
	}
}

// Heads that are wrong, and a content that is damaged while its file is not.
func TestARepairHealsWhatTheFolderHolds(t *testing.T) {
	w := newWorld(t)
	w.write(alice, "a", "old text of a\n")
	w.write(alice, "a", "new text of a\n")
	w.write(alice, "b", "text of b\n")
	old := w.history("a")[1].ID
	if _, err := w.trail.w.ExecContext(t.Context(), `UPDATE head SET sha=x'00', version=1 WHERE path='b'; DELETE FROM head WHERE path='a'; UPDATE blob SET data=x'00'`); err != nil {
		t.Fatal(err)
	}
	w.close()
	done, err := Repair(t.Context(), w.home, Options{})
	if err != nil || done.Healed != 2 || done.Damaged != 1 || done.Rebuilt || done.Aside != "" {
		t.Fatalf("%+v, %v", done, err)
	}
	w.open()
	w.sync()
	for path, want := range map[string]string{"a": "new text of a\n", "b": "text of b\n"} {
		if b, err := w.store.Content(t.Context(), w.entry(path).Version); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", path, b, err)
		}
	}
	if _, err := w.store.Content(t.Context(), old); !errors.Is(err, ErrDamaged) {
		t.Errorf("the lost content: %v", err)
	}
	if problems, err := w.store.Check(t.Context()); err != nil || len(problems) != 1 {
		t.Errorf("%q, %v", problems, err)
	}
	if _, err := w.trail.w.ExecContext(t.Context(), `UPDATE blob SET data=? WHERE id=1`, []byte("old text of a\n")); err != nil { // for the check at the end
		t.Fatal(err)
	}
}

// Where only an index is damaged, nothing of the history is lost.
func TestARepairKeepsTheHistoryWhereAnIndexIsDamaged(t *testing.T) {
	w, contents := worn(t)
	w.open()
	var page int64
	if err := w.trail.w.QueryRow(`SELECT pageno FROM dbstat WHERE name='version_path' AND pagetype='leaf' LIMIT 1`).Scan(&page); err != nil {
		t.Fatal(err)
	}
	w.close()
	f, err := os.OpenFile(filepath.Join(w.home, trailFile), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(make([]byte, 8192), (page-1)*8192)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	done, err := Repair(t.Context(), w.home, Options{})
	if err != nil || !done.Rebuilt || done.Lost || done.Damaged != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if _, err := os.Stat(done.Aside); err != nil {
		t.Error(err)
	}
	wrong, lost, problems, err := w.readAll(contents)
	if err != nil || len(wrong)+lost+len(problems) > 0 {
		t.Errorf("wrong %v, lost %d, problems %q, %v", wrong, lost, problems, err)
	}
}

// A repair that dies before the new database stands in its place is finished by
// whoever opens the home next.
func TestARepairThatDiedIsFinishedAtOpen(t *testing.T) {
	w, _ := worn(t)
	if err := os.Rename(filepath.Join(w.home, trailFile), filepath.Join(w.home, repairedFile)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{trailFile, trailFile + "-wal"} {
		if err := os.WriteFile(filepath.Join(w.home, name), []byte("of the damaged one"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.open()
	defer w.close()
	w.check()
	if len(w.history("moved")) == 0 {
		t.Error("the history is gone")
	}
}
