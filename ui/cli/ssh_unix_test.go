//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/agent/hosted"
	"github.com/memend/memend/agent/ssh"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/versions"
)

var (
	sshRounds = flag.Int("ssh.rounds", 3, "how often programs are killed while two folders are in step with one store")
	sshSeed   = flag.Uint64("ssh.seed", 1, "seed of the edits and of the kills; 0 takes one from the clock")
)

// machines is a home that serves the store "team" over a script in ssh's place, and homes on other machines.
type machines struct {
	t     *testing.T
	dir   string
	there *victim

	command string // that they use as ssh
}

func newMachines(t *testing.T) *machines {
	t.Helper()
	m := &machines{t: t, dir: t.TempDir()}
	m.command = filepath.Join(m.dir, "ssh")
	m.there = m.machine("there")
	m.there.output("stores", "create", "team")
	// The script leaves its process number, which the server keeps.
	script := fmt.Sprintf(`#!/bin/sh
[ -e %[1]s/down ] && { echo "ssh: connect to host devbox port 22: No route to host" >&2; exit 255; }
while :; do case $1 in -T) shift ;; -o | -p) shift 2 ;; *) break ;; esac; done
shift 2
echo $$ >>%[1]s/servers
exec %[2]s --home %[3]s "$@"
`, m.dir, os.Args[0], m.there.home)
	if err := os.WriteFile(m.command, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, pid := range m.servers() {
			m.kill(pid)
		}
	})
	return m
}

func (m *machines) machine(name string) *victim {
	return &victim{t: m.t, home: filepath.Join(m.dir, name)}
}

// run is a command of a machine with this ssh.
func (m *machines) run(v *victim, args ...string) *exec.Cmd {
	cmd := v.command(args...)
	cmd.Env = append(cmd.Env, "MEMEND_SSH="+m.command)
	return cmd
}

func (m *machines) must(v *victim, args ...string) string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), time.Minute)
	defer cancel()
	cmd := m.run(v, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	if err := cmd.Wait(); err != nil {
		m.t.Fatalf("memend %s: %v: %s", strings.Join(args, " "), err, &out)
	}
	return out.String()
}

// killServer kills the newest server.
func (m *machines) killServer() {
	if pids := m.servers(); len(pids) > 0 {
		m.kill(pids[len(pids)-1])
	}
}

