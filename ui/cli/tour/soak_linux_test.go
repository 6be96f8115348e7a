package tour

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

var (
	soakTime     = flag.Duration("soak.time", 2*time.Second, "how long the soak writes, at least")
	soakMemories = flag.Int("soak.memories", 3_000, "memories of the soak's store")
	soakOutside  = flag.Int("soak.outside", 50, "files that other programs write in a second of the soak")
	soakCalls    = flag.Int("soak.calls", 20, "calls of the API in a second of the soak")
	soakSeed     = flag.Uint64("soak.seed", 1, "seed of the soak; 0 takes one from the clock")
)

// The program runs for days beside agents that write. The TUI, a server and a watcher must
// not grow with what is written: the TUI once grew by the whole listing of the store with
// each change, from 49 to 897 MB in 15 minutes.
func TestSoak_MemoryAndDescriptorsStayConstantWhileOthersWrite(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for some seconds")
	}
	t.Parallel()
	seed := *soakSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-soak.seed=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	s := newSoak(t)
	s.screens = newVisitorIn(t, &pty.Winsize{Cols: 120, Rows: 36}, s.env, t.TempDir(), []string{"-s", s.folder + "/"})
	s.until("follow: o", true)
	server, watch := s.serve(), s.watch()
	stop := make(chan struct{})
	stopped := make(chan struct{})
	end := sync.OnceFunc(func() { close(stop); <-stopped })
	go func() { defer close(stopped); s.write(random, stop) }()
	t.Cleanup(end)
	parts := []*process{{name: "screens", pid: s.screens.pid}, server, watch}
	over := time.Now().Add(*soakTime)
	for n := 0; n < roundsBefore+roundsCompared || time.Now().Before(over); n++ {
		s.turn()
		for _, p := range parts {
			p.measure(t)
		}
	}
	end()
	t.Logf("%d files written, %d calls, %d failed", s.files.Load(), s.calls.Load(), s.failed.Load())
	if s.files.Load() == 0 || s.calls.Load() == 0 || s.failed.Load() > 0 {
		t.Error("the soak did not write as it should")
	}
	for _, p := range parts {
		p.checkGrowth(t)
	}
}

// soak is a store with many memories that is shown, served, watched and written at once.
type soak struct {
	t            *testing.T
	home, folder string
	env          []string
	screens      *visitor
	url, token   string
	store        string
	files, calls atomic.Int64
	failed       atomic.Int64
}

func newSoak(t *testing.T) *soak {
	s := &soak{t: t, home: t.TempDir(), folder: filepath.Join(t.TempDir(), "team"), token: "sk-soak-0123456789abcdef"}
	config := filepath.Join(t.TempDir(), "config.toml")
	s.must(os.WriteFile(config, nil, 0o600))
	for i := range *soakMemories {
		s.must(os.MkdirAll(filepath.Dir(s.file(i)), 0o700))
		s.must(os.WriteFile(s.file(i), fmt.Appendf(nil, "# Memory %d\n\nas it was\n", i), 0o600))
	}
	s.env = append(os.Environ(), "MEMEND_HOME="+s.home, "MEMEND_STORE="+s.folder, "MEMEND_CONFIG="+config,
		"TERM=xterm-256color", "NO_COLOR=", "TZ=UTC")
	out, err := s.command("stores", "create", "team", "--folder", s.folder).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s
}

func (s *soak) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *soak) file(i int) string {
	return filepath.Join(s.folder, fmt.Sprintf("folder-%d", i%100), fmt.Sprintf("memory-%d.md", i))
}

func (s *soak) command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	s.must(err)
	return &exec.Cmd{Path: self, Args: append([]string{"memend"}, args...), Env: s.env}
}

// start runs a program until the test ends, and returns the first line of its output.
func (s *soak) start(cmd *exec.Cmd, firstLine bool) (line string) {
	out, err := cmd.StdoutPipe()
	s.must(err)
	cmd.Stderr = os.Stderr
	s.must(cmd.Start())
	s.t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() })
	r := bufio.NewReader(out)
	if firstLine {
		if line, err = r.ReadString('\n'); err != nil {
			s.t.Fatal(cmd.Args, ": ", err)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return strings.TrimSpace(line)
}

func (s *soak) serve() *process {
	file := filepath.Join(s.t.TempDir(), "token")
	s.must(os.WriteFile(file, []byte(s.token), 0o600))
	cmd := s.command("serve", "--token-file", file)
	s.url = s.start(cmd, true) + "/v1/memory_stores"
	list := s.ask("GET", "", "")
	s.store = list["data"].([]any)[0].(map[string]any)["id"].(string)
	return &process{name: "serve", pid: cmd.Process.Pid}
}

func (s *soak) watch() *process {
	cmd := s.command("watch", "--json")
	s.start(cmd, false)
	return &process{name: "watch", pid: cmd.Process.Pid}
}

// ask sends a request; it returns nil if the request is refused.
func (s *soak) ask(method, path, body string) (object map[string]any) {
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		return nil
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil
	}
	defer func() { _ = res.Body.Close() }()
	if json.NewDecoder(res.Body).Decode(&object) != nil || res.StatusCode != http.StatusOK {
		s.t.Logf("%s %s: %s %v", method, path, res.Status, object)
		return nil
	}
	return object
}

