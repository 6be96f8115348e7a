package gitsync

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
)

// A text that was erased leaves what commits say, too: the message and the author of anybody's commit, and the reason
// with which a person rejected a change.
func TestARewriteLeavesNoErasedWords(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-and-more-of-it"
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.write("a.md", "a\n")
	ann.sync()
	bob.sync()
	dir := w.clone()
	w.commit(dir, "the password was "+secret+"\n\nIt is changed.\n\nSigned-off-by: Tess", map[string]string{"b.md": "b\n"})
	w.must(os.WriteFile(filepath.Join(dir, "c.md"), []byte("c\n"), 0o600))
	w.git(dir, "add", "c.md")
	w.git(dir, "-c", "user.name=Tess "+secret, "-c", "user.email=tess+"+secret+"@example.com", "commit", "--quiet", "-m", "made c.md")
	w.git(dir, "push", "--quiet", "origin", "HEAD:main")
	robot := bob.me
	robot.Actor = versions.Actor{Kind: versions.Agent, Name: "robot " + secret}
	_, err := bob.s.Write(t.Context(), robot, at("d.md"), []byte("d\n"), versions.Pre{})
	w.must(err)
	bob.sync()
	ann.sync()
	w.must(review.SetPolicy(t.Context(), ann.s, ann.me, "", "hold actor:agent"))
	bob.asAgent(func() { bob.write("a.md", "the robot's\n") })
	bob.sync()
	r := ann.sync()
	if len(r.Held) != 1 {
		t.Fatalf("%+v", r)
	}
	w.must(review.Reject(t.Context(), ann.s, ann.me, r.Held[0], "the robot would show "+secret))
	ann.sync()
	bob.sync()
	all := func() string { return w.git(w.url, "log", "--format=%H %an %ae %cn %ce%n%B", "main") }
	if n := strings.Count(all(), secret); n < 7 {
		t.Fatalf("the branch says it only %d times:\n%s", n, all())
	}
	ann.eraseText(secret)
	bob.eraseText(secret)
	before, told := w.tree(), len(ann.told())
	_, err = ann.trySync(Options{Rewrite: true})
	w.must(err)
	if strings.Contains(all(), secret) {
		t.Errorf("the branch says:\n%s", all())
	}
	for _, want := range []string{"the password was [redacted]\n\nIt is changed.\n\nSigned-off-by: Tess", "Tess [redacted]", "agent:robot [redacted]", "rejected \""} {
		if !strings.Contains(all(), want) {
			t.Errorf("the branch says nothing of %q:\n%s", want, all())
		}
	}
	if after := w.tree(); !maps.Equal(before, after) {
		t.Errorf("the branch has %q, had %q", after, before)
	}
	_, err = bob.trySync(Options{Rewrite: true})
	w.must(err)
	for _, h := range []*home{ann, bob, ann} {
		if r := h.sync(); len(r.Taken)+r.Sent+len(r.Held) != 0 {
			t.Errorf("%s: %+v", h.me.Actor.Name, r)
		}
	}
	if strings.Contains(all(), secret) {
		t.Errorf("after bob's, the branch says:\n%s", all())
	}
	if n := len(ann.told()); n != told {
		t.Errorf("%d changes, had %d: %q", n, told, ann.told())
	}
}

func (h *home) eraseText(text string) {
	h.Helper()
	plan, err := redact.Prepare(h.Context(), h.s, versions.RedactTarget{Match: []byte(text)})
	h.must(err)
	_, err = redact.Do(h.Context(), h.s, h.me, plan, versions.RedactChoice{})
	h.must(err)
}

// Two homes erase a text. The second finds the branch rewritten, and its own repository removed: nothing of the branch is new
// there, and nothing is sent twice.
func TestTwoHomesEraseAndRewrite(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-and-more-of-it"
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.write("a.md", "a\n")
	ann.write("leak.md", secret)
	ann.write("leak.md", "nothing\n")
	ann.sync()
	bob.sync()
	dir := w.clone()
	w.commit(dir, "tess writes", map[string]string{"a.md": "tess's\n"})
	w.commit(dir, "tess takes it back", map[string]string{"a.md": "a\n"})
	bob.sync()
	w.must(review.SetPolicy(t.Context(), ann.s, ann.me, "", "hold actor:agent"))
	bob.asAgent(func() { bob.write("a.md", "the robot's\n") })
	bob.sync()
	r := ann.sync()
	if len(r.Held) != 1 {
		t.Fatalf("%+v", r)
	}
	w.must(review.Reject(t.Context(), ann.s, ann.me, r.Held[0], "no"))
	ann.sync()
	bob.sync()
	ann.eraseText(secret)
	bob.eraseText(secret)
	_, err := ann.trySync(Options{Rewrite: true})
	w.must(err)
	tip := w.git(w.url, "rev-parse", "main")
	for _, h := range []*home{bob, ann, bob} {
		r, err := h.trySync(Options{Rewrite: h == bob})
		w.must(err)
		if len(r.Taken)+r.Sent+len(r.Held) != 0 || w.git(w.url, "rev-parse", "main") != tip {
			t.Errorf("%s: %+v\n%s", h.me.Actor.Name, r, w.commits())
		}
		h.stands(map[string]string{"a.md": "a\n", "leak.md": "nothing\n"})
	}
}
