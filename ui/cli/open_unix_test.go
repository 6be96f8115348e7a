//go:build unix

package cli

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

var openRounds = flag.Int("open.rounds", 2, "how often four processes open a new folder at once")

func TestProcessesThatOpenANewFolderAtOnceAllSucceed(t *testing.T) {
	t.Parallel()
	for range *openRounds {
		dir := t.TempDir()
		folder := filepath.Join(dir, "notes")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "a.md"), []byte("text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for n := range 4 {
			wg.Go(func() {
				cmd := exec.Command(os.Args[0], "--home", filepath.Join(dir, "home"), "-s", folder+"/", "tool")
				cmd.Stdin = strings.NewReader(`{"command":"view","path":"/memories"}` + "\n")
				if n == 3 {
					cmd.Args = append(cmd.Args[:3], "stores", "create", "own")
				}
				cmd.Env = append(os.Environ(), runAsProgram+"=1", "MEMEND_CONFIG="+os.DevNull)
				if out, err := cmd.CombinedOutput(); err != nil || n < 3 && !strings.Contains(string(out), "a.md") {
					t.Errorf("%v: %v: %s", cmd.Args[1:], err, out)
				}
			})
		}
		wg.Wait()
	}
}
