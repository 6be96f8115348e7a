package engine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/scrub"
	"github.com/memend/memend/versions/stores"
)

// versionOf is version n of the memory at p.
func (w *world) versionOf(p string, n int) versions.Version {
	w.t.Helper()
	v, err := w.store.VersionAt(w.t.Context(), mustPath(p), n)
	if err != nil {
		w.t.Fatalf("%s@%d: %v", p, n, err)
	}
	return v
}

func (w *world) plan(target versions.RedactTarget) redact.Plan {
	w.t.Helper()
	p, err := redact.Prepare(w.t.Context(), w.store, target)
	if err != nil {
		w.t.Fatalf("plan %+v: %v", target, err)
	}
	return p
}

func (w *world) redact(target versions.RedactTarget, c versions.RedactChoice) versions.Receipt {
	w.t.Helper()
	r, err := redact.Do(w.t.Context(), w.store, alice, w.plan(target), c)
	if err != nil {
		w.t.Fatalf("redact %+v: %v", target, err)
	}
	return r
}

// everything is all that the home's files hold, the database's with them. It is
// read with the trail closed.
func (w *world) everything() map[string][]byte {
	w.t.Helper()
	w.close()
	defer w.open()
	return readFiles(w.t, w.home, w.folder)
}

func readFiles(t *testing.T, folders ...string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(p string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			out[p], err = os.ReadFile(p)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func (w *world) wantNowhere(texts ...string) {
	w.t.Helper()
	for file, b := range w.everything() {
		for _, text := range texts {
			if bytes.Contains(b, []byte(text)) {
				w.t.Errorf("%s still holds %q", file, text)
			}
		}
	}
}

func TestRedactingAVersionKeepsThatItWasAndErasesWhatItHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "the password is swordfish-4711")
	w.write(alice, "a", "no secrets here")
	was := w.versionOf("a", 1)
	r := w.redact(versions.RedactTarget{Version: was.ID}, versions.RedactChoice{})
	if r.Outcome != versions.OutcomeGone || r.Versions != 1 || r.Windows == 0 || r.Files == 0 || len(r.Found)+len(r.Unknown) > 0 {
		t.Errorf("receipt %+v", r)
	}
	now := w.versionOf("a", 1)
	if now.ID != was.ID || now.Memory != was.Memory || now.Change != was.Change || now.Operation != versions.Created || now.Actor != was.Actor ||
		now.Session != was.Session || now.ToolUse != was.ToolUse || !now.Time.Equal(was.Time) {
		t.Errorf("who did what when was lost: %+v, was %+v", now, was)
	}
	if now.Redacted.IsZero() || now.RedactedBy != alice.Actor || now.Size != 0 || now.SHA256 != (versions.Hash{}) || now.Path != memfs.Root {
		t.Errorf("something is left: %+v", now)
	}
	var gone *versions.RedactedError
	if _, err := vhistory.Content(t.Context(), w.store, was.ID); !errors.As(err, &gone) || gone.By != alice.Actor || !errors.Is(err, versions.ErrRedacted) {
		t.Errorf("content: %v", err)
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.Restore(was.ID)); !errors.Is(err, versions.ErrRedacted) {
		t.Errorf("restore: %v", err)
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(2)); !errors.Is(err, versions.ErrRedacted) {
		t.Errorf("undo: %v", err)
	}
	vs, err := vhistory.Of(t.Context(), w.store, was.Memory, 0, 10)
	if err != nil || len(vs) != 2 || vs[0].Added != 0 || vs[1].Redacted.IsZero() {
		t.Errorf("history %+v, %v", vs, err)
	}
	if _, vs, err := vhistory.Change(t.Context(), w.store, 1); err != nil || len(vs) != 1 || vs[0].Redacted.IsZero() {
		t.Errorf("change %+v, %v", vs, err)
	}
	w.wantNowhere("swordfish")
	w.wantFile("a", "no secrets here")
	again := w.plan(versions.RedactTarget{Version: was.ID})
	if _, err := redact.Do(t.Context(), w.store, alice, again, versions.RedactChoice{}); !errors.Is(err, versions.ErrNothing) {
		t.Errorf("redacted twice: %v", err)
	}
}

