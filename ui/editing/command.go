package editing

import (
	"errors"
	"fmt"
	"strings"
)

// errNoWords is the error of a blank command.
var errNoWords = errors.New("an empty command")

// SplitCommand splits a command as a shell would, including quotes and backslashes, without
// any expansion.
func SplitCommand(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	started, escaped := false, false
	for _, r := range s {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, started = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if started {
				words = append(words, word.String())
				word.Reset()
				started = false
			}
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("%q: a quote is not closed", s)
	}
	if started {
		words = append(words, word.String())
	}
	if len(words) == 0 {
		return nil, errNoWords
	}
	return words, nil
}
