package engine_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/calls"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/evidence"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
)

func (w *world) waiting() int {
	w.t.Helper()
	files, err := os.ReadDir(filepath.Join(w.home, calls.Folder))
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return len(files)
}

func TestACallThatWasPutDown_IsTakenInByTheNextLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("a.md", "a")
	must(w, w.trail.Spool(w.store.Info().ID, wrote("S", "t1", "a.md", "a", time.Now())))
	must(w, os.WriteFile(filepath.Join(w.home, calls.Folder, string(w.store.Info().ID)+"-x.call"), []byte(`{"op":"wr`), 0o600))
	w.sync()
	if by := w.by("a.md"); by != "S/t1" || w.waiting() != 0 {
		t.Errorf("by %s, %d files are left", by, w.waiting())
	}
}

func TestCallsOfAnotherStoreWaitForIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.second()
	must(w, w.trail.Spool(other.Info().ID, wrote("S", "t1", "a.md", "a", time.Now())))
	w.sync()
	if w.waiting() != 1 {
		t.Error("it was taken in by a store that it is not of")
	}
	must(w, other.Close())
}

func TestRedactionErasesCallsThatWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := strings.Repeat("the name of a secret project ", 3)
	w.outside("tells.md", secret)
	w.sync()
	must(w, w.trail.Spool(w.store.Info().ID, wrote("S", "t1", secret+".md", "x", time.Now())))
	p, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Match: []byte(secret)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := redact.Do(t.Context(), w.store, alice, p, versions.RedactChoice{Heads: versions.HeadDelete, Scrub: versions.Scrub{Wait: time.Second}})
	if err != nil || r.Outcome != versions.OutcomeGone || w.waiting() != 0 {
		t.Errorf("%s: %+v, %d calls wait, %v", r.Outcome, r.Found, w.waiting(), err)
	}
}

func TestACallToAHiddenFileMakesNoMemoryOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside(".git/config", "x")
	w.tell(wrote("S", "t1", ".git/config", "x", time.Now()))
	if es, err := vhistory.Tree(t.Context(), w.store); err != nil || len(es) != 0 {
		t.Errorf("%+v, %v", es, err)
	}
}

// A call that was put down is taken up as it was told.
func TestACallThatWasPutDown_IsTakenUpAsItWas(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 21, 10, 0, 0, 123456000, time.UTC)
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude-code"}, Session: "S", ToolUse: "t1", Turn: 3}
	for _, e := range []versions.Evidence{
		{Op: versions.CallWrote, Path: mustPath("d/ü.md"), By: by, Began: began, Ended: began.Add(time.Second), SHA256: versions.Sum([]byte("x"))},
		{Op: versions.CallWrote, Path: mustPath("a.md"), By: by, Ended: began, Failed: true},
		{Op: versions.CallWrote, Path: mustPath("a.md"), By: by, Began: began},
		{Op: versions.CallMoved, Path: mustPath("b"), From: mustPath("a"), By: by, Ended: began},
		{Op: versions.CallDeleted, Path: mustPath("b"), By: by, Ended: began},
		{Op: versions.CallRead, Path: mustPath("b"), By: versions.By{Actor: by.Actor, Session: "S"}, Ended: began},
	} {
		b, err := json.Marshal(evidence.SpooledOf(e))
		var x evidence.Spooled
		if err == nil {
			err = json.Unmarshal(b, &x)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := x.Evidence(); err != nil || got != e {
			t.Errorf("%s: %+v, %v, want %+v", b, got, err, e)
		}
	}
}

// A decision about what a session writes knows the calls and inputs of the session that still wait, also
// those in other stores.
func TestADecisionKnowsWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.second()
	defer func() { must(w, other.Close()) }()
	teller := versions.By{Actor: robot.Actor, Session: "teller"}
	must(w, w.trail.NoteInputs(t.Context(), teller, versions.InputWeb, time.Time{}))
	for _, s := range []*core.Store{w.store, other} {
		_, err := s.Write(t.Context(), teller, mustPath("told.md"), []byte("as the web says"), versions.Pre{})
		must(w, err)
	}
	w.policy("hold after:web")
	for name, spool := range map[string]func(versions.By) error{
		"an input": func(by versions.By) error { return w.trail.SpoolInputs(by, versions.InputWeb, time.Now()) },
		"a read": func(by versions.By) error {
			return w.trail.Spool(w.store.Info().ID, versions.Evidence{Op: versions.CallRead, Path: mustPath("told.md"), By: by, Ended: time.Now()})
		},
		"a read in another store": func(by versions.By) error {
			return w.trail.Spool(other.Info().ID, versions.Evidence{Op: versions.CallRead, Path: mustPath("told.md"), By: by, Ended: time.Now()})
		},
	} {
		for way, write := range map[string]func(versions.By) error{
			"writes": func(by versions.By) error {
				_, err := w.store.Write(t.Context(), by, mustPath("a.md"), []byte(name), versions.Pre{})
				return err
			},
			"proposes": func(by versions.By) error {
				return review.Propose(t.Context(), w.store, by, mustPath("a.md"), []byte(name))
			},
			"proposes something": func(by versions.By) error { return review.ProposeUnknown(t.Context(), w.store, by, mustPath("a.md")) },
		} {
			by := versions.By{Actor: robot.Actor, Session: versions.SessionID(name + way)}
			must(w, spool(by))
			if err := write(by); !errors.As(err, new(*versions.HeldError)) && !errors.As(err, new(*versions.DeniedError)) {
				t.Errorf("after %s a session %s: %v", name, way, err)
			}
			if n := w.waiting(); n != 0 {
				t.Errorf("%d files still wait", n)
			}
		}
	}
	must(w, w.trail.SpoolInputs(robot, versions.InputWeb, time.Now()))
	clean := versions.By{Actor: robot.Actor, Session: "clean"}
	if _, err := w.store.Write(t.Context(), clean, mustPath("a.md"), []byte("clean"), versions.Pre{}); err != nil {
		t.Errorf("another session: %v", err)
	}
}
