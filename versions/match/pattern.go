package match

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PatternError is a regular expression that can't be used.
type PatternError struct {
	Pattern string
	At      int    // the byte where it goes wrong
	Why     string // in words
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("regular expression: %s, at character %d", e.Why, utf8.RuneCountInString(e.Pattern[:e.At])+1)
}

const (
	// maxPattern is how many bytes a regular expression may have.
	maxPattern = 2000
	// maxProgram bounds what a regular expression costs: each byte of a text may
	// take so many steps. x{1000} is well below it.
	maxProgram = 5000
)

// Compile reads a regular expression (RE2, as Go and ripgrep have it) for
// texts that are looked at line by line. Without a capital letter it finds both
// cases; what stands for a class, as \W or \p{Lu} do, is no capital letter. What
// can't be read is a *PatternError.
func Compile(pattern string) (*regexp.Regexp, error) {
	re, _, err := readPattern(pattern)
	return re, err
}

// CompileText reads an expression for texts that are looked at as a whole, which
// finds cases as it is written unless anyCase ignores them. Without isRegexp the
// pattern is the very text to find. What can't be read is a *PatternError.
func CompileText(pattern string, isRegexp, anyCase bool) (*regexp.Regexp, error) {
	expr := pattern
	if !isRegexp {
		expr = regexp.QuoteMeta(pattern)
	}
	if anyCase {
		expr = "(?i:" + expr + ")"
	}
	if err := tooLong(pattern); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, patternError(pattern, err)
	}
	return re, nil
}

func tooLong(pattern string) error {
	if len(pattern) <= maxPattern {
		return nil
	}
	return &PatternError{pattern, runeStart([]byte(pattern), maxPattern), fmt.Sprintf("it is too long, at most %d bytes are read", maxPattern)}
}

func readPattern(pattern string) (*regexp.Regexp, *syntax.Regexp, error) {
	if err := tooLong(pattern); err != nil {
		return nil, nil, err
	}
	cased := pattern
	if !patternHasCapital(pattern) {
		cased = "(?i)" + pattern
	}
	tree, err := syntax.Parse(cased, syntax.Perl)
	if err != nil {
		return nil, nil, patternError(pattern, err)
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, nil, patternError(pattern, err)
	}
	if len(prog.Inst) > maxProgram {
		return nil, nil, &PatternError{pattern, 0, "it is too large, repeat less often"}
	}
	re, err := regexp.Compile(cased)
	if err != nil {
		return nil, nil, patternError(pattern, err)
	}
	return re, tree, nil
}

// patternError finds where a pattern goes wrong: the parser tells what, and where
// only by what stands there.
func patternError(pattern string, err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return &PatternError{pattern, 0, err.Error()}
	}
	e := &PatternError{Pattern: pattern, Why: bad.Code.String()}
	switch bad.Code {
	case syntax.ErrMissingParen, syntax.ErrMissingBracket, syntax.ErrTrailingBackslash: // what was opened last and stays open
		e.At = longestSound(pattern)
	case syntax.ErrUnexpectedParen:
		e.At = max(firstWrong(pattern, bad.Code)-1, 0)
	default:
		e.At = max(firstWrong(pattern, bad.Code)-len(bad.Expr), 0)
		if bad.Expr != pattern && bad.Expr != "(?i)"+pattern {
			e.Why += " " + bad.Expr
		}
	}
	e.At = runeStart([]byte(pattern), e.At)
	return e
}

// longestSound is the length of the longest beginning that can be read by itself.
func longestSound(pattern string) int {
	for n := len(pattern); n > 0; n-- {
		if _, err := syntax.Parse(pattern[:n], syntax.Perl); err == nil {
			return n
		}
	}
	return 0
}

// firstWrong is the length of the shortest beginning that is wrong in some way.
func firstWrong(pattern string, code syntax.ErrorCode) int {
	for n := 1; n < len(pattern); n++ {
		if !utf8.RuneStart(pattern[n]) {
			continue
		}
		var bad *syntax.Error
		if _, err := syntax.Parse(pattern[:n], syntax.Perl); errors.As(err, &bad) && bad.Code == code {
			return n
		}
	}
	return len(pattern)
}

// patternHasCapital looks for a capital letter that is to be found, not one that is
// part of an escape, a flag or the name of a group.
func patternHasCapital(pattern string) bool {
	for i := 0; i < len(pattern); {
		r, n := utf8.DecodeRuneInString(pattern[i:])
		i += n
		switch {
		case r == '\\':
			i += escapeLength(pattern[i:])
		case r == '(' && strings.HasPrefix(pattern[i:], "?"):
			i += max(strings.IndexAny(pattern[i:], ":>)"), 0)
		case unicode.IsUpper(r):
			return true
		}
	}
	return false
}

// escapeLength is how many bytes after a backslash belong to it.
func escapeLength(rest string) int {
	_, n := utf8.DecodeRuneInString(rest)
	if n == 0 || !strings.ContainsRune("pPx", rune(rest[0])) {
		return n
	}
	if strings.HasPrefix(rest[n:], "{") {
		if end := strings.IndexByte(rest, '}'); end > 0 {
			return end + 1
		}
	}
	if rest[0] == 'x' {
		return min(3, len(rest))
	}
	_, class := utf8.DecodeRuneInString(rest[n:])
	return n + class
}

// neededText is a text without which a pattern finds nothing.
type neededText struct {
	text string
	fold bool // in either case
}

// maxNeeded is how many texts are looked for at once before a pattern is.
const maxNeeded = 8

// neededOf is texts of which one stands in all that a pattern finds; none when
// there are no such texts. They are what makes a search fast: a text is found many
// times as fast as a pattern.
func neededOf(re *syntax.Regexp) []neededText {
	switch re.Op {
	case syntax.OpLiteral:
		if s := string(re.Rune); !strings.ContainsRune(s, utf8.RuneError) {
			return []neededText{{s, re.Flags&syntax.FoldCase != 0}}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return neededOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return neededOf(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []neededText
		for _, sub := range re.Sub {
			if n := neededOf(sub); worth(n) > worth(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []neededText
		for _, sub := range re.Sub {
			n := neededOf(sub)
			if all = append(all, n...); len(n) == 0 || len(all) > maxNeeded {
				return nil
			}
		}
		return all
	}
	return nil
}

// worth is how well some texts tell lines apart: few are better than many, and
// longer ones are better up to where length tells nothing more.
func worth(all []neededText) int {
	if len(all) == 0 {
		return 0
	}
	n := 4
	for _, t := range all {
		n = min(n, len(t.text))
	}
	return 1 + maxNeeded*n - len(all)
}
