package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// document is a TOML file with the line of each key.
type document struct {
	file    string
	entries []entry // in the order of their lines
	lines   map[string]int
}

// entry is a key and its value: a map if it is a table.
type entry struct {
	key   []string
	value any
}

func (e entry) table() bool {
	_, ok := e.value.(map[string]any)
	return ok
}

// at returns the place of a key, or of the table that contains it.
func (d *document) at(key ...string) Source {
	for n := len(key); n > 0; n-- {
		if line := d.lines[dotted(key[:n])]; line > 0 {
			return Source{File: d.file, Line: line}
		}
	}
	return Source{File: d.file}
}

func dotted(key []string) string { return strings.Join(key, ".") }

func parse(file string, data []byte) (*document, *Problem) {
	d := &document{file: file, lines: map[string]int{}}
	var top map[string]toml.Primitive
	meta, err := toml.Decode(string(data), &top)
	if wrong := (toml.ParseError{}); errors.As(err, &wrong) {
		return nil, &Problem{Source{File: file, Line: wrong.Position.Line, Col: wrong.Position.Col}, wrong.Message, "the file is written in TOML: https://toml.io"}
	} else if err != nil {
		return nil, &Problem{Source{File: file}, err.Error(), ""}
	}
	if err := d.read(&meta, nil, top); err != nil {
		return nil, &Problem{Source{File: file}, err.Error(), ""}
	}
	slices.SortStableFunc(d.entries, func(a, b entry) int { return d.at(a.key...).Line - d.at(b.key...).Line })
	return d, nil
}

func (d *document) read(meta *toml.MetaData, above []string, table map[string]toml.Primitive) error {
	for name, p := range table {
		key := append(slices.Clip(above), name)
		var v located
		var place toml.ParseError
		if err := meta.PrimitiveDecode(p, &v); errors.As(err, &place) {
			d.lines[dotted(key)] = place.Position.Line
		}
		d.entries = append(d.entries, entry{key, v.value})
		if _, ok := v.value.(map[string]any); !ok {
			continue
		}
		var below map[string]toml.Primitive
		if err := meta.PrimitiveDecode(p, &below); err != nil {
			return err
		}
		if err := d.read(meta, key, below); err != nil {
			return err
		}
		if first := d.first(key); d.lines[dotted(key)] == 0 {
			d.lines[dotted(key)] = first // an implicit table: [a.b] creates a
		}
	}
	return nil
}

// first returns the first line of the content of a table.
func (d *document) first(table []string) int {
	first := 0
	for key, line := range d.lines {
		if strings.HasPrefix(key, dotted(table)+".") && (first == 0 || line < first) {
			first = line
		}
	}
	return first
}

// located rejects every value, because the TOML decoder reports the position of a key only
// in errors.
type located struct{ value any }

var errLocated = errors.New("located")

func (l *located) UnmarshalTOML(v any) error {
	l.value = v
	return errLocated
}
