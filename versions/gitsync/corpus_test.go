package gitsync

import (
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/history"
)

// moment is a change of a history, and what stands after it.
type moment struct {
	who  string // actor, session and time
	tree map[memfs.Path]versions.Hash
}

// moments is the history of the store.
func (h *home) moments() (out []moment) {
	h.Helper()
	tree := map[memfs.Path]versions.Hash{}
	h.must(exchange.Export(h.Context(), h.s, func(it versions.Item) error {
		r := it.Record
		if r == nil {
			return nil
		}
		when := r.Time
		if !r.Wall.IsZero() {
			when = r.Wall
		}
		for _, v := range r.Versions {
			delete(tree, v.From)
			if v.Operation == versions.Deleted {
				delete(tree, v.Path)
			}
		}
		for _, v := range r.Versions {
			if v.Operation != versions.Deleted {
				tree[v.Path] = v.SHA256
			}
		}
		out = append(out, moment{fmt.Sprintf("%s:%s %s %s", r.By.Actor.Kind, r.By.Actor.Name, r.By.Session, when.UTC().Format(time.RFC3339Nano)), maps.Clone(tree)})
		return nil
	}))
	return out
}

// The whole life of a real agent's memory goes out to a repository and comes in again in another home, at once and change by
// change: after each change the same memories have the same contents, by the same actor, session and time. git log and git
// blame say of the repository what memend says of the store.
func TestTheHistoryOfARealAgentGoesOutAndIn(t *testing.T) {
	t.Parallel()
	corpus := os.Getenv("MEMEND_CORPUS")
	if corpus == "" {
		t.Skip("MEMEND_CORPUS is not set")
	}
	open := func(name string) io.Reader {
		f, err := os.Open(filepath.Join(corpus, "ai-agents-history", name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	w := newWorld(t)
	ann, bob, cal := w.home("ann"), w.home("bob"), w.home("cal")
	n, err := exchange.Import(t.Context(), ann.s, ann.me, exchange.ReadSimple(open("ops.jsonl.gz"), open("blobs.jsonl.gz")))
	w.must(err)
	if r := ann.sync(); r.Sent != n.Changes || !r.Pushed {
		t.Errorf("%+v", r)
	}
	if r := bob.sync(); r.Imported != n.Changes {
		t.Errorf("%d changes at once, want %d", r.Imported, n.Changes)
	}
	cal.write("mine.md", "mine\n") // so that each change is decided about
	r, err := cal.trySync(Options{NoPush: true})
	w.must(err)
	if len(r.Taken) != n.Changes {
		t.Errorf("%d changes one by one, want %d", len(r.Taken), n.Changes)
	}
	want := ann.moments()
	for _, h := range []*home{bob, cal} {
		got := h.moments()
		if h == cal {
			got = got[1:]
			for _, m := range got {
				delete(m.tree, at("mine.md"))
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%s has %d changes, want %d", h.me.Actor.Name, len(got), len(want))
		}
		for i := range want {
			if got[i].who != want[i].who || !maps.Equal(got[i].tree, want[i].tree) {
				t.Fatalf("%s: change %d is %s with %d memories, want %s with %d", h.me.Actor.Name, i+1, got[i].who, len(got[i].tree), want[i].who, len(want[i].tree))
			}
		}
	}
	log := strings.Split(w.git(w.url, "log", "--reverse", "--format=%(trailers:key=Memend-Actor,valueonly,separator=) %(trailers:key=Memend-Session,valueonly,separator=) %(trailers:key=Memend-Time,valueonly,separator=) %at", "main"), "\n")
	for i := range want {
		at, err := time.Parse(time.RFC3339Nano, want[i].who[strings.LastIndexByte(want[i].who, ' ')+1:])
		w.must(err)
		if say := fmt.Sprintf("%s %d", want[i].who, at.Unix()); i >= len(log) || log[i] != say {
			t.Fatalf("git log says %q of change %d, want %q", log[i], i+1, say)
		}
	}
	ann.blamesLikeGit()
}

// blamesLikeGit compares who wrote each line of every tenth memory with what git says.
func (h *home) blamesLikeGit() {
	h.Helper()
	session := map[string]string{}
	for line := range strings.Lines(h.git(h.url, "log", "--format=%H %(trailers:key=Memend-Session,valueonly,separator=)%n", "main")) {
		if commit, s, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			session[commit] = s
		}
	}
	entries, err := history.Tree(h.Context(), h.s)
	h.must(err)
	files, lines, differ := 0, 0, 0
	for i := 0; i < len(entries); i += 10 {
		e := entries[i]
		ours, err := history.Blame(h.Context(), h.s, e.Version)
		h.must(err)
		out, err := exec.Command("git", "-C", h.url, "blame", "--line-porcelain", "main", "--", e.Path.Rel()).Output()
		h.must(err)
		var theirs []string
		for line := range strings.Lines(string(out)) {
			if commit, _, _ := strings.Cut(line, " "); session[commit] != "" {
				theirs = append(theirs, session[commit])
			}
		}
		files++
		var mine []string
		for _, r := range ours.Runs {
			mine = append(mine, slices.Repeat([]string{string(r.By.Session)}, r.Lines)...)
		}
		if len(theirs) != len(mine) {
			h.Errorf("%s: git blames %d lines, memend %d", e.Path, len(theirs), len(mine))
			continue
		}
		for i := range mine {
			lines++
			if mine[i] == theirs[i] {
				continue
			}
			differ++
			all := strings.SplitAfter(string(ours.Content), "\n")
			if slices.Index(all, all[i]) == i && !slices.Contains(all[i+1:], all[i]) { // of alike lines either may be the new one
				h.Errorf("%s:%d: git says %s, memend %s: %q", e.Path, i+1, theirs[i], mine[i], all[i])
			}
		}
	}
	h.Logf("%d files, %d lines, %d differ, all of them one of several alike", files, lines, differ)
	if lines < 1000 || differ*1000 > lines {
		h.Error("too few are compared, or too many differ")
	}
}
