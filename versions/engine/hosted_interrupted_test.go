package engine_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/write"
)

// dieBefore makes the process die before its nth request of a kind, and comes back.
func (w *twin) dieBefore(call string, nth int, do func()) {
	w.t.Helper()
	first := w.up.calls[call]
	w.up.fault = func(name string) (before, after error) {
		if name == call && w.up.calls[call] == first+nth {
			panic(errKilled)
		}
		return nil, nil
	}
	if !w.killed(do) {
		w.t.Fatal("it was not killed")
	}
	w.up.fault = nil
	w.close()
	w.reopen()
}

// noAnswer makes the service do what is asked, and the answer gets lost.
func noAnswer(call string) (before, after error) {
	if call == "create" || call == "update" || call == "delete" {
		return nil, &versions.UpstreamError{Trouble: versions.Offline, Unsure: true, Err: errors.New("connection reset")}
	}
	return nil, nil
}

// A mutation whose process dies when everything was sent is recorded by the next pull, or before the next mutation, as
// it would have been: an edit is the caller's, and an undo undoes its change.
func TestAnInterruptedMutationIsRecordedAsTheCallersChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	w.write(alice, "/b.md", "b\n")
	edit := versions.By{Actor: robot.Actor, Session: "run-7", ToolUse: "toolu_7", Door: versions.DoorTool}
	w.dieBefore("versions", 1, func() { w.write(edit, "/a.md", "one\ntwo\n") })
	w.pull()
	v, err := w.store.VersionAt(ctx, mustPath("a.md"), 0)
	w.must(err)
	if v.Actor != edit.Actor || v.Session != "run-7" || v.ToolUse != "toolu_7" || v.Door != versions.DoorTool || v.Kind != versions.KindEdit || replica.ReplicaOf(w.store).WasInterrupted() {
		t.Errorf("the edit is recorded as %+v", v)
	}
	w.dieBefore("versions", 1, func() { _, _ = plan.Do(ctx, w.store, alice, plan.UndoChange(v.Change)) })
	w.write(robot, "/c.md", "c\n")
	w.agree()
	c, _, err := vhistory.Change(ctx, w.store, v.Change)
	w.must(err)
	undo, _, err := vhistory.Change(ctx, w.store, c.UndoneBy)
	if err != nil || undo.Kind != versions.KindUndo || undo.Actor != alice.Actor || undo.Undoes != v.Change || w.file("a.md") != "one\n" {
		t.Errorf("the undo is recorded as %+v, %v", undo, err)
	}
	w.dieBefore("versions", 1, func() { _, _ = w.store.Delete(ctx, alice, mustPath("b.md")) })
	w.agree()
	last, err := w.store.LastChange(ctx)
	w.must(err)
	if c, _, err := vhistory.Change(ctx, w.store, last); err != nil || c.Kind != versions.KindDelete || c.Actor != alice.Actor || w.file("b.md") != "<none>" {
		t.Errorf("the deletion is recorded as %+v, %v", c, err)
	}
}

// Of an undo of which only a part was sent, the rest can still be undone.
func TestAnInterruptedUndoThatIsNotCompleteUndoesNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, own := newTwinAndOwn(t)
	for _, p := range []string{"d/a.md", "d/b.md"} {
		writeText(t, own, alice, p, p+"\n")
	}
	c, err := write.CopyTo(ctx, own, alice, w.store, versions.Transfer{From: mustPath("d"), To: mustPath("d")})
	w.must(err)
	w.must(own.Close())
	w.dieBefore("delete", 2, func() { _, _ = plan.Do(ctx, w.store, alice, plan.UndoChange(c.Number)) })
	w.agree()
	if c, _, err := vhistory.Change(ctx, w.store, c.Number); err != nil || c.UndoneBy != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	v, err := w.store.VersionAt(ctx, mustPath("d/a.md"), 0)
	if v.Actor != alice.Actor || v.Operation != versions.Deleted {
		t.Errorf("%+v, %v", v, err)
	}
	_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(c.Number))
	w.must(err)
	w.agree()
	if c, _, err := vhistory.Change(ctx, w.store, c.Number); err != nil || c.UndoneBy == 0 || w.file("d/b.md") != "<none>" {
		t.Errorf("%+v, %v", c, err)
	}
}

// If the answer to a request gets lost, what the service did is recorded as the caller's change too, in the next pull or
// in the one that records the requests before it.
func TestARequestWithoutAnAnswerIsRecordedAsTheCallersChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, lost := range map[string]int{"the first request": 1, "the second request": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, own := newTwinAndOwn(t)
			writeText(t, own, alice, "d/a.md", "a\n")
			writeText(t, own, alice, "d/b.md", "b\n")
			w.up.fault = func(call string) (before, after error) {
				if call == "create" && w.up.calls[call] == lost {
					return noAnswer(call)
				}
				return nil, nil
			}
			_, err := write.CopyTo(ctx, own, alice, w.store, versions.Transfer{From: mustPath("d"), To: mustPath("d")})
			if w.up.fault = nil; !versions.MayBeDone(err) {
				t.Fatal(err)
			}
			w.agree()
			for _, p := range []string{"d/a.md", "d/b.md"}[:lost] {
				v, err := w.store.VersionAt(ctx, mustPath(p), 0)
				if w.must(err); v.Actor != alice.Actor || v.Across == nil || v.Across.Path != mustPath(p) || v.Change != 1 {
					t.Errorf("%s is recorded as %+v", p, v)
				}
			}
		})
	}
}

