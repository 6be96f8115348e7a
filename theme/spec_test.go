package theme

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func truePtr() *bool { v := true; return &v }
func no() *bool      { v := false; return &v }

func TestSpec_ChangesColoursAndStylesOfItsBase(t *testing.T) {
	d, faults := Set{}.Make(Spec{
		Name: "mine", Base: "day", Dark: truePtr(),
		Colors: map[string]Color{"accent": {Text: "#123456"}, "purple": {Text: "201", Basic: "13"}, "status": {Text: "default"}},
		Styles: map[string]Change{
			"added_line": {FG: &Color{Text: "accent"}, BG: &Color{Text: "3"}, Bold: truePtr()},
			"heading":    {Bold: no()},
			"heat_1":     {Underline: truePtr()},
		},
	})
	if len(faults) > 0 {
		t.Fatal(faults[0])
	}
	many, sixteen, mono := d.Theme(Many), d.Theme(Sixteen), d.Theme(Mono)
	for _, c := range []struct{ name, got, want string }{
		{"an accent", many.HintKey.On, "\x1b[38;2;18;52;86m"},
		{"the sixteenth that stood for it before", sixteen.HintKey.On, "\x1b[34m"},
		{"a number", many.Hunk.On, "\x1b[38;5;201m"},
		{"what stands for it", sixteen.Hunk.On, "\x1b[95m"},
		{"the terminal's own background", many.Status.On, "\x1b[38;2;92;99;112m"},
		{"a style by a colour of the palette", many.AddedLine.On, "\x1b[1;38;2;18;52;86;43m"},
		{"a style without what its base has", many.Heading.On, "\x1b[38;2;18;52;86m"},
		{"the same without colours", mono.Heading.On, ""},
		{"a style of several", mono.Heat[0].On, "\x1b[4;2m"},
		{"a style left alone", many.Removed.On, New(false, Many).Removed.On},
	} {
		if c.got != c.want {
			t.Errorf("%s is %q, want %q", c.name, c.got, c.want)
		}
	}
	if want := (Choice{"mine", "your own, based on day", true}); d.Choice != want {
		t.Errorf("it is %+v", d.Choice)
	}
	if now, before := all(New(false, Many)), all(New(false, Many)); !reflect.DeepEqual(now, before) || now["hint_key"] == many.HintKey {
		t.Error("the base was changed")
	}
}

func TestSpec_BuildsOnASpec(t *testing.T) {
	first, _ := Set{}.Make(Spec{Name: "first", Styles: map[string]Change{"link": {Bold: truePtr()}}})
	second, faults := Set{}.With(first).Make(Spec{Name: "second", Base: "first", Styles: map[string]Change{"link": {Underline: no()}}})
	if len(faults) > 0 {
		t.Fatal(faults[0])
	}
	if got := second.Theme(Mono).Link.On; got != "\x1b[1m" {
		t.Errorf("a link is %q", got)
	}
	if got := first.Theme(Mono).Link.On; got != "\x1b[1;4m" {
		t.Errorf("in the first it became %q", got)
	}
}

func TestSpec_ReportsAllItsErrors(t *testing.T) {
	color := func(c Color) Spec { return Spec{Colors: map[string]Color{"accent": c}} }
	for _, c := range []struct {
		spec   Spec
		key    string
		reason string
	}{
		{Spec{Base: "nihgt"}, "base", `unknown theme "nihgt"`},
		{Spec{Colors: map[string]Color{"acent": {Text: "1"}}}, "colors.acent", "unknown colour"},
		{Spec{Styles: map[string]Change{"Heading": {}}}, "styles.Heading", "unknown style"},
		{Spec{Styles: map[string]Change{"heading": {BG: &Color{Text: "mauve"}}}}, "styles.heading.bg", `"mauve" is not a colour`},
		{color(Color{Text: "#12345"}), "colors.accent", "is not a colour"},
		{color(Color{Text: "#12345g"}), "colors.accent", "is not a colour"},
		{color(Color{Text: "256"}), "colors.accent", "is not a colour"},
		{color(Color{Text: "-1"}), "colors.accent", "is not a colour"},
		{color(Color{Text: ""}), "colors.accent", "is not a colour"},
		{color(Color{Text: "dim"}), "colors.accent", "is not a colour"},
		{color(Color{Text: "#123456", Basic: "16"}), "colors.accent", "not one of the sixteen"},
		{Spec{Base: "sixteen-dark", Colors: map[string]Color{"accent": {Text: "#123456"}}}, "colors.accent", "from 0 to 15"},
		{Spec{Base: "sixteen-dark", Colors: map[string]Color{"accent": {Text: "100"}}}, "colors.accent", "from 0 to 15"},
		{Spec{Base: "mono", Colors: map[string]Color{"accent": {Text: "1"}}}, "colors.accent", "no colours to change"},
	} {
		_, faults := Set{}.Make(c.spec)
		if len(faults) != 1 || strings.Join(faults[0].Key, ".") != c.key || !strings.Contains(faults[0].Problem, c.reason) {
			t.Errorf("%+v: %v, want %s: %s", c.spec, faults, c.key, c.reason)
		}
	}
	if _, faults := (Set{}).Make(Spec{Base: "sixteen-dark", Colors: map[string]Color{"accent": {Text: "5"}, "dim": {Text: "default"}}}); len(faults) > 0 {
		t.Error(faults[0])
	}
	_, faults := Set{}.Make(Spec{Colors: map[string]Color{"b": {}, "a": {}}, Styles: map[string]Change{"c": {}}})
	if len(faults) != 3 || faults[0].Key[1] != "a" || faults[2].Key[0] != "styles" {
		t.Errorf("not all, or not in order: %v", faults)
	}
}

func TestSet_ListsAndFindsItsThemes(t *testing.T) {
	mine, _ := Set{}.Make(Spec{Name: "mine"})
	night, _ := Set{}.Make(Spec{Name: "night", Description: "another night"})
	s := Set{}.With(mine).With(night)
	if got, want := s.Names(), append((Set{}).Names(), "mine"); !slices.Equal(got, want) {
		t.Errorf("names are %v, want %v", got, want)
	}
	if got := s.List()[0].Description; got != "another night" {
		t.Errorf("the night that is listed is %q", got)
	}
	if d, ok := s.Find("night"); !ok || d != night {
		t.Error("one's own theme does not hide a built-in one")
	}
	if d, ok := (Set{}).Find("night"); !ok || d == night {
		t.Error("a set was changed by another")
	}
	if _, ok := s.Find("none"); ok {
		t.Error("found what is not there")
	}
}
