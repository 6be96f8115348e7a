//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/agent/storesapi"
	"github.com/memend/memend/ui/cli/demo"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// Every example of the help is run unchanged, in a home and a person's folder in which
// there is what it speaks of. The examples of one command share them.

// inScreens are the examples that open the TUI: other tests run it in a terminal.
var inScreens = map[string]bool{
	"memend ~/agent/memories": true, "memend demo": true, "memend demo --speed 0.5": true, "memend demo --api": true,
}

// byPersons are the examples of what only a person on a terminal does: the scripts review.txtar, trace.txtar and
// edit.txtar run them.
var byPersons = regexp.MustCompile(`^memend (review|policy use|policy set|policy edit|pin|edit|merge notes/plan.md notes/old.md$)\b|memend edit|^memend undo .*--reject`)

// untilStopped matches the examples that run until they are interrupted.
var untilStopped = regexp.MustCompile(`^memend (serve|watch)|mcp --http|--follow|memend watch --json`)

// answered are the examples that ask a question, with the answer.
var answered = map[string]string{
	"memend rm notes/keys.md && memend redact notes/keys.md":   "--yes",
	"memend redact --match 'sk-[a-z0-9]{20,}' --regexp --mask": "--yes",
	"memend stale --unread 90d --delete":                       "--yes --never-read",
	"memend setup claude-code -s work":                         "--yes",
	"memend setup claude-code --remove":                        "--yes",
}

// earlier are commands to run before an example, if the previous example left the wrong
// state.
var earlier = map[string]string{
	"memend stores create work --folder ~/agent/memories":              "memend stores delete work --yes",
	"memend config init && memend config check":                        "rm -f config.toml",
	"memend config check ./config.toml":                                "memend config init",
	"memend config init":                                               "rm -f config.toml",
	"memend stores create team && memend import -s team team.jsonl.gz": "memend export -s work -o team.jsonl.gz && memend stores delete team --yes",
	"memend import -s project ~/src/project --subdir .serena/memories": "memend stores create project",
	"memend stores move work ~/elsewhere/memories":                     "cp -R ~/agent/memories ~/elsewhere/",
	"memend stores move work ~/agent/memories":                         "memend stores move work ~/elsewhere/memories --deleted",
	"memend stores move work ~/agent/memories --deleted":               "memend stores move work ~/elsewhere/memories --deleted",
	"memend backup --restore ~/backups/memories.tar.gz":                "rm -rf $MEMEND_HOME",
	"memend doctor":                      "chmod -R go-rwx $MEMEND_HOME", // a copy of the template has other modes
	"memend redo 42":                     "memend undo 42",
	"memend redo":                        "memend undo",
	"memend mv --links todo.md archive/": "memend undo",
	"memend write notes/plan.md --file plan.md --if-absent":                "memend rm notes/plan.md",
	"memend stores mirror prefs":                                           "memend stores connect \"User Preferences\" --name prefs",
	"memend stores describe work --max-bytes 20000 --view-chars 16000":     "memend stores describe deploy --name work",
	"memend stores describe rules --files CLAUDE.md --files 'docs/**'":     "memend stores create rules --folder . --files CLAUDE.md",
	"memend stores connect memstore_01Wf3kQ8tZxB2mVr7HcJ4aNd --name prefs": "memend stores disconnect user-preferences --yes",
	"memend export --format folder -o ~/backup/memories":                   "rm -rf ~/backup",
}

var examplesEach = flag.Int("examples.each", 5, "run the examples of each of this many commands")

func TestEveryExampleOfTheHelpRuns(t *testing.T) {
	t.Parallel()
	x, n := newExamples(t), 0
	each(rootCommand((&program{})), func(cmd *cobra.Command) {
		addHelp(cmd)
		if n++; cmd.Example != "" && n%*examplesEach == 0 {
			for _, branch := range x.branches(cmd) {
				t.Run(strings.TrimSpace(cmd.CommandPath()+" "+branch), func(t *testing.T) {
					x.begin(t)
					x.env["GIT_CONFIG_VALUE_0"] = branch
					for line := range strings.Lines(cmd.Example) {
						line, _, _ = strings.Cut(strings.TrimSpace(line), "   ") // a description
						x.run(t, line)
					}
				})
			}
		}
	})
}

// examples holds the environment in which examples run.
type examples struct {
	top, person, template string
	env                   map[string]string
	service               string // id of a store of the service
}

// branches returns the names that git may give the first branch, for commands whose
// examples run git.
func (x *examples) branches(cmd *cobra.Command) []string {
	if strings.Contains(cmd.Example, "git ") {
		return []string{"main", "master"}
	}
	return []string{"main"}
}

