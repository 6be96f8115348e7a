package cli

import (
	"cmp"
	"os"
	"strings"
	"unicode"

	"github.com/memend/memend/versions"
)

// Agents mark the environment of the commands that their shells run. A command with such
// a mark is the agent's: whoever typed it, an agent's environment is never a person's.
// Some agents also say which session their run is. An agent can clear its environment; no
// rule here prevents that, as nothing keeps a program of the same user from being that user.

// An agentShell is how one agent marks its shells.
type agentShell struct {
	agent   string
	marks   []string // variables; one that is not empty is enough
	session string   // the variable that holds the session of the run, if any
}

// agentShells were seen in Claude Code 2.1.330, Codex 0.169.0, Gemini CLI 0.61.0 and
// opencode 1.18.33.
var agentShells = []agentShell{
	{"claude-code", []string{"CLAUDECODE", "CLAUDE_CODE_SESSION_ID"}, "CLAUDE_CODE_SESSION_ID"},
	{"codex", []string{"CODEX_THREAD_ID"}, "CODEX_THREAD_ID"},
	{"gemini-cli", []string{"GEMINI_CLI"}, ""},
	{"opencode", []string{"OPENCODE"}, ""},
}

// anyAgent is a variable in which an agent of any kind gives its name.
const anyAgent = "AI_AGENT"

// shellOf finds the agent whose shell has an environment, and the session of its run.
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

// oneWord is s if it can be a name or an id, else "".
func oneWord(s string) string {
	if len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || r == unicode.ReplacementChar || !unicode.IsPrint(r) }) {
		return ""
	}
	return s
}

// byShell is by in the shell of an agent: the name that is given stands for who acts
// elsewhere. --actor names another agent; --session another session.
func (p *program) byShell(kind versions.ActorKind, name string) (versions.By, error) {
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
