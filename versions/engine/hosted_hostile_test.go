package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/replica"
)

// What a service says is believed only as far as it can be: nothing of the rest is
// taken in, nothing outside the folder is touched, and all is well when it comes to
// its senses.
func TestAServiceThatLiesIsNotBelieved(t *testing.T) {
	t.Parallel()
	each := func(do func(*versions.HostedVersion)) func([]versions.HostedVersion) []versions.HostedVersion {
		return func(vs []versions.HostedVersion) []versions.HostedVersion {
			for i := range vs {
				do(&vs[i])
			}
			return vs
		}
	}
	at := func(path string) func([]versions.HostedVersion) []versions.HostedVersion {
		return each(func(v *versions.HostedVersion) { v.Path = path })
	}
	w := newTwin(t) // one for all: each is a lie about one version more
	w.there("/good.md", "good\n")
	w.pull()
	for name, lie := range map[string]func([]versions.HostedVersion) []versions.HostedVersion{
		"a path out of the folder":         at("/../../escaped.md"),
		"a path with a dot":                at("/a/./b.md"),
		"a path that is not whole":         at("a.md"),
		"a path with a control character":  at("/a\x1b[2J.md"),
		"a path with two slashes":          at("/a//b.md"),
		"no path":                          at(""),
		"the root":                         at("/"),
		"an id that is none":               each(func(v *versions.HostedVersion) { v.ID = "memver_../../x" }),
		"an id of something else":          each(func(v *versions.HostedVersion) { v.ID = "mem_1" }),
		"an id as if it were not sent":     each(func(v *versions.HostedVersion) { v.ID = "memver_unsent-1" }),
		"a memory's id that is none":       each(func(v *versions.HostedVersion) { v.Memory = "" }),
		"another hash":                     each(func(v *versions.HostedVersion) { v.SHA256 = versions.Hash{1} }),
		"an operation that nobody knows":   each(func(v *versions.HostedVersion) { v.Operation = "exploded" }),
		"a time that can't be":             each(func(v *versions.HostedVersion) { v.Time = time.Time{} }),
		"an actor of a megabyte":           each(func(v *versions.HostedVersion) { v.By.Name = strings.Repeat("x", 1<<20) }),
		"a content over all limits":        each(func(v *versions.HostedVersion) { v.Content = make([]byte, 9<<20); v.SHA256 = versions.Sum(v.Content) }),
		"two memories at one place":        two("/same.md", "/same.md"),
		"a memory below another":           two("/same", "/same/below.md"),
		"all of it with another's content": each(func(v *versions.HostedVersion) { v.Content = []byte("swapped") }),
	} {
		t.Run(name, func(t *testing.T) {
			defer func(of *testing.T) { w.t = of }(w.t)
			w.t = t
			w.there("/new.md", name)
			before := w.everything()
			w.reopen()
			w.up.lists = lie
			_, err := replica.Pull(t.Context(), w.store, versions.PullOptions{Full: true})
			var trouble *versions.UpstreamError
			if !errors.As(err, &trouble) || trouble.Trouble != versions.InvalidResponse || len(err.Error()) > 600 {
				if err == nil || len(err.Error()) < 600 {
					t.Errorf("%v", err)
				}
				t.Errorf("%d bytes of error", len(fmt.Sprint(err)))
			}
			if w.file("good.md") != "good\n" {
				t.Errorf("%q", w.file("good.md"))
			}
			root := filepath.Dir(filepath.Dir(w.home))
			_ = filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
				if err == nil && strings.Contains(d.Name(), "escaped") {
					t.Errorf("it wrote %s", p)
				}
				return nil
			})
			after := w.everything()
			w.reopen()
			for p := range after {
				if _, was := before[p]; !was && strings.HasPrefix(p, w.folder) {
					t.Errorf("it made %s", p)
				}
			}
			w.up.lists = nil
			w.agree()
		})
	}
}

// two makes two memories of what is new, at two places.
func two(a, b string) func([]versions.HostedVersion) []versions.HostedVersion {
	return func(vs []versions.HostedVersion) []versions.HostedVersion {
		if len(vs) == 0 {
			return vs
		}
		one, other := vs[0], vs[0]
		one.ID, one.Memory, one.Path, one.Operation = "memver_1one", "mem_1one", a, versions.Created
		other.ID, other.Memory, other.Path, other.Operation = "memver_1other", "mem_1other", b, versions.Created
		for _, v := range []*versions.HostedVersion{&one, &other} {
			if v.Content == nil {
				v.Content = []byte("new\n")
			}
		}
		return append([]versions.HostedVersion{one, other}, vs...)
	}
}