// servers are the process numbers of all servers that were started, the newest last.
func (m *machines) servers() []string {
	b, err := os.ReadFile(filepath.Join(m.dir, "servers"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.t.Error(err)
	}
	return strings.Fields(string(b))
}

// kill kills a server and waits for its end, so that it writes nothing in its home any more.
func (m *machines) kill(server string) {
	pid, err := strconv.Atoi(server)
	if err != nil {
		m.t.Error(err)
		return
	}
	command := fmt.Sprintf("/proc/%d/cmdline", pid)
	if args, err := os.ReadFile(command); err == nil && !bytes.Contains(args, []byte("stdio")) {
		return // it has ended, and another program has its number
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for range 1000 {
		// The command line of what has ended is empty until its parent has asked for it.
		if args, err := os.ReadFile(command); err != nil || len(args) == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	m.t.Errorf("server %d does not end", pid)
}

// Agents edit two folders that are in step with a store on a third machine, while the programs on
// all three are killed and the network goes down. In the end the folders hold what the store holds,
// and each line that an agent wrote is there once, or waits for review.
func TestTwoFoldersInStepLoseNothing(t *testing.T) {
	t.Parallel()
	seed := *sshSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-ssh.seed=%d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	m := newMachines(t)
	var anchors strings.Builder
	for i := range 40 {
		fmt.Fprintf(&anchors, "anchor %d\n", i)
	}
	files := []string{"a.md", "b.md", "notes/c.md"}
	for _, f := range files {
		cmd := m.there.command("-s", "team", "write", f)
		cmd.Stdin = strings.NewReader(anchors.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var all []*inStep
	for _, name := range []string{"laptop", "desktop"} {
		f := &inStep{m: m, v: m.machine(name), name: name, folder: filepath.Join(m.dir, name+"-memories"), random: rand.New(rand.NewPCG(seed, uint64(len(name))))}
		m.must(f.v, "stores", "connect", "ssh://devbox/team", f.folder)
		all = append(all, f)
	}
	for range *sshRounds {
		var wait sync.WaitGroup
		for _, f := range all {
			cmd := m.run(f.v, "stores", "mirror", "team", "--follow")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			f.running = cmd
			wait.Go(func() {
				for range 8 {
					f.edit(files[f.random.IntN(len(files))])
					time.Sleep(time.Duration(f.random.IntN(150)) * time.Millisecond)
				}
			})
		}
		time.Sleep(time.Duration(random.IntN(600)) * time.Millisecond)
		down := filepath.Join(m.dir, "down")
		switch random.IntN(3) {
		case 0:
			m.killServer()
		case 1:
			if err := os.WriteFile(down, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			m.killServer()
		case 2:
			_ = all[random.IntN(len(all))].running.Process.Kill()
		}
		wait.Wait()
		time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
		_ = os.Remove(down)
		for _, f := range all {
			_ = f.running.Process.Kill()
			_ = f.running.Wait()
		}
	}
	for range 2 {
		for _, f := range all {
			m.must(f.v, "stores", "mirror", "team")
		}
	}
	stood, held, lines := map[string]int{}, 0, 0
	overwritten := slices.Concat(all[0].overwritten, all[1].overwritten)
	if len(overwritten) > 2 {
		t.Errorf("agents overwrote %q", overwritten)
	}
	for _, file := range files {
		there := m.there.output("-s", "team", "cat", file)
		for line := range strings.Lines(there) {
			stood[strings.TrimSuffix(line, "\n")]++
		}
		for _, f := range all {
			if got, err := os.ReadFile(filepath.Join(f.folder, file)); err != nil || string(got) != there {
				t.Errorf("%s at %s is not as there: %v", file, f.name, err)
			}
		}
	}
	for _, f := range all {
		waiting := f.held()
		for _, line := range f.lines {
			lines++
			switch n := stood[line]; {
			case n > 1:
				t.Errorf("%q is there %d times", line, n)
			case n == 0 && slices.Contains(overwritten, line):
				t.Logf("an agent overwrote %q", line)
			case n == 0 && !strings.Contains(waiting, line+"\n"):
				t.Errorf("%q is lost", line)
			case n == 0:
				held++
			}
		}
	}
	for _, v := range []*victim{m.there, all[0].v, all[1].v} {
		v.output("check", "--all-stores")
	}
	if out := m.there.output("-s", "team", "log"); !strings.Contains(out, "@") {
		t.Errorf("no machine is named: %s", out)
	}
	t.Logf("%d lines, %d of them wait for review", lines, held)
	if lines == 0 || held == lines {
		t.Error("nothing came through")
	}
}

// Requests that begin together wait for one server.
func TestRequestsOverSSHThatBeginTogetherStartOneServer(t *testing.T) {
	m := newMachines(t)
	t.Setenv("MEMEND_SSH", "sleep 0.3; "+m.command)
	t.Setenv(runAsProgram, "1")
	over := ssh.New(ssh.Target{Host: "devbox"}, "")
	defer over.CloseIdleConnections()
	for round := range 2 {
		var wait sync.WaitGroup
		for range 20 {
			wait.Go(func() {
				res, err := (&http.Client{Transport: over}).Get("http://memend/v1/memory_stores")
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			})
		}
		wait.Wait()
		if b, err := os.ReadFile(filepath.Join(m.dir, "servers")); err != nil || strings.Count(string(b), "\n") != round+1 {
			t.Errorf("round %d: servers %q, %v", round, b, err)
		}
		over.CloseIdleConnections()
		m.serversEnd()
	}
}

// serversEnd waits until the servers have ended, which write in their home until then.
func (m *machines) serversEnd() {
	m.t.Helper()
	b, err := os.ReadFile(filepath.Join(m.dir, "servers"))
	if err != nil {
		m.t.Fatal(err)
	}
	for _, text := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(text)
		if err != nil {
			m.t.Fatal(err)
		}
		for syscall.Kill(pid, 0) == nil && m.t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
}

// What doctor says about the machines that stores are connected to.
func TestDoctorAsksEachMachine(t *testing.T) {
	t.Parallel()
	m := newMachines(t)
	here := m.machine("here")
	problems := map[string]struct{ script, want string }{
		"offline": {`echo "ssh: connect to host $host port 22: No route to host" >&2; exit 255`, "wrong  connection offline: ssh offline: ssh: connect to host offline port 22: No route to host\n         `ssh offline memend version` shows whether it can be reached"},
		"rekeyed": {`echo "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @" >&2; exit 255`, "wrong  connection rekeyed: ssh rekeyed: WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\n         nothing was sent; if the owner of rekeyed confirms the new key"},
		"refused": {`echo "me@$host: Permission denied (publickey)." >&2; exit 255`, "wrong  connection refused: ssh refused: me@refused: Permission denied (publickey).\n         `ssh refused` must log in without a question"},
		"bare":    {`echo "sh: memend: not found" >&2; exit 127`, "wrong  connection bare: memend is not installed on bare, or not in the PATH of a non-interactive shell: sh: memend: not found\n         install it there; `ssh bare memend version` must work"},
		"silent":  {`while read line; do :; done`, "wrong  connection silent: no answer within 20s\n         `ssh silent memend version` shows whether it can be reached"},
		"devbox":  {`exec ` + m.command + ` "$@"`, "ok     connection devbox: memend " + release().Version + " answers and offers 1 store\n"},
	}
	script := "#!/bin/sh\n[ -e " + m.dir + "/connected ] || exec " + m.command + ` "$@"` + "\nhost=$4\ncase $host in\n"
	for host, p := range problems {
		script += host + ") " + p.script + ";;\n"
	}
	file := filepath.Join(m.dir, "ssh2")
	if err := os.WriteFile(file, []byte(script+"esac\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	m.command = file
	for host := range problems {
		m.must(here, "stores", "connect", "ssh://"+host+"/team", "--name", host)
	}
	if err := os.WriteFile(filepath.Join(m.dir, "connected"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := m.run(here, "doctor").CombinedOutput()
	for _, p := range problems {
		if !strings.Contains(string(out), p.want) {
			t.Errorf("no %q in\n%s", p.want, out)
		}
	}
	m.must(here, "stores", "disconnect", "silent", "--yes")
	m.there.output("stores", "delete", "team", "--yes")
	out, _ = m.run(here, "doctor", "--json").CombinedOutput()
	for _, want := range []string{`"level":"ok","about":"connection","name":"devbox"`, `"level":"wrong","about":"store","name":"devbox","text":"devbox no longer offers it`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
}

// The screen that connects hosted stores takes the URLs that stores connect takes.
func TestScreens_ConnectAStoreOverSSH(t *testing.T) {
	m := newMachines(t)
	cmd := m.there.command("-s", "team", "write", "a.md")
	cmd.Stdin = strings.NewReader("a\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Setenv("MEMEND_SSH", m.command)
	t.Setenv(runAsProgram, "1")
	trail, err := versions.Open(t.Context(), filepath.Join(m.dir, "here"), versions.Options{Upstream: hosted.Dial})
	if err != nil {
		t.Fatal(err)
	}
	home := &homeStores{Trail: trail, by: tester}
	t.Cleanup(func() {
		m.killServer()
		if err := errors.Join(home.close(), trail.Close()); err != nil {
			t.Error(err)
		}
	})
	env := screentest.Env(t.Context())
	at := screentest.New(t, env, stores.NewConnect(env, home, "", false), 120, 30)
	at.Keys("s")
	at.Answer("ssh://screenbox")
	at.Shows("ssh://screenbox · no credentials", "team")
	at.Hides("connected as")
	at.Keys("s")
	at.Answer("ssh://screenbox/team")
	if n, ok := at.Last().(screen.Notice); !ok || n.Text != "connected team as team: 1 version · Enter opens it" {
		t.Fatalf("%+v\n%s", at.Last(), at.Pane.View())
	}
}

// inStep is a folder that is in step with the store.
type inStep struct {
	m            *machines
	v            *victim
	name, folder string
	random       *rand.Rand
	running      *exec.Cmd
	lines        []string // written into the folder
	overwritten  []string // by an agent that had not seen them
}

// edit adds a line after another one, as an agent does: it reads a file and replaces it. If the file
// changed meanwhile, it begins again.
func (f *inStep) edit(file string) {
	host := filepath.Join(f.folder, filepath.FromSlash(file))
	line := fmt.Sprintf("%s %d", f.name, len(f.lines))
	for range 100 {
		before, err := os.ReadFile(host)
		if err != nil {
			continue // it is being replaced
		}
		lines := strings.SplitAfter(string(before), "\n")
		next := strings.Join(slices.Insert(lines, f.random.IntN(len(lines)), line+"\n"), "")
		temp := host + ".tmp.1.abcdef01"
		if err := os.WriteFile(temp, []byte(next), 0o600); err != nil {
			f.m.t.Error(err)
			return
		}
		if now, err := os.ReadFile(host); err != nil || !bytes.Equal(now, before) {
			continue
		}
		if err := swap(temp, host); err != nil {
			f.m.t.Error(err)
			return
		}
		f.noteOverwritten(temp, next)
		_ = os.Remove(temp)
		f.lines = append(f.lines, line)
		return
	}
}

// overwrite puts the file a at b, and the old b at a, unless b is replaced at that moment.
func overwrite(a, b string) error {
	old, err := os.ReadFile(b)
	if err == nil {
		err = os.Rename(a, b)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(a, old, 0o600)
}

// noteOverwritten notes the lines of a replaced file that the new text does not have. Between the last look of an agent
// and its rename, memend may have brought lines of the other machine: then the agent has removed them.
func (f *inStep) noteOverwritten(replaced, by string) {
	was, err := os.ReadFile(replaced)
	if err != nil {
		f.m.t.Error(err)
		return
	}
	for line := range strings.Lines(string(was)) {
		if !strings.Contains(by, line) {
			f.overwritten = append(f.overwritten, strings.TrimSuffix(line, "\n"))
		}
	}
}

// held returns what waits for review.
func (f *inStep) held() string {
	var out strings.Builder
	for n := 1; ; n++ {
		text, err := f.v.command("-s", "team", "review", "show", strconv.Itoa(n)).Output()
		if err != nil {
			return out.String()
		}
		out.Write(text)
	}
}

// sshd is a real server of ssh on loopback, of this user, that runs a forced command for its one key.
type sshd struct {
	m      *machines
	port   int
	config string // of the client
	known  func(key string)
}

func newSSHD(m *machines, forced string) *sshd {
	t := m.t
	t.Helper()
	server := sshdProgram()
	dir, err := os.MkdirTemp("/tmp", "memend-sshd-") // sshd checks the folders above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &sshd{m: m, config: filepath.Join(dir, "config")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.port = listener.Addr().(*net.TCPAddr).Port
	_ = listener.Close()
	for _, key := range []string{"host", "user", "other"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	public := func(key string) string {
		b, err := os.ReadFile(filepath.Join(dir, key+".pub"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(b))
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("authorized_keys", "restrict,command=\""+forced+"\" "+public("user")+"\n")
	write("sshd_config", fmt.Sprintf("Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %[2]s/authorized_keys\nPidFile none\nStrictModes no\nUsePAM no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n", s.port, dir))
	known := func(key string) { write("known_hosts", fmt.Sprintf("[127.0.0.1]:%d %s\n", s.port, public(key))) }
	known("host")
	write("config", fmt.Sprintf("Host *\n  HostName 127.0.0.1\n  Port %d\n  IdentityFile %s/user\n  IdentitiesOnly yes\n  UserKnownHostsFile %[2]s/known_hosts\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\n  HostKeyAlias [127.0.0.1]:%[1]d\n", s.port, dir))
	cmd := exec.Command(server, "-D", "-e", "-f", filepath.Join(dir, "sshd_config"))
	var log bytes.Buffer
	cmd.Stderr = &log
	if os.Geteuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) // for privilege separation
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("sshd: %s", &log)
		}
	})
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", s.port)); err == nil {
			_ = c.Close()
			break
		}
		if time.Now().After(end) {
			t.Fatalf("sshd does not listen: %s", &log)
		}
	}
	s.m.command = "ssh -F " + s.config
	s.known = known
	return s
}

// sshdProgram returns the full name of sshd, or nothing.
func sshdProgram() string {
	for _, name := range []string{"sshd", "/usr/sbin/sshd"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	return ""
}

// needSSHD skips a test where no sshd can run commands of this user.
func needSSHD(t *testing.T) {
	t.Helper()
	for _, name := range []string{"ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(name + " is not installed")
		}
	}
	if sshdProgram() == "" {
		t.Skip("sshd is not installed")
	}
	accounts, _ := os.ReadFile("/etc/passwd")
	for line := range strings.Lines(string(accounts)) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) == 7 && fields[2] == strconv.Itoa(os.Getuid()) && (strings.HasSuffix(fields[6], "nologin") || strings.HasSuffix(fields[6], "false")) {
			t.Skip("ssh can't log in as this user")
		}
	}
}

// The same over a real sshd, with a forced command that offers one store, for reading only or for
// writing as a named actor.
func TestStoresOfARealSSHServer(t *testing.T) {
	needSSHD(t)
	t.Parallel()
	for _, access := range []string{"ro", "rw"} {
		t.Run(access, func(t *testing.T) {
			t.Parallel()
			m := newMachines(t)
			m.there.output("stores", "create", "private")
			cmd := m.there.command("-s", "team", "write", "a.md")
			cmd.Stdin = strings.NewReader("one\n")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			attach := "team"
			if access == "ro" {
				attach = "team:ro"
			}
			s := newSSHD(m, fmt.Sprintf("%s=1 MEMEND_CONFIG=/dev/null %s --home %s serve --listen stdio --attach %s --actor dana@laptop", runAsProgram, os.Args[0], m.there.home, attach))
			here, folder := m.machine("here"), filepath.Join(m.dir, "memories")
			if out := m.must(here, "stores", "connect", "ssh://devbox"); !strings.Contains(out, "team") || strings.Contains(out, "private") {
				t.Errorf("it offers %s", out)
			}
			m.must(here, "stores", "connect", "ssh://devbox/team", folder)
			file := func(name, text string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if b, err := os.ReadFile(filepath.Join(folder, "a.md")); err != nil || string(b) != "one\n" {
				t.Errorf("%q, %v", b, err)
			}
			file("b.md", "two\n")
			out := m.must(here, "stores", "mirror", "team")
			there := m.there.output("-s", "team", "ls")
			if access == "ro" {
				if !strings.Contains(out, "/b.md is left out: the service refuses it: the store is attached read-only") || strings.Contains(there, "b.md") {
					t.Errorf("%s\nthere: %s", out, there)
				}
			} else if log := m.there.output("-s", "team", "log", "b.md"); !strings.Contains(there, "b.md") || !strings.Contains(log, "dana@laptop") {
				t.Errorf("%s\nthere: %s%s", out, there, log)
			}
			s.known("other")
			out2, _ := m.run(here, "stores", "connect", "ssh://devbox").CombinedOutput()
			if !strings.Contains(string(out2), "REMOTE HOST IDENTIFICATION HAS CHANGED") || !strings.Contains(string(out2), "hint: nothing was sent; if the owner of devbox confirms the new key") {
				t.Errorf("a changed host key: %s", out2)
			}
			if _, err := os.Stat(filepath.Join(folder, "a.md")); err != nil {
				t.Error(err)
			}
		})
	}
}
