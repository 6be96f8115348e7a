package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memend/memend/theme"
)

// Options is what Load goes by.
type Options struct {
	File   string              // what --config says
	Getenv func(string) string // os.Getenv when nil
	Flags  map[string]Flag     // by the setting that they set
}

// Flag is a flag that was given.
type Flag struct{ Name, Value string }

// Config is the settings in force, and where they come from.
type Config struct {
	Settings
	File   string    // the file, or where it would be; empty when there is no place for one
	Found  bool      // it is there
	Themes theme.Set // those built in and one's own

	sources map[string]Source
	keys    map[string]Source
	broken  map[string]Problems // of own themes, by their names
}

// Stale is how long a memory is unread and unchanged before it is stale.
func (c *Config) Stale() time.Duration { return time.Duration(c.StaleDays) * 24 * time.Hour }

// Source says where a setting comes from.
func (c *Config) Source(name string) Source { return c.sources[name] }

// KeySource says where the keys of "context.action" stand.
func (c *Config) KeySource(name string) Source { return c.keys[name] }

// Bound lists the "context.action" that have keys of their own.
func (c *Config) Bound() []string { return slices.Sorted(maps.Keys(c.Keys)) }

// File is the file that Load reads.
func File(o Options) string {
	if o.File != "" {
		return o.File
	}
	if file := o.getenv("MEMEND_CONFIG"); file != "" {
		return file
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "memend", "config.toml")
}

func (o Options) getenv(name string) string {
	if o.Getenv == nil {
		return os.Getenv(name)
	}
	return o.Getenv(name)
}

// Load reads the settings. The error, when there is one, is Problems; the
// settings are then as good as could be made out.
func Load(o Options) (*Config, error) {
	c := &Config{Settings: Defaults(), File: File(o), sources: map[string]Source{}, keys: map[string]Source{}}
	ps := c.readFile(o.File != "")
	c.Themes, c.broken = ownThemes(c.File)
	for _, set := range settings {
		if text := o.getenv(set.env()); text != "" {
			ps = append(ps, c.take(set, Source{Env: set.env()}, text)...)
		}
		if f, ok := o.Flags[set.name]; ok {
			ps = append(ps, c.take(set, Source{Flag: f.Name}, f.Value)...)
		}
		if set.theme {
			ps = append(ps, c.findTheme(set)...)
		}
	}
	if ps = append(ps, c.checkAgent()...); c.Agent.Model == "" {
		c.takeModel(o)
	}
	if len(ps) > 0 {
		return c, ps
	}
	return c, nil
}

// Check is Load, and reports own themes that nobody chose as well.
func Check(o Options) (*Config, Problems) {
	c, err := Load(o)
	var ps Problems
	errors.As(err, &ps)
	for _, name := range slices.Sorted(maps.Keys(c.broken)) {
		for _, p := range c.broken[name] {
			if !slices.ContainsFunc(ps, func(q *Problem) bool { return *p == *q }) {
				ps = append(ps, p)
			}
		}
	}
	return c, ps
}

func (c *Config) take(set setting, from Source, text string) Problems {
	if what, hint := set.read(&c.Settings, text); what != "" {
		return Problems{{from, what, hint}}
	}
	c.sources[set.name] = from
	return nil
}

// readFile takes what the file says.
func (c *Config) readFile(asked bool) Problems {
	if c.File == "" {
		return nil
	}
	data, err := os.ReadFile(c.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !asked:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return Problems{{Source{Flag: "--config"}, "there is no file " + c.File, "`memend config init` writes it"}}
	case err != nil:
		return Problems{{Source{File: c.File}, reason(err), ""}}
	}
	c.Found = true
	d, wrong := parse(c.File, data)
	if wrong != nil {
		return Problems{wrong}
	}
	var ps Problems
	for _, e := range d.entries {
		if what, hint := c.takeEntry(d, e); what != "" {
			ps = append(ps, &Problem{d.at(e.key...), what, hint})
		}
	}
	return ps
}

func reason(err error) string {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Op + ": " + e.Err.Error()
	}
	return err.Error()
}

func (c *Config) takeEntry(d *document, e entry) (what, hint string) {
	if e.key[0] == "keys" {
		return c.takeKeys(d, e)
	}
	name := dotted(e.key)
	i := slices.IndexFunc(settings, func(s setting) bool { return s.name == name })
	switch {
	case i >= 0:
		c.sources[name] = d.at(e.key...)
		return settings[i].put(&c.Settings, e.value)
	case isTable(name) && e.table():
		return "", "" // what is in it comes by itself
	case isTable(name):
		return fmt.Sprintf("%s is %s, not a table", name, kind(e.value)), fmt.Sprintf("write [%s], and its settings below it", name)
	case len(e.key) > 1 && !isTable(dotted(e.key[:len(e.key)-1])): // told of its table
		return "", ""
	}
	return fmt.Sprintf("there is no setting %q", name), meant(name, append(Names(), "keys"))
}

// takeKeys takes keys.CONTEXT.ACTION, the keys of an action in a context.
func (c *Config) takeKeys(d *document, e entry) (what, hint string) {
	const form = `keys stand in a table of their context: [keys.tree], and below it open = ["enter", "l"]`
	switch {
	case len(e.key) < 3 && e.table():
		return "", ""
	case len(e.key) < 3:
		return fmt.Sprintf("%s is %s, not a table", dotted(e.key), kind(e.value)), form
	case len(e.key) > 3:
		return "", "" // told of its table
	}
	name := dotted(e.key[1:])
	list, ok := e.value.([]any)
	if one, is := e.value.(string); is {
		list, ok = []any{one}, true
	}
	keys := []string{}
	for _, v := range list {
		key, is := v.(string)
		keys, ok = append(keys, key), ok && is
	}
	if !ok {
		return fmt.Sprintf("%s is %s, not a list of keys", dotted(e.key), kind(e.value)), form
	}
	c.Keys[name], c.keys[name] = keys, d.at(e.key...)
	return "", ""
}
