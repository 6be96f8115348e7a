package theme

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
)

// linear converts an sRGB colour to linear red, green and blue from 0 to 1.
func linear(rgb string) (v [3]float64) {
	n, err := strconv.ParseUint(strings.TrimPrefix(rgb, "#"), 16, 32)
	if err != nil || len(rgb) != 7 {
		panic("no colour: " + rgb)
	}
	for i := range v {
		c := float64(n>>(16-8*i)&255) / 255
		if v[i] = math.Pow((c+0.055)/1.055, 2.4); c <= 0.04045 {
			v[i] = c / 12.92
		}
	}
	return v
}

// seen returns what a terminal shows for a colour.
func seen(i ink, colors Colors) string {
	if colors == Many || i.rgb == "" {
		return i.rgb
	}
	r, g, b, _ := lipgloss.Color(i.some()).RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// contrast is the contrast ratio of WCAG 2.
func contrast(a, b string) float64 {
	luminance := func(rgb string) float64 {
		v := linear(rgb)
		return 0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2]
	}
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// papers are backgrounds of terminals: a theme is made for the first of these and must be
// readable on the others, which are common.
var papers = map[bool][]string{
	true:  {"#1c1c1c", "#000000", "#1a1b26", "#282a36", "#002b36", "#2e3440"},
	false: {"#ffffff", "#fdf6e3", "#fbf1c7", "#f6f2ee"},
}

// decoration lists styles for what need not be read: lines, line numbers, the mark of the
// oldest.
var decoration = map[string]bool{"border": true, "line_number": true, "age_4": true}

func TestEveryStyle_HasEnoughContrast(t *testing.T) {
	for _, d := range builtin {
		text, other := 4.5, 3.0
		if strings.HasPrefix(d.Name, "contrast-") {
			text, other = 7, 4.5
		}
		for _, r := range roles(&Theme{}, d.palette) {
			for _, colors := range []Colors{Many, Some} {
				for i, paper := range papers[d.Dark] {
					want := text
					if decoration[r.name] {
						want = other
					}
					if r.properties.bg.rgb != "" {
						paper = seen(r.properties.bg, colors)
					} else if i > 0 { // not what the theme was made for
						want *= 0.75
					}
					if colors == Some { // there are fewer colours to choose from
						want *= 0.9
					}
					pen := seen(r.properties.fg, colors)
					if pen != "" && contrast(pen, paper) < want {
						t.Errorf("%s: %s is %s on %s: contrast %.2f, want %.1f", d.Name, r.name, pen, paper, contrast(pen, paper), want)
					}
				}
			}
		}
	}
}

// The colours of a language are drawn on the tints of a diff, if there are tints.
func TestLanguages_HaveEnoughContrastOnDiffTints(t *testing.T) {
	for _, d := range builtin {
		styles := map[string]properties{}
		for _, r := range roles(&Theme{}, d.palette) {
			styles[r.name] = r.properties
		}
		want := 4.5
		if strings.HasPrefix(d.Name, "contrast-") {
			want = 7
		}
		for _, colors := range []Colors{Many, Some} {
			for _, tint := range []string{"added_line", "removed_line", "moved_line"} {
				for _, role := range []string{"heading", "code", "link", "quote", "list_mark", "key", "string", "number", "keyword", "comment"} {
					pen, paper := seen(styles[role].fg, colors), seen(styles[tint].bg, colors)
					least := want * 0.9 // they are drawn on tints that they were not made for
					if colors == Some {
						least = want * 0.65 // and there are few colours to choose from
					}
					if pen != "" && paper != "" && contrast(pen, paper) < least {
						t.Errorf("%s, %d colours: %s is %s on %s of %s: contrast %.2f, want %.2f", d.Name, colors, role, pen, paper, tint, contrast(pen, paper), least)
					}
				}
			}
		}
	}
}

// A line or a tint that is not visible is useless.
func TestEveryTint_IsVisible(t *testing.T) {
	for _, d := range builtin {
		for _, r := range roles(&Theme{}, d.palette) {
			if r.properties.bg.rgb == "" || strings.HasPrefix(r.name, "status") {
				continue
			}
			for _, colors := range []Colors{Many, Some} {
				tint := seen(r.properties.bg, colors)
				if got := difference(tint, papers[d.Dark][0], nil); got < 0.04 {
					t.Errorf("%s: the tint %s of %s differs by %.3f from the background", d.Name, tint, r.name, got)
				}
			}
		}
	}
}

// Tints that are distinguished by hue keep their hue among 256 colours: navy is not the
// blue-green of added lines.
func TestTints_KeepTheirHueIn256Colours(t *testing.T) {
	for _, d := range builtin {
		p := d.palette
		for name, i := range map[string]ink{"added_line": p.addedLine, "removed_line": p.removedLine, "added_word": p.addedWord, "removed_word": p.removedWord, "ours": p.ours, "theirs": p.theirs, "result": p.result} {
			a, b := lab(linear(i.rgb)), lab(linear(seen(i, Some)))
			if math.Hypot(b[1], b[2]) < 0.01 { // grey has none
				continue
			}
			turn := math.Abs(math.Remainder(math.Atan2(a[2], a[1])-math.Atan2(b[2], b[1]), 2*math.Pi)) * 180 / math.Pi
			if turn > 50 {
				t.Errorf("%s: %s is %s, and %s in 256 colours: the hue is %.0f° off", d.Name, name, i.rgb, seen(i, Some), turn)
			}
		}
	}
}
