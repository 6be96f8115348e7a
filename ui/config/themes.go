package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
)

const themeEnd = ".toml"

// findTheme checks that the theme of a setting exists.
func (c *Config) findTheme(set setting) Problems {
	name, from := c.Value(set.name).(string), c.sources[set.name]
	if name == Auto && set.name == "theme" {
		return nil
	}
	if strings.HasSuffix(name, themeEnd) {
		file := name
		if !filepath.IsAbs(file) {
			file = filepath.Join(from.folder(), file)
		}
		d, ps := LoadTheme(c.Themes, name, file)
		if len(ps) > 0 {
			return ps
		}
		c.Themes = c.Themes.With(d)
		return nil
	}
	if ps := c.broken[name]; len(ps) > 0 {
		return ps
	}
	if _, ok := c.Themes.Find(name); !ok {
		names := c.Themes.Names()
		if set.name == "theme" {
			names = append([]string{Auto}, names...)
		}
		return Problems{{from, fmt.Sprintf("unknown theme %q", name), suggest(name, names)}}
	}
	return nil
}

// ownThemes reads the themes in the folder beside the settings file. They may be based on
// each other.
func ownThemes(file string) (theme.Set, map[string]Problems) {
	var set theme.Set
	broken := map[string]Problems{}
	files, err := filepath.Glob(filepath.Join(globSafe(filepath.Dir(file)), "themes", "*"+themeEnd))
	if file == "" || err != nil {
		return set, broken
	}
	for progress := true; progress; {
		progress = false
		var later []string
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), themeEnd)
			d, ps := LoadTheme(set, name, f)
			if delete(broken, name); len(ps) > 0 {
				broken[name] = ps
				later = append(later, f)
				continue
			}
			set, progress = set.With(d), true
		}
		files = later
	}
	return set, broken
}

// globSafe escapes a folder's name for a pattern.
func globSafe(folder string) string {
	return strings.NewReplacer(`*`, `[*]`, `?`, `[?]`, `[`, `[[]`).Replace(folder)
}

// LoadTheme reads a file with a theme that is based on one in the set.
func LoadTheme(set theme.Set, name, file string) (*theme.Design, Problems) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Problems{{Source{File: file}, "there is no such file", ""}}
	}
	if err != nil {
		return nil, Problems{{Source{File: file}, reason(err), ""}}
	}
	doc, wrong := parse(file, data)
	if wrong != nil {
		return nil, Problems{wrong}
	}
	r := &themeReader{doc: doc, spec: theme.Spec{Name: name, Colors: map[string]theme.Color{}, Styles: map[string]theme.Change{}}}
	for _, e := range doc.entries {
		r.entry(e)
	}
	d, faults := set.Make(r.spec)
	for _, f := range faults {
		hint := ""
		if f.Allowed != nil {
			hint = suggest(f.Key[len(f.Key)-1], f.Allowed)
			if f.Key[0] == "base" {
				hint = suggest(r.spec.Base, f.Allowed)
			}
		}
		r.problems = append(r.problems, &Problem{doc.at(f.Key...), dotted(f.Key) + ": " + f.Problem, hint})
	}
	if len(r.problems) > 0 {
		slices.SortStableFunc(r.problems, func(a, b *Problem) int { return a.Source.Line - b.Source.Line })
		return nil, r.problems
	}
	return d, nil
}

// themeReader converts a file to a theme.Spec.
type themeReader struct {
	doc      *document
	spec     theme.Spec
	problems Problems
}

func (r *themeReader) problem(key []string, what, hint string) {
	r.problems = append(r.problems, &Problem{r.doc.at(key...), dotted(key) + ": " + what, hint})
}

var themeKeys = []string{"base", "description", "dark", "colors", "styles"}

func (r *themeReader) entry(e entry) {
	switch top, depth := e.key[0], len(e.key); {
	case !slices.Contains(themeKeys, top):
		if depth == 1 {
			r.problem(e.key, "unknown key in a theme", suggest(top, themeKeys))
		}
	case top == "colors" && depth == 2:
		if c, ok := r.color(e); ok {
			r.spec.Colors[e.key[1]] = *c
		}
	case top == "styles" && depth == 2:
		if !e.table() {
			r.problem(e.key, "is "+kind(e.value)+", not a table", `write [styles.`+e.key[1]+`], and below it fg = "accent"`)
		} else if _, ok := r.spec.Styles[e.key[1]]; !ok {
			r.spec.Styles[e.key[1]] = theme.Change{}
		}
	case top == "styles" && depth == 3:
		r.part(e)
	case depth > 1:
	case top == "colors" || top == "styles":
		if !e.table() {
			r.problem(e.key, "is "+kind(e.value)+", not a table", "write ["+top+"] before its lines")
		}
	case top == "dark":
		r.spec.Dark = r.boolean(e)
	default:
		s, ok := e.value.(string)
		if !ok {
			r.problem(e.key, "is "+kind(e.value)+", not a text", "")
		} else if top == "base" {
			r.spec.Base = s
		} else {
			r.spec.Description = s
		}
	}
}

var styleKeys = []string{"fg", "bg", "bold", "italic", "underline", "reverse", "strike"}

// part reads one line of a style.
func (r *themeReader) part(e entry) {
	c := r.spec.Styles[e.key[1]]
	switch e.key[2] {
	case "fg":
		c.FG, _ = r.color(e)
	case "bg":
		c.BG, _ = r.color(e)
	case "bold":
		c.Bold = r.boolean(e)
	case "italic":
		c.Italic = r.boolean(e)
	case "underline":
		c.Underline = r.boolean(e)
	case "reverse":
		c.Reverse = r.boolean(e)
	case "strike":
		c.Strike = r.boolean(e)
	default:
		r.problem(e.key, "unknown key in a style", suggest(e.key[2], styleKeys))
	}
	r.spec.Styles[e.key[1]] = c
}

func (r *themeReader) boolean(e entry) *bool {
	b, ok := e.value.(bool)
	if !ok {
		r.problem(e.key, "is "+kind(e.value)+", not true or false", "")
		return nil
	}
	return &b
}

// color reads "#rrggbb", 12, or { rgb = "#rrggbb", basic = 12 }.
func (r *themeReader) color(e entry) (*theme.Color, bool) {
	const form = `write "#rrggbb", a number, or { rgb = "#rrggbb", basic = 12 }`
	table, ok := e.value.(map[string]any)
	if !ok {
		text, ok := colorText(e.value)
		if !ok {
			r.problem(e.key, "is "+kind(e.value)+", not a colour", form)
			return nil, false
		}
		return &theme.Color{Text: text}, true
	}
	c := &theme.Color{}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		text, ok := colorText(table[name])
		switch {
		case name != "rgb" && name != "basic":
			r.problem(append(slices.Clip(e.key), name), "unknown key in a colour", form)
			return nil, false
		case !ok:
			r.problem(append(slices.Clip(e.key), name), "is "+kind(table[name])+", not a colour", form)
			return nil, false
		case name == "rgb":
			c.Text = text
		default:
			c.Basic = text
		}
	}
	if c.Text == "" {
		r.problem(e.key, "rgb is missing", form)
		return nil, false
	}
	return c, true
}

func colorText(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}
