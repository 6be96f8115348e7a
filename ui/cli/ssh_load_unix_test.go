//go:build unix

package cli

import (
	"flag"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

var (
	stdioClients   = flag.Int("stdio.clients", 160, "clients of the load test over standard streams")
	stdioServers   = flag.Int("stdio.servers", 8, "servers of these clients, each of one connection")
	stdioProcesses = flag.Int("stdio.processes", 10, "server processes of one home, each with one client that waits for changes")
	stdioWrites    = flag.Int("stdio.writes", 2, "writes of each client")
	stdioWithin    = flag.Duration("stdio.within", 0, "how soon all clients must see what one of them wrote; 0: it is only logged")
)

// Many clients of several servers over standard streams, each of which is a process of its own, lose
// nothing, and all of them see what one has written. How many writes a second that is, beside the
// engine alone, is logged.
func TestLoadOverStdio(t *testing.T) {
	v := &victim{t: t, home: filepath.Join(t.TempDir(), "home")}
	v.output("stores", "create", "team")
	v.output("stores", "create", "alone")
	var servers []*overStdio
	for range *stdioServers {
		servers = append(servers, v.overStdio("--attach", "team"))
	}
	memories := ""
	for _, s := range servers { // connects
		memories = "/" + s.ids()["team"] + "/memories"
	}
	all := func(do func(client int, s *overStdio)) time.Duration {
		began := time.Now()
		var wait sync.WaitGroup
		for n := range *stdioClients {
			wait.Go(func() { do(n, servers[n%len(servers)]) })
		}
		wait.Wait()
		return time.Since(began)
	}
	text := strings.Repeat("a line of a memory as long as most of them\n", 10)
	var slowest time.Duration
	var busy int
	var mu sync.Mutex
	took := all(func(n int, s *overStdio) {
		for i := range *stdioWrites {
			body := fmt.Sprintf(`{"path":"/%d/%d.md","content":%q}`, n, i, text)
			for began := time.Now(); ; {
				status, answer, err := s.ask("POST", memories, strings.NewReader(body))
				mu.Lock()
				slowest = max(slowest, time.Since(began))
				mu.Unlock()
				if status == http.StatusOK {
					break
				}
				if status != http.StatusServiceUnavailable && status != http.StatusTooManyRequests || time.Since(began) > time.Minute {
					t.Errorf("client %d: %d %s %v", n, status, answer, err)
					return
				}
				mu.Lock()
				busy++
				mu.Unlock()
			}
		}
	})
	writes := *stdioClients * *stdioWrites
	if listed := strings.Count(v.output("-s", "team", "ls"), "\n"); listed != writes {
		t.Errorf("%d memories after %d acknowledged writes", listed, writes)
	}
	var seen []time.Duration
	for round := range 3 {
		path := fmt.Sprintf("/news/%d.md", round)
		if status, answer, err := servers[0].ask("POST", memories, strings.NewReader(`{"path":"`+path+`","content":"news"}`)); status != http.StatusOK {
			t.Fatalf("%d %s %v", status, answer, err)
		}
		seen = append(seen, all(func(n int, s *overStdio) {
			_, answer, err := s.ask("GET", memories+"?path_prefix=/news/", nil)
			if err != nil || !strings.Contains(answer, path) {
				t.Errorf("client %d does not see %s: %v", n, path, err)
			}
		}))
	}
	for _, s := range servers {
		s.in.Close()
		s.ends(0)
	}
	v.output("check", "--all-stores")
	alone := v.alone(text, writes)
	t.Logf("%d clients of %d servers, %d processors: %.0f writes a second, the slowest after %s, %d answers that it is busy; seen by all after %v; the engine alone: %.0f writes a second",
		*stdioClients, len(servers), runtime.GOMAXPROCS(0), float64(writes)/took.Seconds(), slowest.Round(time.Millisecond), busy, seen, float64(writes)/alone.Seconds())
	for _, d := range seen {
		if *stdioWithin > 0 && d > *stdioWithin {
			t.Errorf("seen by all after %s, want %s", d, *stdioWithin)
		}
	}
}

// Each client of a team with one account has a server process of its own on one home: all that wait see a write of one
// of them, and when all write at once nothing is lost.
func TestManyServersOverStdioOfOneHome(t *testing.T) {
	t.Parallel()
	v := stdioHome(t)
	servers := make([]*overStdio, *stdioProcesses)
	for i := range servers {
		servers[i] = v.overStdio("--attach", "team")
	}
	store := "/" + servers[0].ids()["team"]
	write := func(s *overStdio, path string) {
		for {
			status, answer, err := s.ask("POST", store+"/memories", strings.NewReader(`{"path":"`+path+`","content":"text\n"}`))
			if status == http.StatusServiceUnavailable { // nothing was written: another process had the lock for too long
				continue
			}
			if status != http.StatusOK {
				t.Errorf("%s: %d %s %v", path, status, answer, err)
			}
			return
		}
	}
	change := func(s *overStdio, known int64) (now int64) {
		status, answer, err := s.ask("GET", fmt.Sprintf("%s/change?change=%d", store, known), nil)
		if _, scanErr := fmt.Sscanf(answer, `{"type":"memory_store_change","change":%d`, &now); status != http.StatusOK || scanErr != nil {
			t.Errorf("%d %s %v", status, answer, err)
		}
		return now
	}
	all := func(do func(i int, s *overStdio)) {
		var wait sync.WaitGroup
		for i, s := range servers {
			wait.Go(func() { do(i, s) })
		}
		wait.Wait()
	}
	write(servers[0], "/first.md")
	all(func(_ int, s *overStdio) { // each has opened the store
		if got := change(s, 0); got != 1 {
			t.Errorf("the first change is %d", got)
		}
	})
	began := time.Now()
	all(func(i int, s *overStdio) {
		if i == 1 {
			write(s, "/news.md")
		}
		if got := change(s, 1); got != 2 {
			t.Errorf("client %d waited and sees change %d", i, got)
		}
	})
	seen := time.Since(began)
	began = time.Now()
	all(func(i int, s *overStdio) { write(s, fmt.Sprintf("/all/%d.md", i)) })
	t.Logf("%d processes: seen by all after %s, a write of each in %s", len(servers), seen.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
	if listed := strings.Count(v.output("-s", "team", "ls"), "\n"); listed != len(servers)+2 {
		t.Errorf("%d memories after %d acknowledged writes", listed, len(servers)+2)
	}
	for _, s := range servers {
		s.in.Close()
		s.ends(0)
		if s.errs.Len() > 0 {
			t.Errorf("it says %s", &s.errs)
		}
	}
	v.output("check", "--all-stores")
}

// alone is how long the engine takes for as many writes, one after another.
func (v *victim) alone(text string, writes int) time.Duration {
	v.t.Helper()
	ctx := v.t.Context()
	trail, err := versions.Open(ctx, v.home, versions.Options{})
	if err != nil {
		v.t.Fatal(err)
	}
	defer trail.Close()
	info, err := trail.FindStore(ctx, "alone")
	if err != nil {
		v.t.Fatal(err)
	}
	s, err := trail.OpenStore(ctx, info.ID)
	if err != nil {
		v.t.Fatal(err)
	}
	defer s.Close()
	began := time.Now()
	for n := range writes {
		p, err := memfs.ParsePath(fmt.Sprintf("/%d/%d.md", n / *stdioWrites, n%*stdioWrites))
		if err == nil {
			_, err = s.Write(ctx, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, p, []byte(text), versions.Pre{})
		}
		if err != nil {
			v.t.Fatal(err)
		}
	}
	return time.Since(began)
}
