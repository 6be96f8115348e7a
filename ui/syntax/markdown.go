package syntax

import "strings"

func markdown(dst []Token, s string, st State) ([]Token, State) {
	trimmed := strings.TrimLeft(s, " \t")
	indent := len(s) - len(trimmed)
	line := strings.TrimRight(trimmed, " \t")
	switch {
	case line == "":
		return dst, max(st, Body)
	case st == first && line == "---":
		return append(dst, Token{0, len(s), Comment}), frontMatter
	case st == frontMatter:
		if line == "---" || line == "..." {
			return append(dst, Token{0, len(s), Comment}), Body
		}
		return yaml(dst, s, 0), frontMatter
	case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
		if st == fenced {
			return append(dst, Token{0, len(s), Code}), Body
		}
		return append(dst, Token{0, len(s), Code}), fenced
	case st == fenced:
		return append(dst, Token{0, len(s), Code}), fenced
	case trimmed[0] == '#':
		n := len(trimmed) - len(strings.TrimLeft(trimmed, "#"))
		if n <= 6 && (n == len(trimmed) || trimmed[n] == ' ') {
			return append(dst, Token{indent, len(s), Heading}), Body
		}
	case trimmed[0] == '>':
		return append(dst, Token{indent, len(s), Quote}), Body
	case line == "---" || line == "***" || line == "___":
		return append(dst, Token{indent, len(s), Comment}), Body
	}
	if n := listMark(trimmed); n > 0 {
		dst = append(dst, Token{indent, indent + n, ListMark})
		indent += n
		if rest := strings.TrimLeft(s[indent:], " "); len(rest) > 3 && rest[0] == '[' && rest[2] == ']' && rest[3] == ' ' && strings.IndexByte(" xX", rest[1]) >= 0 {
			at := len(s) - len(rest)
			dst = append(dst, Token{at, at + 3, ListMark})
			indent = at + 3
		}
	}
	return inline(dst, s, indent), Body
}

// markdownNext returns the same state as markdown, at a fraction of its cost.
func markdownNext(s string, st State) State {
	line := strings.Trim(s, " \t")
	switch {
	case line == "":
		return max(st, Body)
	case st == first && line == "---":
		return frontMatter
	case st == frontMatter && (line == "---" || line == "..."):
		return Body
	case st == frontMatter:
		return frontMatter
	case strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~"):
		if st == fenced {
			return Body
		}
		return fenced
	case st == fenced:
		return fenced
	}
	return Body
}

// listMark returns the length of the list mark at the beginning of s.
func listMark(s string) int {
	if len(s) > 1 && strings.IndexByte("-*+", s[0]) >= 0 && s[1] == ' ' {
		return 1
	}
	n := digits(s)
	if n > 0 && n < 10 && n+1 < len(s) && (s[n] == '.' || s[n] == ')') && s[n+1] == ' ' {
		return n + 1
	}
	return 0
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// inline finds code, emphasis and links in s from byte i on.
func inline(dst []Token, s string, i int) []Token {
	for i < len(s) {
		k, n := Code, 0
		switch s[i] {
		case '\\':
			i += 2
			continue
		case '`':
			n = delimited(s[i:], run(s[i:]))
		case '*':
			k = Emphasis
			if m := run(s[i:]); m == 2 {
				k, n = Strong, delimited(s[i:], m)
			} else if m == 1 {
				n = delimited(s[i:], m)
			}
		case '_':
			if i > 0 && word(s[i-1]) {
				break
			}
			k = Emphasis
			m := run(s[i:])
			if m == 2 {
				k = Strong
			}
			n = delimited(s[i:], m)
			if i+n < len(s) && word(s[i+n]) {
				n = 0
			}
		case '[':
			k, n = Link, linkLen(s[i:])
		case 'h':
			if i == 0 || !word(s[i-1]) {
				k, n = Link, urlLen(s[i:])
			}
		case '<':
			if strings.HasPrefix(s[i:], "<!--") {
				k = Comment
				if n = strings.Index(s[i:], "-->") + 3; n < 3 {
					n = len(s) - i
				}
			}
		}
		if n > 0 {
			dst = append(dst, Token{i, i + n, k})
			i += n
			continue
		}
		i += max(1, run(s[i:]))
	}
	return dst
}

// run returns how often the first byte of s is repeated, if it is markup.
func run(s string) int {
	if strings.IndexByte("`*_", s[0]) < 0 {
		return 0
	}
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// delimited returns the length of the text at the beginning of s between two runs of n
// marks, or 0 if it is not closed.
func delimited(s string, n int) int {
	if n == 0 || len(s) <= n || s[n] == ' ' && s[0] != '`' {
		return 0
	}
	end := strings.Index(s[n:], s[:n])
	if end <= 0 || s[0] != '`' && s[n+end-1] == ' ' {
		return 0
	}
	return n + end + n
}

// linkLen returns the length of the link [text](target) or [[name]] at the beginning of s.
func linkLen(s string) int {
	if strings.HasPrefix(s, "[[") {
		if end := strings.Index(s, "]]"); end > 2 {
			return end + 2
		}
		return 0
	}
	mid := strings.Index(s, "](")
	if mid < 0 || strings.IndexByte(s[:mid], ']') >= 0 {
		return 0
	}
	end := strings.IndexByte(s[mid:], ')')
	if end < 0 {
		return 0
	}
	return mid + end + 1
}

func urlLen(s string) int {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return 0
	}
	n := strings.IndexAny(s, " \t<>\"')]`")
	if n < 0 {
		n = len(s)
	}
	return len(strings.TrimRight(s[:n], ".,;:!?"))
}

func word(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}
