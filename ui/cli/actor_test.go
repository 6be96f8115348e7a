package cli

import "testing"

func TestTheNameOfAClientIsNotCutInTables(t *testing.T) {
	t.Parallel()
	for _, try := range []struct {
		name     string
		terminal bool
		want     string
	}{
		{"robby 9", false, "robby 9       "},
		{"Claude Code 2.1.330", false, "Claude Code   "},
		{"≈Claude Code 2.1.330", true, "≈Claude Code  "},
		{"Gemini CLI 0.61.0", true, "Gemini CLI    "},
		{"≈Claude Code/reviewer", false, "≈Claude Code/reviewer"},
		{"gemini-cli-mcp-client 0.61.0", false, "gemini-cli-mcp-client"},
		{"gemini-cli-mcp-client 0.61.0", true, "gemini-cli-mcp"},
		{"somebody with a long name", false, "somebody with a long name"},
	} {
		p := newProgram(console{terminal: try.terminal})
		if got := actorColumn(&p.console, try.name); got != try.want {
			t.Errorf("%s: %q, want %q", try.name, got, try.want)
		}
	}
}
