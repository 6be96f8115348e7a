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
		var in versions.Inputs
		if err := in.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := After(in); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
