package theme

// Design is a theme before it is known how many colours the terminal has. It
// does not change.
type Design struct {
	Choice
	palette palette
	fewest  Colors // uses no more colours than these
	styles  map[string]func(look) look
}

// Choice is a theme as one chooses among them.
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
	{Choice: Choice{"sixteen-dark", "the terminal's own sixteen colours", true}, palette: night, fewest: Sixteen},
	{Choice: Choice{"sixteen-light", "the same on a light background", false}, palette: day, fewest: Sixteen},
	{Choice: Choice{"mono", "no colours: bold, underline and reverse", true}, palette: night, fewest: Mono},
}

// DefaultDark and DefaultLight are what is taken where nothing is chosen.
const (
	DefaultDark  = "night"
	DefaultLight = "day"
)

// Theme makes the theme for a terminal.
func (d *Design) Theme(colors Colors) *Theme {
	t := &Theme{Name: d.Name, Dark: d.Dark, Colors: max(colors, d.fewest), Lines: Drawn}
	for _, r := range roles(t, d.palette) {
		l := r.look
		if change := d.styles[r.name]; change != nil {
			l = change(l)
		}
		*r.style = l.style(t.Colors)
	}
	return t
}

// Set is the themes that there are to choose from: those that are built in, and
// more. The zero Set holds those built in. It does not change.
type Set struct{ more []*Design }

// With is the set with one more; it hides one of its name that was there.
func (s Set) With(d *Design) Set {
	return Set{append(s.more[:len(s.more):len(s.more)], d)}
}

// Find is the theme of a name.
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

// List is what there is to choose, those built in first.
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

// Names lists the names of List.
func (s Set) Names() []string {
	var out []string
	for _, c := range s.List() {
		out = append(out, c.Name)
	}
	return out
}

// New makes the default theme for a dark or light background.
func New(isDark bool, colors Colors) *Theme {
	name := DefaultLight
	if isDark {
		name = DefaultDark
	}
	d, _ := Set{}.Find(name)
	return d.Theme(colors)
}
