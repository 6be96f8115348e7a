package memory

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
)

var (
	claude = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Session: "sesn_night", ToolUse: "toolu_7", Turn: 3}
	dana   = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "dana"}, Session: "sesn_day"}
)

// realStore is a store of the engine. Each write is nine days after the previous one.
func realStore(t *testing.T) (*engine.Store, func(by versions.By, p, text string)) {
	t.Helper()
	ctx := context.Background()
	now := clock.Add(-50 * 24 * time.Hour)
	trail, err := engine.Open(ctx, storetest.Home(t), versions.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	info, err := stores.CreateStore(ctx, trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "notes", "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(ctx, info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, func(by versions.By, p, text string) {
		t.Helper()
		now = now.Add(9 * 24 * time.Hour)
		if _, err := s.Write(ctx, by, at(p), []byte(text), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestBlame_ShowsTheAuthorOfEachLine(t *testing.T) {
	store, write := realStore(t)
	write(dana, "a.md", "one\ntwo\nthree\n")
	write(claude, "a.md", "one\nTWO\nthree\nfour\n")
	s := newSim(t, local.Store{Store: store}, 90, 10)
	s.open("a.md")
	s.titled("v2 claude")
	s.keys("B")
	rows := strings.Split(s.screen(), "\n")
	for i, want := range []string{"dana", "claude", "dana", "claude"} {
		if !strings.Contains(rows[i], want) {
			t.Errorf("line %d: %q does not name %s", i+1, rows[i], want)
		}
	}
	s.titled("v1 dana")
	s.keys("j")
	s.titled("v2 claude")
	s.titled("sesn_night · toolu_7 · turn 3")
	s.shows("▸  2 TWO")
	s.keys("enter")
	head := *s.pane.head
	if got := asked[screen.History](s); got.Version != head.ID || got.Memory != head.Memory || got.Path != at("a.md") {
		t.Errorf("it shows %+v", got)
	}
	write(dana, "a.md", "zero\none\nTWO\nthree\nfour\n") // the blame is loaded again, and the cursor stays on its line
	s.run(s.pane.Reload())
	s.shows("▸  3 TWO")
	s.titled("v2 claude")
	s.keys("g g")
	s.titled("v3 dana")
	s.keys("esc")
	s.hides("claude")
}

func TestBlame_FitsUsualNamesInNarrowPanes(t *testing.T) {
	store, write := realStore(t)
	support := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "support-agent"}, Session: "sesn_night"}
	write(support, "a.md", "one\n")
	for w, name := range map[int]string{24: "support ", 40: "support ", 56: "support-agent ", 80: "support-agent "} {
		s := newSim(t, local.Store{Store: store}, w, 10)
		s.open("a.md")
		s.keys("B")
		s.shows(name)
		s.hides("…")
	}
}

func TestBlame_LeavesUnknownLinesBlank(t *testing.T) {
	b := &versions.Blame{Content: []byte("a\nb\nc\n"), Runs: []versions.BlameRun{
		{Start: 1, Lines: 2, By: &versions.Version{Number: 1}}, {Start: 3, Lines: 1, By: &versions.Version{Number: 2}},
	}}
	got := fit(b, []byte("new\na\nB\nc\nend\n"))
	for i, want := range []int{0, 1, 0, 2, 0} {
		n := 0
		if r := got.run(i); r != nil {
			n = r.By.Number
		}
		if n != want {
			t.Errorf("line %d is of version %d, want %d", i+1, n, want)
		}
	}
}

func TestBlame_ExplainsWhatIsUnknown(t *testing.T) {
	f := newFake()
	f.write("new.md", "a\n")
	f.write("big.log", strings.Repeat("x\n", versions.DefaultMaxBytes))
	s := newSim(t, f, 90, 10)
	for p, want := range map[string]string{"new.md": "it has no version yet", "big.log": "too large: over 8.0M"} {
		s.open(p)
		if got := s.pane.blameDisabled(); got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
		s.pane.text.blame.on = true
		s.titled("blame: ")
		s.pane.text.blame.on = false
	}
	r := &versions.BlameRun{By: &versions.Version{Number: 7}, Since: 4, Coarse: true}
	if got := versionName(r); got != "~v4–v7" {
		t.Errorf("a version that can't be told is called %s", got)
	}
}

func TestGone_IsFoundInTheTrail(t *testing.T) {
	store, write := realStore(t)
	write(claude, "a.md", "one\n")
	if _, err := store.Delete(context.Background(), dana, at("a.md")); err != nil {
		t.Fatal(err)
	}
	s := newSim(t, local.Store{Store: store}, 90, 10)
	s.open("a.md")
	s.shows("/a.md was deleted by dana")
	s.keys("R")
	if _, err := vplan.Do(context.Background(), store, dana, vplan.Restore(asked[screen.Restore](s).Version.ID)); err != nil {
		t.Fatal(err)
	}
	s.run(s.pane.Reload())
	s.shows("one")
}

func TestGone_ReportsARedactionWhileOpen(t *testing.T) {
	ctx := context.Background()
	store, write := realStore(t)
	write(claude, "a.md", "secret\n")
	s := newSim(t, local.Store{Store: store}, 90, 10)
	s.open("a.md")
	plan, err := redact.Prepare(ctx, store, versions.RedactTarget{Memory: s.pane.head.Memory})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := redact.Do(ctx, store, dana, plan, versions.RedactChoice{Heads: versions.HeadDelete}); err != nil {
		t.Fatal(err)
	}
	s.run(s.pane.Reload())
	s.shows("was redacted by dana", "its content can't be recovered")
}
