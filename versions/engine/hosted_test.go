package engine_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	vhistory "github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/write"
)

func TestAHostedStoreHasWhatItsServiceHas(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.there("/notes/a.md", "one\n")
	w.there("/notes/a.md", "two\n")
	w.there("/b.md", "b\n")
	if _, err := w.up.s.Rename(t.Context(), alice, mustPath("/b.md"), mustPath("/c/b.md")); err != nil {
		t.Fatal(err)
	}
	got := w.pull()
	if got.Versions != 4 || w.file("notes/a.md") != "two\n" || w.file("c/b.md") != "b\n" || w.file("b.md") != "<none>" {
		t.Errorf("%+v, %q, %q", got, w.file("notes/a.md"), w.file("c/b.md"))
	}
	w.agree()
	if got := w.pull(); got.Versions != 0 {
		t.Errorf("again: %+v", got)
	}
	last, _ := w.store.LastChange(t.Context())
	c, vs, err := vhistory.Change(t.Context(), w.store, last)
	if err != nil || c.Kind != versions.KindRename || c.Path != mustPath("/b.md") || c.To != mustPath("/c/b.md") || c.Actor != alice.Actor || vs[0].From != mustPath("/b.md") {
		t.Errorf("%+v, %+v, %v", c, vs, err)
	}
	there, _ := vhistory.Version(t.Context(), w.up.s, vs[0].ID)
	if !there.Time.Equal(vs[0].Time) {
		t.Errorf("made at %v there, at %v here", there.Time, vs[0].Time)
	}
}

func TestAWriteGoesToTheServiceAndComesBackUnderItsIDs(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	c := w.write(robot, "/a.md", "one\n")
	if c.Number != 1 || c.Kind != versions.KindCreate || c.Actor != robot.Actor || c.ToolUse != robot.ToolUse || c.Versions != 1 {
		t.Errorf("%+v", c)
	}
	if w.file("a.md") != "one\n" {
		t.Errorf("the folder holds %q", w.file("a.md"))
	}
	w.there("/z.md", "theirs\n")
	c = w.write(alice, "/a.md", "two\n")
	if c.Number != 3 || c.Kind != versions.KindEdit || c.Actor != alice.Actor { // theirs came first
		t.Errorf("%+v", c)
	}
	if c := w.write(alice, "/a.md", "two\n"); c.Number != 0 {
		t.Errorf("the same again: %+v", c)
	}
	w.agree()
	es, _ := vhistory.Tree(t.Context(), w.store)
	for _, e := range es {
		if e.Version.Unsent() {
			t.Errorf("%s has the id %s", e.Path, e.Version)
		}
	}
}

func TestAnythingThatIsDoneHereIsDoneThere(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	for _, p := range []string{"/a", "/d/one.md", "/d/two.md", "/e.md"} {
		w.write(alice, p, p+"\n")
	}
	ctx := t.Context()
	must := func(c versions.Change, err error) versions.Change {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		w.agree()
		return c
	}
	moved := must(w.store.Rename(ctx, alice, mustPath("/d"), mustPath("/f/g")))
	if moved.Kind != versions.KindRename || moved.Versions != 2 || w.file("f/g/two.md") != "/d/two.md\n" || w.file("d/two.md") != "<none>" {
		t.Errorf("%+v", moved)
	}
	gone := must(w.store.Delete(ctx, alice, mustPath("/f"), mustPath("/e.md")))
	if gone.Kind != versions.KindDelete || gone.Versions != 3 {
		t.Errorf("%+v", gone)
	}
	back := must(vplan.Do(ctx, w.store, alice, vplan.UndoLast{By: alice.Actor}))
	if back.Kind != versions.KindUndo || back.Undoes != gone.Number || w.file("f/g/one.md") != "/d/one.md\n" || w.file("e.md") != "/e.md\n" {
		t.Errorf("%+v", back)
	}
	if c, _, err := vhistory.Change(ctx, w.store, gone.Number); err != nil || c.UndoneBy != back.Number {
		t.Errorf("%+v, %v", c, err)
	}
	// A file becomes a folder and a folder a file.
	must(w.store.Delete(ctx, alice, mustPath("/a")))
	must(w.store.Write(ctx, alice, mustPath("/a/b.md"), []byte("below\n"), versions.Pre{}))
	plan, err := vplan.Make(ctx, w.store, vplan.RestoreAt{Moment: versions.Moment{Change: 4}, Paths: []memfs.Path{memfs.Root}})
	if err != nil {
		t.Fatal(err)
	}
	must(vplan.Apply(ctx, w.store, alice, plan, nil))
	for _, p := range []string{"a", "d/one.md", "d/two.md", "e.md"} {
		if w.file(p) != "/"+p+"\n" {
			t.Errorf("%s holds %q", p, w.file(p))
		}
	}
	res, c, err := w.store.Tool(ctx, robot, memfs.StrReplace{Path: "/memories/e.md", OldStr: "/e", NewStr: "an e"}, memfs.Options{})
	if err != nil || res.IsError || c.Actor != robot.Actor || w.file("e.md") != "an e.md\n" {
		t.Errorf("%+v, %+v, %v: %q", res, c, err, w.file("e.md"))
	}
	w.agree()
}

