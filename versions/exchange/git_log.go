package exchange

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// gitCommit is a commit with what it does to the files of its first parent.
type gitCommit struct {
	id          string
	name, email string // of the author
	written     string // when the author wrote it, in seconds since 1970
	committed   string // the same for the commit
	message     string
	files       []gitFile
}

// gitFile is what a commit does to one file.
type gitFile struct {
	status byte // A, D, M, R or T
	from   string
	path   string
	mode   string
	blob   string // id of the content
}

// gitLog reads the commits that lead to a commit.
type gitLog struct {
	*gitProcess
	ahead string // a token that was read ahead
}

func startLog(ctx context.Context, r *Repo) (*gitLog, error) {
	p, err := startGit(ctx, r.dir, append([]string{"log", "--reverse", "--first-parent", "-m", "--raw", "-z", "-M", "-l1000", "--no-abbrev", "-O" + os.DevNull,
		"--no-relative", "--ignore-submodules=none", "--no-show-signature", "--no-notes", "--no-color", "--no-ext-diff", "--no-textconv", "--encoding=UTF-8",
		"--format=%H%x00%an%x00%ae%x00%at%x00%ct%x00%B", r.head, "--"}, r.paths...)...)
	if err != nil {
		return nil, err
	}
	return &gitLog{gitProcess: p}, nil
}

// next returns the next commit, oldest first, or io.EOF after the last one.
func (l *gitLog) next() (c gitCommit, err error) {
	if c.id, err = l.peek(); errors.Is(err, io.EOF) {
		return c, cmp.Or(l.end(), io.EOF)
	}
	if err != nil {
		return c, err
	}
	l.ahead = ""
	for _, field := range []*string{&c.name, &c.email, &c.written, &c.committed, &c.message} {
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
		c.files = append(c.files, f)
	}
}

// file parses "100644 100644 OLD NEW R100" and reads the paths after it.
func (l *gitLog) file(raw string) (f gitFile, err error) {
	words := strings.Fields(raw)
	if len(words) != 5 || !strings.Contains("ADMRT", words[4][:1]) {
		return f, unsound("git says %.80q of a file", raw)
	}
	f.status, f.mode, f.blob = words[4][0], words[1], words[3]
	if f.status == 'R' {
		if f.from, err = l.rest(); err != nil {
			return f, err
		}
	}
	f.path, err = l.rest()
	return f, err
}

// peek returns the next token and keeps it in ahead.
func (l *gitLog) peek() (string, error) {
	if l.ahead != "" {
		return l.ahead, nil
	}
	s, err := l.token()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = cmp.Or(l.end(), err)
	}
	l.ahead = s
	return s, err
}

// rest returns the next token, which must be there.
func (l *gitLog) rest() (string, error) {
	s, err := l.token()
	if err != nil {
		return "", cmp.Or(l.end(), io.ErrUnexpectedEOF)
	}
	return s, nil
}

// time returns when the author wrote it, as git log shows it; when it was committed, if that was before.
func (c *gitCommit) time() (time.Time, error) {
	first := int64(math.MaxInt64)
	for _, text := range []string{c.written, c.committed} {
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds < -1e11 || seconds > 1e11 {
			return time.Time{}, unsound("%.80q: the time must be in seconds since 1970", text)
		}
		first = min(first, seconds)
	}
	return time.Unix(first, 0).UTC(), nil
}

// gitText returns a text of a commit in UTF-8. git stores messages and names in any encoding: text that git can't convert to UTF-8 is read as Latin-1.
func gitText(s string) string {
	if !utf8.ValidString(s) {
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(rune(s[i]))
		}
		s = b.String()
	}
	return s
}