// madeByCalls is how many memories the API calls create before they change them.
const madeByCalls = 50

// write writes files and calls the API until it is stopped.
func (s *soak) write(random *rand.Rand, stop <-chan struct{}) {
	outside, calls := time.NewTicker(time.Second/time.Duration(*soakOutside)), time.NewTicker(time.Second/time.Duration(*soakCalls))
	defer outside.Stop()
	defer calls.Stop()
	var made []string // memories created through the API
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-outside.C:
			i := random.IntN(*soakMemories)
			if err := os.WriteFile(s.file(i), fmt.Appendf(nil, "# Memory %d\n\nwritten %d\n", i, n), 0o600); err != nil {
				s.failed.Add(1)
			}
			s.files.Add(1)
		case <-calls.C:
			path, body := "", fmt.Sprintf(`{"content":"call %d\n"}`, n)
			if len(made) < madeByCalls {
				body = fmt.Sprintf(`{"path":"/api/%d.md","content":"call %d\n"}`, n, n)
			} else {
				path = "/" + made[random.IntN(len(made))]
			}
			m := s.ask("POST", "/"+s.store+"/memories"+path, body)
			switch {
			case m == nil:
				s.failed.Add(1)
			case path == "":
				made = append(made, m["id"].(string))
			}
			s.calls.Add(1)
		}
	}
}

func (s *soak) keys(names string) error {
	for _, k := range strings.Fields(names) {
		if err := s.screens.press(k); err != nil {
			return err
		}
	}
	return nil
}

func (s *soak) until(text string, there bool) {
	s.t.Helper()
	if err := s.screens.wait(text, there); err != nil {
		s.t.Fatalf("%q: %v; the screen is\n%s", text, err, s.screens.show())
	}
}

// turn opens one screen after the other, and leaves it.
func (s *soak) turn() {
	s.until(" to review  ", true)
	for _, step := range []struct{ keys, shows, leave string }{
		{"] Enter", " e edit ", "Escape"}, // the memory has the focus
		{"H", "─ history of /", "H"},
		{"t", "─ timeline ─", "Escape"},
		{"C-g", "─ search memories ─", "Escape"},
		{"A", " everybody", "A"},
		{"C-k", "─ all actions ─", "Escape"},
		{"?", "─ keys of the tree ─", "Escape"},
		{"M", "─ messages ─", "Escape"},
	} {
		s.must(s.keys(step.keys))
		s.until(step.shows, true)
		s.must(s.keys(step.leave))
		switch {
		case step.keys == "] Enter":
			s.until(" Enter open", true) // the tree has the focus
		case step.leave == "Escape":
			s.until(step.shows, false)
		}
	}
	s.must(s.keys("] . >"))
}

// process is a process whose memory and descriptors are bounded.
type process struct {
	name   string
	pid    int
	rounds []figures
}

type figures struct{ kB, files int }

// measure records the use of a process after a round. Only private memory counts: mapped
// files can be reclaimed by the system.
func (p *process) measure(t *testing.T) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		t.Fatalf("%s has ended: %v", p.name, err)
	}
	_, rest, _ := bytes.Cut(status, []byte("RssAnon:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		t.Skip("this system does not tell how much memory a process takes")
	}
	kB, err := strconv.Atoi(string(fields[0]))
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.pid))
	if err != nil {
		t.Fatal(err)
	}
	p.rounds = append(p.rounds, figures{kB, len(files)})
}

const (
	roundsBefore   = 1        // rounds that allocate what is allocated once, at least: a quarter of all
	roundsCompared = 3        // the last rounds: the least counts, because uncollected garbage is not growth
	roomKB         = 40 << 10 // how much a process may grow, including garbage
	roomFiles      = 16
)

func (p *process) checkGrowth(t *testing.T) {
	t.Helper()
	n := len(p.rounds)
	before, after := p.rounds[0], p.rounds[n-1]
	for _, f := range p.rounds[:max(roundsBefore, n/4)] {
		before = figures{max(before.kB, f.kB), max(before.files, f.files)}
	}
	for _, f := range p.rounds[n-roundsCompared:] {
		after = figures{min(after.kB, f.kB), min(after.files, f.files)}
	}
	t.Logf("%s, by round: %v", p.name, p.rounds)
	if after.kB > before.kB+roomKB {
		t.Errorf("%s grew from %d to %d KiB", p.name, before.kB, after.kB)
	}
	if after.files > before.files+roomFiles {
		t.Errorf("%s went from %d to %d descriptors", p.name, before.files, after.files)
	}
}
