package exchange

import (
	"context"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
)

// result is the tree that the records of a history amount to. It knows nothing of how they were found, so it can prove them.
type result struct {
	at map[memfs.Path]versions.Hash
	of map[versions.MemoryID]memfs.Path
}

func newResult() *result {
	return &result{at: map[memfs.Path]versions.Hash{}, of: map[versions.MemoryID]memfs.Path{}}
}

func (t *result) apply(r *versions.Record) {
	for i := range r.Versions {
		v := &r.Versions[i]
		switch old, known := t.of[v.Memory]; {
		case known:
			delete(t.at, old)
			delete(t.of, v.Memory)
		case v.Memory == "" && !v.From.IsRoot():
			delete(t.at, v.From)
		case v.Memory == "":
			delete(t.at, v.Path)
		}
	}
	for i := range r.Versions {
		v := &r.Versions[i]
		if !inTree(v) {
			continue
		}
		t.at[v.Path] = v.SHA256
		if v.Memory != "" {
			t.of[v.Memory] = v.Path
		}
	}
}

// compare compares the memories at the end of the history with the tree of the commit.
func (g *gitReader) compare(ctx context.Context) error {
	files, err := git.Files(ctx, g.dir, g.head, g.subdir)
	if err != nil {
		return err
	}
	var differ []string
	for name, f := range files {
		if !f.Regular() {
			continue
		}
		path, ok := g.memory(name)
		b, known := g.blobs[f.Blob]
		if !ok || b.big {
			continue
		}
		if h, there := g.result.at[path]; !known || !there || h != b.hash {
			differ = append(differ, path.Rel())
		}
		delete(g.result.at, path)
	}
	for path := range g.result.at {
		differ = append(differ, path.Rel())
	}
	if len(differ) == 0 {
		return nil
	}
	slices.Sort(differ)
	return unsound("the memories differ from the files of commit %.10s: %.400q", g.head, differ[:min(len(differ), maxDifferences)])
}

// maxDifferences is the number of paths that an error names.
const maxDifferences = 3