func TestAConflictIsToldAsOfAnyStoreAndNothingIsLost(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	base := versions.Sum([]byte("one\n"))
	w.there("/a.md", "theirs\n")
	_, err := w.store.Write(t.Context(), alice, mustPath("/a.md"), []byte("mine\n"), versions.Pre{SHA256: base})
	var conflict *versions.ConflictError
	if !errors.As(err, &conflict) || conflict.Now != versions.Sum([]byte("theirs\n")) || w.file("a.md") != "theirs\n" {
		t.Fatalf("%v; the folder holds %q", err, w.file("a.md"))
	}
	// Who asks for nothing writes on top.
	c := w.write(alice, "/a.md", "mine\n")
	if c.Number != 3 || w.file("a.md") != "mine\n" {
		t.Errorf("%+v", c)
	}
	w.there("/new.md", "theirs\n")
	if _, err := w.store.Write(t.Context(), alice, mustPath("/new.md"), []byte("mine\n"), versions.Pre{Absent: true}); !errors.As(err, &conflict) {
		t.Errorf("%v", err)
	}
	w.agree()
}

// forgets makes the service forget versions, as one that keeps them for a while only.
func (u *service) forgets(ids ...versions.VersionID) {
	for _, id := range ids {
		u.dropped[string(id)] = true
	}
}

func (w *twin) idsThere(p string) (out []versions.VersionID) {
	w.t.Helper()
	vs := w.historyThere(p)
	for _, v := range vs {
		out = append(out, v.ID)
	}
	return out
}

// historyThere lists the versions of a memory at the service, newest first.
func (w *twin) historyThere(p string) []versions.Version {
	w.t.Helper()
	v, err := w.up.s.VersionAt(w.t.Context(), mustPath(p), 0)
	if err != nil {
		w.t.Fatal(err)
	}
	vs, err := vhistory.Of(w.t.Context(), w.up.s, v.Memory, 0, 100)
	if err != nil {
		w.t.Fatal(err)
	}
	return vs
}

func TestWhatTheServiceDropsIsKeptHere(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		w.there("/a.md", text)
	}
	w.pull()
	ids := w.idsThere("/a.md")
	w.up.forgets(ids[1:]...)
	w.agree()
	if b, err := vhistory.Content(t.Context(), w.store, ids[2]); err != nil || string(b) != "one\n" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestAHistoryWithoutItsBeginningIsTakenInAsItIs(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		w.there("/a.md", text)
	}
	w.there("/gone.md", "x\n")
	if _, err := w.up.s.Delete(t.Context(), alice, mustPath("/gone.md")); err != nil {
		t.Fatal(err)
	}
	gone := w.idsThere("/gone.md")
	w.up.forgets(w.idsThere("/a.md")[2], gone[1])
	w.pull()
	vs, err := vhistory.Of(t.Context(), w.store, w.historyThere("/a.md")[0].Memory, 0, 10)
	if err != nil || len(vs) != 2 || vs[1].Operation != versions.Modified || vs[1].Number != 1 {
		t.Fatalf("%+v, %v", vs, err)
	}
	if v, err := vhistory.Version(t.Context(), w.store, gone[0]); err != nil || v.Operation != versions.Deleted {
		t.Errorf("%+v, %v", v, err)
	}
	// Before what is known of it there is nothing to go back to; least of all nothing.
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(vs[1].Change)); !errors.Is(err, versions.ErrForgotten) {
		t.Errorf("undo of the first version that is known: %v", err)
	}
	plan, err := vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{}, Paths: []memfs.Path{memfs.Root}})
	if err != nil || len(plan.Conflicts) != 1 || !errors.Is(plan.Conflicts[0].Reason, versions.ErrForgotten) {
		t.Errorf("%+v, %v", plan, err)
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(vs[0].Change)); err != nil || w.file("a.md") != "two\n" {
		t.Errorf("%v: %q", err, w.file("a.md"))
	}
	// All versions are dropped, and the memory stands.
	w.there("/old.md", "old\n")
	w.up.forgets(w.idsThere("/old.md")...)
	w.pull(versions.PullOptions{Compare: true})
	if w.file("old.md") != "old\n" {
		t.Errorf("%q", w.file("old.md"))
	}
	// It goes, and nothing tells of it but that it is not there.
	if _, err := w.up.s.Delete(t.Context(), alice, mustPath("/old.md")); err != nil {
		t.Fatal(err)
	}
	w.up.forgets(w.idsThere("/old.md")...)
	w.pull(versions.PullOptions{Compare: true})
	if w.file("old.md") != "<none>" {
		t.Errorf("%q", w.file("old.md"))
	}
}

