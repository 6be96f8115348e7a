package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Source is where a value comes from. The zero Source is the defaults.
type Source struct {
	File string // a file, and the line in it
	Line int
	Env  string // a variable of the environment
	Flag string // a flag, with its dashes
}

// Kind is "default", "file", "environment" or "flag".
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
	case s.File != "" && s.Line > 0:
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	case s.File != "":
		return s.File
	}
	return "default"
}

// folder is what a relative path that stands there is relative to.
func (s Source) folder() string {
	if s.Kind() == "file" {
		return filepath.Dir(s.File)
	}
	return "."
}

// Problem is one thing that is wrong, where, and what to do about it.
type Problem struct {
	Source Source
	What   string
	Hint   string
}

func (p *Problem) Error() string { return p.Source.String() + ": " + p.What }

// Problems is all that is wrong, as one error.
type Problems []*Problem

func (ps Problems) Error() string {
	if len(ps) == 1 {
		return ps[0].Error()
	}
	return fmt.Sprintf("%s (and %d more)", ps[0].Error(), len(ps)-1)
}

// meant is the hint for a name that is none of those allowed: the nearest, or all.
func meant(name string, allowed []string) string {
	if best := Nearest(name, allowed); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	return "allowed: " + strings.Join(allowed, ", ")
}

// Nearest is the name that somebody meant who mistyped it; "" where none is near.
func Nearest(name string, allowed []string) string {
	best, least := "", 3
	for _, a := range allowed {
		if d := distance(strings.ToLower(name), a); d < least && d < len(a) || best == "" && len(name) > 2 && strings.HasPrefix(a, strings.ToLower(name)) {
			best, least = a, min(d, least)
		}
	}
	return best
}

// distance is how many bytes must be changed, put in or left out to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for i := range row {
		row[i] = i
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for k := range len(b) {
			cost := corner
			if a[i] != b[k] {
				cost++
			}
			corner = row[k+1]
			row[k+1] = min(cost, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}
