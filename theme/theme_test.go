package theme

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// luminance is the relative luminance of WCAG 2.
func luminance(rgb string) float64 {
	v, err := strconv.ParseUint(strings.TrimPrefix(rgb, "#"), 16, 32)
	if err != nil {
		panic(err)
	}
	part := func(n uint64) float64 {
		c := float64(n&255) / 255
		if c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(v>>16) + 0.7152*part(v>>8) + 0.0722*part(v)
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

func TestEveryRole_CanBeRead(t *testing.T) {
	for _, p := range []palette{dark, light} {
		th := &Theme{}
		for i, r := range roles(th, p) {
			paper, pen := p.paper, r.look.fg.rgb
			if r.look.bg.rgb != "" {
				paper = r.look.bg.rgb
			}
			if pen == "" {
				continue
			}
			want := 4.5
			if r.look.fg == p.faint { // lines and line numbers: no text that must be read
				want = 2.7
			}
			if got := contrast(pen, paper); got < want {
				t.Errorf("role %d of the palette on %s: %s on %s has contrast %.2f, want %.1f", i, p.paper, pen, paper, got, want)
			}
		}
	}
}

// all lists the styles of a theme by name.
func all(t *Theme) map[string]Style {
	m := map[string]Style{}
	v := reflect.ValueOf(*t)
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Type == reflect.TypeOf(Style{}) {
			m[f.Name] = Style{v.Field(i).Field(0).String(), v.Field(i).Field(1).String()}
		}
	}
	return m
}

func TestEveryRole_HasAStyle(t *testing.T) {
	for _, dark := range []bool{true, false} {
		for _, c := range []Colors{Many, Sixteen} {
			for name, s := range all(New(dark, c)) {
				if name != "Text" && s.On == "" {
					t.Errorf("%s has no style (dark %v, colours %d)", name, dark, c)
				}
				if (s.On == "") != (s.Off == "") {
					t.Errorf("%s begins with %q and ends with %q", name, s.On, s.Off)
				}
			}
		}
	}
}

func TestMono_HoldsNoColour(t *testing.T) {
	for name, s := range all(New(true, Mono)) {
		for _, n := range strings.FieldsFunc(s.On, func(r rune) bool { return r < '0' || r > '9' }) {
			if v, _ := strconv.Atoi(n); v >= 30 && v != 39 && v != 49 {
				t.Errorf("%s holds the colour %q", name, s.On)
			}
		}
	}
}

func TestMono_TellsApartWhatMustBeToldApart(t *testing.T) {
	th := New(true, Mono)
	for _, pair := range [][2]Style{
		{th.Selected, th.Text}, {th.Selected, th.SelectedDim}, {th.BorderFocused, th.Border}, {th.AddedLine, th.RemovedLine},
		{th.AddedWord, th.AddedLine}, {th.RemovedWord, th.RemovedLine}, {th.Match, th.MatchNow}, {th.Match, th.Text}, {th.Selection, th.Text},
	} {
		if pair[0] == pair[1] {
			t.Errorf("two roles look the same: %q", pair[0].On)
		}
	}
}

func TestSixteen_HoldsNoOtherColour(t *testing.T) {
	for _, dark := range []bool{true, false} {
		for name, s := range all(New(dark, Sixteen)) {
			if strings.Contains(s.On, "38;") || strings.Contains(s.On, "48;") {
				t.Errorf("%s is %q", name, s.On)
			}
		}
	}
}

func TestActor_GivesEachKindItsOwn(t *testing.T) {
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
	// Output: "\x1b[92m+3\x1b[m"
}
