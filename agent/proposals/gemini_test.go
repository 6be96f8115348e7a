package proposals

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
)

func TestAPatchIsAppliedAndItsFileRemoved(t *testing.T) {
	m := gemini(t)
	m.write(inboxOf+"private/a.patch", m.patch(".gemini/tmp/shop/memory/MEMORY.md", friday))
	m.want("gemini:shop/private/a.patch")
	w := m.one()
	if len(w.Plan.Clean) != 1 || w.Plan.Clean[0].Added != 1 || w.Plan.Clean[0].Removed != 1 || w.By.Actor.Name != "gemini-cli" || w.Time.IsZero() {
		t.Errorf("%+v %+v", w, w.Plan)
	}
	c := m.accept()
	if got := m.read(".gemini/tmp/shop/memory/MEMORY.md"); got != "# Project Memory\n\n- Tests: `make test`.\n- Deploys on Mondays.\n" {
		t.Errorf("%q", got)
	}
	if m.read(inboxOf+"private/a.patch") != "(none)" || c.Actor.Name != "gemini-cli" || c.Versions != 1 {
		t.Errorf("%+v", c)
	}
	m.want()
	if _, err := m.store.Undo(t.Context(), alice, c.Number); err != nil {
		t.Fatal(err)
	}
	if got := m.read(".gemini/tmp/shop/memory/MEMORY.md"); !strings.Contains(got, "Fridays") {
		t.Errorf("%q", got)
	}
}

func TestANewFileGetsAPointerInTheIndex(t *testing.T) {
	m := gemini(t)
	m.write(inboxOf+"private/a.patch", m.creates(".gemini/tmp/shop/memory/release-steps.md", "Tag it.", "Push it."))
	if c := m.accept(); c.Versions != 2 {
		t.Errorf("%+v", c)
	}
	if got := m.read(".gemini/tmp/shop/memory/release-steps.md"); got != "Tag it.\nPush it.\n" {
		t.Errorf("%q", got)
	}
	if got := m.read(".gemini/tmp/shop/memory/MEMORY.md"); !strings.HasSuffix(got, "Fridays.\n- See "+m.path(".gemini/tmp/shop/memory/release-steps.md")+" for release steps notes.\n") {
		t.Errorf("%q", got)
	}

	m = gemini(t) // the patch names it itself
	m.write(inboxOf+"private/a.patch", m.creates(".gemini/tmp/shop/memory/b.md", "B")+m.patch(".gemini/tmp/shop/memory/MEMORY.md", "@@ -4,1 +4,2 @@\n - Deploys on Fridays.\n+- b.md has more.\n"))
	m.accept()
	if got := m.read(".gemini/tmp/shop/memory/MEMORY.md"); !strings.HasSuffix(got, "Fridays.\n- b.md has more.\n") {
		t.Errorf("%q", got)
	}

	m = gemini(t) // there is no index yet
	if err := os.Remove(m.path(".gemini/tmp/shop/memory/MEMORY.md")); err != nil {
		t.Fatal(err)
	}
	m.write(inboxOf+"private/a.patch", m.creates(".gemini/tmp/shop/memory/b.md", "B"))
	m.accept()
	if got := m.read(".gemini/tmp/shop/memory/MEMORY.md"); got != "# Project Memory\n- See "+m.path(".gemini/tmp/shop/memory/b.md")+" for b notes.\n" {
		t.Errorf("%q", got)
	}
}

func TestInvalidPatchesAreNotListed(t *testing.T) {
	m := gemini(t)
	memory := ".gemini/tmp/shop/memory/"
	for name, text := range map[string]string{
		"empty":      "",
		"no-hunk":    m.patch(memory+"MEMORY.md", ""),
		"relative":   "--- MEMORY.md\n+++ MEMORY.md\n" + friday,
		"rename":     "--- " + m.path(memory+"MEMORY.md") + "\n+++ " + m.path(memory+"b.md") + "\n" + friday,
		"delete":     "--- " + m.path(memory+"MEMORY.md") + "\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n",
		"prose":      m.patch(memory+"MEMORY.md", friday) + "Please apply this.\n",
		"count":      m.patch(memory+"MEMORY.md", strings.Replace(friday, "-3,2", "-3,3", 1)),
		"outside":    m.patch(".bashrc", friday),
		"dotted":     m.patch(memory+"../../../../.bashrc", friday),
		"settings":   m.patch(".gemini/settings.json", friday),
		"deep":       m.creates(memory+"deep/b.md", "b"),
		"hidden":     m.creates(memory+".b.md", "b"),
		"no-md":      m.creates(memory+"b.txt", "b"),
		"one-of-two": m.patch(memory+"MEMORY.md", friday) + m.creates(".ssh/x.md", "b"),
		"a-and-b":    "--- a" + m.path(memory+"MEMORY.md") + "\n+++ b" + m.path(memory+"MEMORY.md") + "\n" + friday,
	} {
		m.write(inboxOf+"private/"+name+".patch", text)
	}
	m.write(inboxOf+"private/note.txt", m.patch(memory+"MEMORY.md", friday))
	m.write(inboxOf+"global/a.patch", m.patch(memory+"MEMORY.md", friday)) // of private memory
	m.want()
	if m.read(inboxOf+"private/outside.patch") == "(none)" {
		t.Error("it was removed")
	}
	m.write(inboxOf+"private/prefixed.patch", "--- a/"+m.path(memory + "MEMORY.md")[0:]+"\n+++ b/"+m.path(memory+"MEMORY.md")+"\n"+friday)
	m.write(inboxOf+"private/deep/x.patch", m.patch(memory+"MEMORY.md", friday))
	m.want("gemini:shop/private/deep/x.patch", "gemini:shop/private/prefixed.patch")
}

