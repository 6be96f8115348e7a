package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Source is where a value comes from. The zero Source means the defaults.
type Source struct {
	File string // a file, and the line in it
	Line int
	Col  int    // of an error in the syntax; 0 if unknown
	Env  string // an environment variable
	Flag string // a flag, with its dashes
}

// Kind returns "default", "file", "environment" or "flag".
func (s Source) Kind() string {
	switch {
	case s.Flag != "":
		return "flag"
	case s.Env != "":
		return "environment"
	case s.File != "":
		return "file"
	}
	return "default"
}

func (s Source) String() string {
	switch {
	case s.Flag != "":
		return s.Flag
	case s.Env != "":
		return "$" + s.Env
	case s.File != "" && s.Col > 0:
		return fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Col)
	case s.File != "" && s.Line > 0:
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	case s.File != "":
		return s.File
	}
	return "default"
}

// folder returns the folder that relative paths in the source are relative to.
func (s Source) folder() string {
	if s.Kind() == "file" {
		return filepath.Dir(s.File)
	}
	return "."
}

// Problem is one error, its place, and what to do about it.
type Problem struct {
	Source Source
	What   string
	Hint   string
}

func (p *Problem) Error() string { return p.Source.String() + ": " + p.What }

// Problems are all errors, as one error.
type Problems []*Problem

func (ps Problems) Error() string {
	if len(ps) == 1 {
		return ps[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", ps[0].Error(), len(ps)-1)
}

// suggest returns the hint for an unknown name: the nearest allowed one, or all.
func suggest(name string, allowed []string) string {
	if best := Nearest(name, allowed); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "allowed: " + strings.Join(allowed, ", ")
}

// Nearest returns the name that a mistyped one is most similar to, or "".
func Nearest(name string, allowed []string) string {
	best, least := "", 3
	for _, a := range allowed {
		if d := distance(strings.ToLower(name), a); d < least && 2*d < len(name) || best == "" && len(name) > 2 && strings.HasPrefix(a, strings.ToLower(name)) {
			best, least = a, min(d, least)
		}
	}
	return best
}

// distance is the edit distance of a and b in bytes. Two bytes in the wrong order are one edit.
func distance(a, b string) int {
	var before []int
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		next := make([]int, len(b)+1)
		next[0] = i + 1
		for k := range len(b) {
			cost := row[k]
			if a[i] != b[k] {
				cost++
			}
			if i > 0 && k > 0 && a[i] == b[k-1] && a[i-1] == b[k] {
				cost = min(cost, before[k-1]+1)
			}
			next[k+1] = min(cost, next[k]+1, row[k+1]+1)
		}
		before, row = row, next
	}
	return row[len(b)]
}
