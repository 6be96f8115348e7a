package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
)

func TestOldWordsAnswerWithTheCommandThatThereIs(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	for _, o := range oldWords {
		root := rootCommand((&program{}))
		if o.now != "" {
			words := strings.Fields(commandOf(o.now))
			cmd, rest, err := root.Find(words)
			if err != nil || len(rest) > 0 {
				t.Errorf("%s: there is no %s", o.word, o.now)
				continue
			}
			for _, flag := range strings.Fields(o.now)[len(words):] {
				name := strings.TrimLeft(flag, "-")
				if name == flag { // an argument
					continue
				}
				if cmd.Flags().Lookup(name) == nil && (len(name) > 1 || cmd.Flags().ShorthandLookup(name) == nil) {
					t.Errorf("%s: %s has no flag %s", o.word, cmd.CommandPath(), flag)
				}
			}
		}
		if cmd, rest, err := root.Find(strings.Fields(o.word)); err == nil && len(rest) == 0 && cmd != root {
			if o.gone == "" {
				t.Errorf("%s is a command", o.word)
			}
			continue
		}
		var out, errs bytes.Buffer
		code := Run(append([]string{"--home", home}, append(strings.Fields(o.word), "a.md")...), strings.NewReader(""), &out, &errs)
		want := "no command `memend " + o.word + "`"
		if o.now != "" {
			want += ": use `memend " + o.now + "`"
		}
		if code != exitMisuse || !strings.Contains(errs.String(), want) {
			t.Errorf("%s ends with %d: %s", o.word, code, errs.String())
		}
	}
}

func TestOldFlagsAnswerWithWhatDoesTheirWork(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	for _, o := range oldFlags {
		cmd, rest, err := rootCommand((&program{})).Find(strings.Fields(o.command))
		if err != nil || len(rest) > 0 {
			t.Errorf("there is no %s", o.command)
			continue
		}
		for _, flag := range strings.Fields(o.flags) {
			dashes := "--"
			if len(flag) == 1 {
				dashes = "-"
			}
			if cmd.Flags().Lookup(flag) != nil || len(flag) == 1 && cmd.Flags().ShorthandLookup(flag) != nil {
				t.Errorf("%s has the flag %s", o.command, flag)
			}
			var out, errs bytes.Buffer
			code := Run(append([]string{"--home", home}, append(strings.Fields(o.command), dashes+flag, "x")...), strings.NewReader(""), &out, &errs)
			if code != exitMisuse || !strings.Contains(errs.String(), "unknown") || !strings.Contains(errs.String(), "hint: "+o.now) {
				t.Errorf("%s %s ends with %d: %s", o.command, flag, code, errs.String())
			}
		}
	}
	var out, errs bytes.Buffer
	if Run([]string{"--home", home, "grep", "-n", "x"}, strings.NewReader(""), &out, &errs); !strings.Contains(errs.String(), "use `memend search -E`") {
		t.Errorf("grep -n ends with %s", errs.String())
	}
}