func TestPagesThatNeverEndAreGivenUp(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.trail.MaxListed = 500
	w.there("/a.md", "a\n")
	for name, next := range map[string]func(n int) string{
		"in a circle":          func(n int) string { return fmt.Sprint(n % 2) },
		"always something new": func(n int) string { return fmt.Sprint(n) },
	} {
		endless := &endless{service: w.up, next: next}
		replica.ReplicaOf(w.store).Service = endless
		_, err := replica.Pull(t.Context(), w.store, versions.PullOptions{Full: true})
		var trouble *versions.UpstreamError
		if !errors.As(err, &trouble) || trouble.Trouble != versions.InvalidResponse || endless.n > 1000 {
			t.Errorf("%s: %v after %d pages", name, err, endless.n)
		}
	}
	for name, up := range map[string]*endless{"pages of nothing": {empty: true}, "the same version again": {same: true}, "empty pages of memories": {empty: true, memories: true}} {
		up.service, up.next = w.up, func(n int) string { return fmt.Sprint(n) }
		replica.ReplicaOf(w.store).Service = up
		_, err := replica.Pull(t.Context(), w.store, versions.PullOptions{Full: true})
		var trouble *versions.UpstreamError
		if !errors.As(err, &trouble) || trouble.Trouble != versions.InvalidResponse || up.n > 100 {
			t.Errorf("%s: %v after %d pages", name, err, up.n)
		}
	}
	replica.ReplicaOf(w.store).Service = w.up
	w.agree()
}

// endless is a service with pages without an end.
type endless struct {
	*service
	n           int
	next        func(int) string
	empty, same bool
	memories    bool // of these, not of versions
}

func (e *endless) Memories(ctx context.Context, page string) (versions.HostedMemories, error) {
	if !e.memories {
		return e.service.Memories(ctx, page)
	}
	if e.n++; e.n > 2000 {
		return versions.HostedMemories{}, errors.New("it goes on for ever")
	}
	return versions.HostedMemories{Next: e.next(e.n)}, nil
}

func (e *endless) Versions(ctx context.Context, q versions.HostedQuery, page string) (versions.HostedVersions, error) {
	if e.memories {
		return e.service.Versions(ctx, q, page)
	}
	if e.n++; e.n > 2000 {
		return versions.HostedVersions{}, errors.New("it goes on for ever")
	}
	if e.empty || e.same && e.n > 1 {
		got := versions.HostedVersions{Next: e.next(e.n)}
		if e.same {
			got.Versions = []versions.HostedVersion{{ID: "memver_1x", Memory: "mem_1", Operation: versions.Modified, Path: "/x.md", Time: time.Now()}}
		}
		return got, nil
	}
	return versions.HostedVersions{Next: e.next(e.n), Versions: []versions.HostedVersion{{ID: "memver_1x" + e.next(e.n), Memory: "mem_1", Operation: versions.Modified, Path: "/x.md", Time: time.Now()}}}, nil
}

func TestTheSameVersionTwiceIsTakenInOnce(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.there("/a.md", "a\n")
	w.there("/a.md", "b\n")
	w.up.lists = func(vs []versions.HostedVersion) []versions.HostedVersion { return append(vs, vs...) }
	if got := w.pull(); got.Versions != 2 {
		t.Errorf("%+v", got)
	}
	w.up.lists = nil
	w.agree()
}

func TestANameThatNoFolderHoldsIsLeftOutAndTold(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.there("/a.md", "a\n")
	long := "/" + strings.Repeat("x", 300) + ".md"
	w.up.lists = func(vs []versions.HostedVersion) []versions.HostedVersion {
		for i := range vs {
			vs[i].Path = long
		}
		return vs
	}
	got, err := replica.Pull(t.Context(), w.store, versions.PullOptions{})
	if len(got.Skipped) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	w.up.lists = nil
	w.agree()
}

// A process that dies after the service acted and before that was taken in loses
// nothing: the next pull has it.
func TestWhatWasDoneAndNotTakenInComesWithTheNextPull(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"before-intent-commit", "after-intent-commit", "before-final-commit"} {
		t.Run(step, func(t *testing.T) {
			w := newTwin(t)
			w.write(alice, "/a.md", "one\n")
			w.atStep(func(at string, _ int) error {
				if at == step {
					return errors.New("the disk is full")
				}
				return nil
			})
			_, err := w.store.Write(t.Context(), alice, mustPath("/a.md"), []byte("two\n"), versions.Pre{})
			var later *versions.LaterError
			if step != "before-final-commit" && !errors.As(err, &later) {
				t.Errorf("%v", err)
			}
			w.at.Store(nil)
			w.close()
			w.reopen()
			w.sync()
			w.pull()
			if w.file("a.md") != "two\n" {
				t.Errorf("%q", w.file("a.md"))
			}
			w.agree()
		})
	}
}
