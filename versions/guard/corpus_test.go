package guard

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// memories returns the contents of a recorded history of an agent's memories, which is not part of the repository.
func memories(t testing.TB) (out [][]byte) {
	t.Helper()
	for _, m := range eachJSON[struct{ Content string }](t, corpus(t), "ai-agents-history/blobs.jsonl.gz") {
		out = append(out, []byte(m.Content))
	}
	return out
}

func corpus(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("MEMEND_CORPUS")
	if folder == "" {
		t.Skip("MEMEND_CORPUS is not set")
	}
	return folder
}

func eachJSON[T any](t testing.TB, folder, name string) (out []T) {
	t.Helper()
	f, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			t.Fatal(err)
		}
	}
	for lines := json.NewDecoder(r); lines.More(); {
		var v T
		if err := lines.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}