func TestAVersionThatShowsLateDoesNotReplaceTheNewest(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		w.there("/a.md", text)
	}
	ids := w.idsThere("/a.md")
	w.up.forgets(ids[1])
	w.pull()
	w.up.dropped = map[string]bool{}
	if got := w.pull(); got.Versions < 1 || w.file("a.md") != "three\n" {
		t.Errorf("%+v: %q", got, w.file("a.md"))
	}
	if b, err := vhistory.Content(t.Context(), w.store, ids[1]); err != nil || string(b) != "two\n" {
		t.Errorf("%q, %v", b, err)
	}
	if got := w.pull(versions.PullOptions{Full: true}); got.Versions != 0 {
		t.Errorf("again: %+v", got)
	}
}

func TestWhatTheServiceErasesIsErasedHere(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	const secret = "the launch code is 4711-0815-2342-9876-5555\n"
	w.there("/a.md", secret)
	w.there("/a.md", "harmless\n")
	w.pull()
	if _, err := w.up.Redact(t.Context(), w.idsThere("/a.md")[1]); err != nil {
		t.Fatal(err)
	}
	if got := w.pull(); got.Redacted != 1 {
		t.Errorf("%+v", got)
	}
	w.wantNowhere(secret)
	w.agree()
	// What was erased before it was ever here comes as that.
	w.there("/b.md", "x\n")
	w.there("/b.md", "y\n")
	if _, err := w.up.Redact(t.Context(), w.idsThere("/b.md")[1]); err != nil {
		t.Fatal(err)
	}
	w.agree()
}

func TestARedactionErasesThereAndHere(t *testing.T) {
	t.Parallel()
	const secret = "the launch code is 4711-0815-2342-9876-5555\n"
	for name, c := range map[string]struct {
		target func(*twin) versions.RedactTarget
		choice versions.RedactChoice
		left   string
	}{
		"a version": {func(w *twin) versions.RedactTarget { return versions.RedactTarget{Version: w.idsThere("/a.md")[1]} }, versions.RedactChoice{}, "harmless\n"},
		"a text that stands": {func(w *twin) versions.RedactTarget {
			return versions.RedactTarget{Match: []byte("4711-0815-2342-9876")}
		}, versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("masked")}, "harmless\n"},
		"a memory": {func(w *twin) versions.RedactTarget {
			return versions.RedactTarget{Memory: w.historyThere("/a.md")[0].Memory}
		}, versions.RedactChoice{Heads: versions.HeadDelete}, "<none>"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newTwin(t)
			w.write(alice, "/a.md", secret)
			w.write(alice, "/a.md", "harmless\n")
			if name == "a text that stands" {
				w.write(alice, "/b.md", secret)
			}
			plan, err := redact.Prepare(t.Context(), w.store, c.target(w))
			if err != nil {
				t.Fatal(err)
			}
			r, err := redact.Do(t.Context(), w.store, alice, plan, c.choice)
			if err != nil || r.ErasedUpstream != r.Versions || r.ErasedUpstream == 0 || r.Outcome != versions.OutcomeGone {
				t.Fatalf("%+v, %v", r, err)
			}
			w.wantNowhere(secret)
			for file, b := range readFiles(t, w.up.s.Trail.Folder) {
				if bytes.Contains(b, []byte("4711-0815-2342")) {
					t.Errorf("the service has it still, in %s", file)
				}
			}
			if w.file("a.md") != c.left {
				t.Errorf("%q", w.file("a.md"))
			}
			w.agree()
		})
	}
}

