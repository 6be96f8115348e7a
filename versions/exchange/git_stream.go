package exchange

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// stream reads the commands of a fast-import stream line by line, and the data between them.
type stream struct {
	r    *bufio.Reader
	read int64 // bytes of complete lines and data
	line string
	held bool // line was put back
}

// maxCommandBytes is the maximum length of a command: a quoted path and some words.
const maxCommandBytes = 64 << 10

// maxDataBytes is the size of the largest content that the engine accepts.
const maxDataBytes = 256 << 20

func newStream(r io.Reader) *stream { return &stream{r: bufio.NewReaderSize(r, maxCommandBytes)} }

// at adds the position in the stream to an error.
func (s *stream) at(err error) error {
	return fmt.Errorf("after byte %d, at %.60q: %w", s.read, s.line, err)
}

// next returns the next line that is not a comment, or io.EOF.
func (s *stream) next() (string, error) {
	if s.held {
		s.held = false
		return s.line, nil
	}
	for {
		line, err := s.r.ReadSlice('\n')
		s.read += int64(len(line))
		if errors.Is(err, bufio.ErrBufferFull) {
			return "", unsound("a command is longer than %d bytes", maxCommandBytes)
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(line) == 0) {
			s.line = ""
			return "", err
		}
		s.line = strings.TrimSuffix(string(line), "\n")
		if !strings.HasPrefix(s.line, "#") {
			return s.line, nil
		}
	}
}

// back puts the last line back, to be read again.
func (s *stream) back() { s.held = true }

// word reads the next line if it begins with a word, and returns the rest of the line.
func (s *stream) word(word string) (rest string, ok bool, err error) {
	line, err := s.next()
	if errors.Is(err, io.EOF) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	if rest, ok = strings.CutPrefix(line, word+" "); !ok {
		s.back()
	}
	return rest, ok, nil
}

// data reads a "data" command with its data.
func (s *stream) data() ([]byte, error) {
	rest, ok, err := s.word("data")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, unsound("data is missing")
	}
	if end, ok := strings.CutPrefix(rest, "<<"); ok {
		return s.dataUntil(end)
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	if err != nil || n < 0 {
		return nil, unsound("data of %q bytes", rest)
	}
	if n > maxDataBytes {
		return nil, unsound("data of %d bytes, over the limit of %d MiB", n, maxDataBytes>>20)
	}
	var b strings.Builder // grows with the data received, not by the announced size
	got, err := io.CopyN(&b, s.r, n)
	s.read += got
	if err != nil {
		return nil, cut(err)
	}
	if c, err := s.r.ReadByte(); err == nil { // an empty line may follow
		if c == '\n' {
			s.read++
		} else if err := s.r.UnreadByte(); err != nil {
			return nil, err
		}
	}
	return []byte(b.String()), nil
}

func (s *stream) dataUntil(end string) ([]byte, error) {
	b := []byte{}
	for {
		line, err := s.r.ReadSlice('\n')
		s.read += int64(len(line))
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, cut(err)
		}
		if string(line) == end+"\n" {
			return b, nil
		}
		if len(b)+len(line) > maxDataBytes {
			return nil, unsound("data over the limit of %d MiB", maxDataBytes>>20)
		}
		b = append(b, line...)
	}
}

func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return unsound("the input is truncated")
	}
	return err
}

// gitWords splits the rest of a command into a path and what follows the blank after it; the last path of a command extends to the end.
func gitWords(s string, last bool) (path, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		if last {
			return s, "", nil
		}
		path, rest, _ = strings.Cut(s, " ")
		return path, rest, nil
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			rest, ok := strings.CutPrefix(s[i+1:], " ")
			if !ok && rest != "" || last && rest != "" {
				return "", "", unsound("path %.80q", s)
			}
			return b.String(), rest, nil
		case c != '\\':
			b.WriteByte(c)
		default:
			n, err := unescape(s[i+1:], &b)
			if err != nil {
				return "", "", err
			}
			i += n
		}
	}
	return "", "", unsound("path %.80q is not terminated", s)
}

// unescape parses what follows a backslash in a quoted path.
func unescape(s string, b *strings.Builder) (n int, err error) {
	if s == "" {
		return 0, unsound("a path ends in a backslash")
	}
	if at := strings.IndexByte(`abtnvfr"\`, s[0]); at >= 0 {
		b.WriteByte("\a\b\t\n\v\f\r\"\\"[at])
		return 1, nil
	}
	if len(s) < 3 {
		return 0, unsound("a path contains an unknown escape")
	}
	c, err := strconv.ParseUint(s[:3], 8, 8)
	if err != nil {
		return 0, unsound("a path contains an unknown escape")
	}
	b.WriteByte(byte(c))
	return 3, nil
}

// gitMark parses ":123".
func gitMark(s string) (int64, error) {
	digits, ok := strings.CutPrefix(s, ":")
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n <= 0 {
		return 0, unsound("%.40q is not a mark", s)
	}
	return n, nil
}

// gitPerson parses "Ann <ann@example.com> 1700000000 +0100".
func gitPerson(s, encoding string) (name, email string, seconds int64, err error) {
	open, end := strings.LastIndexByte(s, '<'), strings.LastIndexByte(s, '>')
	if open < 0 || end < open {
		return "", "", 0, unsound("%.80q is not a name with a time", s)
	}
	email = gitText(s[open+1:end], encoding)
	if name = gitText(strings.TrimSpace(s[:open]), encoding); name == "" {
		name = email
	}
	when, _, _ := strings.Cut(strings.TrimSpace(s[end+1:]), " ")
	if seconds, err = strconv.ParseInt(when, 10, 64); err != nil || seconds < -1e11 || seconds > 1e11 {
		return "", "", 0, unsound("%.80q: the time must be in seconds since 1970", s)
	}
	return name, email, seconds, nil
}

// gitText returns a text of a commit in UTF-8. git stores messages and names in any encoding: text that is not UTF-8 is read as Latin-1, unless the commit
// names another encoding.
func gitText(s, encoding string) string {
	latin1 := slices.Contains([]string{"iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "latin-1"}, strings.ToLower(encoding))
	switch {
	case latin1, encoding == "" && !utf8.ValidString(s):
		var b strings.Builder
		for i := range len(s) {
			b.WriteRune(rune(s[i]))
		}
		s = b.String()
	default:
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ReplaceAll(s, "\x00", "\uFFFD") // a trail would treat NUL as damage
}
