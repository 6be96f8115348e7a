package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// document is a settings file under edit: JSON with comments and trailing commas, as most editors write it. Package
// hujson parses it and writes back every byte that was not edited; document finds the style in which a new value is
// written.
type document struct {
	root    hujson.Value
	mark    []byte // the byte order mark in front of it, if any
	unit    string // one level of indentation
	lineEnd string
	compact bool // the file is one line
}

var (
	byteOrderMark = []byte("\ufeff")
	errNoObject   = errors.New("the file does not contain a JSON object")
	errTooDeep    = fmt.Errorf("the file has more than %d brackets", maxParts)
)

const white = " \t\r\n"

// maxParts limits the objects and arrays of a file: hujson descends into them recursively, and a stack overflow ends
// the program. A project's file may come from anybody.
const maxParts = 500_000

// newDocument parses a file. A file without a value is an empty object.
func newDocument(text []byte) (*document, error) {
	d := &document{unit: "  ", lineEnd: "\n"}
	if rest, ok := bytes.CutPrefix(text, byteOrderMark); ok {
		d.mark, text = byteOrderMark, rest
	}
	if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) > maxParts {
		return nil, errTooDeep
	}
	text = slices.Clone(text) // the parsed value points into it
	if bytes.Contains(text, []byte("\r\n")) {
		d.lineEnd = "\r\n"
	}
	if comments := hujson.Extra(append(text, '\n')); comments.IsValid() {
		if len(bytes.TrimSpace(comments)) == 0 {
			comments = nil
		}
		d.root = hujson.Value{BeforeExtra: comments, Value: &hujson.Object{}, AfterExtra: hujson.Extra(d.lineEnd)}
		return d, nil
	}
	var err error
	if d.root, err = hujson.Parse(text); err != nil {
		return nil, err
	}
	if !isObject(&d.root) {
		return nil, errNoObject
	}
	if key, at := duplicateKey(&d.root); key != "" {
		before := text[:at]
		return nil, &syntaxError{bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n'), fmt.Sprintf("duplicate key %q", key)}
	}
	all := parts(&d.root)
	d.compact = len(all) > 0 && bytes.IndexByte(text[d.root.StartOffset:d.root.EndOffset], '\n') < 0
	for _, p := range all {
		if indent, ok := lineIndent(*p.before); ok && indent != "" {
			d.unit = indent
			break
		}
	}
	return d, nil
}

// syntaxError says where a text can't be read.
type syntaxError struct {
	line, column int
	what         string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d:%d: %s", e.line, e.column, e.what) }

// duplicateKey returns a key that an object has twice, and its position. Programs differ in which of the two they
// read, so such a file is not edited.
func duplicateKey(v *hujson.Value) (key string, at int) {
	seen := map[string]bool{}
	for _, p := range parts(v) {
		if p.name != nil {
			key := nameOf(p.name)
			if seen[key] {
				return key, p.name.StartOffset
			}
			seen[key] = true
		}
		if key, at := duplicateKey(p.value); key != "" {
			return key, at
		}
	}
	return "", 0
}

// text returns the whole file.
func (d *document) text() []byte { return slices.Concat(d.mark, d.root.Pack()) }

// part is a member of an object or an element of an array.
type part struct {
	name   *hujson.Value // nil in an array
	value  *hujson.Value
	before *hujson.Extra // what separates it from the one before
}

// parts returns the members of an object or the elements of an array.
func parts(v *hujson.Value) (out []part) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		for i := range c.Members {
			m := &c.Members[i]
			out = append(out, part{&m.Name, &m.Value, &m.Name.BeforeExtra})
		}
	case *hujson.Array:
		for i := range c.Elements {
			e := &c.Elements[i]
			out = append(out, part{nil, e, &e.BeforeExtra})
		}
	}
	return out
}

func nameOf(name *hujson.Value) string { return name.Value.(hujson.Literal).String() }

func isObject(v *hujson.Value) bool {
	if v == nil {
		return false
	}
	_, ok := v.Value.(*hujson.Object)
	return ok
}

func isArray(v *hujson.Value) bool {
	if v == nil {
		return false
	}
	_, ok := v.Value.(*hujson.Array)
	return ok
}

// find returns the position of a key in an object, or -1.
func find(v *hujson.Value, key string) int {
	if !isObject(v) {
		return -1
	}
	return slices.IndexFunc(parts(v), func(p part) bool { return nameOf(p.name) == key })
}

// get returns the value of a key of an object, or nil.
func get(v *hujson.Value, key string) *hujson.Value {
	i := find(v, key)
	if i < 0 {
		return nil
	}
	return parts(v)[i].value
}

// at follows keys down from the root. It returns nil if there is no such value.
func (d *document) at(path ...string) *hujson.Value {
	v := &d.root
	for _, key := range path {
		if v = get(v, key); v == nil {
			return nil
		}
	}
	return v
}

// decode returns a value without its comments, as encoding/json decodes it; nil for a missing one.
func decode(v *hujson.Value) (out any) {
	if v == nil {
		return nil
	}
	plain := v.Clone()
	plain.Standardize()
	_ = json.Unmarshal(plain.Pack(), &out) // never fails: it was parsed
	return out
}

// lineIndent returns the indentation of what follows e, if that begins a line.
func lineIndent(e hujson.Extra) (string, bool) {
	i := bytes.LastIndexByte(e, '\n')
	return string(e[i+1:]), i >= 0 && len(bytes.TrimSpace(e[i+1:])) == 0
}

