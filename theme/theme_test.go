package theme

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// all returns the styles of a theme by name.
func all(t *Theme) map[string]Style {
	m := map[string]Style{}
	for _, r := range roles(t, palette{}) {
		m[r.name] = *r.style
	}
	return m
}

// allThemes returns every theme for every kind of terminal.
func allThemes() (out []*Theme) {
	for _, d := range builtin {
		for _, c := range []Colors{Many, Some, Sixteen, Mono} {
			out = append(out, d.Theme(c))
		}
	}
	return out
}

// The names in theme files are the names of the fields, and no field is missing.
func TestEveryField_IsTheStyleOfItsName(t *testing.T) {
	th := &Theme{}
	at := map[unsafe.Pointer]string{}
	for _, r := range roles(th, palette{}) {
		if at[unsafe.Pointer(r.style)] != "" {
			t.Errorf("%s is %s too", r.name, at[unsafe.Pointer(r.style)])
		}
		at[unsafe.Pointer(r.style)] = r.name
	}
	v := reflect.ValueOf(th).Elem()
	check := func(field string, style reflect.Value) {
		if got := strings.ReplaceAll(at[style.Addr().UnsafePointer()], "_", ""); got != strings.ToLower(field) {
			t.Errorf("the field %s is called %q", field, got)
		}
	}
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch {
		case f.Type() == reflect.TypeOf(Style{}):
			check(name, f)
		case f.Kind() == reflect.Array:
			for k := range f.Len() {
				check(name+strconv.Itoa(k+1), f.Index(k))
			}
		}
	}
}

func TestEveryRole_HasAStyle(t *testing.T) {
	for _, th := range allThemes() {
		for name, s := range all(th) {
			if th.Colors != Mono && name != "text" && s.On == "" {
				t.Errorf("%s: %s has no style where colours are %d", th.Name, name, th.Colors)
			}
			if (s.On == "") != (s.Off == "") {
				t.Errorf("%s begins with %q and ends with %q", name, s.On, s.Off)
			}
		}
	}
}

func TestThemes_UseOnlyAvailableColours(t *testing.T) {
	for _, th := range allThemes() {
		for name, s := range all(th) {
			if th.Colors > Some && (strings.Contains(s.On, "38;") || strings.Contains(s.On, "48;")) || th.Colors == Some && strings.Contains(s.On, "8;2;") {
				t.Errorf("%s: %s is %q", th.Name, name, s.On)
			}
			for _, n := range strings.FieldsFunc(s.On, func(r rune) bool { return r < '0' || r > '9' }) {
				if v, _ := strconv.Atoi(n); th.Colors == Mono && v >= 30 {
					t.Errorf("%s: %s holds the colour %q", th.Name, name, s.On)
				}
			}
		}
	}
	if th := New(true, Many); !strings.Contains(th.Added.On, "38;2;") {
		t.Errorf("the default theme makes nothing of many colours: %q", th.Added.On)
	}
}

// The selected row is reversed in the basic colours; a hit in it is not reversed again.
func TestSixteen_HitsKeepTheirStyleInTheSelectedRow(t *testing.T) {
	th := New(true, Sixteen)
	if !strings.Contains(th.Selected.On, "7") {
		t.Fatalf("the selected row is %q", th.Selected.On)
	}
	for _, s := range []Style{th.Match, th.MatchNow} {
		if !strings.HasPrefix(s.On, "\x1b[27m") {
			t.Errorf("a hit is %q", s.On)
		}
	}
}

// Styles that are used side by side differ on every terminal and in every theme.
func TestThemes_DistinguishTheirRoles(t *testing.T) {
	for _, th := range allThemes() {
		pairs := [][2]Style{
			{th.Selected, th.Text}, {th.Selected, th.SelectedDim}, {th.BorderFocused, th.Border}, {th.AddedLine, th.RemovedLine}, {th.Added, th.Removed},
			{th.AddedWord, th.AddedLine}, {th.RemovedWord, th.RemovedLine}, {th.Match, th.MatchNow}, {th.Match, th.Text}, {th.Selection, th.Text},
			{th.Ours, th.Theirs}, {th.Ours, th.Base}, {th.Theirs, th.Base}, {th.Result, th.Ours}, {th.Result, th.Theirs}, {th.Conflict, th.Text}, {th.Finding, th.Badge},
		}
		for i := range th.Heat {
			for k := range i {
				pairs = append(pairs, [2]Style{th.Heat[i], th.Heat[k]})
			}
		}
		for i := range th.Band {
			for k := range i {
				pairs = append(pairs, [2]Style{th.Band[i], th.Band[k]})
			}
		}
		for i := range th.Age[1:] {
			pairs = append(pairs, [2]Style{th.Age[i], th.Age[i+1]})
		}
		for _, pair := range pairs {
			if pair[0] == pair[1] {
				t.Errorf("%s: two roles look the same where colours are %d: %q", th.Name, th.Colors, pair[0].On)
			}
		}
	}
}

// The appearance of the sixteen colours is unknown, but none can be read on itself.
func TestSixteen_TextDiffersFromItsBackground(t *testing.T) {
	for _, d := range builtin {
		for _, r := range roles(&Theme{}, d.palette) {
			if r.properties.bg.of != "" && r.properties.fg.of == r.properties.bg.of {
				t.Errorf("%s: %s is %s on itself", d.Name, r.name, r.properties.fg.of)
			}
		}
	}
}

func TestActor_HasAStyleForEachKind(t *testing.T) {
	th := New(true, Many)
	seen := map[string]string{}
	for _, k := range []string{"person", "agent", "api_key", "outside", "else"} {
		on := th.Actor(k).On
		if o, dup := seen[on]; dup {
			t.Errorf("%s looks like %s", k, o)
		}
		seen[on] = k
	}
}

func ExampleStyle_Append() {
	th := New(true, Sixteen)
	fmt.Printf("%q\n", th.Added.Append(nil, "+3"))
	// Output: "\x1b[96m+3\x1b[m"
}
