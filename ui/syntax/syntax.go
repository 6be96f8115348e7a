// Package syntax finds what to colour in a line of Markdown, JSON or YAML, one line at a
// time, so that the cost depends only on the lines shown. It does not parse completely:
// reviewers read the raw text, and colours only help them to find their way. A mistake
// results in a wrong colour and nothing else.
package syntax

import (
	"path"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	Heading Kind = iota
	Strong
	Emphasis
	Code
	Link
	Quote
	ListMark
	Key
	String
	Number
	Keyword
	Comment
	kinds
)

// Token is a part of a line.
type Token struct {
	From, To int // bytes
	Kind     Kind
}

// Language selects how a file is read.
type Language uint8

// The languages. Plain has no tokens.
const (
	Plain Language = iota
	Markdown
	JSON
	YAML
)

// State is the lexer state at the beginning of a line. The zero State is that of the first
// line of a file.
type State uint8

const (
	first       State = iota
	Body              // ordinary text
	frontMatter       // YAML between --- lines at the top of Markdown
	fenced            // a code block
)

// Of returns the language of a file by its name.
func Of(name string) Language {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".mdx", ".mdc":
		return Markdown
	case ".json", ".jsonl", ".ndjson":
		return JSON
	case ".yaml", ".yml":
		return YAML
	}
	return Plain
}

// maxLine is how much of a line is examined.
const maxLine = 4096

// Line appends the tokens of s, sorted and without overlap, and returns the state of the
// next line.
func (l Language) Line(dst []Token, s string, st State) ([]Token, State) {
	if len(s) > maxLine {
		s = s[:maxLine]
	}
	switch l {
	case Markdown:
		return markdown(dst, s, st)
	case JSON:
		return json(dst, s), Body
	case YAML:
		return yaml(dst, s, 0), Body
	}
	return dst, Body
}

// Next returns the state of the line after s, without computing tokens.
func (l Language) Next(s string, st State) State {
	if l != Markdown {
		return Body
	}
	return markdownNext(s, st)
}

// Styles maps each kind to its style prefix.
type Styles [kinds]string

// NewStyles returns the styles of a theme.
func NewStyles(t *theme.Theme) *Styles {
	return &Styles{
		Heading: t.Heading.On, Strong: t.Strong.On, Emphasis: t.Emphasis.On, Code: t.Code.On, Link: t.Link.On, Quote: t.Quote.On,
		ListMark: t.ListMark.On, Key: t.Key.On, String: t.String.On, Number: t.Number.On, Keyword: t.Keyword.On, Comment: t.Comment.On,
	}
}

// Spans appends the tokens of s as a layer of styles.
func (st *Styles) Spans(dst []text.Span, l Language, s string, from State) ([]text.Span, State) {
	var buf [64]Token
	tokens, next := l.Line(buf[:0], s, from)
	for _, t := range tokens {
		dst = append(dst, text.Span{From: t.From, To: t.To, On: st[t.Kind]})
	}
	return dst, next
}
