package engine_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
)

var largeMegabytes = flag.Int("large.megabytes", 24, "size of the very large memory")

// peak is the most memory this process had at once since the last call, in bytes.
func peak(t *testing.T) (n int64) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, line, _ := strings.Cut(string(b), "VmHWM:")
	if _, err := fmt.Sscanf(line, "%d kB", &n); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skipf("the peak can't be reset here: %v", err)
	}
	return n << 10
}

// A memory of 100 MB, or -large.megabytes, is written, and replaced, in little more memory than
// its contents take.
func TestAVeryLargeMemoryTakesLittleMoreThanItself(t *testing.T) {
	if testing.Short() {
		t.Skip("writes very large files")
	}
	w := newWorld(t, versions.Options{MaxBytes: 200 << 20})
	size := *largeMegabytes << 20
	r := rand.New(rand.NewPCG(1, 1))
	content := make([]byte, 0, size)
	for len(content) < size {
		content = fmt.Appendf(content, "%d: a line of a very large memory\n", r.Uint32())
	}
	content = content[:size]
	debug.FreeOSMemory()
	peak(t)
	base := peak(t)
	for _, what := range []string{"create", "replace"} {
		content[0]++
		debug.FreeOSMemory()
		peak(t)
		began := time.Now()
		if _, err := w.store.Write(t.Context(), alice, mustPath("large"), content, versions.Pre{}); err != nil {
			t.Fatal(err)
		}
		over := peak(t) - base
		t.Logf("%s: %v, %d MB over", what, time.Since(began).Round(time.Millisecond), over>>20)
		if over > 12<<20+int64(size)/2 {
			t.Errorf("%s takes %d MB beside the content", what, over>>20)
		}
	}
	e := w.entry("large")
	b, err := vhistory.Content(t.Context(), w.store, e.Version)
	if err != nil || !bytes.Equal(b, content) {
		t.Errorf("%d bytes come back, %v", len(b), err)
	}
}
