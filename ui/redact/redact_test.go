package redact

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
)

var person = versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}

var robot = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Session: "sesn_bad"}

const secret = "the password is tr0ub4dor&3 and nobody may know"

// sim is a screen on a store with a secret in the current and in earlier versions of one
// memory.
type sim struct {
	*screentest.Sim[*Pane]
	trail *engine.Trail
	store *engine.Store
	yes   bool // to all questions
	text  string
}

func newSim(t *testing.T, w, h int, target func(versions.Entry) (versions.RedactTarget, string)) *sim {
	t.Helper()
	trail, err := engine.Open(t.Context(), t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trail.Close() })
	s := &sim{trail: trail, store: newStore(t, trail, "notes")}
	for _, text := range []string{"# login\n\n" + secret + "\n", "# login\n\n" + secret + "\n\nmore\n"} {
		storetest.Write(t, s.store, robot, "login.md", text)
	}
	e, err := history.Entry(t.Context(), s.store, screentest.Path("login.md"))
	if err != nil {
		t.Fatal(err)
	}
	tg, name := target(e)
	env := screentest.Env(t.Context())
	s.Sim = screentest.New(t, env, New(env, local.Store{Store: s.store}, person, tg, name), w, h)
	s.Root = s.answer
	s.Run(s.Pane.Start())
	return s
}

