package cli

import (
	"errors"
	"maps"
	"strconv"

	"github.com/memend/memend/ui"
	"github.com/memend/memend/ui/config"
	"github.com/spf13/cobra"
)

// overrides holds the flags that override settings of the TUI.
type overrides struct {
	theme       string
	dark        bool
	light       bool
	noMouse     bool
	readOnly    bool
	readOnlySet bool // --read-only was given, true or false
	lines       bool
	agent       map[string]config.Flag // by the setting that they override
}

// screenFlags adds the flags of the TUI to a command, and with below to its subcommands.
func screenFlags(p *environment, cmd *cobra.Command, below bool) {
	flags := cmd.Flags()
	if below {
		flags = cmd.PersistentFlags()
	}
	flags.StringVar(&p.overrides.theme, "theme", "", "`NAME` or file of a theme; `memend config themes` lists them")
	flags.BoolVar(&p.overrides.dark, "dark", false, "use the theme for a dark background")
	flags.BoolVar(&p.overrides.light, "light", false, "use the theme for a light background")
	flags.BoolVar(&p.overrides.noMouse, "no-mouse", false, "leave the mouse to the terminal")
	flags.BoolVar(&p.overrides.lines, "accessible", false, "work line by line, for screen readers and plain terminals")
	complete(cmd, "theme", p.completeThemes)
}

func (p *environment) completeThemes(*cobra.Command, []string, string) (completions, cobra.ShellCompDirective) {
	c, _ := config.Load(p.configOptions())
	var out completions
	for _, t := range c.Themes.List() {
		out = append(out, cobra.CompletionWithDesc(t.Name, t.Description))
	}
	return out, cobra.ShellCompDirectiveDefault // files, too
}

func (p *environment) configOptions() config.Options {
	o := config.Options{File: p.config, Flags: map[string]config.Flag{}}
	set := func(setting, flag, value string) { o.Flags[setting] = config.Flag{Name: flag, Value: value} }
	// --dark and --light also choose the theme for that background.
	switch w := p.overrides; {
	case w.theme != "":
		set("theme", "--theme", w.theme)
	case w.dark:
		set("theme", "--dark", config.Auto)
		set("background", "--dark", config.Dark)
	case w.light:
		set("theme", "--light", config.Auto)
		set("background", "--light", config.Light)
	}
	if p.overrides.noMouse {
		set("mouse", "--no-mouse", "false")
	}
	if p.overrides.lines {
		set("accessible", "--accessible", "true")
	}
	if p.overrides.readOnlySet {
		set("read_only", "--read-only", strconv.FormatBool(p.overrides.readOnly))
	}
	maps.Copy(o.Flags, p.overrides.agent)
	return o
}

// settings returns the settings in force, or an error that describes the first problem.
func (p *environment) settings() (*config.Config, error) {
	if w := p.overrides; w.dark && w.light || w.theme != "" && (w.dark || w.light) {
		return nil, misusef("memend", "--theme, --dark and --light exclude each other")
	}
	c, err := config.Load(p.configOptions())
	var ps config.Problems
	errors.As(err, &ps)
	if ps = append(ps, keyProblems(c)...); len(ps) == 0 {
		return c, nil
	}
	withHint := &hinted{ps, ps[0].Hint}
	if withHint.hint == "" {
		withHint.hint = "`memend config check` lists all errors"
	}
	if ps[0].Source.Kind() == "flag" {
		return nil, &misuse{withHint, ""}
	}
	return nil, withHint
}

// keyProblems returns what is wrong with the configured keys. Without configured keys it
// returns at once: building the list of all actions would cost every start five
// milliseconds.
func keyProblems(c *config.Config) (ps config.Problems) {
	if len(c.Keys) == 0 {
		return nil
	}
	for _, wrong := range ui.CheckKeys(c.Keys) {
		ps = append(ps, &config.Problem{Source: c.KeySource(wrong.Action), What: "keys." + wrong.Error()})
	}
	return ps
}