func newExamples(t *testing.T) *examples {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	top := t.TempDir()
	x := &examples{top: top, person: filepath.Join(top, "person"), template: filepath.Join(top, "template")}
	bin := filepath.Join(top, "bin")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(bin, 0o755))
	self, err := os.Executable()
	must(err)
	for name, text := range map[string]string{
		"memend": "exec env " + runAsProgram + "=1 " + self + ` "$@"`,
		"ssh": `while [ "$1" != memend ]; do shift; done
MEMEND_HOME=` + filepath.Join(top, "devbox") + `; memend stores create team >/dev/null 2>&1; exec "$@"`,
		"pbpaste": "printf sk-0123456789abcdefghijklmn",
		"code":    `for f; do :; done; echo more >> "$f"`,
		"claude": `case $1 in mcp) while [ "$1" != -- ]; do shift; done; shift; exec "$@" </dev/null;; esac
echo '{"type":"system","subtype":"init","session_id":"s"}'`,
	} {
		must(os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	api, err := script.New(demo.API(1e6))
	must(err)
	t.Cleanup(func() { _ = api.Close() })
	x.env = map[string]string{
		"PATH": bin + ":" + os.Getenv("PATH"), "HOME": x.person, "MEMEND_HOME": filepath.Join(x.person, "home"), "TMPDIR": top, "EDITOR": "true", "TERM": "dumb",
		"ANTHROPIC_BASE_URL": api.URL(), "ANTHROPIC_API_KEY": "any", "MEMEND_CONFIG": "config.toml",
		"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "init.defaultBranch", "GIT_CONFIG_VALUE_0": "main",
		"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.com",
	}
	x.serveStores(t)
	must(os.MkdirAll(filepath.Join(x.person, "here"), 0o755))
	must(os.WriteFile(filepath.Join(x.person, "here", "ops.jsonl"), []byte(pastOfExamples()), 0o644))
	x.shell(t, exampleSetup)
	must(os.Rename(x.person, x.template))
	return x
}

// serveStores starts a service for the examples that connect to one.
func (x *examples) serveStores(t *testing.T) {
	t.Helper()
	trail, err := engine.Open(context.Background(), filepath.Join(x.top, "service"), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := trail.MakeStore(context.Background(), versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "mira"}}, versions.NewStore{Title: "User Preferences"})
	if err != nil {
		t.Fatal(err)
	}
	x.service = string(info.ID)
	api := storesapi.New(storesapi.Options{Trail: trail, Erase: true})
	server := httptest.NewServer(api)
	t.Cleanup(func() {
		server.Close()
		if err := api.Close(); err != nil {
			t.Error(err)
		}
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	})
	x.env["SERVICE"] = server.URL
}

// pastOfExamples returns a history that began long ago: 60 changes, among them a deletion.
func pastOfExamples() string {
	var b strings.Builder
	ops := func(n int, op string) {
		fmt.Fprintf(&b, `{"ts":%d,"actor":"agent:claude","ops":[%s]}`+"\n", 1577880000+n*86400, op)
	}
	there := map[string]bool{}
	put := func(n int, path, content string) {
		op := map[bool]string{true: "update", false: "create"}[there[path]]
		there[path] = true
		ops(n, fmt.Sprintf(`{"op":%q,"path":%q,"content":%q}`, op, path, content))
	}
	put(0, "/todo.md", "one\n")
	lines := strings.Repeat("never on friday, deploy to acme in april v1.2\nana@old.example API_KEY\n", 30)
	for n, path := range []string{"/MEMORY.md", "/notes/old.md", "/drafts/x.md", "/archive/2024/x.md", "/people/bo.md", "/runbooks/deploy.md"} {
		put(n+1, path, lines)
	}
	for n := range 3 {
		put(10+n, "/notes/keys.md", fmt.Sprintf("%d sk-0123456789abcdefghijklmn\n", n))
	}
	for n := range 33 {
		if n == 31 {
			put(52, "/archive/plans.md", "all of them\n") // change 42, which nothing changed since
		}
		put(20+n, "/notes/plan.md", fmt.Sprintf("plan %d\n%s", n, lines))
	}
	ops(60, `{"op":"delete","path":"/drafts/x.md"}`)
	there["/drafts/x.md"] = false
	put(61, "/drafts/x.md", "again\n")
	return b.String()
}

const exampleSetup = `set -e
mkdir -p ~/disk ~/agent/memories ~/elsewhere/memories ~/backups ~/notes ~/src/app/.serena/memories ~/src/project/.serena/memories
git init -q --bare ~/team.git
cd ~/here
memend stores create memories --metadata project=$HOME/here
memend import -s memories ops.jsonl
echo x > ~/agent/memories/x.md; memend stores create work --folder ~/agent/memories
memend stores create team
echo text | memend write -s team t.md
echo text | memend write -s work w.md
echo text | memend write notes/new.md
echo "[the old plan](gone.md)" | memend write notes/links.md
echo a > ~/src/app/.serena/memories/a.md; echo n > ~/notes/n.md; echo plan > plan.md; echo prompt > prompt.txt; echo rules > CLAUDE.md
mkdir -p ~/src/b/memory-bank ~/src/c/memory-bank ~/src/d/memory-bank; for d in b c d; do echo x > ~/src/$d/memory-bank/x.md; done
(cd ~/src/project; git init -q; echo m > .serena/memories/m.md; git add -A; git commit -qm m)
echo '{"command":"view","path":"/memories"}' > commands.jsonl
echo '{"type":"tool_use","id":"toolu_1","name":"memory","input":{"command":"view","path":"/memories"}}' > blocks.jsonl
echo '{"command":"create","path":"/memories/c.md","file_text":"c"}' | memend tool --session sesn_abc
memend cat notes/plan.md --actor agent:claude --session sesn_abc > /dev/null
memend cat -s work w.md --actor agent:codex > /dev/null
for d in memory-bank .serena/memories ../.claude/agent-memory/a ../.claude/agent-memory/b; do mkdir -p $d; echo x > $d/x.md; done
echo '{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Read","tool_input":{"file_path":"/x"},"tool_response":{}}' > call.json
`