func TestARedactionThatTheServiceCannotDoErasesNothingHere(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.write(alice, "/a.md", "two\n")
	id := w.idsThere("/a.md")[1]
	w.up.fault = func(call string) (error, error) {
		if call == "redact" {
			return &versions.UpstreamError{Trouble: versions.Offline}, nil
		}
		return nil, nil
	}
	plan, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Version: id})
	if err != nil {
		t.Fatal(err)
	}
	var off *versions.UpstreamError
	if r, err := redact.Do(t.Context(), w.store, alice, plan, versions.RedactChoice{}); !errors.As(err, &off) {
		t.Errorf("%+v, %v", r, err)
	}
	if b, err := vhistory.Content(t.Context(), w.store, id); err != nil || string(b) != "one\n" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestWithoutAServiceEverythingCanBeReadAndNothingWritten(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.up.fault = func(string) (error, error) {
		return &versions.UpstreamError{Trouble: versions.Offline, Err: errors.New("no route")}, nil
	}
	_, err := w.store.Write(t.Context(), alice, mustPath("/a.md"), []byte("two\n"), versions.Pre{})
	var off *versions.UpstreamError
	if !errors.As(err, &off) || off.Trouble != versions.Offline || w.file("a.md") != "one\n" || replica.UpstreamState(w.store).Trouble != versions.Offline {
		t.Errorf("%v, %+v", err, replica.UpstreamState(w.store))
	}
	if vs, err := vhistory.Of(t.Context(), w.store, w.entry("/a.md").Memory, 0, 10); err != nil || len(vs) != 1 {
		t.Errorf("%+v, %v", vs, err)
	}
	res, _, err := w.store.Tool(t.Context(), robot, memfs.Create{Path: "/memories/b.md", FileText: "b"}, memfs.Options{})
	if err != nil || !res.IsError {
		t.Errorf("an agent is told %+v, %v", res, err)
	}
	w.up.fault = nil
	w.write(alice, "/a.md", "two\n")
	if replica.UpstreamState(w.store).Trouble != versions.NoTrouble {
		t.Errorf("%+v", replica.UpstreamState(w.store))
	}
	w.agree()
}

// Who watches is told when the reason changes, and the connection comes back without anybody's doing.
func TestAWatchedStoreSaysWhyItsServiceIsOutOfReachAndComesBack(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	fail := func(why string) {
		w.up.fault = func(string) (error, error) {
			return &versions.UpstreamError{Trouble: versions.Offline, Unsure: len(why)%2 == 0, Err: errors.New(why)}, nil
		}
	}
	fail("timed out")
	told := make(chan versions.UpstreamState)
	next := make(chan string)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.store.Replica.Poll(ctx, func(u *versions.UpstreamState, _ error) {
			if u != nil {
				told <- *u
			}
			switch why := <-next; why { // between two requests
			case "":
				w.up.fault = nil
			default:
				fail(why)
			}
		})
	}()
	defer func() { stop(); close(next); <-ended }()
	await := func(trouble versions.Trouble, reason string) {
		t.Helper()
		select {
		case u := <-told:
			if u.Trouble != trouble || u.Reason() != reason {
				t.Fatalf("%+v", u)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("nothing was told of " + reason)
		}
	}
	await(versions.Offline, "timed out")
	w.there("/a.md", "one\n")
	next <- ""
	await(versions.NoTrouble, "") // by itself: nothing asks for it
	if w.file("a.md") != "one\n" {
		t.Error("what changed there meanwhile is not here")
	}
	next <- "port 40001: no route"
	w.store.Replica.RequestPull()
	await(versions.Offline, "port 40001: no route")
	next <- "port 40002: no route" // no news
	w.store.Replica.RequestPull()
	next <- "the key changed"
	w.store.Replica.RequestPull()
	await(versions.Offline, "the key changed")
}