func newStore(t *testing.T, trail *engine.Trail, name string) *engine.Store {
	t.Helper()
	info, err := stores.CreateStore(t.Context(), trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, name, "", "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// versionsOf returns the versions of the memory with the secret, newest first.
func (s *sim) versionsOf(t *testing.T) []versions.Version {
	t.Helper()
	e, err := history.Entry(t.Context(), s.store, screentest.Path("login.md"))
	if err != nil {
		t.Fatal(err)
	}
	vs, err := history.Of(t.Context(), s.store, e.Memory, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	return vs
}

// lookUp plans for the current state of the store.
func (s *sim) lookUp() {
	s.Pane.step = planning
	s.Run(s.Pane.Start())
}

// answer answers the questions of the screen.
func (s *sim) answer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case screen.Choose:
		if s.yes {
			return msg.Options[0].Then()
		}
	case screen.Prompt:
		return msg.Then(s.text)
	}
	return nil
}

func ofMemory(e versions.Entry) (versions.RedactTarget, string) {
	return versions.RedactTarget{Memory: e.Memory}, "every version of /login.md"
}

func TestRedaction_AsksAboutCurrentTextAndConfirmation(t *testing.T) {
	s := newSim(t, 100, 30, ofMemory)
	s.Shows("redact every version of /login.md 2 versions to erase", "1 current memory contains it", "v1 · claude", "v2 · claude", "current")
	s.Keys("X")
	if s.Pane.step != deciding || len(s.Sent) != 1 {
		t.Fatalf("it went on: %v", s.Sent)
	}
	s.Keys("d X")
	if s.Pane.step != deciding {
		t.Fatal("it erased without a yes")
	}
	s.yes = true
	s.Keys("X")
	s.Shows("gone", "✓ Gone: none of ", "Erased 2 versions", "deleted the memory, and that version was", "backups and snapshots")
	if _, ok := s.Sent[len(s.Sent)-1].(screen.Refresh); !ok {
		t.Errorf("last asked is %v", s.Sent[len(s.Sent)-1])
	}
	if _, err := history.Entry(t.Context(), s.store, screentest.Path("login.md")); !errors.Is(err, versions.ErrNoMemory) {
		t.Errorf("the memory stands: %v", err)
	}
	s.Keys("esc")
	if !s.Left {
		t.Error("esc does not leave")
	}
}

func TestRedaction_OfATextMasksCurrentMemories(t *testing.T) {
	s := newSim(t, 100, 30, func(versions.Entry) (versions.RedactTarget, string) { return versions.RedactTarget{}, "" })
	s.Shows("redact a text", "Every version is erased whose text or path holds this text")
	if hints := s.Pane.Entries(); hints[0].Short != "look up" || hints[0].Why == "" {
		t.Errorf("before anything is typed the first hint is %+v", hints[0])
	}
	s.Run(s.Pane.Update(tea.PasteMsg{Content: "tr0ub4dor&3"}))
	s.Shows("tr0ub4dor&3")
	s.Keys("enter")
	s.Shows("2 versions to erase")
	s.yes, s.text = true, "***"
	s.Keys("m X")
	s.Shows("✓ Gone: none of ")
	if strings.Contains(s.Screen(), "tr0ub4dor") {
		t.Error("the text is on the screen still")
	}
	if text, _ := storetest.Content(t, s.store, "login.md"); !strings.Contains(text, "the password is *** and nobody") {
		t.Errorf("it holds %q", text)
	}
}

// One key includes what the other stores of the home hold, in the plan and after a redaction of this store alone.
func TestRedaction_IncludesOtherStores(t *testing.T) {
	ofText := func(versions.Entry) (versions.RedactTarget, string) {
		return versions.RedactTarget{Match: []byte("tr0ub4dor&3")}, "a text"
	}
	for _, after := range []bool{false, true} {
		s := newSim(t, 100, 30, ofText)
		other := newStore(t, s.trail, "work")
		storetest.Write(t, other, robot, "todo.md", secret+"\n")
		s.lookUp()
		s.Shows("Not part of this, though it holds the same: a includes it", "/todo.md v1")
		s.yes, s.text = true, "[redacted]"
		if after {
			s.Keys("m X")
			s.Shows("NOT gone", "a plans the same for all stores of this home")
		}
		s.Keys("a")
		s.Hides("Not part of this")
		s.Shows("/todo.md v1")
		s.Keys("m X")
		s.Shows("Gone: none of")
		if plan, err := redact.Prepare(t.Context(), other, versions.RedactTarget{Match: []byte("tr0ub4dor&3")}); err != nil || !plan.Empty() {
			t.Errorf("after %v, the other store has %v, %v", after, plan.Erase, err)
		}
	}
}

func TestRedaction_EndsTheLastLineOfTheTextInstead(t *testing.T) {
	s := newSim(t, 100, 30, ofMemory)
	s.yes, s.text = true, "[redacted]"
	s.Keys("e X")
	if text, _ := storetest.Content(t, s.store, "login.md"); text != "[redacted]\n" {
		t.Errorf("it holds %q", text)
	}
}

func TestRedaction_OfThePastKeepsCurrentText(t *testing.T) {
	s := newSim(t, 100, 30, ofMemory)
	s.yes = true
	s.Keys("p")
	s.Shows("stays as it is")
	s.Keys("X")
	if _, err := history.Entry(t.Context(), s.store, screentest.Path("login.md")); err != nil {
		t.Errorf("the memory is gone: %v", err)
	}
	s.Shows("NOT gone: ", "/login.md")
}

func TestRedaction_OfMissingTextSaysSo(t *testing.T) {
	s := newSim(t, 60, 12, func(versions.Entry) (versions.RedactTarget, string) {
		return versions.RedactTarget{Match: []byte("nobody wrote this")}, "a text"
	})
	s.Shows("No version contains it. Nothing was changed.", "Gone: none of 1 fragment found in")
	s.Keys("X")
	if len(s.Sent) != 1 {
		t.Errorf("asked %v", s.Sent)
	}
}

func TestFrame_FitsEverySize(t *testing.T) {
	s := newSim(t, 100, 30, ofMemory)
	for _, st := range []step{asking, planning, deciding, erasing, finished} {
		s.Pane.step = st
		s.FitsEverySize()
	}
}

func TestPlan_WarnsBeforeItLists(t *testing.T) {
	s := newSim(t, 40, 8, ofMemory)
	s.Shows("Redacted text can't be recovered", "say what becomes of it", "%")
	for _, row := range strings.Split(ansi.Strip(s.Pane.View()), "\n") {
		if strings.HasSuffix(row, "…") {
			t.Errorf("a wrapped row is cut: %q", row)
		}
	}
}

func TestRows_AreIndentedBelowTheirSign(t *testing.T) {
	s := newSim(t, 40, 24, ofMemory)
	s.Shows(" ! Redacted text can't be recovered,    \n   and undo can't restore it.")
	s.yes = true
	s.Keys("d X")
	s.Shows(" ✓ Gone: none of ", "\n   in ")
}

func TestPlan_UsesPlurals(t *testing.T) {
	s := newSim(t, 100, 30, func(versions.Entry) (versions.RedactTarget, string) { return versions.RedactTarget{}, "" })
	storetest.Write(t, s.store, robot, "other.md", secret+"\n")
	s.Run(s.Pane.Update(tea.PasteMsg{Content: "tr0ub4dor&3"}))
	s.Keys("enter")
	s.Shows("2 current memories contain it", "say what becomes of them: d deletes them, e replaces them, m masks the text")
	if hints := s.Pane.Entries(); hints[2].Short != "delete them" || hints[3].Short != "replace them" {
		t.Errorf("it offers to %s, to %s", hints[2].Short, hints[3].Short)
	}
	s.Keys("d")
	s.Shows("✓ are deleted first")
}

func TestQuestion_CountsOnlyErasedVersions(t *testing.T) {
	for key, want := range map[string]string{"p": "Erase 1 version? ", "d": "Erase 2 versions? "} {
		s := newSim(t, 80, 24, ofMemory)
		s.Keys(key + " X")
		ask, ok := s.Sent[len(s.Sent)-1].(screen.Choose)
		if !ok || !strings.HasPrefix(ask.Text, want) {
			t.Errorf("after %s it asks %q", key, ask.Text)
		}
	}
}

// A text that no version contains is listed where it was found, and redacted there.
func TestRedaction_OfATextInNoVersion(t *testing.T) {
	s := newSim(t, 100, 30, func(versions.Entry) (versions.RedactTarget, string) {
		return versions.RedactTarget{Match: []byte("only in the description")}, "a text"
	})
	text := "it is only in the description"
	if _, err := stores.Update(t.Context(), s.trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, s.store.Info().ID, versions.StoreUpdate{Description: &text}); err != nil {
		t.Fatal(err)
	}
	s.lookUp()
	s.Shows("To be erased or masked", "\n   description of store notes")
	s.yes = true
	s.Keys("X")
	s.Shows("Erased or masked: description of store notes.", "✓ Gone: none of ")
	if infos, err := s.trail.Stores(t.Context()); err != nil || infos[0].Description != "it is [redacted]" {
		t.Errorf("%+v, %v", infos, err)
	}
}

// The screen also finds a text that can't be redacted.
func TestRedaction_SearchesWhenThereIsNothingToErase(t *testing.T) {
	s := newSim(t, 160, 30, func(versions.Entry) (versions.RedactTarget, string) {
		return versions.RedactTarget{Match: []byte("only in a file")}, "a text"
	})
	file := filepath.Join(s.trail.Home(), "notes.txt")
	if err := os.WriteFile(file, []byte("this is only in a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.lookUp()
	s.Shows("redact a text NOT gone", "No version contains it. Nothing was changed.", "\n   "+file+": found once")
	s.Refuses("X", "it is done")
}

// A proposed mask needs no decision, and the person can choose something else.
func TestMaskWith_ProposesAMaskForCurrentMemories(t *testing.T) {
	s := newSim(t, 80, 20, func(versions.Entry) (versions.RedactTarget, string) {
		return versions.RedactTarget{Match: []byte("tr0ub4dor&3")}, "a text"
	})
	s.Shows("say what becomes of it")
	s.Pane.MaskWith("[redacted]")
	s.Pane.step = planning
	s.Run(s.Pane.Start())
	s.Shows("the text is masked first: “[redacted]”")
	s.Keys("d")
	s.Hides("masked first")
}