// indent returns the indentation of the line on which the value at path begins.
func (d *document) indent(path []string) (out string) {
	v := &d.root
	for _, key := range path {
		p := parts(v)[find(v, key)]
		if s, ok := lineIndent(*p.before); ok {
			out = s
		}
		v = p.value
	}
	return out
}

// shown returns a new value in the file's style. Its first line is not indented.
func (d *document) shown(v any, indent string) hujson.Value {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if !d.compact {
		enc.SetIndent(indent, d.unit)
	}
	_ = enc.Encode(v) // never fails: strings, into memory
	text := bytes.ReplaceAll(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\n"), []byte(d.lineEnd))
	out, _ := hujson.Parse(text)
	return out
}

// add appends a member to the object at path, or an element to the array there, whose key is "".
func (d *document) add(path []string, key string, v any) {
	n := d.at(path...)
	end, all := endOf(n), parts(n)
	before, indent := d.room(all, end, d.indent(path))
	value := d.shown(v, indent)
	if len(all) > 0 && all[len(all)-1].value.AfterExtra != nil { // the file has a comma after the last one
		value.AfterExtra = hujson.Extra{}
	}
	switch c := n.Value.(type) {
	case *hujson.Object:
		value.BeforeExtra = hujson.Extra(" ")
		c.Members = append(c.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(key)}, Value: value})
	case *hujson.Array:
		value.BeforeExtra = before
		c.Elements = append(c.Elements, value)
	}
}

// endOf returns what is between the last part of an object or array and its closing bracket.
func endOf(v *hujson.Value) *hujson.Extra {
	switch c := v.Value.(type) {
	case *hujson.Object:
		return &c.AfterExtra
	case *hujson.Array:
		return &c.AfterExtra
	}
	panic("clients: not an object or array")
}

// room returns what separates a new last part from the others, and its indentation. Comments at the end stay in front
// of the new part.
func (d *document) room(all []part, end *hujson.Extra, outer string) (before hujson.Extra, indent string) {
	comments := bytes.TrimRight(*end, white)
	rest := (*end)[len(comments):]
	var last hujson.Extra
	inline := d.compact
	if len(all) > 0 {
		last = *all[len(all)-1].before
		inline = bytes.IndexByte(last, '\n') < 0
	}
	if inline && bytes.IndexByte(*end, '\n') < 0 {
		*end = rest
		if len(all) == 0 && len(comments) == 0 {
			return nil, outer
		}
		return slices.Concat(comments, []byte(" ")), outer
	}
	indent = outer + d.unit
	if s, ok := lineIndent(last); ok {
		indent = s
	}
	if bytes.IndexByte(rest, '\n') < 0 {
		rest = hujson.Extra(d.lineEnd + outer)
	}
	*end = rest
	return slices.Concat(comments, []byte(d.lineEnd+indent)), indent
}

// set sets the value of a key of the object at path.
func (d *document) set(path []string, key string, v any) {
	old := get(d.at(path...), key)
	if old == nil {
		d.add(path, key, v)
		return
	}
	old.Value = d.shown(v, d.indent(append(slices.Clone(path), key))).Value
}

// drop removes a part of an object or array. Comments around it stay.
func drop(n *hujson.Value, i int) {
	all, end := parts(n), endOf(n)
	gone := all[i]
	if i+1 < len(all) {
		next := all[i+1].before
		if len(bytes.TrimSpace(*gone.before)) == 0 && bytes.IndexByte(*next, '\n') < 0 {
			*next = join(gone.value.AfterExtra, *gone.before)
		} else {
			*next = join(*gone.before, join(gone.value.AfterExtra, *next))
		}
	} else {
		*end = join(*gone.before, join(gone.value.AfterExtra, *end))
		if i > 0 {
			switch last := all[i-1].value; {
			case gone.value.AfterExtra == nil: // no comma after the last one
				*end, last.AfterExtra = join(last.AfterExtra, *end), nil
			case last.AfterExtra == nil:
				last.AfterExtra = hujson.Extra{}
			}
		}
	}
	switch c := n.Value.(type) {
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
	}
	if len(all) == 1 && len(bytes.TrimSpace(*end)) == 0 {
		*end = nil
	}
}

// join returns the comments of a, if there are any, before b. A line comment keeps its end.
func join(a, b hujson.Extra) hujson.Extra {
	comments := bytes.TrimRight(a, white)
	if len(comments) == 0 {
		return b
	}
	space := b[:len(b)-len(bytes.TrimLeft(b, white))]
	if bytes.IndexByte(a[len(comments):], '\n') >= 0 && bytes.IndexByte(space, '\n') < 0 {
		return slices.Concat(comments, []byte("\n"), b)
	}
	return slices.Concat(comments, b)
}

// dropKey removes a member of the object at a path, and then the objects that this leaves empty.
func (d *document) dropKey(path []string, key string) {
	n := d.at(path...)
	i := find(n, key)
	if i < 0 {
		return
	}
	drop(n, i)
	if len(path) > 0 && len(parts(n)) == 0 && *endOf(n) == nil {
		d.dropKey(path[:len(path)-1], path[len(path)-1])
	}
}

// object makes sure that there is an object at a path.
func (d *document) object(path ...string) error {
	for i, key := range path {
		switch n := d.at(path[:i+1]...); {
		case n == nil:
			d.add(path[:i], key, struct{}{})
		case !isObject(n):
			return fmt.Errorf("%s is not an object", strings.Join(path[:i+1], "."))
		}
	}
	return nil
}
