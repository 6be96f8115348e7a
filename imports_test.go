package main

import (
	"os/exec"
	"strings"
	"testing"
)

// Who may import what, so that the drawing of the parts stays true.
func TestImports(t *testing.T) {
	const self = "github.com/memtrail/memtrail"
	list, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	rules := []struct {
		pkg  string   // this package and those below it
		own  []string // of ours it may import these, and what lies below them
		only []string // of others these alone, besides the standard library; nil: any
	}{
		{"/memfs", []string{"/memfs"}, []string{}},
		{"/versions", []string{"/memfs"}, nil},
		{"/theme", nil, []string{"charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi", "github.com/charmbracelet/colorprofile"}},
		{"/ui/cli", []string{"/ui", "/versions", "/memfs", "/theme"}, nil},
		{"/ui/text", nil, nil},
		{"/ui", []string{"/ui", "/versions", "/memfs", "/theme"}, nil},
		{"", []string{"/ui/cli"}, []string{}},
	}
	seen := 0
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		pkg, ok := strings.CutPrefix(words[0], self)
		if !ok {
			t.Fatalf("unknown package %s", words[0])
		}
		seen++
		for _, rule := range rules {
			if !below(pkg, rule.pkg) {
				continue
			}
			for _, imported := range words[1:] {
				if own, ok := strings.CutPrefix(imported, self); ok {
					if !belowAny(own, rule.own) || own == "/ui/cli" && pkg != "" {
						t.Errorf("%s imports %s", words[0], imported)
					}
				} else if strings.Contains(strings.Split(imported, "/")[0], ".") && rule.only != nil && !belowAny(imported, rule.only) {
					t.Errorf("%s imports %s", words[0], imported)
				}
			}
			break
		}
	}
	if seen < 6 {
		t.Errorf("looked at %d packages only", seen)
	}
}

func below(pkg, top string) bool { return pkg == top || strings.HasPrefix(pkg, top+"/") }

func belowAny(pkg string, tops []string) bool {
	for _, top := range tops {
		if below(pkg, top) {
			return true
		}
	}
	return false
}
