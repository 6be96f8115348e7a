package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// node is one value of a JSON text, with its position.
type node struct {
	kind     byte // '{', '[', '"', or 'v' for numbers and literals
	from, to int
	members  []member // of an object
	items    []member // of an array; their keys are empty
}

// member is a value of an object or an array.
type member struct {
	key   string
	from  int // of the key, or of the value in an array
	value *node
	comma int // position of the comma after it, or -1
}

func (n *node) get(key string) *node {
	for _, m := range n.members {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// at follows keys down from n; it returns nil if there is no such value.
func (n *node) at(path ...string) *node {
	for _, key := range path {
		if n = n.get(key); n == nil {
			return nil
		}
	}
	return n
}

// parts returns the members of an object or the items of an array.
func (n *node) parts() []member {
	if n.kind == '[' {
		return n.items
	}
	return n.members
}

// syntaxError reports where a text is not valid JSON.
type syntaxError struct {
	line, column int
	what         string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d:%d: %s", e.line, e.column, e.what) }

const maxDepth = 200

// parseJSON parses JSON with comments and trailing commas, as most editors' settings use. A text without a value is
// an empty object.
func parseJSON(text []byte) (*node, error) {
	p := &parser{text: text}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		p.pos = 3
	}
	if err := p.space(); err != nil {
		return nil, err
	}
	if p.pos == len(text) {
		return nil, nil
	}
	n, err := p.value(0)
	if err == nil {
		err = p.space()
	}
	if err == nil && p.pos < len(text) {
		err = p.fail("unexpected text after the value")
	}
	return n, err
}

type parser struct {
	text []byte
	pos  int
}

func (p *parser) fail(what string) error {
	before := p.text[:min(p.pos, len(p.text))]
	return &syntaxError{bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n'), what}
}

func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

// space skips white space and comments.
func (p *parser) space() error {
	for p.pos < len(p.text) {
		rest := p.text[p.pos:]
		switch {
		case bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0:
			p.pos++
		case bytes.HasPrefix(rest, []byte("//")):
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			p.pos += end
		case bytes.HasPrefix(rest, []byte("/*")):
			end := bytes.Index(rest, []byte("*/"))
			if end < 0 {
				return p.fail("unterminated comment")
			}
			p.pos += end + 2
		default:
			return nil
		}
	}
	return nil
}

func (p *parser) value(depth int) (*node, error) {
	n := &node{from: p.pos, kind: p.peek()}
	var err error
	switch {
	case depth > maxDepth:
		return nil, p.fail("the values are nested too deeply")
	case n.kind == '{' || n.kind == '[':
		err = p.parts(n, depth)
	case n.kind == '"':
		_, err = p.string()
	default:
		n.kind = 'v'
		for p.pos < len(p.text) && !bytes.ContainsRune([]byte(" \t\r\n,:{}[]\"/"), rune(p.text[p.pos])) {
			p.pos++
		}
		if !json.Valid(p.text[n.from:p.pos]) {
			p.pos = n.from
			return nil, p.fail("expected a value")
		}
	}
	n.to = p.pos
	return n, err
}

// parts parses an object's members or an array's items.
func (p *parser) parts(n *node, depth int) error {
	end := byte('}')
	if n.kind == '[' {
		end = ']'
	}
	seen := map[string]bool{}
	for p.pos++; ; {
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() == end {
			p.pos++
			return nil
		}
		if all := n.parts(); len(all) > 0 && all[len(all)-1].comma < 0 {
			return p.fail(fmt.Sprintf("expected a comma or %c", end))
		}
		m := member{from: p.pos, comma: -1}
		var err error
		if n.kind == '{' {
			if m.key, err = p.key(); err != nil {
				return err
			}
			if seen[m.key] {
				p.pos = m.from
				return p.fail(fmt.Sprintf("duplicate key %q", m.key))
			}
			seen[m.key] = true
		}
		if m.value, err = p.value(depth + 1); err != nil {
			return err
		}
		if err := p.space(); err != nil {
			return err
		}
		if p.peek() == ',' {
			m.comma = p.pos
			p.pos++
		}
		if n.kind == '{' {
			n.members = append(n.members, m)
		} else {
			n.items = append(n.items, m)
		}
	}
}

// key parses a member's key and the colon after it.
func (p *parser) key() (string, error) {
	if p.peek() != '"' {
		return "", p.fail("expected a quoted key")
	}
	key, err := p.string()
	if err == nil {
		err = p.space()
	}
	if err == nil && p.peek() != ':' {
		err = p.fail("expected a colon")
	}
	if err != nil {
		return "", err
	}
	p.pos++
	return key, p.space()
}

func (p *parser) string() (s string, err error) {
	from := p.pos
	for p.pos++; ; p.pos++ {
		switch p.peek() {
		case 0, '\n':
			p.pos = from
			return "", p.fail("unterminated string")
		case '\\':
			p.pos++
			continue
		case '"':
			p.pos++
			if json.Unmarshal(p.text[from:p.pos], &s) != nil {
				p.pos = from
				return "", p.fail("invalid string")
			}
			return s, nil
		}
	}
}

// decode returns the value without its comments, as encoding/json decodes it.
func (n *node) decode(text []byte) any {
	switch n.kind {
	case '{':
		out := map[string]any{}
		for _, m := range n.members {
			out[m.key] = m.value.decode(text)
		}
		return out
	case '[':
		out := []any{}
		for _, m := range n.items {
			out = append(out, m.value.decode(text))
		}
		return out
	}
	var v any
	_ = json.Unmarshal(text[n.from:n.to], &v) // never fails: the parser checked it
	return v
}

// document is a JSON text under edit. It is parsed again after each edit.
type document struct {
	text []byte
	root *node
}

var errNoObject = errors.New("the file does not contain a JSON object")

func newDocument(text []byte) (*document, error) {
	d := &document{text: slices.Clone(text)}
	return d, d.parse()
}

func (d *document) parse() (err error) {
	if d.root, err = parseJSON(d.text); err != nil {
		return err
	}
	if d.root == nil { // only comments, or nothing
		d.text = append(d.text, "{}\n"...)
		return d.parse()
	}
	if d.root.kind != '{' {
		return errNoObject
	}
	return nil
}

func (d *document) replace(from, to int, with string) error {
	if bytes.Contains(d.text, []byte("\r\n")) {
		with = strings.ReplaceAll(with, "\n", "\r\n")
	}
	d.text = slices.Concat(d.text[:from], []byte(with), d.text[to:])
	return d.parse()
}

// indentAt returns the indentation of the line at a position, and whether nothing else precedes the position on its
// line.
func (d *document) indentAt(pos int) (indent string, alone bool) {
	line := d.text[bytes.LastIndexByte(d.text[:pos], '\n')+1 : pos]
	rest := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(rest)]), len(rest) == 0
}

// unit returns one level of the file's indentation.
func (d *document) unit() string {
	for _, m := range d.root.members {
		if indent, alone := d.indentAt(m.from); alone && indent != "" {
			return indent
		}
	}
	return "  "
}

// shown returns a value formatted in the file's style. The first line is not indented.
func (d *document) shown(v any, indent string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if d.compact() {
		_ = enc.Encode(v) // never fails: strings, into memory
	} else {
		enc.SetIndent(indent, d.unit())
		_ = enc.Encode(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// compact reports whether the file has no line breaks.
func (d *document) compact() bool {
	return len(d.root.members) > 0 && !bytes.ContainsRune(d.text[d.root.from:d.root.to], '\n')
}

// add appends a member to an object or an item to an array.
func (d *document) add(n *node, key string, v any) error {
	named := ""
	if n.kind == '{' {
		named = d.shown(key, "") + ": "
	}
	all := n.parts()
	if len(all) == 0 {
		return d.addFirst(n, named, v)
	}
	last := all[len(all)-1]
	indent, alone := d.indentAt(last.from)
	if !alone {
		tail := ""
		if last.comma >= 0 {
			tail = ","
		}
		if last.comma < 0 {
			return d.replace(last.value.to, last.value.to, ", "+named+d.shown(v, indent))
		}
		return d.replace(last.comma+1, last.comma+1, " "+named+d.shown(v, indent)+tail)
	}
	// A comment after the last value stays there.
	behind := last.value.to
	if last.comma >= 0 {
		behind = last.comma + 1
	}
	end := d.behindComment(behind)
	text := "\n" + indent + named + d.shown(v, indent)
	if last.comma >= 0 {
		return d.replace(end, end, text+",")
	}
	return d.replace(last.value.to, end, ","+string(d.text[last.value.to:end])+text)
}

// behindComment returns the end of the comment that follows on the same line, if any.
func (d *document) behindComment(pos int) int {
	rest := d.text[pos:]
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	space := len(line) - len(bytes.TrimLeft(line, " \t"))
	switch after := line[space:]; {
	case bytes.HasPrefix(after, []byte("//")):
		return pos + len(line)
	case bytes.HasPrefix(after, []byte("/*")):
		if end := bytes.Index(after, []byte("*/")); end >= 0 {
			return pos + space + end + 2
		}
	}
	return pos
}

// addFirst adds to an object or array that contains at most comments.
func (d *document) addFirst(n *node, named string, v any) error {
	outer, _ := d.indentAt(n.from)
	if n != d.root && d.compact() {
		return d.replace(n.from+1, n.to-1, named+d.shown(v, outer))
	}
	indent := outer + d.unit()
	inner := strings.TrimRight(string(d.text[n.from+1:n.to-1]), " \t\r\n")
	return d.replace(n.from+1, n.to-1, strings.ReplaceAll(inner, "\r\n", "\n")+"\n"+indent+named+d.shown(v, indent)+"\n"+outer)
}

// set sets the value of a key of an object.
func (d *document) set(n *node, key string, v any) error {
	old := n.get(key)
	if old == nil {
		return d.add(n, key, v)
	}
	indent, _ := d.indentAt(old.from)
	return d.replace(old.from, old.to, d.shown(v, indent))
}

// drop removes a member of an object or an item of an array.
func (d *document) drop(n *node, i int) error {
	all := n.parts()
	m := all[i]
	from, to := m.from, m.value.to
	if m.comma >= 0 {
		to = m.comma + 1
	}
	_, alone := d.indentAt(from)
	line, _, _ := bytes.Cut(d.text[to:], []byte("\n"))
	switch blank := len(bytes.TrimSpace(line)) == 0; {
	case alone && blank:
		from = max(bytes.LastIndexByte(d.text[:from], '\n'), n.from+1)
		to += len(bytes.TrimRight(line, "\r"))
		if from > 0 && d.text[from-1] == '\r' {
			from--
		}
	case i+1 < len(all):
		to += len(line) - len(bytes.TrimLeft(line, " \t"))
	case i > 0 && m.comma < 0 && !alone: // also the space after the removed comma
		from = all[i-1].comma + 1
	}
	text := slices.Concat(d.text[:from], d.text[to:])
	if i > 0 && i+1 == len(all) && m.comma < 0 { // the comma before it would be left over
		at := all[i-1].comma
		text = slices.Delete(text, at, at+1)
	}
	if len(all) == 1 {
		inner := text[n.from+1 : len(text)-(len(d.text)-n.to)-1]
		if len(bytes.TrimSpace(inner)) == 0 {
			text = slices.Concat(text[:n.from+1], text[n.from+1+len(inner):])
		}
	}
	d.text = text
	return d.parse()
}

// dropKey removes a member of the object at a path, and then the objects that this leaves empty.
func (d *document) dropKey(path []string, key string) error {
	n := d.root.at(path...)
	if n == nil || n.kind != '{' {
		return nil
	}
	i := slices.IndexFunc(n.members, func(m member) bool { return m.key == key })
	if i < 0 {
		return nil
	}
	if err := d.drop(n, i); err != nil {
		return err
	}
	n = d.root.at(path...)
	if len(path) == 0 || len(n.members) > 0 || n.to-n.from > len("{}") {
		return nil
	}
	return d.dropKey(path[:len(path)-1], path[len(path)-1])
}

// object returns the object at a path, and creates it if it is missing.
func (d *document) object(path ...string) (*node, error) {
	for i := range path {
		above := d.root.at(path[:i]...)
		n := above.get(path[i])
		if n == nil {
			if err := d.add(above, path[i], struct{}{}); err != nil {
				return nil, err
			}
			continue
		}
		if n.kind != '{' {
			return nil, fmt.Errorf("%s is not an object", strings.Join(path[:i+1], "."))
		}
	}
	return d.root.at(path...), nil
}
