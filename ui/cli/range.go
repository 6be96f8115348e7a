package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// lines is a range of lines, counted from 1. The zero value means all lines.
type lines struct {
	from, to int
	given    bool // there is no line 0, but it can be asked for
}

// linesJSON is a range in JSON; it is empty for all lines.
type linesJSON struct {
	First int `json:"first_line,omitempty"`
	Last  int `json:"last_line,omitempty"`
}

func (l lines) json() linesJSON { return linesJSON{l.from, l.to} }

func (l lines) all() bool { return !l.given }

// cutLines splits the lines off an argument PATH:42 or PATH:10-20, the notation that
// `memend search` prints and the TUI copies.
func cutLines(arg string) (rest string, of lines, ok bool) {
	i := strings.LastIndexByte(arg, ':')
	if i <= 0 {
		return arg, lines{}, false
	}
	first, last, several := strings.Cut(arg[i+1:], "-")
	of.from, ok = lineNumber(first)
	if of.to = of.from; ok && several {
		of.to, ok = lineNumber(last)
	}
	if !ok || of.to < of.from {
		return arg, lines{}, false
	}
	of.given = true
	return arg[:i], of, true
}

func lineNumber(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && s[0] != '+'
}

// of returns the lines of a text that are in the range.
func (l lines) of(content []byte, name string) ([]byte, error) {
	if l.all() {
		return content, nil
	}
	n, from := 0, -1
	for at := 0; at < len(content); {
		n++
		if n == l.from {
			from = at
		}
		end := bytes.IndexByte(content[at:], '\n') + 1
		if end == 0 {
			end = len(content) - at
		}
		at += end
		if n == l.to && from >= 0 {
			return content[from:at], nil
		}
	}
	if from < 0 {
		return nil, &hinted{fmt.Errorf("%s: there is no line %d, it has %s", name, l.from, plural(n, "line")), "`memend cat PATH` prints all of them"}
	}
	return content[from:], nil
}

// pathAndLines parses an argument that names a memory, or lines of it. A memory whose own
// name ends like a range takes precedence.
func pathAndLines(ctx context.Context, s *engine.Store, command, arg string) (memfs.Path, lines, error) {
	path, err := pathArg(s, command, arg)
	rest, of, ok := cutLines(arg)
	if !ok {
		return path, of, err
	}
	if err == nil {
		f, err := s.Open(ctx, path)
		if err == nil {
			f.Close()
		}
		if !errors.Is(err, memfs.ErrNotExist) {
			return path, lines{}, nil
		}
	}
	path, err = pathArg(s, command, rest)
	return path, of, err
}

// versionAndLines returns the version that an argument names (PATH, PATH@3 or an id), and
// its lines if it names some.
func versionAndLines(ctx context.Context, s *engine.Store, command string, r ref) (versions.Version, lines, error) {
	v, err := r.one(ctx, s)
	rest, of, ok := cutLines(r.arg)
	if !ok || !errors.Is(err, versions.ErrNoMemory) && !errors.Is(err, versions.ErrNoVersion) {
		return v, lines{}, err
	}
	short, serr := parseRef(ctx, s, command, rest)
	if serr != nil {
		return v, lines{}, err
	}
	v, err = short.one(ctx, s)
	return v, of, err
}
