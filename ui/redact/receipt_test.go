package redact

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/redact"
)

// The receipt names what still contains the text as a memory, a version or a file.
func TestReceipt_ListsWhatStillContainsTheText(t *testing.T) {
	s := newSim(t, 160, 40, func(versions.Entry) (versions.RedactTarget, string) {
		return versions.RedactTarget{Match: []byte("nobody may know")}, "a text"
	})
	home := s.trail.Home()
	other := newStore(t, s.trail, "team")
	storetest.Write(t, other, robot, "then.md", "# then\n\n"+secret+"\n")
	storetest.Write(t, other, robot, "then.md", "# then\n")
	storetest.Write(t, other, robot, "now.md", "# now\n\n"+secret+"\n")
	if err := os.WriteFile(filepath.Join(home, "old-export.jsonl"), []byte("x "+secret+" y"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.lookUp()
	s.yes = true
	s.Keys("d X")
	s.Shows("fragments found in", "still in:",
		"\n   team:/memories/now.md, current (memver_",
		"\n   team:/memories/then.md, an older version (memver_",
		"\n   "+filepath.Join(home, "old-export.jsonl")+": found once")
	s.Hides("stores/team/now.md", "not searched")
}

// If another memory has exactly the same text, files are not searched, and the receipt must
// not claim that they are clean.
func TestReceipt_ExplainsUnsearchedFiles(t *testing.T) {
	s := newSim(t, 120, 30, ofMemory)
	s.yes = true
	storetest.Write(t, s.store, robot, "copy.md", "# login\n\n"+secret+"\n\nmore\n")
	s.Pane.target = versions.RedactTarget{Version: s.versionsOf(t)[0].ID}
	s.lookUp()
	s.Keys("d X")
	s.Shows("notes:/memories/copy.md, current (", "): the same content", "Other files were not searched for it")
}

// README: "it searches the home and the folders, inside packed files too, and says gone, NOT gone with where, or unknown".
func TestReceipt_SeparatesFindingsFromUnknowns(t *testing.T) {
	s := newSim(t, 100, 30, ofMemory)
	s.Pane.step = finished
	s.Pane.receipt = versions.Receipt{ID: 1, Outcome: versions.OutcomeStillIn, Windows: 3, Unknown: []string{"/x: permission denied"},
		Found: []versions.Holding{{File: "/y", Windows: 2}}}
	s.Pane.layOut()
	s.Shows("! NOT gone; still in:    ", "\n   /y: 2 fragments", "\n   not searched: /x: permission denied")
}

// slow searches until it is stopped.
type slow struct {
	Store
	began chan struct{}
}

func (s slow) Redact(ctx context.Context, _ versions.By, _ redact.Plan, c versions.RedactChoice) (versions.Receipt, error) {
	<-s.began
	c.Progress(300<<20, 1200<<20)
	s.began <- struct{}{}
	<-ctx.Done()
	return versions.Receipt{ID: 1, Versions: 2, Name: "notes", Outcome: versions.OutcomeUnknown, Unknown: []string{"the search was stopped"}}, nil
}

func TestSearch_ShowsProgressAndCanBeStopped(t *testing.T) {
	s := newSim(t, 80, 24, ofMemory)
	began := make(chan struct{})
	s.Pane.store = slow{s.Pane.store, began}
	s.Keys("d")
	erase := s.Pane.erase()
	over := make(chan tea.Msg, 1)
	go func() { over <- erase() }()
	s.Shows("erasing…", "Erasing, and then searching every file")
	if hint := s.Pane.Entries()[1]; hint.Short != "leave" || hint.Why == "" {
		t.Errorf("before anything is searched Esc: %+v", hint)
	}
	s.Refuses("esc", "can't be cancelled")
	began <- struct{}{}
	<-began
	s.Pane.polled()
	s.Shows("searching · 25%", "It is erased. Now every file", "searched 300M of 1.2G")
	if hint := s.Pane.Entries()[1]; hint.Short != "stop searching" || hint.Why != "" {
		t.Errorf("while it searches Esc: %+v", hint)
	}
	if done, total := s.Pane.Progress(); done != 300<<20 || total != 1200<<20 {
		t.Errorf("%d of %d", done, total)
	}
	s.Keys("esc")
	s.Shows("is being stopped…")
	s.Refuses("esc", "the search is being stopped")
	if s.Left {
		t.Error("it is left before there is a receipt")
	}
	select {
	case msg := <-over:
		s.Run(msg.(screen.Reply).Take())
	case <-time.After(20 * time.Second):
		t.Fatal("the search does not end")
	}
	s.Shows("unknown", "? Unknown:", "the search was stopped")
	s.Keys("esc")
	if !s.Left {
		t.Error("the receipt can't be left")
	}
}

// stopping stops the search of a real store as soon as it starts.
type stopping struct {
	local.Store
	stop func()
}

func (h stopping) Redact(ctx context.Context, by versions.By, p redact.Plan, c versions.RedactChoice) (versions.Receipt, error) {
	c.Progress = func(int64, int64) { h.stop() }
	return redact.Do(ctx, h.Store.Store, by, p, c)
}

func TestSearch_StoppedAfterErasing(t *testing.T) {
	s := newSim(t, 100, 30, ofMemory)
	before := s.versionsOf(t)
	s.Pane.store = stopping{local.Store{Store: s.store}, func() { s.Pane.stop() }}
	s.yes = true
	s.Keys("d X")
	s.Shows("Erased 2 versions", "? Unknown:", "the search was stopped")
	for _, v := range before {
		if _, err := history.Content(t.Context(), s.store, v.ID); !errors.Is(err, versions.ErrRedacted) {
			t.Errorf("version %d: %v", v.Number, err)
		}
	}
}

// A narrow title gives the outcome in a few words, and how much of the receipt was visible.
func TestTitle_ShowsTheOutcome(t *testing.T) {
	s := newSim(t, 40, 6, ofMemory)
	s.Pane.step = finished
	s.Pane.receipt = versions.Receipt{ID: 1, Outcome: versions.OutcomeStillIn, Found: []versions.Holding{{File: "/y", Windows: 2}}}
	s.Pane.layOut()
	if _, info := s.Pane.Title(); !strings.HasPrefix(info, "NOT gone · ") || strings.HasSuffix(info, "· 100%") {
		t.Errorf("%q", info)
	}
	s.Keys("G")
	if _, info := s.Pane.Title(); info != "NOT gone · 100%" {
		t.Errorf("at the end %q", info)
	}
	s.Pane.SetSize(80, 40)
	if _, info := s.Pane.Title(); info != "NOT gone" {
		t.Errorf("with room %q", info)
	}
}

func TestReceipt_FitsEverySize(t *testing.T) {
	for _, hostile := range []string{"", "a\x1b[31m\u202e中文中文中文中文\u009b\x07\n", strings.Repeat("中\x1b[2J\u2066", 80)} {
		s := newSim(t, 100, 30, ofMemory)
		s.Pane.SetTheme(theme.New(false, theme.Many))
		s.Pane.step, s.Pane.seen = erasing, [2]int64{5, 10}
		s.FitsEverySize()
		s.Pane.stopped = true
		s.FitsEverySize()
		s.Pane.step = finished
		s.Pane.receipt = versions.Receipt{ID: 1, Name: hostile, Outcome: versions.OutcomeStillIn, Unknown: []string{hostile}, More: 3, Found: []versions.Holding{
			{File: "/y" + hostile, Windows: 2}, {Version: "memver_1", Path: hostile, Store: hostile, Current: true, All: true}, {Version: "memver_2", Path: hostile, Store: hostile, Windows: 1}}}
		s.FitsEverySize()
		s.Pane.receipt.Outcome = versions.OutcomePending
		s.FitsEverySize()
	}
}
