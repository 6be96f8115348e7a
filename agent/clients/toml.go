package clients

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// A TOML file is edited by lines: the server's table is a block that begins with its header. The result is verified
// by parsing the text before and after: if anything except the server's table differs, the edit is refused. That
// happens for tables written inline or with dotted keys.

var errNotEditable = errors.New("the server's table is written in a form that can't be edited here")

func readTOML(text []byte) (map[string]any, error) {
	out := map[string]any{}
	_, err := toml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))).Decode(&out)
	var at toml.ParseError
	if errors.As(err, &at) {
		return nil, &syntaxError{at.Position.Line, at.Position.Col, at.Message}
	}
	return out, err
}

func readTable(text []byte, above, name string) (map[string]any, error) {
	all, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	tables, _ := all[above].(map[string]any)
	own, _ := tables[name].(map[string]any)
	return own, nil
}

// header finds [above.name] and the tables below it.
func header(above, name string) *regexp.Regexp {
	key := func(s string) string { return `(?:` + s + `|"` + s + `"|'` + s + `')` }
	return regexp.MustCompile(`^[ \t]*\[[ \t]*` + key(above) + `[ \t]*\.[ \t]*` + key(name) + `[ \t]*(\.[^\]]*)?\][ \t]*(#.*)?$`)
}

// block returns the range of the table's own lines, without the blank lines and comments that follow.
func block(lines []string, is *regexp.Regexp, below bool) (from, to int) {
	from = slices.IndexFunc(lines, func(line string) bool {
		m := is.FindStringSubmatch(line)
		return m != nil && (m[1] != "") == below
	})
	if from < 0 {
		return -1, -1
	}
	to = from + 1
	for i := from + 1; i < len(lines) && !strings.HasPrefix(strings.TrimLeft(lines[i], " \t"), "["); i++ {
		if line := strings.TrimSpace(lines[i]); line != "" && line[0] != '#' {
			to = i + 1
		}
	}
	return from, to
}

// setTable returns the text with the fields set in the table [above.name]. Keys that the person added are kept.
func setTable(text []byte, above, name string, fields []field) ([]byte, error) {
	own, err := readTable(text, above, name)
	if err != nil {
		return nil, err
	}
	is, end := header(above, name), lineEnd(text)
	lines := splitLines(text)
	from, to := block(lines, is, false)
	if from < 0 && own != nil {
		return nil, errNotEditable
	}
	want := map[string]any{}
	for _, f := range fields {
		want[f.key] = f.value
	}
	if own != nil && holds(own, want) {
		return text, nil
	}
	for _, key := range slices.Sorted(maps.Keys(own)) {
		below := regexp.MustCompile(`^\.[ \t]*["']?` + regexp.QuoteMeta(key) + `["']?[ \t]*(\.|$)`)
		has := slices.ContainsFunc(lines, func(line string) bool {
			m := is.FindStringSubmatch(line)
			return m != nil && below.MatchString(m[1])
		})
		if want[key] == nil && !has && !slices.Contains([]string{"command", "args", "url", "http_headers"}, key) {
			fields = append(fields, field{key, own[key]})
		}
	}
	made := []string{"[" + above + "." + name + "]"}
	for _, f := range fields {
		value, err := tomlValue(f.value)
		if err != nil {
			return nil, err
		}
		made = append(made, tomlKey(f.key)+" = "+value)
	}
	if from >= 0 {
		lines = slices.Replace(lines, from, to, made...)
	} else {
		if len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) != "" {
			lines = append(lines, "")
		}
		lines = append(lines, made...)
	}
	out := []byte(strings.Join(lines, end) + end)
	return out, onlyDiffers(text, out, above, name, true)
}

// removeTable returns the text without the table [above.name] and those below it.
func removeTable(text []byte, above, name string) ([]byte, error) {
	own, err := readTable(text, above, name)
	if err != nil || own == nil {
		return text, err
	}
	is := header(above, name)
	lines := splitLines(text)
	for _, below := range []bool{false, true} {
		for {
			from, to := block(lines, is, below)
			if from < 0 {
				break
			}
			for from > 0 && to == len(lines) && strings.TrimSpace(lines[from-1]) == "" {
				from-- // the blank line before it
			}
			for from == 0 && to < len(lines) && strings.TrimSpace(lines[to]) == "" || from > 0 && to < len(lines) && strings.TrimSpace(lines[to]) == "" && strings.TrimSpace(lines[from-1]) == "" {
				to++
			}
			lines = slices.Delete(lines, from, to)
		}
	}
	out := []byte(strings.Join(lines, lineEnd(text)))
	if len(lines) > 0 {
		out = append(out, lineEnd(text)...)
	}
	return out, onlyDiffers(text, out, above, name, false)
}

// onlyDiffers checks that two texts differ only in one table.
func onlyDiffers(before, after []byte, above, name string, there bool) error {
	a, err := readTOML(before)
	b, berr := readTOML(after)
	if err != nil || berr != nil {
		return errNotEditable
	}
	own := false
	for _, all := range []map[string]any{a, b} {
		tables, _ := all[above].(map[string]any)
		_, own = tables[name]
		if delete(tables, name); len(tables) == 0 {
			delete(all, above)
		}
	}
	if !reflect.DeepEqual(a, b) || own != there {
		return errNotEditable
	}
	return nil
}

// holds reports whether a table has the values, and none of the keys of the other kind of server.
func holds(own, want map[string]any) bool {
	for key, value := range want {
		if !sameValue(own[key], value) {
			return false
		}
	}
	return (own["url"] == nil) == (want["url"] == nil) && (own["http_headers"] == nil) == (want["http_headers"] == nil)
}

// tomlValue formats a value on one line.
func tomlValue(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return tomlString(v), nil
	case []string:
		return tomlValue(anys(v))
	case []any:
		var all []string
		for _, x := range v {
			s, err := tomlValue(x)
			if err != nil {
				return "", err
			}
			all = append(all, s)
		}
		return "[" + strings.Join(all, ", ") + "]", nil
	case map[string]string:
		all := map[string]any{}
		for key, value := range v {
			all[key] = value
		}
		return tomlValue(all)
	case map[string]any:
		var all []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			s, err := tomlValue(v[key])
			if err != nil {
				return "", err
			}
			all = append(all, tomlString(key)+" = "+s)
		}
		return "{ " + strings.Join(all, ", ") + " }", nil
	case bool, int64, float64:
		return fmt.Sprint(v), nil
	}
	return "", errNotEditable
}

// tomlKey formats a key of the file, which may need quotes.
func tomlKey(key string) string {
	if strings.TrimLeft(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == "" && key != "" {
		return key
	}
	return tomlString(key)
}

func anys(all []string) (out []any) {
	for _, s := range all {
		out = append(out, s)
	}
	return out
}

// tomlString formats a basic string: its escapes are those of JSON.
func tomlString(s string) string {
	quoted, _ := marshal(s) // never fails
	return strings.ReplaceAll(quoted, "\x7f", `\u007F`)
}

func lineEnd(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// splitLines returns the lines without their ends; the last is not empty.
func splitLines(text []byte) []string {
	s := strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}