func TestWhatStandsIsNotRedactedWithoutAChoice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		choice versions.RedactChoice
		want   string // the file afterwards
		newest versions.Operation
	}{
		{"replaced", versions.RedactChoice{Heads: versions.HeadReplace, Text: []byte("clean")}, "clean", versions.Modified},
		{"masked", versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("***")}, "before *** after ***", versions.Modified},
		{"cut out", versions.RedactChoice{Heads: versions.HeadMask}, "before  after ", versions.Modified},
		{"deleted", versions.RedactChoice{Heads: versions.HeadDelete}, "<none>", versions.Deleted},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.write(robot, "d/a", "before hunter2hunter2 after hunter2hunter2")
			id := w.entry("d/a").Memory
			target := versions.RedactTarget{Match: []byte("hunter2hunter2")}
			p := w.plan(target)
			if len(p.Erase) != 1 || len(p.Current()) != 1 {
				t.Fatalf("plan %+v", p)
			}
			if _, err := redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{}); !errors.Is(err, versions.ErrCurrent) {
				t.Fatalf("without a choice: %v", err)
			}
			if n, _ := w.store.LastChange(t.Context()); n != 1 {
				t.Fatal("a refused redaction wrote something")
			}
			r := w.redact(target, c.choice)
			if r.Outcome != versions.OutcomeGone || r.Change != 2 || r.Versions != 1 {
				t.Errorf("receipt %+v", r)
			}
			w.wantFile("d/a", c.want)
			vs, err := vhistory.Of(t.Context(), w.store, id, 0, 10)
			if err != nil || len(vs) != 2 || vs[0].Operation != c.newest || vs[1].Redacted.IsZero() {
				t.Errorf("history %+v, %v", vs, err)
			}
			if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(2)); !errors.Is(err, versions.ErrRedacted) {
				t.Errorf("undo: %v", err)
			}
			w.wantNowhere("hunter2")
		})
	}
}

func TestRedactingAMemoryLeavesWhatStandsUnlessAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "secret-name-of-a-person", "first text, long enough to be looked for")
	if _, err := w.store.Rename(t.Context(), robot, mustPath("secret-name-of-a-person"), mustPath("b")); err != nil {
		t.Fatal(err)
	}
	w.write(robot, "b", "second text, long enough to be looked for")
	w.write(robot, "b", "third and last")
	id := w.entry("b").Memory
	r := w.redact(versions.RedactTarget{Memory: id}, versions.RedactChoice{})
	if r.Versions != 3 || r.Outcome != versions.OutcomeGone {
		t.Errorf("receipt %+v", r)
	}
	w.wantFile("b", "third and last")
	w.wantNowhere("first text", "second text", "secret-name")
	if cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{}, 0, 10); err != nil || len(cs) != 4 || cs[2].To != memfs.Root || cs[2].Path != memfs.Root {
		t.Errorf("changes %+v, %v", cs, err)
	}
	r = w.redact(versions.RedactTarget{Memory: id}, versions.RedactChoice{Heads: versions.HeadDelete})
	if r.Versions != 2 || r.Deletions != 1 || r.Outcome != versions.OutcomeGone { // the deletion tells the path too
		t.Errorf("receipt %+v", r)
	}
	w.wantFile("b", "<none>")
	w.wantNowhere("third and last")
}

