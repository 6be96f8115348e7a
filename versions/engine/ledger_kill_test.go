//go:build unix

package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
)

// readerEnv makes the test binary a process that reads and writes until it is killed.
const readerEnv = "MEMEND_TEST_READER"

func init() {
	if id := os.Getenv(readerEnv); id != "" {
		if err := readAndWrite(id, os.Args[1], os.Args[2]); err != nil {
			fmt.Println("bad", err)
		}
		os.Exit(1)
	}
}

// readAndWrite says what it has done, a line each, once it is done.
func readAndWrite(id, home, folder string) error {
	ctx := context.Background()
	t, err := vengine.Open(ctx, home, versions.Options{})
	if err != nil {
		return err
	}
	info, err := t.FindStore(ctx, folder)
	if err != nil {
		return err
	}
	s, err := t.OpenStore(ctx, info.ID)
	if err != nil {
		return err
	}
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "reader"}, Session: versions.SessionID(id)}
	for n := 0; ; n++ {
		if n%20 == 0 {
			if _, err := s.Write(ctx, by, mustPath("own-"+id), fmt.Append(nil, n), versions.Pre{}); err != nil {
				return err
			}
			fmt.Println("wrote", n)
		}
		if res, _, err := s.Tool(ctx, by, memfs.View{Path: "/memories/shared"}, memfs.Options{}); err != nil || res.IsError {
			return fmt.Errorf("view: %v %w", res, err)
		}
		fmt.Println("read", n)
	}
}

// lastWords are what such a process said until it died.
type lastWords struct{ wrote, read int }

// runReader kills such a process when it has lived for a while since its first word:
// on a busy machine that one may take long.
func runReader(t *testing.T, w *world, id string, life time.Duration) (r lastWords) {
	cmd := exec.Command(os.Args[0], w.home, w.folder)
	cmd.Env = append(os.Environ(), readerEnv+"="+id)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return r
	}
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	r.wrote, r.read = -1, -1
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if r.wrote < 0 {
			timer.Reset(life)
		}
		switch what, rest, _ := strings.Cut(lines.Text(), " "); what {
		case "wrote":
			_, _ = fmt.Sscan(rest, &r.wrote)
		case "read":
			_, _ = fmt.Sscan(rest, &r.read)
		default:
			t.Error(lines.Text())
		}
	}
	_ = cmd.Wait()
	return r
}

// A killed process loses the reads of its last moment and nothing else: what it
// wrote is there, the trail is whole, and no read is there that was none.
func TestKilledReadersLoseNothingButTheirLastReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "shared", "text\n")
	var total atomic.Int64
	for round := range *killRounds {
		var wg sync.WaitGroup
		for i := range 2 {
			wg.Go(func() {
				id := fmt.Sprintf("%d-%d", round, i)
				r := runReader(t, w, id, 400*time.Millisecond+time.Duration(round*37+i*61)*time.Millisecond)
				if r.wrote < 0 {
					t.Error("it never wrote")
					return
				}
				var last int
				raw, err := os.ReadFile(filepath.Join(w.folder, "own-"+id))
				if _, serr := fmt.Sscan(string(raw), &last); err != nil || serr != nil || last < r.wrote {
					t.Errorf("the file of %s holds %q, acknowledged was %d", id, raw, r.wrote)
				}
				ss, _, err := vhistory.HomeSessions(context.Background(), w.trail, versions.SessionFilter{ID: versions.SessionID(id)}, "", 1)
				if err != nil || len(ss) != 1 {
					t.Errorf("session %s: %+v, %v", id, ss, err)
					return
				}
				// The line of the last view may be missing, its read not.
				if ss[0].Reads > r.read+2 || ss[0].Changes < r.wrote/20+1 {
					t.Errorf("session %s: %d reads of %d views, %d changes of %d", id, ss[0].Reads, r.read+1, ss[0].Changes, r.wrote/20+1)
				}
				total.Add(int64(ss[0].Reads))
			})
		}
		wg.Wait()
	}
	if total.Load() == 0 {
		t.Error("no read was ever written")
	}
}