func TestALinkLeadsNoPatchOutOfTheFolder(t *testing.T) {
	m := gemini(t)
	m.write("elsewhere.md", "secret\n")
	if err := os.Symlink(m.path("elsewhere.md"), m.path(".gemini/tmp/shop/memory/link.md")); err != nil {
		t.Fatal(err)
	}
	m.write(inboxOf+"private/a.patch", m.patch(".gemini/tmp/shop/memory/link.md", "@@ -1,1 +1,1 @@\n-secret\n+mine\n"))
	m.want()
}

func TestAPatchThatDoesNotApplyAnyMoreIsListedAndCanBeRejected(t *testing.T) {
	m := gemini(t)
	memory := ".gemini/tmp/shop/memory/"
	m.write(inboxOf+"private/a.patch", m.patch(memory+"MEMORY.md", strings.ReplaceAll(friday, "Fridays", "Thursdays")))
	m.write(inboxOf+"private/b.patch", m.creates(memory+"MEMORY.md", "x"))
	m.write(inboxOf+"private/c.patch", m.patch(memory+"gone.md", friday))
	m.write(inboxOf+"private/d.patch", m.creates(memory+"new.md", "x")+m.patch(memory+"MEMORY.md", "@@ -1,1 +1,1 @@\n-nothing like it\n+x\n"))
	m.want("gemini:shop/private/a.patch ! it does not apply to MEMORY.md any more",
		"gemini:shop/private/b.patch ! it creates a file that exists already: MEMORY.md",
		"gemini:shop/private/c.patch ! the file that it changes does not exist: gone.md",
		"gemini:shop/private/d.patch ! it does not apply to MEMORY.md any more")
	for _, w := range m.list() {
		if _, err := Accept(t.Context(), m.store, alice, w); err == nil {
			t.Errorf("%s was accepted", w.Name)
		}
		if err := Reject(t.Context(), m.store, alice, w, ""); err != nil {
			t.Error(err)
		}
	}
	m.want()
	if m.read(memory+"new.md") != "(none)" { // all or nothing
		t.Error("a part was applied")
	}
}

func TestADecisionIsAboutWhatWasShown(t *testing.T) {
	m := gemini(t)
	memory := ".gemini/tmp/shop/memory/MEMORY.md"
	m.write(inboxOf+"private/a.patch", m.patch(memory, friday))
	refused := func(w Waiting, want error) {
		t.Helper()
		m.stays(memory, func() {
			if _, err := Accept(t.Context(), m.store, alice, w); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		})
	}
	w := m.one()
	m.write(memory, m.read(memory)+"- One more.\n") // the patch still applies, but not to what was shown
	refused(w, ErrChanged)
	w = m.one()
	m.write(inboxOf+"private/a.patch", m.patch(memory, strings.ReplaceAll(friday, "Mondays", "Sundays")))
	refused(w, ErrChanged)
	if err := Reject(t.Context(), m.store, alice, w, ""); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	w = m.one()
	if err := os.Remove(m.path(inboxOf + "private/a.patch")); err != nil {
		t.Fatal(err)
	}
	refused(w, ErrGone)
}

func TestOnlyAPersonDecides(t *testing.T) {
	m := gemini(t)
	m.write(inboxOf+"private/a.patch", m.patch(".gemini/tmp/shop/memory/MEMORY.md", friday))
	m.write(inboxOf+"private/b.patch", m.creates(".gemini/tmp/shop/memory/MEMORY.md", "does not apply"))
	for _, by := range []versions.By{{}, {Actor: alice.Actor}, {Door: versions.DoorMCP, Actor: alice.Actor}, {Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Agent, Name: "a"}}} {
		for _, w := range m.list() {
			if _, err := Accept(t.Context(), m.store, by, w); w.Err == nil && !errors.Is(err, versions.ErrPersonsOnly) {
				t.Errorf("accept by %+v: %v", by, err)
			}
			if err := Reject(t.Context(), m.store, by, w, ""); !errors.Is(err, versions.ErrPersonsOnly) {
				t.Errorf("reject by %+v: %v", by, err)
			}
		}
	}
	if len(m.list()) != 2 {
		t.Error("a file is gone")
	}
}

func TestTheGlobalInboxBelongsToTheStoreWithTheGlobalFile(t *testing.T) {
	m := gemini(t)
	m.write(inboxOf+"global/a.patch", m.patch(".gemini/GEMINI.md", "@@ -1,1 +1,2 @@\n - Answer briefly.\n+- Use tabs.\n"))
	m.want()
	m.open(".gemini")
	m.want("gemini:shop/global/a.patch")
	m.accept()
	if got := m.read(".gemini/GEMINI.md"); got != "- Answer briefly.\n- Use tabs.\n" {
		t.Errorf("%q", got)
	}
}

func TestSeveralPartsAboutOneFileBuildOnEachOther(t *testing.T) {
	m := gemini(t)
	memory := ".gemini/tmp/shop/memory/MEMORY.md"
	m.write(inboxOf+"private/a.patch", m.patch(memory, friday)+m.patch(memory, "@@ -4,1 +4,2 @@\n - Deploys on Mondays.\n+- Never on holidays.\n"))
	if c := m.accept(); c.Versions != 1 {
		t.Errorf("%+v", c)
	}
	if got := m.read(memory); !strings.HasSuffix(got, "- Deploys on Mondays.\n- Never on holidays.\n") {
		t.Errorf("%q", got)
	}
}
