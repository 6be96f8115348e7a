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

// Options holds the sources for Load.
type Options struct {
	File   string              // the value of --config
	Getenv func(string) string // os.Getenv if nil
	Flags  map[string]Flag     // by the setting that they override
}

// Flag is a flag that was given.
type Flag struct{ Name, Value string }

// Config holds the settings in force, and their sources.
type Config struct {
	Settings
	File   string    // the file, existing or not; empty if there is no place for one
	Found  bool      // the file exists
	Themes theme.Set // built-in themes and the person's own

	sources map[string]Source
	keys    map[string]Source
	broken  map[string]Problems // errors in own themes, by name
}

// Stale returns how long a memory is unread and unchanged before it is stale.
func (c *Config) Stale() time.Duration { return time.Duration(c.StaleDays) * 24 * time.Hour }

// Source returns where a setting comes from.
func (c *Config) Source(name string) Source { return c.sources[name] }

// KeySource returns where the keys of "context.action" are set.
func (c *Config) KeySource(name string) Source { return c.keys[name] }

// Bound lists the "context.action" with configured keys.
func (c *Config) Bound() []string { return slices.Sorted(maps.Keys(c.Keys)) }

// File returns the file that Load reads.
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

// Load reads the settings. The error, if not nil, is Problems; the settings are then those
// that could be read.
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

// Check is Load, and also reports errors in own themes that are not used.
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

// readFile reads the file.
func (c *Config) readFile(asked bool) Problems {
	if c.File == "" {
		return nil
	}
	data, err := os.ReadFile(c.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !asked:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return Problems{{Source{Flag: "--config"}, "no such file: " + c.File, "`memend config init` creates it"}}
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
		return "", "" // its content has entries of its own
	case isTable(name):
		return fmt.Sprintf("%s is %s, not a table", name, kind(e.value)), fmt.Sprintf("write [%s], and its settings below it", name)
	case len(e.key) > 1 && !isTable(dotted(e.key[:len(e.key)-1])): // reported for its table
		return "", ""
	}
	return fmt.Sprintf("unknown setting %q", name), suggest(name, append(Names(), "keys"))
}

// takeKeys sets keys.CONTEXT.ACTION, the keys of an action in a context.
func (c *Config) takeKeys(d *document, e entry) (what, hint string) {
	const form = `keys stand in a table of their context: [keys.list], and below it open = ["enter", "f9"]`
	switch {
	case len(e.key) < 3 && e.table():
		return "", ""
	case len(e.key) < 3:
		return fmt.Sprintf("%s is %s, not a table", dotted(e.key), kind(e.value)), form
	case len(e.key) > 3:
		return "", "" // reported for its table
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