// begin recreates the person's folder and home.
func (x *examples) begin(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(x.person); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(x.person, os.DirFS(x.template)); err != nil {
		t.Fatal(err)
	}
}

func (x *examples) command(line string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = filepath.Join(x.person, "here")
	for name, value := range x.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func (x *examples) shell(t *testing.T, line string) string {
	t.Helper()
	cmd := x.command(line)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Errorf("%s\nends with %v\n%s%s", line, err, out.String(), errs.String())
	}
	return out.String()
}

// run runs an example, which must succeed or, if it runs until it is stopped, print
// something.
func (x *examples) run(t *testing.T, example string) {
	t.Helper()
	if inScreens[example] || byPersons.MatchString(example) {
		return
	}
	if strings.Contains(example, "jq") {
		if _, err := exec.LookPath("jq"); err != nil {
			return
		}
	}
	x.env["ANTHROPIC_MODEL"] = "scripted"
	if strings.Contains(example, "stores connect") || strings.Contains(example, "stores mirror") {
		api := x.env["ANTHROPIC_BASE_URL"]
		x.env["ANTHROPIC_BASE_URL"] = x.env["SERVICE"]
		defer func() { x.env["ANTHROPIC_BASE_URL"] = api }()
	}
	if first := earlier[example]; first != "" {
		x.shell(t, first)
	}
	line := example
	if strings.Contains(line, "cert.pem") {
		cert, key, _ := certificate(t)
		line = strings.NewReplacer("cert.pem", cert, "key.pem", key, "0.0.0.0:4000", "127.0.0.1:0").Replace(line)
	}
	line = strings.NewReplacer("memstore_01Wf3kQ8tZxB2mVr7HcJ4aNd", x.service, "http://127.0.0.1:8080", x.env["SERVICE"], // whose port may begin with 4000
		"127.0.0.1:4000", "127.0.0.1:"+freePort(t), "127.0.0.1:4100", "127.0.0.1:"+freePort(t), "/tmp/demo", x.person+"/demo", "/mnt/disk", x.person+"/disk",
		"code --wait", "code", "--model MODEL", "--model scripted").Replace(line)
	if strings.Contains(line, "memver_abc") {
		id := strings.TrimSpace(x.shell(t, `memend log notes/plan.md -n 1 --json | sed 's/^{"id":"\([^"]*\).*/\1/'`))
		line = strings.ReplaceAll(line, "memver_abc", id)
	}
	if example == "memend show sesn_abc" {
		x.shell(t, "memend agent hello")
		id := strings.TrimSpace(x.shell(t, `memend sessions --actor agent:agent -n 1 --json | sed 's/^{"id":"\([^"]*\).*/\1/'`))
		line = strings.ReplaceAll(line, "sesn_abc", id)
	}
	if untilStopped.MatchString(example) {
		x.runUntilOutput(t, line)
		return
	}
	out := x.shell(t, strings.TrimSpace(line+" "+answered[example]))
	if quiet := regexp.MustCompile(`^(memend (agent|help man|hook)|memend mcp --attach|claude |export |.*>|.*\| git )`); out == "" && !quiet.MatchString(example) {
		t.Errorf("%s\nprints nothing", example)
	}
}

// runUntilOutput runs an example until it has printed a line.
func (x *examples) runUntilOutput(t *testing.T, line string) {
	t.Helper()
	cmd := x.command(line)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out := begin(t, cmd)
	spoke := make(chan string, 1)
	go func() {
		s, _ := bufio.NewReader(out).ReadString('\n')
		spoke <- s
	}()
	end := time.After(20 * time.Second)
	for n := 0; ; n++ {
		select {
		case s := <-spoke:
			if s == "" {
				t.Errorf("%s\nprints nothing\n%s", line, errs.String())
			}
		case <-time.After(200 * time.Millisecond): // something to watch
			x.shell(t, fmt.Sprintf("echo %d | memend write -s work --session sesn_ab12 tick.md", n))
			continue
		case <-end:
			t.Errorf("%s\nprints nothing", line)
		}
		break
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	_ = cmd.Wait()
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil || l.Close() != nil {
		t.Fatal(err)
	}
	return port
}
