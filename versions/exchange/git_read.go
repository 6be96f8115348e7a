package exchange

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
)

// History returns the history of the repository's HEAD, along first parents. left is called for each path that is left out, with the reason, and for what
// else the reader of the history should know. The last step compares the memories with the commit's tree; a difference is an error.
func (r *Repo) History(ctx context.Context, left func(what string)) iter.Seq2[versions.Item, error] {
	return func(yield func(versions.Item, error) bool) {
		g := &gitReader{Repo: r, notice: left, yield: yield, ours: true, blobs: map[string]blob{}, left: map[string]bool{}}
		g.tree, g.result = newTree(g.memory), newResult()
		if err := g.run(ctx); err != nil && !errors.Is(err, errEnough) {
			yield(versions.Item{}, cmp.Or(ctx.Err(), err)) // a canceled git was killed, which is not its fault
		}
	}
}

type gitReader struct {
	*Repo
	notice  func(what string)
	yield   func(versions.Item, error) bool
	objects git.Objects
	tree    *tree
	result  *result
	blobs   map[string]blob // by id
	left    map[string]bool // paths that were reported

	commits int64
	records int64
	ours    bool // all commits so far had matching trailers
}

// blob is the content of a file in git, as far as it was needed.
type blob struct {
	hash versions.Hash
	big  bool // too large for a memory
}

func (g *gitReader) run(ctx context.Context) error {
	if g.cut {
		g.say("this is a shallow clone: what its first commit holds was there before, by authors unknown; `git fetch --unshallow` gets the rest")
	}
	log, err := git.FirstParents(ctx, g.dir, g.head, g.paths...)
	if err != nil {
		return err
	}
	defer log.Kill()
	p, err := git.Start(ctx, g.dir, "cat-file", "--batch")
	if err != nil {
		return err
	}
	defer p.Kill()
	g.objects = git.Objects{Process: p}
	for {
		c, err := log.Next()
		if errors.Is(err, io.EOF) {
			return g.compare(ctx)
		}
		if err != nil {
			return err
		}
		if err := g.commit(&c); err != nil {
			if errors.Is(err, errEnough) {
				return err
			}
			return fmt.Errorf("commit %.10s: %w", c.ID, err)
		}
	}
}

func (g *gitReader) give(it versions.Item) error {
	if !g.yield(it, nil) {
		return errEnough
	}
	return nil
}

func (g *gitReader) commit(c *git.Commit) error {
	g.commits++
	g.tree.begin()
	if err := g.apply(c.Files); err != nil {
		return err
	}
	r, err := g.record(c)
	if err != nil || r == nil {
		return err
	}
	g.records++
	g.result.apply(r)
	return g.give(versions.Item{Record: r})
}

// apply applies what a commit does to the tree. All that leaves a path does so first: a file may become a folder, and the renamed files may need each other's
// paths.
func (g *gitReader) apply(files []git.File) error {
	moved := map[string]*file{} // by the new path
	for _, f := range files {
		old := f.Path
		switch f.Status {
		case 'R':
			old = f.From
		case 'A', 'M', 'T':
			continue
		}
		gone := g.tree.take(old)
		if gone == nil {
			return unsound("no file at %.80q", old)
		}
		if f.Status == 'R' {
			moved[f.Path] = gone
		}
	}
	for _, f := range files {
		if f.Status == 'D' {
			continue
		}
		if (g.tree.file(f.Path) != nil) == (f.Status == 'A' || f.Status == 'R') || g.tree.blocked(f.Path) {
			return unsound("%.80q is in the tree twice, or not at all", f.Path)
		}
		if f.Status == 'R' {
			g.tree.place(moved[f.Path], f.Path)
		}
		h, odd, err := g.content(&f)
		if err != nil {
			return err
		}
		g.tree.put(f.Path, h, odd)
	}
	return nil
}

// content returns the hash of a file's content, which it yields if it is new; or odd if the file can't be a memory.
func (g *gitReader) content(f *git.File) (h versions.Hash, odd bool, err error) {
	if !git.Regular(f.Mode) {
		if g.inside(f.Path) {
			g.tell(f.Path, "a link or a submodule")
		}
		return h, true, nil
	}
	if _, ok := g.memory(f.Path); !ok {
		return h, true, nil
	}
	b, known := g.blobs[f.Blob]
	if !known {
		content, ok, err := g.objects.Blob(f.Blob, versions.DefaultMaxBytes)
		if err != nil {
			return h, false, fmt.Errorf("%q: %w", f.Path, err)
		}
		if b.big = !ok; ok {
			b.hash = hashOf(content)
			err = g.give(versions.Item{Content: content})
		}
		if err != nil {
			return h, false, err
		}
		g.blobs[f.Blob] = b
	}
	if b.big {
		g.tell(f.Path, fmt.Sprintf("over %d MiB", versions.DefaultMaxBytes>>20))
	}
	return b.hash, b.big, nil
}
