package syntax

import "strings"

func json(dst []Token, s string) []Token {
	for i := 0; i < len(s); {
		n, k := 1, kinds
		switch c := s[i]; {
		case c == '"':
			n, k = quoted(s[i:]), String
			if strings.HasPrefix(strings.TrimLeft(s[i+n:], " \t"), ":") {
				k = Key
			}
		default:
			n, k = scalar(s[i:])
		}
		if k != kinds {
			dst = append(dst, Token{i, i + n, k})
		}
		i += n
	}
	return dst
}

// quoted returns the length of the string at the beginning of s, including its quotes; an
// unclosed string ends with the line.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// scalar measures the number or word at the beginning of s; the kind is kinds if it is
// neither a number nor a keyword.
func scalar(s string) (int, Kind) {
	if c := s[0]; c >= '0' && c <= '9' || c == '-' && len(s) > 1 && s[1] >= '0' && s[1] <= '9' {
		n := 1
		for n < len(s) && (word(s[n]) || strings.IndexByte("+-.:", s[n]) >= 0) {
			n++
		}
		return n, Number
	}
	n := 0
	for n < len(s) && word(s[n]) {
		n++
	}
	switch s[:n] {
	case "true", "false", "null":
		return n, Keyword
	}
	return max(n, 1), kinds
}

// yaml reads a line from byte i on.
func yaml(dst []Token, s string, i int) []Token {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	if i == len(s) {
		return dst
	}
	if s[i] == '#' {
		return append(dst, Token{i, len(s), Comment})
	}
	if s[i] == '-' && (i+1 == len(s) || s[i+1] == ' ') {
		return yaml(append(dst, Token{i, i + 1, ListMark}), s, i+1)
	}
	if n := yamlKey(s[i:]); n > 0 {
		dst = append(dst, Token{i, i + n, Key})
		i += n + 1
	}
	for i < len(s) && s[i] == ' ' {
		i++
	}
	if i >= len(s) {
		return dst
	}
	if c := s[i]; c == '"' || c == '\'' {
		n := quoted(s[i:])
		dst = append(dst, Token{i, i + n, String})
		i += n
	} else if n, k := scalar(s[i:]); k != kinds && (i+n == len(s) || s[i+n] == ' ' || k == Keyword) {
		dst = append(dst, Token{i, i + n, k})
		i += n
	}
	if at := strings.Index(s[i:], " #"); at >= 0 {
		dst = append(dst, Token{i + at + 1, len(s), Comment})
	}
	return dst
}

// yamlKey returns the length of the key at the beginning of s, or 0.
func yamlKey(s string) int {
	from := 0
	if s[0] == '"' || s[0] == '\'' {
		from = quoted(s)
	}
	i := strings.IndexByte(s[from:], ':')
	if i < 0 || from+i == 0 || from+i+1 < len(s) && s[from+i+1] != ' ' || strings.Contains(s[:from+i], " #") {
		return 0
	}
	return from + i
}
