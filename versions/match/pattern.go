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

// PatternError is an invalid regular expression.
type PatternError struct {
	Pattern string
	At      int    // offset of the error in bytes
	Why     string // in words
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("regular expression: %s, at character %d", e.Why, utf8.RuneCountInString(e.Pattern[:e.At])+1)
}

const (
	// maxPattern is the maximum length of a regular expression in bytes.
	maxPattern = 2000
	// maxProgram limits the cost of a regular expression: the number of steps for each byte of a text. x{1000} is well
	// below it.
	maxProgram = 5000
)

// Compile compiles a regular expression (RE2, as in Go and ripgrep) for matching line by line. Without a capital letter it
// ignores case; a capital in a class like \W or \p{Lu} does not count. If the expression is invalid, the error is a
// *PatternError.
func Compile(pattern string) (*regexp.Regexp, error) {
	re, _, err := readPattern(pattern)
	return re, err
}

// CompileText compiles an expression for matching a whole text. It respects case unless anyCase is set. Without isRegexp the
// pattern is literal text. If the expression is invalid, the error is a *PatternError.
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
	return &PatternError{pattern, runeStart([]byte(pattern), maxPattern), fmt.Sprintf("it is too long (more than %d bytes)", maxPattern)}
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
		return nil, nil, &PatternError{pattern, 0, "it is too large: use fewer repetitions"}
	}
	re, err := regexp.Compile(cased)
	if err != nil {
		return nil, nil, patternError(pattern, err)
	}
	return re, tree, nil
}

// patternError locates the error in a pattern: the parser reports the kind of error and the text, but not its position.
func patternError(pattern string, err error) error {
	var bad *syntax.Error
	if !errors.As(err, &bad) {
		return &PatternError{pattern, 0, err.Error()}
	}
	e := &PatternError{Pattern: pattern, Why: bad.Code.String()}
	switch bad.Code {
	case syntax.ErrMissingParen, syntax.ErrMissingBracket, syntax.ErrTrailingBackslash: // the last one that was opened
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

// longestSound returns the length of the longest prefix that is valid by itself.
func longestSound(pattern string) int {
	for n := len(pattern); n > 0; n-- {
		if _, err := syntax.Parse(pattern[:n], syntax.Perl); err == nil {
			return n
		}
	}
	return 0
}

// firstWrong returns the length of the shortest prefix with this error.
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

// patternHasCapital reports whether the pattern contains a capital letter to match, not one that is part of an escape, a flag or a
// group's name.
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

// escapeLength returns how many bytes after a backslash belong to its escape.
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

// neededText is a text that matches must contain.
type neededText struct {
	text string
	fold bool // in either case
}

// maxNeeded is the maximum number of such texts to search for before matching a pattern.
const maxNeeded = 8

// neededOf returns texts of which every match contains at least one, or none if there are no such texts. They make a search fast:
// finding a text is many times as fast as matching a pattern.
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

// worth rates how well texts select lines: fewer texts are better, and so are longer ones up to a limit.
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
