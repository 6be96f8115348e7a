package engine_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
)

// corpusOp is one act of a recorded history of memories.
type corpusOp struct {
	Op     string `json:"op"`
	Path   string `json:"path"`
	From   string `json:"from"`
	SHA256 string `json:"sha256"`

	actor, content string
}

// corpusOps reads the recorded life of one agent's memory. The data is public
// and not part of the repository: $MEMEND_CORPUS says where it is.
func corpusOps(t testing.TB) []corpusOp {
	t.Helper()
	root := os.Getenv("MEMEND_CORPUS")
	if root == "" {
		t.Skip("MEMEND_CORPUS names no corpus")
	}
	contents := map[string]string{}
	eachJSON(t, filepath.Join(root, "ai-agents-history", "blobs.jsonl.gz"), func(b struct{ SHA256, Content string }) {
		contents[b.SHA256] = b.Content
	})
	var ops []corpusOp
	eachJSON(t, filepath.Join(root, "ai-agents-history", "ops.jsonl.gz"), func(s struct {
		Actor string
		Ops   []corpusOp
	}) {
		for _, op := range s.Ops {
			op.actor, op.content = s.Actor, contents[op.SHA256]
			ops = append(ops, op)
		}
	})
	return ops
}

func eachJSON[T any](t testing.TB, file string, do func(T)) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for dec := json.NewDecoder(bufio.NewReader(z)); dec.More(); {
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		do(v)
	}
}

// livesOf is the acts on a path and on the paths that its memory had before.
func livesOf(ops []corpusOp, path string) []corpusOp {
	paths := map[string]bool{path: true}
	var out []corpusOp
	for _, op := range slices.Backward(ops) {
		if !paths[op.Path] {
			continue
		}
		if op.Op == "rename" {
			paths[op.From] = true
		}
		out = append(out, op)
	}
	slices.Reverse(out)
	return out
}

// mostWritten is the n paths with the most updates, the most first.
func mostWritten(ops []corpusOp, n int) []string {
	updates := map[string]int{}
	var paths []string
	for _, op := range ops {
		if updates[op.Path]++; updates[op.Path] == 1 {
			paths = append(paths, op.Path)
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return updates[b] - updates[a] })
	return paths[:n]
}

// play does recorded acts to a store.
func play(t testing.TB, s *core.Store, ops []corpusOp) {
	t.Helper()
	for _, op := range ops {
		by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: op.actor}}
		p := mustPath(op.Path)
		var err error
		switch op.Op {
		case "rename":
			if _, err = s.Rename(t.Context(), by, mustPath(op.From), p); err == nil {
				_, err = s.Write(t.Context(), by, p, []byte(op.content), versions.Pre{})
			}
		case "delete":
			_, err = s.Delete(t.Context(), by, p)
		default:
			_, err = s.Write(t.Context(), by, p, []byte(op.content), versions.Pre{})
		}
		if err != nil {
			t.Fatalf("%s %s: %v", op.Op, op.Path, err)
		}
	}
}
