package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/agent"
)

// Template returns a settings file that sets nothing: every setting with its default,
// behind a "#".
func Template() string {
	var b strings.Builder
	b.WriteString("# Settings of memend. Remove the \"#\" of a line to set it.\n# `memend config` prints the settings, `memend config check` lists errors.\n")
	d := Defaults()
	for _, set := range settings {
		b.WriteByte('\n')
		for line := range strings.Lines(set.about + "\n") {
			b.WriteString("# " + line)
		}
		fmt.Fprintf(&b, "#%s = %s\n", set.name, literal(d.Value(set.name)))
	}
	b.WriteString(`
# Keys: each action with its keys, in the table of its screen or group.
# ` + "`memend help keys`" + ` lists them.
#[keys.list]
#open = ["enter", "f9"]
`)
	return b.String()
}

// literal formats a value as TOML.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case time.Duration:
		return strconv.Quote(v.String())
	case []agent.Edit:
		return inline(plain(v))
	}
	return fmt.Sprint(v)
}

// Init writes the template, unless the file exists.
func Init(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(Template()); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
