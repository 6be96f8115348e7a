//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/memfs/testdata/ramdisk"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

var (
	killRounds = flag.Int("kill.rounds", 2, "how many runs of the agent are killed")
	killSeed   = flag.Uint64("kill.seed", 1, "seed of the moments at which they are killed; 0 takes one from the clock")
)

const (
	runAsProgram  = "MEMEND_TEST_RUN"
	realAncestors = "MEMEND_TEST_ANCESTORS"
	realTerminal  = "MEMEND_TEST_TERMINAL"
)

func TestMain(m *testing.M) {
	if os.Getenv(realAncestors) == "" {
		System.Ancestors = func() []Process { return nil } // an agent may run the tests
	}
	if os.Getenv(realTerminal) == "" {
		System.Foreground = func() bool { return true } // the tests may have no terminal
	}
	if os.Getenv(asAgent) != "" {
		os.Exit(runAsAgent())
	}
	if os.Getenv(runAsProgram) != "" {
		os.Exit(Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	for _, s := range append(agentShells, agentShell{marks: []string{anyAgent}}) { // an agent's shell may run the tests
		for _, mark := range s.marks {
			_ = os.Unsetenv(mark)
		}
	}
	os.Exit(ramdisk.Tests(m).AtOnce(2).Run())
}

// writing returns a script that writes a memory in every turn, and now and then changes
// one.
func writing(turns int) script.Conversation {
	c := script.Conversation{Name: "writing", Prompts: []script.Prompt{{}, {Turns: []script.Turn{{Blocks: []script.Block{script.Say("Done.")}}}}}}
	for n := range turns {
		path := fmt.Sprintf("/memories/%d.md", n)
		blocks := []script.Block{script.Say("Next."), script.Create(path, fmt.Sprintf("one\nturn %d\n", n))}
		if n%3 == 2 {
			blocks = append(blocks, script.Replace(path, "one", "two"), script.View(path))
		}
		c.Prompts[0].Turns = append(c.Prompts[0].Turns, script.Turn{Blocks: blocks})
	}
	c.Prompts[0].Turns = append(c.Prompts[0].Turns, script.Turn{Blocks: []script.Block{script.Say("Written.")}})
	return c
}

type victim struct {
	t    *testing.T
	home string
	url  string
}

func (v *victim) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"--home", v.home, "-s", "memories"}, args...)...)
	cmd.Env = append(os.Environ(), runAsProgram+"=1", "ANTHROPIC_BASE_URL="+v.url, "ANTHROPIC_API_KEY=any", "ANTHROPIC_MODEL=scripted", "MEMEND_CONFIG="+os.DevNull)
	return cmd
}

func (v *victim) output(args ...string) string {
	v.t.Helper()
	var errs bytes.Buffer
	cmd := v.command(args...)
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		v.t.Fatalf("memend %s: %v: %s", strings.Join(args, " "), err, errs.String())
	}
	return string(out)
}

// begin starts a program and returns its output.
func begin(t *testing.T, cmd *exec.Cmd) io.ReadCloser {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// killed runs the agent and kills it after a number of events. It returns the session and
// the acknowledged changes.
func (v *victim) killed(after int) (id versions.SessionID, acknowledged []agent.Event) {
	v.t.Helper()
	cmd := v.command("agent", "--json", "write")
	out := begin(v.t, cmd)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for n := 0; lines.Scan(); n++ {
		var e agent.Event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue // the last line, truncated
		}
		id = e.Session
		if e.Kind == agent.Answered && e.Change > 0 {
			acknowledged = append(acknowledged, e)
		}
		if n == after {
			_ = cmd.Process.Kill()
		}
	}
	_ = cmd.Wait()
	return id, acknowledged
}