func TestAnActOnSeveralMemoriesThatBreaksOffSaysWhatWasDone(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	for _, p := range []string{"/a.md", "/b.md", "/c.md"} {
		w.write(alice, p, p)
	}
	n := 0
	w.up.fault = func(call string) (error, error) {
		if call == "delete" {
			if n++; n > 2 {
				return &versions.UpstreamError{Trouble: versions.Offline}, nil
			}
		}
		return nil, nil
	}
	c, err := w.store.Delete(t.Context(), alice, mustPath("/a.md"), mustPath("/b.md"), mustPath("/c.md"))
	var partly *versions.PartlyError
	if !errors.As(err, &partly) || len(partly.Done) != 2 || !slices.Equal(partly.Left, []memfs.Path{mustPath("/c.md")}) || partly.Change != c.Number || c.Versions != 2 {
		t.Fatalf("%+v, %v", c, err)
	}
	w.up.fault = nil
	w.agree()
	if back, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); err != nil || back.Versions != 2 {
		t.Errorf("%+v, %v", back, err)
	}
	w.agree()
}

func TestAnAnswerThatNeverCameIsTakenInByTheNextPull(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.up.fault = func(call string) (error, error) {
		if call == "update" {
			return nil, &versions.UpstreamError{Trouble: versions.Offline, Unsure: true}
		}
		return nil, nil
	}
	if _, err := w.store.Write(t.Context(), alice, mustPath("/a.md"), []byte("two\n"), versions.Pre{}); err == nil {
		t.Fatal("no error")
	}
	w.up.fault = nil
	w.pull()
	if w.file("a.md") != "two\n" {
		t.Errorf("%q", w.file("a.md"))
	}
	w.agree()
}

// An agent reads what the service has, although nobody watches the store.
func TestWhatAnAgentIsAttachedToIsKeptUp(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.pull()
	a, err := stores.Attach(t.Context(), w.trail, robot, []versions.Attachment{{Store: w.store.Opened.ID}})
	if err != nil {
		t.Fatal(err)
	}
	w.there("/a.md", "theirs\n")
	for end := time.Now().Add(20 * time.Second); w.file("a.md") != "theirs\n"; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it never comes")
		}
	}
	w.there("/a.md", "newer\n")
	began := time.Now()
	if err := a.Sync(t.Context()); err != nil { // who looks wants to know at once
		t.Fatal(err)
	}
	for w.file("a.md") != "newer\n" && time.Since(began) < 20*time.Second {
		time.Sleep(5 * time.Millisecond)
	}
	if took := time.Since(began); took > 1500*time.Millisecond {
		t.Errorf("it took %v", took)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTheAPIGivesTheIDsOfTheService(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	m, err := write.CreateMemory(t.Context(), w.store, robot, mustPath("/a.md"), []byte("one\n"))
	if err != nil || m.Version.Unsent() || w.historyThere("/a.md")[0].ID != m.Version || w.historyThere("/a.md")[0].Memory != m.Memory {
		t.Fatalf("%+v, %v", m, err)
	}
	text, to := []byte("two\n"), mustPath("/b.md")
	m, err = write.UpdateMemory(t.Context(), w.store, robot, m.Memory, versions.MemoryUpdate{Content: &text, Path: &to})
	if err != nil || w.historyThere("/b.md")[0].ID != m.Version {
		t.Fatalf("%+v, %v", m, err)
	}
	if err := write.DeleteMemory(t.Context(), w.store, robot, m.Memory, nil); err != nil {
		t.Fatal(err)
	}
	w.agree()
	if _, err := exchange.Import(t.Context(), w.store, alice, sampleHistory()); !errors.Is(err, versions.ErrInvalid) {
		t.Errorf("it took a history from elsewhere: %v", err)
	}
}

// A memory that was deleted and made anew is another one. To go back before that is one
// update of the new one: at no moment does the service have neither.
func TestWhatGoesBackBehindADeletionIsNeverGoneBetween(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.remove("a.md")
	w.write(alice, "/a.md", "two\n")
	id, deletions := w.historyThere("/a.md")[0].Memory, w.up.calls["delete"]
	plan, err := vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: 1}, Paths: []memfs.Path{memfs.Root}})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := vplan.Apply(t.Context(), w.store, alice, plan, nil); err != nil || c.Kind != versions.KindRestore || w.file("a.md") != "one\n" {
		t.Errorf("%+v, %v: %q", c, err, w.file("a.md"))
	}
	if w.up.calls["delete"] != deletions || w.historyThere("/a.md")[0].Memory != id {
		t.Errorf("%d deletions more", w.up.calls["delete"]-deletions)
	}
	w.agree()
	if c, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoLast{By: alice.Actor}); err != nil || w.file("a.md") != "two\n" {
		t.Errorf("%+v, %v: %q", c, err, w.file("a.md"))
	}
	w.agree()
}