// Whoever planned the same finds that it is gone, and that nothing was left to erase.
func TestRedact_OfWhatWasErasedMeanwhileFindsItGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "to be erased, by two at once")
	w.write(alice, "a", "other")
	for _, target := range []versions.RedactTarget{{Version: w.versionOf("a", 1).ID}, {Match: []byte("to be erased")}} {
		p := w.plan(target)
		if target.Version != "" {
			w.redact(p.Target, versions.RedactChoice{})
			w.write(robot, "a", "to be erased, again")
			w.write(alice, "a", "other again")
		} else {
			w.redact(versions.RedactTarget{Version: w.versionOf("a", 3).ID}, versions.RedactChoice{})
		}
		if r, err := redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{}); err != nil || r.Versions != 0 || r.Outcome != versions.OutcomeGone {
			t.Errorf("%+v: %+v, %v", target, r, err)
		}
	}
}

func TestContentThatOthersShareIsNamedAndStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const text = "a text that two memories have in common"
	w.write(robot, "a", text)
	w.write(robot, "b", text)
	w.write(alice, "a", "other")
	p := w.plan(versions.RedactTarget{Version: w.versionOf("a", 1).ID})
	if len(p.Erase) != 1 || len(p.Kept) != 1 || p.Kept[0].Path != mustPath("b") || !p.Kept[0].Current {
		t.Fatalf("plan %+v", p)
	}
	r := w.redact(p.Target, versions.RedactChoice{})
	if r.Outcome != versions.OutcomeStillIn || len(r.Found) != 1 || r.Found[0].Version != w.entry("b").Version || !r.Found[0].Current || !r.Found[0].All {
		t.Errorf("receipt %+v", r)
	}
	if b, err := vhistory.Content(t.Context(), w.store, w.entry("b").Version); err != nil || string(b) != text {
		t.Errorf("the one that shares it lost it: %q, %v", b, err)
	}
	w.write(alice, "b", "other too")
	w.write(alice, "c", text)
	p = w.plan(versions.RedactTarget{Match: []byte(text)})
	if len(p.Erase) != 2 || len(p.Current()) != 1 {
		t.Fatalf("plan %+v", p)
	}
	r = w.redact(p.Target, versions.RedactChoice{Heads: versions.HeadDelete})
	if r.Outcome != versions.OutcomeGone || r.Versions != 2 {
		t.Errorf("receipt %+v", r)
	}
	w.wantNowhere("in common")
}

