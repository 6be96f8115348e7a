package exchange

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// importAlone names the environment variable that makes the test program import a repository and nothing else: home, store and repository.
const importAlone = "MEMEND_TEST_IMPORT"

func importRepo(args []string) error {
	ctx := context.Background()
	trail, err := engine.Open(ctx, args[0], versions.Options{})
	if err != nil {
		return err
	}
	defer trail.Close()
	s, err := trail.OpenStore(ctx, versions.StoreID(args[1]))
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := OpenRepo(ctx, args[2], "")
	if err != nil {
		return err
	}
	fmt.Println("begin")
	_, err = Import(ctx, s, owner, r.History(ctx, func(string) {}))
	return err
}

var (
	importKills = flag.Int("exchange.kills", 4, "imports that are killed")
	killCommits = flag.Int("exchange.commits", 150, "commits of the history that they import")
)

func TestAKilledImportLeavesNothingOrEverything(t *testing.T) {
	t.Parallel()
	rnd := random(t)
	f := &forest{Rand: rnd, now: map[string]string{}}
	for n := range *killCommits {
		f.step()
		f.commit(n + 1)
	}
	git := newRepo(t)
	git.git(f.out.String(), "fast-import", "--quiet")
	start := time.Now()
	git.into(newWorld(t), "")
	whole := time.Since(start)
	nothing, all := 0, 0
	for i := range *importKills {
		w := newWorld(t)
		id := w.s.Info().ID
		w.must(w.s.Close())
		w.must(w.trail.Close())
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), importAlone+"="+strings.Join([]string{w.home, string(id), git.dir}, "\n"))
		out, err := cmd.StdoutPipe()
		w.must(err)
		w.must(cmd.Start())
		_, err = out.Read(make([]byte, 1)) // it begins
		w.must(err)
		time.Sleep(whole * 5 / 4 * time.Duration(i*1000+rnd.IntN(1000)) / time.Duration(*importKills*1000))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		w.trail, err = engine.Open(t.Context(), w.home, versions.Options{})
		w.must(err)
		w.s, err = w.trail.OpenStore(t.Context(), id)
		w.must(err)
		last, err := w.s.LastChange(t.Context())
		w.must(err)
		switch want := git.listed("main"); {
		case last == 0:
			w.untouched()
			nothing++
		case !maps.Equal(w.tree(), want):
			t.Errorf("%d changes, %d memories, want %d", last, len(w.tree()), len(want))
		default:
			all++
		}
	}
	t.Logf("%d times nothing, %d times everything", nothing, all)
	if nothing == 0 {
		t.Error("no import was killed in the middle")
	}
}
