package ui

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The palette opens the settings file in the editor, and names the line of an error.
func TestSettings_AreEditedInTheEditorAndReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memend", "config.toml")
	var wrong error
	s := newSim(t, sample(), 100, 30)
	s.app.cfg.Settings, s.app.cfg.Editor = file, "ed"
	s.app.cfg.ReadSettings = func() error { return wrong }
	var text string
	s.program = func(args []string) error {
		b, err := os.ReadFile(args[len(args)-1])
		text = string(b)
		return err
	}
	edit := func() {
		s.keys("ctrl+k")
		s.typed("settings: edit")
		s.keys("enter")
	}
	edit()
	if !strings.Contains(text, "#theme = ") {
		t.Errorf("the editor is given %q", text)
	}
	s.shows("is without errors: it applies at the next start")

	wrong = errors.New("config.toml:3:2: unexpected '='")
	if err := os.WriteFile(file, []byte("wrap = true\n\n= 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	edit()
	if text != "wrap = true\n\n= 1\n" {
		t.Errorf("a file that exists became %q", text)
	}
	s.shows("config.toml:3:2: unexpected '='")
}
