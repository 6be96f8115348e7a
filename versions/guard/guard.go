// Package guard finds what a memory should not contain: secrets, invisible characters, links that send data away, instructions to
// later sessions, texts of unusual size, and what a merge or an agent left unfinished.
//
// A finding is a tripwire. It tells a person where to look, or holds a write until a person has looked. It proves nothing: an attacker
// who knows the rules can avoid them, and a text without findings is not therefore safe. The rules prefer few false alarms.
//
// [Check] is a pure function of its arguments. It never changes a text, and no string that it returns has a part of the text. It is
// safe for concurrent use. The rules are read at the first call, and each regular expression is compiled when a text first contains
// one of its keywords: the first call takes about 10 ms longer, and a program that never calls Check pays nothing.
//
// # Rules
//
// rules/gitleaks.toml is the configuration of gitleaks 8.30.1, of 21 February 2026, unchanged, from the Go module
// github.com/zricethezav/gitleaks/v8; its licence is in rules/gitleaks.LICENSE. rules/memend.toml has the rules of this program in the
// same form. Rules that count or decode characters are in hidden.go and size.go.
//
// Check finds the secrets that gitleaks finds, with two differences. A finding begins at the secret and not at the name before it. And
// a comment "gitleaks:allow" allows the secrets of its own line only, also on a last line without a newline, where gitleaks looks for
// it in the whole text.
package guard

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Kind is the kind of a finding.
type Kind string

const (
	Secret      Kind = "secret"
	Hidden      Kind = "hidden"
	Link        Kind = "link"
	Instruction Kind = "instruction"
	Size        Kind = "size"
	Damage      Kind = "damage"
)

// Severity says how likely a finding does harm, and how much.
type Severity string

const (
	High   Severity = "high"
	Medium Severity = "medium"
	Low    Severity = "low"
)

// Finding is one place in a text that a rule matches. A finding about the path or about the whole text has Start and End 0.
type Finding struct {
	Rule     string   `json:"rule"`
	Kind     Kind     `json:"kind"`
	Severity Severity `json:"severity"`

	Start, End int `json:"-"` // byte offsets of the secret, or of what the rule matches

	Line   int `json:"line"`   // of Start, from 1
	Column int `json:"column"` // of Start, from 1, in Unicode code points; an invalid byte is one too

	Why string `json:"why"` // one sentence for people, without any part of the text
}

// Check returns what it finds in the text of the memory at path, by position. Rules that concern files of a certain name need the path;
// it may be empty.
func Check(path string, text []byte) []Finding {
	found := rules().check(path, text)
	found = append(found, hidden(text)...)
	found = append(found, size(text)...)
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End), strings.Compare(a.Rule, b.Rule))
	})
	found = slices.Compact(found)
	place(text, found)
	return found
}

// Added returns what Check finds in after and did not find in before, an earlier text of the same memory: the same words under the same
// rule were there already, wherever they were.
func Added(path string, before, after []byte) []Finding {
	type known struct{ rule, covered string }
	had := map[known]int{}
	for _, f := range Check(path, before) {
		had[known{f.Rule, string(before[f.Start:f.End])}]++
	}
	return slices.DeleteFunc(Check(path, after), func(f Finding) bool {
		k := known{f.Rule, string(after[f.Start:f.End])}
		had[k]--
		return had[k] >= 0
	})
}

// place sets the lines and columns of findings, which are sorted by position.
func place(text []byte, found []Finding) {
	line, column, at := 1, 1, 0
	for i := range found {
		f := &found[i]
		for at < f.Start {
			if text[at] == '\n' {
				line, column = line+1, 1
				at++
				continue
			}
			_, size := utf8.DecodeRune(text[at:f.Start])
			column++
			at += size
		}
		f.Line, f.Column = line, column
	}
}
