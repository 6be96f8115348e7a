package policy

// Preset is a policy with a name.
type Preset struct {
	Name    string
	Summary string // completes "with this preset, ..."
	Text    string
}

// Presets are the policies that people choose by name. The first is that of a new store.
var Presets = []Preset{
	{"open", "everybody may change everything", "allow\n"},
	{"careful", "changes that follow outside input wait; secrets are denied",
		"deny  actor:agent finding:secret\nhold  actor:agent after:any\nallow\n"},
	{"review", "every change by an agent waits for a person", "hold  actor:agent\nallow\n"},
}

// ByName returns a preset.
func ByName(name string) (Preset, bool) {
	for _, p := range Presets {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}

// NameOf returns the name of the preset with a text, or "" if there is none.
func NameOf(text string) string {
	for _, p := range Presets {
		if p.Text == text {
			return p.Name
		}
	}
	return ""
}

// Parsed returns the preset's policy.
func (p Preset) Parsed() Policy {
	out, err := Parse(p.Text)
	if err != nil {
		panic(err) // the texts above are constants, and a test parses each
	}
	return out
}
