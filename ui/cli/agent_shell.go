package cli

import (
	"cmp"
	"os"
	"strings"
	"unicode"

	"github.com/memend/memend/versions"
)

// Agents set variables in the environment of the commands that their shells run. A command
// with such a variable is recorded as the agent's, even if a person typed it. Some agents
// also pass the session of their run. An agent can clear its environment; nothing here
// prevents that, because a program that runs as the same user can do whatever the user can.

// agentShell describes the environment that one agent gives its shells.
type agentShell struct {
	agent   string
	marks   []string // variables; any one that is set and not empty identifies the agent
	session string   // the variable with the session of the run, if there is one
}

// agentShells were observed in Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0 and
// opencode 1.18.33.
var agentShells = []agentShell{
	{"claude-code", []string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID"}, "CLAUDE_CODE_SESSION_ID"},
	{"codex", []string{"CODEX_THREAD_ID"}, "CODEX_THREAD_ID"},
	{"gemini-cli", []string{"GEMINI_CLI"}, ""},
	{"opencode", []string{"OPENCODE"}, ""},
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

// byShell is by for a command in an agent's shell. --actor can name another agent, and
// --session another session.
func (p *invocation) byShell(kind versions.ActorKind, name string) (versions.By, error) {
	agent, session, ok := shellOf(os.Getenv)
	if !ok {
		return p.by(kind, name)
	}
	by, err := p.by(versions.Agent, agent)
	if session != "" && cmp.Or(p.session, p.me.session) == "" {
		by.Session = session
	}
	return by, err
}