func TestATextIsRedactedFromAllStoresOfTheHome(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.second()
	defer func() { _ = other.Close() }()
	const secret = "sk-live-0123456789abcdefghijklmnopqrst"
	w.write(robot, "a", "key: "+secret)
	if _, err := other.Write(t.Context(), robot, mustPath("x/"+secret+"/y"), []byte("nothing but a path"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Write(t.Context(), robot, mustPath("z"), []byte(secret+"\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	one := versions.RedactTarget{Match: []byte(secret)}
	p := w.plan(one)
	if len(p.Erase) != 1 || len(p.Kept) != 2 {
		t.Fatalf("plan %+v", p)
	}
	r := w.redact(one, versions.RedactChoice{Heads: versions.HeadMask})
	if r.Outcome != versions.OutcomeStillIn || len(r.Found) < 2 {
		t.Errorf("receipt %+v", r)
	}
	if text, err := json.Marshal(r); err != nil || strings.Contains(string(text), "0123456789") {
		t.Errorf("the receipt tells the secret: %s, %v", text, err)
	}
	all := versions.RedactTarget{Match: []byte(secret), AllStores: true}
	if _, err := redact.Do(t.Context(), w.store, alice, w.plan(all), versions.RedactChoice{Heads: versions.HeadMask}); !errors.Is(err, versions.ErrCurrent) {
		t.Errorf("a path that tells the secret was masked: %v", err)
	}
	r = w.redact(all, versions.RedactChoice{Heads: versions.HeadDelete})
	if r.Outcome != versions.OutcomeGone || r.Versions != 3 || r.Deletions != 1 { // two that held it, and the deletion of the path that tells it
		t.Errorf("receipt %+v", r)
	}
	w.wantNowhere(secret)
	rs, err := redact.Receipts(t.Context(), w.trail)
	if err != nil || len(rs) != 2 || rs[0].Store != other.Opened.ID || rs[0].Outcome != versions.OutcomeGone || rs[0].Deletions != 1 || rs[1].By != alice.Actor {
		t.Errorf("receipts %+v, %v", rs, err)
	}
}

func TestAStoreWhoseFolderIsGoneDoesNotKeepOthersWaiting(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.second()
	const secret = "a text that two stores have"
	w.write(robot, "a", "here is "+secret)
	w.write(robot, "a", "no more")
	if _, err := other.Write(t.Context(), robot, mustPath("b"), []byte("and there is "+secret), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other.Close(), os.Rename(other.Opened.Folder, other.Opened.Folder+"-gone")); err != nil {
		t.Fatal(err)
	}
	target := versions.RedactTarget{Match: []byte(secret), AllStores: true}
	r := w.redact(target, versions.RedactChoice{Heads: versions.HeadMask})
	if r.Versions != 1 || r.Outcome != versions.OutcomeStillIn || len(r.Unknown) != 1 || r.Found[0].Store != "second" {
		t.Errorf("receipt %+v", r)
	}
	if again := w.plan(target); len(again.Erase) != 1 || again.Erase[0].Store != "second" {
		t.Errorf("plan %+v", again)
	}
}

func TestAPlanThatNoLongerHoldsIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "secret-of-the-house in a")
	target := versions.RedactTarget{Match: []byte("secret-of-the-house")}
	for _, c := range []struct {
		name      string
		meanwhile func()
	}{
		{"a version came", func() { w.write(robot, "b", "the secret-of-the-house again") }},
		{"what stood has gone on", func() { w.write(robot, "a", "clean") }},
		{"another program wrote", func() { w.outside("b", "theirs") }},
	} {
		name := c.name
		p := w.plan(target)
		c.meanwhile()
		before, _ := w.store.LastChange(t.Context())
		if _, err := redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{Heads: versions.HeadMask}); !errors.As(err, new(*versions.StalePlanError)) {
			t.Errorf("%s: %v", name, err)
		}
		if after, _ := w.store.LastChange(t.Context()); after > before+1 { // adoption is not ours
			t.Errorf("%s: a refused redaction wrote %d changes", name, after-before)
		}
		w.write(robot, "a", fmt.Sprintf("secret-of-the-house in a, again %s", name))
		w.write(robot, "b", "secret-of-the-house")
	}
	r := w.redact(target, versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("…")})
	if r.Outcome != versions.OutcomeGone {
		t.Errorf("receipt %+v", r)
	}
	var open int
	if err := w.trail.DB.W.QueryRow(`SELECT count(*) FROM redaction WHERE pending>0`).Scan(&open); err != nil || open != 0 {
		t.Errorf("%d redactions are left open, %v", open, err)
	}
	w.wantNowhere("secret-of-the-house")
}

// A text too short to look for pieces of it is looked for as a whole, wherever texts are.
func TestAShortTextIsLookedForAsAWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "pin 4711")
	w.write(robot, "a", "none")
	w.outside(".hidden", "it was 4711")
	r := w.redact(versions.RedactTarget{Match: []byte("4711")}, versions.RedactChoice{})
	if r.Outcome != versions.OutcomeStillIn || r.Short != 1 || len(r.Found) != 1 || filepath.Base(r.Found[0].File) != ".hidden" || r.Found[0].Matches != 1 {
		t.Errorf("receipt %+v", r)
	}
	// Of a version only another text that is the same says something.
	w.write(robot, "b", "ok\n")
	w.write(robot, "b", "none")
	v := w.versionOf("b", 1).ID
	w.outside(".same", "ok\n")
	w.outside(".other", "ok\nand more\n")
	r = w.redact(versions.RedactTarget{Version: v}, versions.RedactChoice{})
	if r.Outcome != versions.OutcomeStillIn || len(r.Found) != 1 || filepath.Base(r.Found[0].File) != ".same" || !r.Found[0].All {
		t.Errorf("receipt %+v", r)
	}
}

