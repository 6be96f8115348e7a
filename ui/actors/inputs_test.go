package actors

import (
	"testing"

	"github.com/memend/memend/versions"
)

func TestAfter_SaysWhatASessionHadTakenIn(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "",
		"web, shell":                    "after web, shell",
		"mcp (second hand)":             "after second hand: mcp",
		"web, shell, mcp (second hand)": "after web, shell; second hand: mcp",
		"web (second hand), web":        "after web",
	} {
		if got := After(inputs(t, text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestExternalInputs_SaysItInASentence(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"file":                   "its session had taken in a file from outside",
		"web, shell":             "its session had taken in web pages and output of commands from outside",
		"web, shell, mcp":        "its session had taken in web pages, output of commands and results of MCP servers from outside",
		"mcp (second hand)":      "its session had read memories that were written after results of MCP servers from outside",
		"web, mcp (second hand)": "its session had taken in web pages from outside, and through memories results of MCP servers",
		"web (second hand), web": "its session had taken in web pages from outside",
	} {
		if got := ExternalInputs(inputs(t, text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func inputs(t *testing.T, text string) (in versions.Inputs) {
	t.Helper()
	if err := in.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return in
}
