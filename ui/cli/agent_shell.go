package cli

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/memend/memend/versions"
)

// Who runs a command is decided here. Agents set variables in the environment of the commands that their shells run, and
// some also pass the session of their run; an agent that clears its environment is still one of the processes above
// the command. A command with such a variable, or below such a process, is recorded as the agent's, even if a person
// typed it. What can't be known is who started a process that left its parents (setsid, a daemon, another machine).

// agentShell describes an agent, and the environment that it gives its shells.
type agentShell struct {
	agent    string
	programs []string // names of its processes, or of the scripts or npm packages that they run
	marks    []string // variables; any one that is set and not empty identifies the agent
	session  string   // the variable with the session of the run, if there is one
}

// agentShells were observed in Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0 and
// opencode 1.18.33; of the others only the names of the programs are known.
var agentShells = []agentShell{
	{"claude-code", []string{"claude", "claude-code"}, []string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID"}, "CLAUDE_CODE_SESSION_ID"},
	{"codex", []string{"codex"}, []string{"CODEX_THREAD_ID"}, "CODEX_THREAD_ID"},
	{"gemini-cli", []string{"gemini", "gemini-cli"}, []string{"GEMINI_CLI"}, ""},
	{"opencode", []string{"opencode", "opencode-ai"}, []string{"OPENCODE"}, ""},
	{agent: "aider", programs: []string{"aider"}},
	{agent: "amp", programs: []string{"amp"}},
	{agent: "cline", programs: []string{"cline"}},
	{agent: "copilot", programs: []string{"copilot"}},
	{agent: "crush", programs: []string{"crush"}},
	{agent: "cursor", programs: []string{"cursor-agent"}},
	{agent: "droid", programs: []string{"droid"}},
	{agent: "goose", programs: []string{"goose"}},
	{agent: "kiro", programs: []string{"kiro-cli"}},
	{agent: "qwen", programs: []string{"qwen", "qwen-code"}},
}

// anyAgent is a variable that any kind of agent may set to its name.
const anyAgent = "AI_AGENT"

// shellOf returns the agent whose shell has the environment, and the session of its run.
func shellOf(getenv func(string) string) (agent string, session versions.SessionID, ok bool) {
	for _, s := range agentShells {
		for _, mark := range s.marks {
			if getenv(mark) == "" {
				continue
			}
			if s.session != "" {
				session = versions.SessionID(oneWord(getenv(s.session)))
			}
			return s.agent, session, true
		}
	}
	if name := getenv(anyAgent); name != "" {
		return cmp.Or(oneWord(name), "agent"), "", true
	}
	return "", "", false
}

// oneWord returns s if it can be a name or an id, and "" otherwise.
func oneWord(s string) string {
	if len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || r == unicode.ReplacementChar || !unicode.IsPrint(r) }) {
		return ""
	}
	return s
}

// Process is a process above this one.
type Process struct {
	ID   int
	Name string   // as the system names it
	Args []string // its command line; nil if unknown
	Env  []string // its environment when it started; nil if unknown
}

// System is what the program asks the system about who runs it. The tests replace it: an agent may run them, and they
// have no terminal.
var System = struct {
	Ancestors  func() []Process // the nearest first; nil if unknown
	Foreground func() bool      // whether this process belongs to the foreground of a terminal
}{sync.OnceValue(ancestors), foreground}

// maxAncestors is how many processes are looked at.
const maxAncestors = 64

// runner is the agent that runs this program, if one does.
type runner struct {
	agent   string
	session versions.SessionID
	how     string // how that is known
}

// runningAgent returns the agent that runs this program.
func runningAgent() (r runner, ok bool) {
	if r.agent, r.session, ok = shellOf(os.Getenv); ok {
		r.how = "its variables are in the environment"
		return r, true
	}
	for _, p := range System.Ancestors() {
		if r.agent, ok = p.agent(); ok {
			r.how = fmt.Sprintf("process %d above this one is %s", p.ID, p.Name)
			return r, true
		}
		if r.agent, r.session, ok = shellOf(p.getenv); ok {
			r.how = fmt.Sprintf("its variables are in the environment of process %d above this one, %s", p.ID, p.Name)
			return r, true
		}
	}
	return runner{}, false
}

// agent returns the agent that the process is.
func (p Process) agent() (string, bool) {
	names := []string{p.Name}
	if len(p.Args) > 0 {
		names = append(names, base(p.Args[0]))
	}
	if len(p.Args) > 1 && slices.Contains(interpreters, strings.TrimRight(base(p.Args[0]), "0123456789.")) {
		names = append(names, base(p.Args[1]))
		if _, pkg, ok := strings.Cut(filepath.ToSlash(p.Args[1]), "/node_modules/"); ok {
			names = append(names, strings.SplitN(pkg, "/", 3)...)
		}
	}
	for _, s := range agentShells {
		if slices.ContainsFunc(names, func(name string) bool { return slices.Contains(s.programs, strings.ToLower(name)) }) {
			return s.agent, true
		}
	}
	return "", false
}

var interpreters = []string{"node", "bun", "deno", "python"}

// base returns the name of a program's file.
func base(file string) string {
	name := strings.TrimPrefix(filepath.Base(file), "-") // of a login shell
	for _, end := range []string{".exe", ".js", ".mjs", ".cjs", ".py"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

func (p Process) getenv(name string) string {
	for _, x := range p.Env {
		if value, ok := strings.CutPrefix(x, name+"="); ok {
			return value
		}
	}
	return ""
}

// shellIdentity is identity for a command that an agent may run. --actor can name another agent, and
// --session another session.
func (p *invocation) shellIdentity(kind versions.ActorKind, name string) (versions.By, error) {
	r, ok := runningAgent()
	if !ok {
		return p.identity(kind, name)
	}
	by, err := p.identity(versions.Agent, r.agent)
	if r.session != "" && cmp.Or(p.session, p.me.session) == "" {
		by.Session = r.session
	}
	return by, err
}

// mayDecide refuses everybody but a person who can be asked: policies, reviews and pins are for one alone.
func (p *caller) mayDecide(what string) error { return p.mayErase(what, p.canAsk()) }

// mayErase refuses everybody but a person at a terminal: whoever runs the program in its foreground, with no known agent
// above.
func (p *caller) mayErase(what string, asked bool) error {
	if err := p.onlyPerson(what); err != nil {
		return err
	}
	if !asked || !System.Foreground() {
		return &refusal{&hinted{fmt.Errorf("%s: only a person on a terminal may do that", what), "run it on a terminal, or open the TUI with `memend`"}}
	}
	return nil
}

// onlyPerson refuses agents. It can't tell a person's script from an unknown agent.
func (p *caller) onlyPerson(what string) error {
	if p.by.Person() {
		return nil
	}
	err := fmt.Errorf("%s: %w", what, versions.ErrPersonsOnly)
	if r, ok := runningAgent(); ok {
		return &refusal{&hinted{fmt.Errorf("%w; %s runs this one: %s", err, r.agent, r.how), "run it in a terminal that no agent started"}}
	}
	return &refusal{err}
}
