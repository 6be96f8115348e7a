package engine_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/stores"
)

// One durable mutation beside what people do today: a bare atomic save, which
// keeps no history, and a commit of git. Run all three at once and compare:
//
//	go test ./versions/engine -run '^$' -bench Mutation
const savedText = "line of a memory that an agent wrote\n"

func savedContent(i int) []byte {
	return []byte(fmt.Sprintf("%d\n%s", i, strings.Repeat(savedText, 55)))
}

func BenchmarkMutation(b *testing.B) {
	took := map[string]float64{} // nanoseconds each
	ends := func(b *testing.B, what string) { took[what] = float64(b.Elapsed().Nanoseconds()) / float64(b.N) }
	b.Run("memend", func(b *testing.B) {
		defer ends(b, "memend")
		s := benchStore(b)
		for i := 0; b.Loop(); i++ {
			if _, err := s.Write(context.Background(), robot, mustPath(fmt.Sprintf("d/%d", i%20)), savedContent(i), versions.Pre{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	// times-memend is how many of ours take as long as one of theirs.
	compare := func(b *testing.B, what string) {
		ends(b, what)
		if ours := took["memend"]; ours > 0 {
			b.ReportMetric(took[what]/ours, "times-memend")
		}
	}
	b.Run("bare save", func(b *testing.B) {
		defer compare(b, "bare save")
		d, err := memfs.OpenDir(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := d.MkdirAll(mustPath("d")); err != nil {
			b.Fatal(err)
		}
		for i := 0; b.Loop(); i++ {
			staged, err := d.Stage(savedContent(i), 0, nil, true)
			if err == nil {
				err = staged.Replace(mustPath(fmt.Sprintf("d/%d", i%20)))
			}
			if err == nil {
				err = d.SyncDir(mustPath("d"))
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("git commit", func(b *testing.B) {
		defer compare(b, "git commit")
		if _, err := exec.LookPath("git"); err != nil {
			b.Skip("git is not installed")
		}
		dir := b.TempDir()
		git := func(args ...string) {
			cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
		git("init", "-q")
		for i := 0; b.Loop(); i++ {
			name := fmt.Sprintf("%d", i%20)
			if err := os.WriteFile(filepath.Join(dir, name), savedContent(i), 0o600); err != nil {
				b.Fatal(err)
			}
			git("add", name)
			git("commit", "-qm", "save")
		}
	})
}

// benchStore is a store in folders of its own.
func benchStore(b testing.TB) *core.Store { return benchStoreWith(b, versions.Options{}) }

func benchStoreWith(b testing.TB, o versions.Options) *core.Store {
	b.Helper()
	trail, err := vengine.Open(b.Context(), filepath.Join(b.TempDir(), "home"), o)
	if err != nil {
		b.Fatal(err)
	}
	info, err := stores.CreateStore(b.Context(), trail, alice, "", "", b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	s, err := trail.OpenStore(b.Context(), info.ID)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Error(err)
		}
		if err := trail.Close(); err != nil {
			b.Error(err)
		}
	})
	return s
}
