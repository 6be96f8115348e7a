package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/agent/proposals"
	"github.com/memend/memend/versions"
)

// newToolQueue is a queue on a store that is the folder of Gemini CLI.
func newToolQueue(t *testing.T, w, h int) *queue {
	q := newQueue(t, w, h, func(c *Config) { c.Tools = proposals.Roots{Gemini: c.Store.Info().Folder} })
	q.writes(reviewer, "GEMINI.md", "- Answer briefly.\n")
	return q
}

func (q *queue) file(rel string) string {
	return filepath.Join(q.app.info.Folder, filepath.FromSlash(rel))
}

func (q *queue) patch(name, from, to string) {
	q.t.Helper()
	file := q.file("tmp/shop/memory/.inbox/global/" + name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		q.t.Fatal(err)
	}
	at := q.file("GEMINI.md")
	if err := os.WriteFile(file, []byte("--- "+at+"\n+++ "+at+"\n@@ -1,1 +1,2 @@\n "+from+"\n+"+to+"\n"), 0o644); err != nil {
		q.t.Fatal(err)
	}
	q.run(q.app.live.LookForProposals())
}

func (q *queue) gone(name string) bool {
	_, err := os.Stat(q.file("tmp/shop/memory/.inbox/global/" + name))
	return os.IsNotExist(err)
}

func TestProposals_OfOtherToolsAreDecidedInTheQueue(t *testing.T) {
	t.Parallel()
	q := newToolQueue(t, 140, 30)
	q.patch("a.patch", "- Answer briefly.", "- Use tabs.")
	q.shows("Gemini CLI wants to edit /GEMINI.md: gemini:shop/global/a.patch waits for you · ! shows it")
	q.elapse()
	q.shows("1 waits for you")
	q.keys("!")
	q.shows("wants to change · 1", "Gemini CLI wants to edit /GEMINI.md", "- Use tabs.", "gemini:shop/global/a.patch")
	q.keys("a")
	q.shows("Accept gemini:shop/global/a.patch: edit /GEMINI.md (+1)?")
	q.keys("enter") // the default
	if q.gone("a.patch") || q.content("GEMINI.md") != "- Answer briefly.\n" {
		t.Fatal("the default answer accepts")
	}
	q.keys("a y")
	q.shows("accepted gemini:shop/global/a.patch")
	if got := q.content("GEMINI.md"); got != "- Answer briefly.\n- Use tabs.\n" || !q.gone("a.patch") {
		t.Errorf("%q", got)
	}
	q.elapse()
	q.hides("1 waits")
	all, err := q.versions.Held(t.Context(), versions.HeldFilter{State: versions.HeldAccepted})
	if err != nil || len(all) != 1 || all[0].DecidedBy != me.Actor || all[0].By.Actor.Name != "gemini-cli" {
		t.Errorf("%+v, %v", all, err)
	}

	q.patch("b.patch", "- Answer briefly.", "- Use four spaces.")
	q.keys("-")
	q.typed("never")
	q.keys("enter")
	q.shows("rejected gemini:shop/global/b.patch")
	if !q.gone("b.patch") || strings.Contains(q.content("GEMINI.md"), "four") {
		t.Error("it is not rejected")
	}
}

func TestProposals_ThatChangedSinceTheyWereShownAreShownAgain(t *testing.T) {
	t.Parallel()
	q := newToolQueue(t, 140, 30)
	q.patch("a.patch", "- Answer briefly.", "- Use tabs.")
	q.keys("!")
	if err := os.WriteFile(q.file("GEMINI.md"), []byte("- Answer briefly.\n- In Norwegian.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	q.keys("a y")
	q.shows("/GEMINI.md changed since it was shown: gemini:shop/global/a.patch is shown again")
	if got := q.content("GEMINI.md"); strings.Contains(got, "tabs") || q.gone("a.patch") {
		t.Errorf("%q", got)
	}
	q.keys("a y")
	q.shows("accepted gemini:shop/global/a.patch")
	if got := q.content("GEMINI.md"); got != "- Answer briefly.\n- Use tabs.\n- In Norwegian.\n" {
		t.Errorf("%q", got)
	}

	q.patch("b.patch", "- Answer briefly.", "- Twice.")
	q.elapse()
	if err := os.Remove(q.file("tmp/shop/memory/.inbox/global/b.patch")); err != nil {
		t.Fatal(err)
	}
	q.keys("a y")
	q.shows("gemini:shop/global/b.patch was decided elsewhere meanwhile")
}

func TestProposals_ThatDoNotApplyCanOnlyBeRejected(t *testing.T) {
	t.Parallel()
	q := newToolQueue(t, 140, 30)
	q.patch("a.patch", "- Answer at length.", "- Use tabs.")
	q.keys("!")
	q.shows("outdated", "it does not apply to GEMINI.md any more")
	q.keys("a")
	q.shows("it can't be applied: - rejects it")
	q.keys("e")
	q.shows("it is accepted or rejected as it is")
	q.keys("- enter")
	if !q.gone("a.patch") {
		t.Error("it is there")
	}
}

func TestProposals_AreNotAcceptedByAHeldKey(t *testing.T) {
	t.Parallel()
	q := newToolQueue(t, 140, 30)
	q.patch("a.patch", "- Answer briefly.", "- Use tabs.")
	q.keys("!")
	for _, key := range []string{"a", "y", "enter", "space"} {
		for range 40 {
			q.keys(key)
		}
		if q.gone("a.patch") {
			t.Fatalf("%s held down accepted it", key)
		}
		q.keys("esc esc esc !")
	}
}
