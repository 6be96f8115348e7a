package proposals

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// pending is a file of Hermes' pending folder.
type pending struct {
	Summary string  `json:"summary"`
	Created float64 `json:"created_at"` // seconds
	Payload struct {
		operation
		Target     string      `json:"target"` // user, or else memory
		Operations []operation `json:"operations"`
	} `json:"payload"`
}

// operation is what is done to one entry.
type operation struct {
	Action  string `json:"action"`
	Content string `json:"content"`
	OldText string `json:"old_text"`
}

func readHermes(roots Roots, each func(Proposal)) {
	var seen []string
	for _, home := range roots.Hermes {
		real := resolved(home)
		if real == "" || slices.Contains(seen, real) {
			continue
		}
		seen = append(seen, real)
		var out []Proposal
		entries, err := os.ReadDir(filepath.Join(real, "pending", "memory"))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || filepath.Ext(e.Name()) != ".json" {
				continue
			}
			if p, ok := hermesProposal(real, filepath.Join(real, "pending", "memory", e.Name())); ok {
				out = append(out, p)
			}
		}
		slices.SortStableFunc(out, func(a, b Proposal) int { return a.Time.Compare(b.Time) })
		for _, p := range out {
			each(p)
		}
	}
}

// hermesProposal reads a file. It returns false for one that Hermes would not list.
func hermesProposal(home, file string) (p Proposal, ok bool) {
	b, at, err := content(file)
	if err != nil {
		return p, false
	}
	var x pending
	if json.Unmarshal(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), &x) != nil {
		return p, false
	}
	p = Proposal{Name: strings.TrimSuffix(filepath.Base(file), ".json"), Note: x.Summary, Time: at, file: file, digest: sha256.Sum256(b)}
	if x.Created > 0 {
		p.Time = time.UnixMicro(int64(x.Created * 1e6))
	}
	name, limit := "MEMORY.md", limits(home).memory
	if x.Payload.Target == "user" {
		name, limit = "USER.md", limits(home).user
	}
	t, err := target(filepath.Join(home, "memories", name))
	if real := resolved(t.File); real != "" {
		t.File = real
	}
	if err == nil {
		var text string
		if text, err = x.apply(string(t.Before), limit); err == nil {
			t.After = []byte(text)
		}
	}
	p.Texts, p.Err, p.lock = []Text{t}, err, t.File+".lock"
	return p, true
}

type charLimits struct{ memory, user int }

// limits returns the limits of characters that a profile sets, or Hermes' own.
func limits(home string) charLimits {
	var config struct {
		Memory struct {
			Memory int `yaml:"memory_char_limit"`
			User   int `yaml:"user_char_limit"`
		}
	}
	config.Memory.Memory, config.Memory.User = 2200, 1375
	if b, _, err := content(filepath.Join(home, "config.yaml")); err == nil && yaml.Unmarshal(b, &config) != nil {
		return charLimits{2200, 1375}
	}
	return charLimits{config.Memory.Memory, config.Memory.User}
}

const delimiter = "\n§\n"

// apply returns a file's text after the proposal.
func (x pending) apply(text string, limit int) (string, error) {
	raw := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	entries := entriesOf(raw)
	ops := []operation{x.Payload.operation}
	if x.Payload.Action == "batch" {
		ops = x.Payload.Operations
	}
	if len(ops) == 0 {
		return "", errors.New("it contains no operation")
	}
	if x.Payload.Action != "add" && drifted(raw, entries, limit) {
		return "", errors.New("the file contains text that is not an entry: Hermes would lose it")
	}
	entries = distinct(entries)
	changed := false
	for _, op := range ops {
		after, did, err := op.apply(entries)
		if err != nil {
			return "", err
		}
		entries, changed = after, changed || did
	}
	if !changed && x.Payload.Action == "add" {
		return text, nil // the entry exists
	}
	joined := strings.Join(entries, delimiter)
	if n := utf8.RuneCountInString(joined); n > limit && x.Payload.Action != "remove" {
		return "", fmt.Errorf("the file would have %d characters of at most %d", n, limit)
	}
	return joined, nil
}

// apply applies one operation to entries.
func (op operation) apply(entries []string) (out []string, changed bool, err error) {
	content, old := strip(op.Content), strip(op.OldText)
	switch {
	case op.Action != "add" && op.Action != "replace" && op.Action != "remove":
		return nil, false, fmt.Errorf("it asks for an unknown action: %q", op.Action)
	case op.Action != "add" && old == "":
		return nil, false, fmt.Errorf("it does not say which entry to %s", op.Action)
	case op.Action != "remove" && content == "":
		return nil, false, errors.New("it contains no text")
	case op.Action == "add" && slices.Contains(entries, content):
		return entries, false, nil
	case op.Action == "add":
		return append(slices.Clone(entries), content), true, nil
	}
	first := -1
	for i, e := range entries {
		switch {
		case !strings.Contains(e, old):
		case first < 0:
			first = i
		case e != entries[first]:
			return nil, false, fmt.Errorf("more than one entry contains %q", old)
		}
	}
	if first < 0 {
		return nil, false, fmt.Errorf("no entry contains %q any more", old)
	}
	out = slices.Clone(entries)
	if op.Action == "remove" {
		return slices.Delete(out, first, first+1), true, nil
	}
	out[first] = content
	return out, true, nil
}

// entriesOf splits a file into its entries.
func entriesOf(raw string) (out []string) {
	for e := range strings.SplitSeq(raw, delimiter) {
		if e = strip(e); e != "" {
			out = append(out, e)
		}
	}
	return out
}

// drifted reports whether a file contains what is not made of entries.
func drifted(raw string, entries []string, limit int) bool {
	return strip(raw) != strings.Join(entries, delimiter) ||
		slices.ContainsFunc(entries, func(e string) bool { return utf8.RuneCountInString(e) > limit })
}

func distinct(entries []string) (out []string) {
	for _, e := range entries {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}

// strip removes what Python's str.strip does.
func strip(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}
