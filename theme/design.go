package theme

// Design is a theme before the number of colours of the terminal is known. It is immutable.
type Design struct {
	Choice
	palette   palette
	maxColors Colors // uses no more colours than these
	styles    map[string]func(properties) properties
}

// Choice describes a theme in a list.
type Choice struct {
	Name        string
	Description string
	Dark        bool // made for a dark background
}

var builtin = []*Design{
	{Choice: Choice{"night", "grey and blue", true}, palette: night},
	{Choice: Choice{"dusk", "warm, amber and sand", true}, palette: dusk},
	{Choice: Choice{"day", "blue on a light background", false}, palette: day},
	{Choice: Choice{"contrast-dark", "high contrast on a dark background", true}, palette: contrastDark},
	{Choice: Choice{"contrast-light", "high contrast on a light background", false}, palette: contrastLight},
	{Choice: Choice{"sixteen-dark", "the terminal's own sixteen colours", true}, palette: night, maxColors: Sixteen},
	{Choice: Choice{"sixteen-light", "the same on a light background", false}, palette: day, maxColors: Sixteen},
	{Choice: Choice{"mono", "no colours: bold, underline and reverse", true}, palette: night, maxColors: Mono},
}

// DefaultDark and DefaultLight are the default themes.
const (
	DefaultDark  = "night"
	DefaultLight = "day"
)

// Theme returns the theme for a terminal.
func (d *Design) Theme(colors Colors) *Theme {
	t := &Theme{Name: d.Name, Dark: d.Dark, Colors: max(colors, d.maxColors), Lines: Drawn}
	for _, r := range roles(t, d.palette) {
		l := r.properties
		if change := d.styles[r.name]; change != nil {
			l = change(l)
		}
		*r.style = l.style(t.Colors)
	}
	return t
}

// Set holds the available themes: the built-in ones, and more. The zero Set holds the
// built-in ones. It is immutable.
type Set struct{ more []*Design }

// With returns the set with another theme, which replaces one of the same name.
func (s Set) With(d *Design) Set {
	return Set{append(s.more[:len(s.more):len(s.more)], d)}
}

// Find returns the theme with a name.
func (s Set) Find(name string) (*Design, bool) {
	for i := len(s.more) - 1; i >= 0; i-- {
		if s.more[i].Name == name {
			return s.more[i], true
		}
	}
	for _, d := range builtin {
		if d.Name == name {
			return d, true
		}
	}
	return nil, false
}

// List returns the available themes, the built-in ones first.
func (s Set) List() []Choice {
	var out []Choice
	seen := map[string]bool{}
	for _, of := range [][]*Design{builtin, s.more} {
		for _, d := range of {
			if !seen[d.Name] {
				d, _ = s.Find(d.Name)
				out = append(out, d.Choice)
			}
			seen[d.Name] = true
		}
	}
	return out
}

// Names returns the names of List.
func (s Set) Names() []string {
	var out []string
	for _, c := range s.List() {
		out = append(out, c.Name)
	}
	return out
}

// New returns the default theme for a dark or light background.
func New(isDark bool, colors Colors) *Theme {
	name := DefaultLight
	if isDark {
		name = DefaultDark
	}
	d, _ := Set{}.Find(name)
	return d.Theme(colors)
}