// A session that is killed in the middle of a turn loses no acknowledged change, is shown
// as interrupted, and can be resumed.
func TestAgent_KilledInTheMiddleOfATurnLosesNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts and kills the program several times")
	}
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-kill.seed=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	api, err := script.New(script.Options{Conversations: []script.Conversation{writing(60)}, Delay: 200 * time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = api.Close() }()
	for range *killRounds {
		v := &victim{t, t.TempDir(), api.URL()}
		v.output("stores", "create", "memories")
		id, acknowledged := v.killed(5 + random.IntN(400))
		if id == "" {
			t.Fatal("it told nothing")
		}
		if out := v.output("check"); !strings.HasSuffix(out, "is intact\n") {
			t.Errorf("check says %q", out)
		}
		v.wantCurrent(id, acknowledged)
		if out := v.output("show", string(id)); !strings.Contains(out, "(interrupted;") {
			t.Errorf("it does not show as interrupted:\n%s", out)
		}
		v.output("agent", "--resume", string(id), "go on")
		if out := v.output("show", string(id)); strings.Contains(out, "(interrupted;") || !strings.Contains(out, "Done.") {
			t.Errorf("it was not gone on with:\n%s", out)
		}
		v.wantCurrent(id, acknowledged)
		v.answered(id)
	}
}

// A run that goes on with an interrupted session does not end because that session becomes idle first.
func TestAgent_ResumedAfterAnInterruptionRunsThePrompt(t *testing.T) {
	api, err := script.New(script.Options{Conversations: []script.Conversation{writing(60)}, Delay: 200 * time.Microsecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = api.Close() }()
	v := &victim{t, t.TempDir(), api.URL()}
	v.output("stores", "create", "memories")
	id, _ := v.killed(20)
	t.Setenv("ANTHROPIC_BASE_URL", api.URL())
	t.Setenv("ANTHROPIC_API_KEY", "any")
	var out, errs bytes.Buffer
	var together sync.WaitGroup // the session ends its old turn, and the run follows the session
	together.Add(2)
	var calls atomic.Int32
	p := &homeOpener{caller: caller{console: console{now: time.Now, out: bufio.NewWriter(&out), err: &errs}}, environment: environment{home: v.home}}
	err = p.withTrail(t.Context(), func(trail *engine.Trail) error {
		p.now = func() time.Time {
			if n := calls.Add(1); n == 2 || n == 3 { // the first one is that it is resumed
				together.Done()
				together.Wait()
			}
			return time.Now()
		}
		r := &agentRun{p: &p.console, resume: id, prompt: "go on", settings: agent.Settings{Model: "scripted"}}
		return r.do(t.Context(), trail)
	})
	if err != nil || !strings.Contains(out.String(), "Done.") || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("%v: %s%s", err, out.String(), errs.String())
	}
}

// loggedChange is a line of the log.
type loggedChange struct {
	Change  int64  `json:"change"`
	Path    string `json:"path"`
	ToolUse string `json:"tool_use_id"`
	Turn    int    `json:"turn"`
}

func (v *victim) log(id versions.SessionID) (out []loggedChange) {
	v.t.Helper()
	for line := range strings.Lines(v.output("log", "--json", "--session", string(id))) {
		var c loggedChange
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			v.t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// wantCurrent checks that changes are in the trail as acknowledged.
func (v *victim) wantCurrent(id versions.SessionID, acknowledged []agent.Event) {
	v.t.Helper()
	made := v.log(id)
	for _, e := range acknowledged {
		if !slices.Contains(made, loggedChange{e.Change, e.Path, e.ToolUse, e.Turn}) {
			v.t.Errorf("acknowledged, and not in the trail: %+v", e)
		}
	}
}

// answered checks that the conversation records every change of the session.
func (v *victim) answered(id versions.SessionID) {
	v.t.Helper()
	acknowledged := map[string]bool{}
	for line := range strings.Lines(v.output("show", "--json", string(id))) {
		var e agent.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			v.t.Fatal(err)
		}
		if e.Kind == agent.Answered {
			acknowledged[e.ToolUse] = true
		}
	}
	for _, c := range v.log(id) {
		if !acknowledged[c.ToolUse] {
			v.t.Errorf("the conversation does not tell of %+v", c)
		}
	}
}
