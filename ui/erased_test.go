package ui

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
)

const password = "the password is swordfish-4711"

// secretSim edits a memory with a password, in a store of the engine.
type secretSim struct {
	*sim
	store  *engine.Store
	drafts *drafts.Keeper
	home   string
}

func newSecret(t *testing.T, drafted ...func(editing.Drafts) editing.Drafts) secretSim {
	t.Helper()
	ctx, home := context.Background(), storetest.Home(t)
	var seconds atomic.Int64
	trail, err := engine.Open(ctx, home, versions.Options{Now: func() time.Time { // also by the watcher
		return clock.Add(time.Duration(seconds.Add(1)) * time.Second)
	}})
	if err != nil {
		t.Fatal(err)
	}
	info, err := stores.CreateStore(ctx, trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "notes", "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	store, err := trail.OpenStore(ctx, info.ID)
	if err != nil {
		t.Fatal(err)
	}
	drafts := trail.Drafts(info.ID)
	t.Cleanup(func() { drafts.Close(); store.Close(); trail.Close() })
	if _, err := store.Write(ctx, agent, at("a.md"), []byte(password+"\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	s := newSim(t, newFake(), 100, 30, func(c *Config) {
		c.Store, c.Drafts = local.Store{Store: store}, drafts
		for _, d := range drafted {
			c.Drafts = d(c.Drafts)
		}
	})
	s.send(screen.Open{Path: at("a.md")})
	s.keys("e")
	return secretSim{s, store, drafts, home}
}

// redact redacts the password as another program does: this one is not notified.
func (s secretSim) redact() {
	s.t.Helper()
	ctx := context.Background()
	plan, err := redact.Prepare(ctx, s.store, versions.RedactTarget{Match: []byte("swordfish-4711")})
	if err == nil {
		_, err = redact.Do(ctx, s.store, me, plan, versions.RedactChoice{Heads: versions.HeadMask, Text: []byte("***")})
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// holds returns the drafts that contain the password.
func (s secretSim) holds() (found []string) {
	_ = filepath.WalkDir(filepath.Join(s.home, "drafts"), func(name string, _ fs.DirEntry, err error) error {
		if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, []byte("swordfish")) {
			found = append(found, name)
		}
		return nil
	})
	return found
}

func TestRedactedMeanwhile_KeepsTheTextOnScreenOnly(t *testing.T) {
	t.Parallel()
	for name, meet := range map[string]func(s secretSim){
		"when it is to be kept again":        func(s secretSim) { s.elapse(); s.redact(); s.typed("y"); s.elapse() },
		"when it is kept for the first time": func(s secretSim) { s.redact(); s.elapse() },
		"when something happens in the store": func(s secretSim) {
			s.elapse()
			s.redact()
			s.happens(versions.Event{Reads: true})
		},
		"when the redaction was made here": func(s secretSim) { s.elapse(); s.redact(); s.send(screen.Refresh{}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSecret(t)
			s.typed("x ")
			meet(s)
			s.shows("redacted meanwhile", "edit /a.md *", "swordfish")
			s.typed("more ")
			s.elapse()
			if found := s.holds(); found != nil {
				t.Errorf("it is kept in %v", found)
			}
			if err := s.app.editing.Recover(); err == nil || !strings.Contains(err.Error(), "no draft of it is kept") {
				t.Errorf("the end says %v", err)
			}
			if found := s.holds(); found != nil {
				t.Errorf("it is kept in %v", found)
			}
			s.keys("esc")
			if s.hides("keep the text for later"); s.app.overlay == nil {
				t.Error("nobody is asked")
			}
		})
	}
}

func TestRedactedMeanwhile_IsCheckedAtTheEndToo(t *testing.T) {
	t.Parallel()
	s := newSecret(t)
	s.typed("x ")
	s.redact()
	if err := s.app.editing.Recover(); err == nil || !strings.Contains(err.Error(), "no draft of it is kept") || s.holds() != nil {
		t.Errorf("the end says %v, kept in %v", err, s.holds())
	}
}

func TestRedactedMeanwhile_SavingAsks(t *testing.T) {
	t.Parallel()
	s := newSecret(t)
	s.typed("x ")
	s.redact()
	s.elapse()
	s.keys("ctrl+s")
	s.shows("was redacted while you were editing")
	s.keys("e ctrl+s s") // back; then save anyway: now the memory has somebody else's text
	s.shows("changed by someone else")
	s.keys("o")
	if got := s.content("a.md"); got != "x "+password+"\n" {
		t.Errorf("the memory holds %q", got)
	}
	s.hides("redacted meanwhile")
	s.typed("y")
	s.elapse()
	if len(listed(t, s.drafts)) != 1 {
		t.Error("after that it is a text as any other, and not kept")
	}
}

func (s secretSim) content(p string) string {
	b, err := os.ReadFile(filepath.Join(s.store.Info().Folder, p))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func TestRedactedMeanwhile_ReloadsUneditedText(t *testing.T) {
	t.Parallel()
	s := newSecret(t)
	s.redact()
	s.happens(versions.Event{Reads: true})
	s.shows("edit /a.md", "the password is ***")
	s.keys("ctrl+z")
	s.hides("swordfish", "redacted meanwhile")
	s.typed("x")
	s.elapse()
	if d := listed(t, s.drafts); len(d) != 1 || string(d[0].Text) != "xthe password is ***\n" {
		t.Errorf("kept is %+v", d)
	}
}

func TestRedactedBefore_KeepsDraftsOfNewText(t *testing.T) {
	t.Parallel()
	s := newSecret(t)
	s.redact()
	s.app.editing.Close()
	s.app.setNow(clock.Add(time.Hour)) // long after that
	if err := os.WriteFile(filepath.Join(s.store.Info().Folder, "a.md"), []byte("not seen yet\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.send(screen.Edit{Path: at("a.md")})
	s.typed("x ")
	s.elapse()
	if d := listed(t, s.drafts); len(d) != 1 || string(d[0].Text) != "x not seen yet\n" {
		t.Errorf("kept is %+v", d)
	}
}

func TestKeepDraft_DeletesADraftRedactedMeanwhile(t *testing.T) {
	t.Parallel()
	var s secretSim
	s = newSecret(t, func(d editing.Drafts) editing.Drafts { return keepingAfter{d, func() { s.redact() }} })
	s.typed("x ")
	s.elapse()
	if s.holds() != nil {
		t.Errorf("kept in %v", s.holds())
	}
	s.shows("no draft of it is kept")
}

func TestKeepDraft_WritesNoRedactedText(t *testing.T) {
	t.Parallel()
	s := newSecret(t, func(d editing.Drafts) editing.Drafts { return keepingAfter{d, func() { t.Error("it is written") }} })
	s.typed("x ")
	s.redact()
	s.elapse()
	s.shows("no draft of it is kept")
}

// keepingAfter stores a draft after another operation.
type keepingAfter struct {
	editing.Drafts
	first func()
}

func (k keepingAfter) Keep(d drafts.Draft, step int) (string, error) {
	k.first()
	return k.Drafts.Keep(d, step)
}