func TestAShortVersionIsGoneWhenNothingElseIsTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "b", "ok\n")
	w.write(robot, "b", "none")
	w.outside(".other", "ok\nand more\n")
	if r := w.redact(versions.RedactTarget{Version: w.versionOf("b", 1).ID}, versions.RedactChoice{}); r.Outcome != versions.OutcomeGone || r.Short != 1 {
		t.Errorf("receipt %+v", r)
	}
}

func TestTheSearchFindsCopiesAndSaysWhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const secret = "correct horse battery staple, all of it"
	w.write(robot, "a", "one\n"+secret)
	w.write(robot, "a", "two")
	draft := filepath.Join(w.home, "drafts", "draft.txt")
	if err := os.MkdirAll(filepath.Dir(draft), 0o700); err != nil {
		t.Fatal(err)
	}
	// At the end of a piece of the search, so that the text lies across two.
	if err := os.WriteFile(draft, []byte(strings.Repeat("x", 1<<20-10)+secret), 0o600); err != nil {
		t.Fatal(err)
	}
	w.outside(".hidden", "a copy: "+secret)
	r := w.redact(versions.RedactTarget{Match: []byte(secret)}, versions.RedactChoice{})
	found := map[string]bool{}
	for _, h := range r.Found {
		found[filepath.Base(h.File)] = h.Windows == len(secret)-scrub.WindowBytes+1
	}
	if r.Outcome != versions.OutcomeStillIn || len(found) != 2 || !found["draft.txt"] || !found[".hidden"] {
		t.Errorf("receipt %+v", r)
	}
}

// The rule for which a change is held is a text like any other.
func TestARedactionMasksTheRuleOfAHeldChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const secret = "a-secret-agent"
	must(w, review.SetPolicy(t.Context(), w.store, alice, "", "hold actor:"+secret+"\nallow\n"))
	var held *versions.HeldError
	if _, err := w.store.Write(t.Context(), versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: secret}}, mustPath("a"), []byte("text\n"), versions.Pre{}); !errors.As(err, &held) {
		t.Fatal(err)
	}
	if r := w.redact(versions.RedactTarget{Match: []byte(secret)}, versions.RedactChoice{}); r.Outcome != versions.OutcomeGone {
		t.Errorf("%+v", r)
	}
	if rule, _ := w.one(`SELECT rule FROM held`).(string); strings.Contains(rule, secret) || rule == "" {
		t.Errorf("the rule is %q", rule)
	}
}

// What the trail says in a place that a redaction does not change is found there.
func TestTheSearchReadsTheTrailItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const secret = "a-secret-that-is-the-name-of-a-store"
	if _, err := stores.CreateStore(t.Context(), w.trail, alice, secret, "", t.TempDir()); err != nil {
		t.Fatal(err)
	}
	w.write(robot, "a", secret)
	r := w.redact(versions.RedactTarget{Match: []byte(secret)}, versions.RedactChoice{Heads: versions.HeadDelete})
	if r.Outcome != versions.OutcomeStillIn || len(r.Found) != 1 || r.Found[0].Place != "name of store [redacted]" || r.Found[0].Matches == 0 {
		t.Errorf("receipt %+v", r)
	}
}

func TestATextThatAnotherVersionHasInPartIsSaidToBeThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const line = "this line stays in the memory for good\n"
	w.write(robot, "a", line+"and this one goes, as it was not for us\n")
	w.write(robot, "a", line)
	r := w.redact(versions.RedactTarget{Version: w.versionOf("a", 1).ID}, versions.RedactChoice{})
	if r.Outcome != versions.OutcomeStillIn || len(r.Found) != 1 || r.Found[0].Path != "/memories/a" || !r.Found[0].Current || r.Found[0].All || r.Found[0].Windows >= r.Windows {
		t.Errorf("receipt %+v", r)
	}
	w.wantNowhere("as it was not for us")
}
