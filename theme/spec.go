package theme

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Spec is a theme of the person's own: an existing one, with changes.
type Spec struct {
	Name        string
	Description string
	Base        string // DefaultDark if empty
	Dark        *bool  // as in Base if nil
	Colors      map[string]Color
	Styles      map[string]Change
}

// Color is a colour in a theme file.
type Color struct {
	// Text is "#rrggbb", the number of a terminal colour, 0 to 255, "default" for the
	// terminal's default or, in a style, a colour of the palette.
	Text string
	// Basic replaces it in a terminal with sixteen colours: "0" to "15", or "default". If
	// it is empty, the replacement is that of the base.
	Basic string
}

// Change holds the changes of a style; nil fields are unchanged.
type Change struct {
	FG, BG                                   *Color
	Bold, Italic, Underline, Reverse, Strike *bool
}

// SpecError is an error in a Spec, with the keys that lead to it.
type SpecError struct {
	Key     []string
	Problem string
	Allowed []string // names of which one may be meant
}

func (e *SpecError) Error() string { return strings.Join(e.Key, ".") + ": " + e.Problem }

// Make returns the theme of a spec whose base is in the set. It returns all errors, in the
// order of the keys.
func (s Set) Make(spec Spec) (*Design, []*SpecError) {
	base, ok := s.Find(spec.Base)
	if spec.Base == "" {
		base, ok = s.Find(DefaultDark)
	}
	if !ok {
		return nil, []*SpecError{{[]string{"base"}, fmt.Sprintf("unknown theme %q", spec.Base), s.Names()}}
	}
	d := &Design{Choice{spec.Name, spec.Description, base.Dark}, base.palette, base.maxColors, map[string]func(properties) properties{}}
	for name, change := range base.styles {
		d.styles[name] = change
	}
	if d.Description == "" {
		d.Description = "your own, based on " + base.Name
	}
	if spec.Dark != nil {
		d.Dark = *spec.Dark
	}
	faults := append(d.recolor(spec.Colors), d.restyle(spec.Styles)...)
	slices.SortFunc(faults, func(a, b *SpecError) int { return slices.Compare(a.Key, b.Key) })
	return d, faults
}

// PaletteNames lists the colours that a spec can change.
func PaletteNames() []string {
	var out []string
	for _, i := range new(palette).inks() {
		out = append(out, i.name)
	}
	return out
}

// StyleNames lists the styles that a spec can change.
func StyleNames() []string {
	var out []string
	for _, r := range roles(new(Theme), palette{}) {
		out = append(out, r.name)
	}
	return out
}

func (d *Design) recolor(colors map[string]Color) (faults []*SpecError) {
	inks := d.palette.inks()
	for name, c := range colors {
		i := slices.IndexFunc(inks, func(i namedInk) bool { return i.name == name })
		if i < 0 {
			faults = append(faults, &SpecError{[]string{"colors", name}, "unknown colour", PaletteNames()})
			continue
		}
		in, problem := d.ink(c, *inks[i].ink)
		if problem != "" {
			faults = append(faults, &SpecError{[]string{"colors", name}, problem, nil})
			continue
		}
		*inks[i].ink = in
	}
	return faults
}

func (d *Design) restyle(styles map[string]Change) (faults []*SpecError) {
	all := roles(new(Theme), d.palette)
	for name, c := range styles {
		i := slices.IndexFunc(all, func(r role) bool { return r.name == name })
		if i < 0 {
			faults = append(faults, &SpecError{[]string{"styles", name}, "unknown style", StyleNames()})
			continue
		}
		fg, bg, wrong := d.inksOf(name, c, all[i].properties)
		if faults = append(faults, wrong...); len(wrong) > 0 {
			continue
		}
		before := d.styles[name]
		d.styles[name] = func(l properties) properties {
			if before != nil {
				l = before(l)
			}
			return c.apply(l, fg, bg)
		}
	}
	return faults
}

func (d *Design) inksOf(name string, c Change, was properties) (fg, bg ink, faults []*SpecError) {
	for _, part := range []struct {
		name string
		c    *Color
		was  ink
		to   *ink
	}{{"fg", c.FG, was.fg, &fg}, {"bg", c.BG, was.bg, &bg}} {
		if part.c == nil {
			continue
		}
		inks := d.palette.inks()
		if i := slices.IndexFunc(inks, func(i namedInk) bool { return i.name == part.c.Text }); i >= 0 && part.c.Basic == "" {
			*part.to = *inks[i].ink
			continue
		}
		in, problem := d.ink(*part.c, part.was)
		if problem != "" {
			faults = append(faults, &SpecError{[]string{"styles", name, part.name}, problem, PaletteNames()})
		}
		*part.to = in
	}
	return fg, bg, faults
}

func (c Change) apply(l properties, fg, bg ink) properties {
	if c.FG != nil {
		l.fg = fg
	}
	if c.BG != nil {
		l.bg = bg
	}
	for _, part := range []struct {
		to, mono *bool
		v        *bool
	}{{&l.bold, &l.monoBold, c.Bold}, {&l.italic, nil, c.Italic}, {&l.under, &l.monoUnder, c.Underline}, {&l.reverse, &l.monoReverse, c.Reverse}, {&l.strike, nil, c.Strike}} {
		if part.v == nil {
			continue
		}
		*part.to = *part.v
		if part.mono != nil { // the change also applies without colours
			*part.mono = *part.v
		}
	}
	return l
}

// ink parses a colour that replaces another.
func (d *Design) ink(c Color, was ink) (in ink, problem string) {
	in = ink{of: was.of} // and of 256 the nearest
	n, err := strconv.Atoi(c.Text)
	switch {
	case c.Text == "default":
		in.of = ""
	case isRGB(c.Text):
		in.rgb = strings.ToLower(c.Text)
	case err == nil && n >= 0 && n <= 255:
		in.rgb = strconv.Itoa(n)
		if n < 16 {
			in.of = in.rgb
		}
	default:
		return in, fmt.Sprintf("%q is not a colour: write \"#rrggbb\", a number of the terminal's from 0 to 255, or \"default\"", c.Text)
	}
	basic, err := strconv.Atoi(c.Basic)
	switch {
	case c.Basic == "default":
		in.of = ""
	case c.Basic == "":
	case err == nil && basic >= 0 && basic < 16:
		in.of = strconv.Itoa(basic)
	default:
		return in, fmt.Sprintf("basic %q is not one of the sixteen colours: write a number from 0 to 15", c.Basic)
	}
	switch {
	case d.maxColors == Mono:
		return in, "the base has no colours to change"
	case d.maxColors == Sixteen && c.Basic == "" && c.Text != "default" && in.rgb != in.of:
		return in, "the base has sixteen colours: write a number from 0 to 15"
	}
	return in, ""
}

func isRGB(s string) bool {
	if len(s) != 7 || s[0] != '#' {
		return false
	}
	_, err := strconv.ParseUint(s[1:], 16, 32)
	return err == nil
}
