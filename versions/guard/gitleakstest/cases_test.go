// Package gitleakstest compares the guard with gitleaks itself, on gitleaks' own cases, on recorded memories and on mutations of both.
package gitleakstest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memend/memend/versions/guard"
	"github.com/zricethezav/gitleaks/v8/config"
)

const module = "github.com/zricethezav/gitleaks/v8"

// ruleCase is a text that a rule must report, or must not. The generator draws most secrets at random.
type ruleCase struct {
	Rule, Path string
	Text       []byte
	Secret     bool
}

// ruleCases runs gitleaks' generator of rules. It builds it from a copy of the module with two files of testdata: in validate.go, the
// function that checks the cases of each rule writes them down; regen.go draws their secrets from the seed.
var ruleCases = sync.OnceValues(func() ([]ruleCase, error) {
	dir, err := os.MkdirTemp("", "cases")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return nil, err
	}
	program, out := filepath.Join(dir, "generate"), filepath.Join(dir, "cases")
	top := filepath.Join(dir, "gitleaks")
	if err := os.CopyFS(top, os.DirFS(strings.TrimSpace(string(source)))); err != nil {
		return nil, err
	}
	folder := filepath.Join(top, "cmd", "generate", "config")
	for _, file := range []string{filepath.Join(folder, "utils", "validate.go"), filepath.Join(top, "cmd", "generate", "secrets", "regen.go")} {
		ours, err := os.ReadFile(filepath.Join("testdata", filepath.Base(file)))
		if err := errors.Join(err, os.Remove(file), os.WriteFile(file, ours, 0o644)); err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir, build.Stderr = folder, os.Stderr
	if err := build.Run(); err != nil {
		return nil, err
	}
	run := exec.Command(program, filepath.Join(dir, "rules.toml"))
	run.Dir, run.Stderr, run.Env = folder, os.Stderr, append(os.Environ(), "GITLEAKS_CASES="+out, fmt.Sprintf("GITLEAKS_SEED=%d", *seed))
	if err := run.Run(); err != nil {
		return nil, err
	}
	f, err := os.Open(out)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var cases []ruleCase
	for lines := json.NewDecoder(f); lines.More(); {
		var c ruleCase
		if err := lines.Decode(&c); err != nil {
			return nil, err
		}
		cases = append(cases, c)
	}
	return cases, nil
})

func gitleaksCases(t *testing.T) []ruleCase {
	t.Helper()
	t.Logf("-guard.seed=%d", *seed)
	cases, err := ruleCases()
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func TestTheRulesAreThoseOfGitleaks(t *testing.T) {
	ours, err := os.ReadFile("../rules/gitleaks.toml")
	if err != nil || string(ours) != config.DefaultConfig {
		t.Errorf("rules/gitleaks.toml is not gitleaks' configuration: %v", err)
	}
}

// A case concerns one rule alone. In a text, gitleaks and the guard leave out a generic rule where a specific one finds the same secret.
// Most secrets are drawn at random, now and then with too low an entropy: a case that gitleaks itself does not find is no case.
func TestTheCasesOfEachRuleAreFound(t *testing.T) {
	gitleaks := newComparison(t).gitleaks
	right, positives, negatives, badlyDrawn, rules := 0, 0, 0, 0, map[string]bool{}
	for _, c := range gitleaksCases(t) {
		is := func(rule string) bool { return rule == c.Rule || c.Secret && strings.HasPrefix(c.Rule, "generic") }
		if c.Secret && !slices.ContainsFunc(gitleaksPlaces(t, gitleaks, c.Path, c.Text), func(p place) bool { return is(p.rule) }) {
			badlyDrawn++
			continue
		}
		rules[c.Rule] = true
		if c.Secret {
			positives++
		} else {
			negatives++
		}
		if found := slices.ContainsFunc(guard.Check(c.Path, c.Text), func(f guard.Finding) bool { return f.Kind == guard.Secret && is(f.Rule) }); found == c.Secret {
			right++
		} else {
			t.Errorf("%s: found is %v, want %v in %q, path %q", c.Rule, found, c.Secret, c.Text, c.Path)
		}
	}
	t.Logf("%d of %d cases of %d rules are right: %d with a secret, %d without; %d more were badly drawn", right, positives+negatives, len(rules), positives, negatives, badlyDrawn)
	if len(rules) < 220 || positives < 5000 || negatives < 300 || badlyDrawn > positives/50 {
		t.Error("gitleaks has too few cases")
	}
}
