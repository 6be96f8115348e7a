package cli

import (
	"fmt"
	"strings"
)

// This file holds what the manual pages have in addition to the help of each command.

// manualRow is a value and its meaning.
type manualRow struct{ name, about string }

// exitStatus describes the exit codes.
var exitStatus = []manualRow{
	{fmt.Sprint(exitDone), "The command did what it was asked to do."},
	{fmt.Sprint(exitFailed), "It failed, or it found nothing."},
	{fmt.Sprint(exitMisuse), "The command line is invalid; nothing was done."},
	{fmt.Sprint(exitRefused), "A precondition, a conflict, a limit or --read-only refused it; nothing was written."},
}

var environment = []manualRow{
	{"MEMEND_HOME", "The folder of memend's own data; --home overrides it."},
	{"MEMEND_STORE", "The store to work on; --store overrides it."},
	{"MEMEND_CONFIG", "The settings file; --config overrides it."},
	{"MEMEND_PAGER, PAGER", `The pager for long output on a terminal; "cat" disables it. The default is less.`},
	{"MEMEND_<SETTING>", "A setting, which overrides the settings file: its name in capitals with _ for each dot, as in MEMEND_AGENT_MODEL, MEMEND_MOUSE and MEMEND_STALE_DAYS. \"memend config\" lists the settings."},
	{"MEMEND_API_KEY", "The keys of servers of the memory-stores API, each as https://HOST=KEY; a bare key is for servers on this machine."},
	{"MEMEND_SSH", "The command that reaches other machines instead of ssh; with arguments it is run by the shell."},
	{"MEMEND_INSECURE_HOSTS", "Hosts whose servers may be reached without https."},
	{"MEMEND_RENDERER", `"stock" draws the TUI with Bubble Tea's own renderer.`},
	{"ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_PROFILE, ANTHROPIC_BASE_URL, ANTHROPIC_CUSTOM_HEADERS, ANTHROPIC_MODEL", "How the built-in agent and hosted stores reach the API, as the official SDK reads them."},
	{"VISUAL, EDITOR", "The editor, if the settings name none."},
	{"NO_COLOR, TERM", "NO_COLOR, or TERM=dumb, disables colours."},
	{"XDG_DATA_HOME, XDG_CONFIG_HOME", "The parent folders of the home and of the settings folder."},
	{"CLAUDECODE, CLAUDE_CODE_SESSION_ID, CODEX_THREAD_ID, GEMINI_CLI, OPENCODE, AI_AGENT", "Agents set these for the commands that their shells run. With one of them a command is recorded as that agent's, in the session of its run where the variable names it. --actor and --session override them, but --actor can't make the command a person's."},
	{"CLAUDE_CONFIG_DIR, CODEX_HOME", "The folders in which Claude Code and Codex keep a person's settings, instructions, memories and records."},
	{"QWEN_HOME, QWEN_RUNTIME_DIR", "The folder in which Qwen Code keeps a person's settings and instructions, and the one with its memories if that is another."},
	{"GEMINI_CLI_HOME, HERMES_HOME, BASIC_MEMORY_HOME", "The folder that contains Gemini CLI's .gemini, and the folders of Hermes and Basic Memory."},
}

var homeFiles = []manualRow{
	{"$XDG_DATA_HOME/memend, ~/.local/share/memend", "The home on Linux. On macOS it is ~/Library/Application Support/memend, on Windows %LocalAppData%\\memend."},
	{"trail.db, trail.db-wal, trail.db-shm, trail.lock, flush.lock", "In the home: the history of all stores, a SQLite database, and its locks."},
	{"stores/", "In the home: the folders of stores that memend made."},
	{"drafts/, edits/", "In the home: unsaved texts, and the copies that external editors work on."},
	{"conversations/", "In the home: conversations of the built-in agent."},
	{"token, tokens/", "In the home: the home's own token, and the hashes of the clients' tokens."},
	{"$XDG_CONFIG_HOME/memend/config.toml", "The settings file; \"memend config init\" creates it."},
}

// manualSections returns the sections to add to the page of a command, in roff.
func manualSections(root bool) string {
	var b strings.Builder
	section := func(title string, rows []manualRow) {
		fmt.Fprintf(&b, ".SH %s\n", title)
		for _, r := range rows {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fP\n%s\n", roff(r.name), roff(r.about))
		}
	}
	section("EXIT STATUS", exitStatus)
	if root {
		section("ENVIRONMENT", environment)
		section("FILES", homeFiles)
	}
	return b.String()
}

// roff escapes all markup in a text.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `~`, `\(ti`).Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