// The service may still do what was sent when the next process pulls: then a later pull records it. After a while, an
// equal version is somebody else's. So is one with another text.
func TestAnInterruptedMutationThatIsDoneLate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		age     time.Duration
		text    string
		callers bool
	}{
		"soon":              {0, "text\n", true},
		"after a while":     {2 * replica.InterruptedWait, "text\n", false},
		"with another text": {0, "another text\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTwin(t)
			w.pull()
			w.dieBefore("create", 1, func() { w.write(alice, "/a.md", "text\n") })
			then := time.Now().Add(-c.age)
			w.must(os.Chtimes(replica.SendingFile(w.trail, w.store.Info().ID), then, then))
			w.pull()
			w.there("/a.md", c.text)
			w.agree()
			v, err := w.store.VersionAt(t.Context(), mustPath("a.md"), 0)
			if w.must(err); (v.Actor == alice.Actor) != c.callers {
				t.Errorf("it is recorded as %+v", v)
			}
		})
	}
}

// Paths and hashes of what was being sent stay only as long as they are needed: a redaction removes them.
func TestARedactionForgetsAnInterruptedMutation(t *testing.T) {
	t.Parallel()
	w, own := newTwinAndOwn(t)
	writeText(t, own, alice, "b.md", "the secret 0123456789 of a memory\n")
	w.must(own.Close())
	w.write(alice, "/a.md", "text\n")
	if replica.ReplicaOf(w.store).WasInterrupted() {
		t.Error("an answered mutation counts as interrupted")
	}
	w.dieBefore("create", 1, func() { w.write(alice, "/secret-name.md", "text\n") })
	if !replica.ReplicaOf(w.store).WasInterrupted() {
		t.Fatal("nothing is noted")
	}
	info, err := w.trail.FindStore(t.Context(), "second")
	w.must(err)
	own, err = w.trail.OpenStore(t.Context(), info.ID)
	w.must(err)
	defer own.Close()
	p, err := redact.Prepare(t.Context(), own, versions.RedactTarget{Match: []byte("the secret 0123456789 of a memory")})
	w.must(err)
	_, err = redact.Do(t.Context(), own, alice, p, versions.RedactChoice{Heads: versions.HeadDelete})
	if w.must(err); replica.ReplicaOf(w.store).WasInterrupted() {
		t.Error("it is still noted")
	}
	w.agree()
}

// What was being sent is not forgotten because it can't be read now.
func TestAnInterruptedMutationThatCanNotBeRead(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.pull()
	file := replica.SendingFile(w.trail, w.store.Info().ID)
	w.must(os.Mkdir(file, 0o700))
	if _, err := replica.Pull(t.Context(), w.store, versions.PullOptions{}); err == nil {
		t.Error("it was read")
	}
	if !replica.ReplicaOf(w.store).WasInterrupted() {
		t.Error("it is forgotten")
	}
}

// A mutation is not sent if that can't be written down, and nobody says that the service has it.
func TestAMutationThatCanNotBeNotedIsNotSent(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.pull()
	file := replica.SendingFile(w.trail, w.store.Info().ID)
	w.must(os.Symlink(filepath.Join(t.TempDir(), "no", "folder"), file))
	_, err := w.store.Write(t.Context(), alice, mustPath("a.md"), []byte("text\n"), versions.Pre{})
	if err == nil || versions.MayBeDone(err) || w.up.calls["create"] > 0 || !strings.Contains(err.Error(), file) {
		t.Errorf("%v after %d requests", err, w.up.calls["create"])
	}
	w.must(os.Remove(file))
	w.write(alice, "/a.md", "text\n")
	w.agree()
}

// What the service refuses is not sent again by anybody: it leaves nothing behind.
func TestARefusedMutationIsNotNoted(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.pull()
	w.up.fault = func(call string) (before, after error) {
		if call == "create" {
			return &versions.HostedRefusal{Message: "the store is full"}, nil
		}
		return nil, nil
	}
	_, err := w.store.Write(t.Context(), alice, mustPath("a.md"), []byte("a\n"), versions.Pre{})
	w.up.fault = nil
	if !errors.As(err, new(*versions.HostedRefusal)) || replica.ReplicaOf(w.store).WasInterrupted() {
		t.Errorf("%v", err)
	}
	w.there("/a.md", "a\n")
	w.pull()
	if got := authorsOf(t, w.store, "a.md"); !slices.Equal(got, []string{"apikey_2"}) {
		t.Errorf("it is by %q", got)
	}
}

// The file of a process that died keeps its names, although an actor has others where scripts read it.
func TestTheFileOfADeliveryKeepsItsFormat(t *testing.T) {
	t.Parallel()
	const file = `{"By":{"Door":"agent","Session":"sesn_1","ToolUse":"toolu_1","Turn":2,"Actor":{"Kind":"agent","Name":"robin","Title":"Robin"}},"Took":"","Kind":"edit","Path":"a.md","To":"","Undoes":0,"About":0,"Undone":null,"Acts":null}`
	by := versions.By{Door: versions.DoorAgent, Actor: versions.Actor{Kind: versions.Agent, Name: "robin", Title: "Robin"}, Session: "sesn_1", ToolUse: "toolu_1", Turn: 2}
	var r replica.SendingRecord
	if err := json.Unmarshal([]byte(file), &r); err != nil || r.Caller() != by {
		t.Errorf("%+v, %v", r, err)
	}
	if text, err := json.Marshal(replica.SendingRecord{By: replica.SendingBy{By: by, Actor: replica.SendingActor(by.Actor)}, Kind: versions.KindEdit, Path: "a.md"}); err != nil || string(text) != file {
		t.Errorf("%s, %v", text, err)
	}
}
