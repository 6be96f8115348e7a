package git

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Commit is a commit with what it does to the files of its first parent.
type Commit struct {
	ID          string
	Name, Email string // of the author
	Written     string // when the author wrote it, in seconds since 1970
	Committed   string // the same for the commit
	Message     string
	Files       []File
}

// File is what a commit does to one file.
type File struct {
	Status byte // A, D, M, R or T
	From   string
	Path   string
	Mode   string
	Blob   string // id of the content
	Old    string // id of the content before; zeros if there was none
}

// Log reads the commits that lead to a commit.
type Log struct {
	*Process
	ahead string // a token that was read ahead
}

// logFormat is what a Log reads of a commit.
const logFormat = "--format=%H%x00%an%x00%ae%x00%at%x00%ct%x00%B"

// plainDiff makes git print a diff as a Log reads it, whatever the settings say.
var plainDiff = []string{"--raw", "-z", "-M", "-l1000", "--no-abbrev", "-O" + os.DevNull, "--no-relative", "--ignore-submodules=none", "--no-ext-diff", "--no-textconv", "--no-color"}

// FirstParents starts to read the commits from the first to head, along first parents, with what they do to paths.
func FirstParents(ctx context.Context, dir, head string, paths ...string) (*Log, error) {
	args := append([]string{"log", "--reverse", "--first-parent", "-m", "--no-show-signature", "--no-notes", "--encoding=UTF-8", logFormat}, plainDiff...)
	p, err := Start(ctx, dir, append(append(args, head, "--"), paths...)...)
	if err != nil {
		return nil, err
	}
	return &Log{Process: p}, nil
}

// Pair is a commit, and the one that it is compared with; "": the empty tree.
type Pair struct{ Commit, Parent string }

// Compare starts to read commits, each with what it changes in the tree of another. It ends like any [Process].
func Compare(ctx context.Context, dir string, pairs []Pair) (*Log, error) {
	p, err := Start(ctx, dir, append([]string{"diff-tree", "--stdin", "--root", "--always", "-r", "--encoding=UTF-8", logFormat}, plainDiff...)...)
	if err != nil {
		return nil, err
	}
	go func() { // git stops to read while nobody reads what it prints
		w := bufio.NewWriter(p.In)
		for _, c := range pairs {
			fmt.Fprintln(w, strings.TrimSpace(c.Commit+" "+c.Parent))
		}
		_ = w.Flush()
		_ = p.In.Close()
	}()
	return &Log{Process: p}, nil
}

// Next returns the next commit, oldest first, or io.EOF after the last one.
func (l *Log) Next() (c Commit, err error) {
	if c.ID, err = l.peek(); errors.Is(err, io.EOF) {
		return c, cmp.Or(l.End(), io.EOF)
	}
	if err != nil {
		return c, err
	}
	l.ahead = ""
	for _, field := range []*string{&c.Name, &c.Email, &c.Written, &c.Committed, &c.Message} {
		if *field, err = l.rest(); err != nil {
			return c, err
		}
	}
	for {
		line, err := l.peek()
		if err != nil && !errors.Is(err, io.EOF) {
			return c, err
		}
		raw, ok := strings.CutPrefix(strings.TrimPrefix(line, "\n"), ":")
		if !ok { // the end, or the next commit
			return c, nil
		}
		l.ahead = ""
		f, err := l.file(raw)
		if err != nil {
			return c, err
		}
		c.Files = append(c.Files, f)
	}
}

// file parses "100644 100644 OLD NEW R100" and reads the paths after it.
func (l *Log) file(raw string) (f File, err error) {
	words := strings.Fields(raw)
	if len(words) != 5 || !strings.Contains("ADMRT", words[4][:1]) {
		return f, unsound("git says %.80q of a file", raw)
	}
	f.Status, f.Mode, f.Old, f.Blob = words[4][0], words[1], words[2], words[3]
	if f.Status == 'R' {
		if f.From, err = l.rest(); err != nil {
			return f, err
		}
	}
	f.Path, err = l.rest()
	return f, err
}

// peek returns the next token and keeps it in ahead.
func (l *Log) peek() (string, error) {
	if l.ahead != "" {
		return l.ahead, nil
	}
	s, err := l.token()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = cmp.Or(l.End(), err)
	}
	l.ahead = s
	return s, err
}

// rest returns the next token, which must be there.
func (l *Log) rest() (string, error) {
	s, err := l.token()
	if err != nil {
		return "", cmp.Or(l.End(), io.ErrUnexpectedEOF)
	}
	return s, nil
}

// Time returns when the author wrote it, as git log shows it; when it was committed, if that was before.
func (c *Commit) Time() (time.Time, error) {
	first := int64(math.MaxInt64)
	for _, text := range []string{c.Written, c.Committed} {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds < -1e11 || seconds > 1e11 {
			return time.Time{}, unsound("%.80q: the time must be in seconds since 1970", text)
		}
		first = min(first, seconds)
	}
	return time.Unix(first, 0).UTC(), nil
}

// Text returns a text of a commit in UTF-8. git stores messages and names in any encoding: text that git can't convert to UTF-8 is read as Latin-1.
func Text(s string) string {
	if !utf8.ValidString(s) {
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(rune(s[i]))
		}
		s = b.String()
	}
	return s
}
