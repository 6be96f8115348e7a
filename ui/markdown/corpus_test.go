package markdown

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var memoriesEach = flag.Int("memories.each", 6, "draw only every so many of the memories of real agents")

// TestMemoriesOfRealAgentsAreShownWhole draws memories of public collections, which are
// not part of the repository: $MEMEND_CORPUS is their folder.
func TestMemoriesOfRealAgentsAreShownWhole(t *testing.T) {
	root := os.Getenv("MEMEND_CORPUS")
	if root == "" {
		t.Skip("MEMEND_CORPUS names no corpus")
	}
	n := 0
	memory := func(s string) {
		if n++; n%*memoriesEach != 0 {
			return
		}
		for _, width := range []int{20, 80} {
			check(t, s, width)
		}
		if w := nothingLost(s); w != "" && !strings.Contains(s, "&"+w+";") {
			t.Errorf("%q is nowhere in\n%.2000s", w, s)
		}
	}
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(file, "blobs.jsonl.gz"):
			eachBlob(t, file, memory)
		case strings.HasSuffix(file, ".md"):
			b, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			memory(string(b))
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d memories, %v", n, err)
	}
	t.Logf("%d memories", n)
}

func eachBlob(t *testing.T, file string, do func(string)) {
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
		var b struct{ Content string }
		if err := dec.Decode(&b); err != nil {
			t.Fatal(err)
		}
		do(b.Content)
	}
}
