package cli

import "testing"

func TestTheNameOfAClientIsNotCutInTables(t *testing.T) {
	for _, try := range []struct {
		name     string
		terminal bool
		want     string
	}{
		{"robby 9", false, "robby 9       "},
		{"claude-code 2.1.330", false, "claude-code   "},
		{"≈claude-code 2.1.330", true, "≈claude-code  "},
		{"gemini-cli-mcp-client 0.61.0", false, "gemini-cli-mcp-client"},
		{"gemini-cli-mcp-client 0.61.0", true, "gemini-cli-mcp"},
		{"somebody with a long name", false, "somebody with a long name"},
	} {
		p := &program{terminal: try.terminal}
		if got := p.actorColumn(try.name); got != try.want {
			t.Errorf("%s: %q, want %q", try.name, got, try.want)
		}
	}
}
