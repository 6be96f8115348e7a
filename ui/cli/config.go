package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/config"
	"github.com/memend/memend/ui/text"
	"github.com/spf13/cobra"
)

func configCommand(p *program) *cobra.Command {
	cmd := &cobra.Command{
		Use:         "config",
		Annotations: map[string]string{overview: "settings"},
		Short:       "Print the settings in force; create and check the settings file",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.settings()
			if err != nil {
				return err
			}
			printConfig(&p.console, c)
			return nil
		},
	}
	cmd.AddCommand(configInitCommand(p), configCheckCommand(p), configThemesCommand(p))
	screenFlags(&p.environment, cmd, true)
	return cmd
}

type configJSON struct {
	File     string        `json:"file"`
	Found    bool          `json:"found"`
	Settings []settingJSON `json:"settings"`
}

type settingJSON struct {
	Name   string `json:"name"`
	Value  any    `json:"value"`
	Source string `json:"source"` // default, file, environment or flag
	At     string `json:"at,omitempty"`
}

func settingOf(name string, value any, from config.Source) settingJSON {
	if d, ok := value.(time.Duration); ok {
		value = d.String()
	}
	s := settingJSON{Name: name, Value: value, Source: from.Kind()}
	if s.Source != "default" {
		s.At = from.String()
	}
	return s
}

func printConfig(p *console, c *config.Config) {
	out := configJSON{File: c.File, Found: c.Found}
	for _, name := range config.Names() {
		out.Settings = append(out.Settings, settingOf(name, c.Value(name), c.Source(name)))
	}
	for _, name := range c.Bound() {
		out.Settings = append(out.Settings, settingOf("keys."+name, c.Keys[name], c.KeySource(name)))
	}
	if p.json {
		p.emit(out)
		return
	}
	switch {
	case c.Found:
		p.println("file: %s", p.safe(c.File))
	case c.File == "":
		p.println("file: none: this system has no folder for settings")
	default:
		p.println("file: %s (does not exist; `memend config init` creates it)", p.safe(c.File))
	}
	names, values, sources := widest(out.Settings, func(s settingJSON) string { return s.Name }), widest(out.Settings, settingJSON.shown), widest(out.Settings, settingJSON.from)
	for _, s := range out.Settings {
		value := p.column(s.shown(), values)
		if p.terminal {
			room := min(values, max(p.width()-names-sources-4, minValueCols))
			b, cols := text.ClipMore(nil, s.shown(), room)
			value = string(text.Spaces(b, room-cols))
		}
		p.printFitted("%s  %s  %s", p.column(s.Name, names), value, p.safe(s.from()))
	}
}

// minValueCols is the least number of columns that the table gives a value.
const minValueCols = 20

// from returns where the value is set.
func (s settingJSON) from() string { return cmp.Or(s.At, s.Source) }

// shown returns the value in the form that people read.
func (s settingJSON) shown() string {
	value := fmt.Sprint(s.Value)
	switch v := s.Value.(type) {
	case []string:
		value = strings.Join(v, ", ")
	case []agent.Edit:
		b, err := json.Marshal(v)
		if value = string(b); err != nil {
			value = err.Error()
		}
	}
	if value == "" {
		return "none"
	}
	return text.Field(value)
}

func configInitCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:         "init",
		Annotations: map[string]string{changes: always},
		Short:       "Write a settings file with every default, unless there is one",
		RunE: func(cmd *cobra.Command, args []string) error {
			file := config.File(p.configOptions())
			if file == "" {
				return &hinted{errors.New("this system has no folder for settings"), "name a file with --config or $MEMEND_CONFIG"}
			}
			if err := config.Init(file); errors.Is(err, fs.ErrExist) {
				return &hinted{err, "nothing was written; `memend config check` verifies the file"}
			} else if err != nil {
				return err
			}
			if p.json {
				c, err := config.Load(p.configOptions())
				printConfig(&p.console, c)
				return err
			}
			p.println("wrote %s", p.safe(file))
			return nil
		},
	}
}

type problemJSON struct {
	At      string `json:"at"`
	Problem string `json:"problem"`
	Hint    string `json:"hint,omitempty"`
}

func configCheckCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "check [FILE]",
		Short: "List all errors in the settings and in your own themes",
		RunE: func(cmd *cobra.Command, args []string) error {
			o := p.configOptions()
			if len(args) > 0 {
				o.File = args[0]
				if _, err := os.Stat(o.File); err != nil {
					return err
				}
			}
			c, ps := config.Check(o)
			ps = append(ps, keyProblems(c)...)
			for _, wrong := range ps {
				if p.json {
					p.emit(problemJSON{wrong.Source.String(), wrong.What, wrong.Hint})
					continue
				}
				p.println("%s", p.safe(wrong.Error()))
				if wrong.Hint != "" {
					p.println("  hint: %s", p.safe(wrong.Hint))
				}
			}
			switch {
			case len(ps) > 0:
				return errReported
			case p.json:
				printConfig(&p.console, c)
			case c.Found:
				p.println("no errors in %s", p.safe(c.File))
			default:
				p.println("no settings file; using defaults")
			}
			return nil
		},
	}
}

type themeJSON struct {
	Name        string `json:"name"`
	Dark        bool   `json:"dark"`
	Description string `json:"description"`
	Chosen      bool   `json:"chosen"`
}

func configThemesCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "themes",
		Short: "List the themes, including your own",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := p.settings()
			if err != nil {
				return err
			}
			chosen := []string{c.Theme}
			if c.Theme == config.Auto {
				chosen = []string{c.ThemeDark, c.ThemeLight}
			}
			names := widest(c.Themes.Names(), func(name string) string { return name })
			for _, t := range c.Themes.List() {
				isChosen := slices.Contains(chosen, t.Name)
				mark, paper := " ", "light"
				if isChosen {
					mark = "*"
				}
				if t.Dark {
					paper = "dark"
				}
				p.answer(themeJSON{t.Name, t.Dark, t.Description, isChosen}, "%s %s  %-5s  %s", mark, p.column(t.Name, names), paper, p.safe(t.Description))
			}
			return nil
		},
	}
}
