package theme

import (
	"cmp"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// properties holds the properties of a style.
type properties struct {
	fg, bg                                ink
	bold, italic, under, reverse, strike  bool
	basicReverse                          bool // with sixteen colours and no background colour
	keepsBackground                       bool // keeps its background in a row that is reversed
	monoBold, monoUnder, monoReverse, dim bool // without colours
}

// role is a style of a theme with its name in theme files.
type role struct {
	name       string
	style      *Style
	properties properties
}

// roles returns the properties of each role.
func roles(t *Theme, p palette) []role {
	all := []role{
		{"text", &t.Text, properties{}},
		{"dim", &t.Dim, properties{fg: p.dim, dim: true}},
		{"border", &t.Border, properties{fg: p.faint, dim: true}},
		{"border_focused", &t.BorderFocused, properties{fg: p.accent, monoBold: true}},
		{"title", &t.Title, properties{fg: p.dim}},
		{"title_focused", &t.TitleFocused, properties{fg: p.accent, bold: true}},
		{"status", &t.Status, properties{fg: p.dim, bg: p.status, monoReverse: true}},
		{"status_strong", &t.StatusStrong, properties{fg: p.accent, bg: p.status, bold: true, monoReverse: true}},
		{"status_warn", &t.StatusWarn, properties{fg: p.yellow, bg: p.status, bold: true, monoReverse: true}},
		{"hint_key", &t.HintKey, properties{fg: p.accent, monoBold: true}},
		{"hint", &t.Hint, properties{fg: p.dim}},
		{"toast", &t.Toast, properties{fg: p.green, bold: true}},
		{"toast_error", &t.ToastError, properties{fg: p.red, bold: true, monoReverse: true}},
		{"input", &t.Input, properties{bold: true}},
		{"cursor", &t.Cursor, properties{reverse: true}},
		{"dialog_border", &t.DialogBorder, properties{fg: p.accent, monoBold: true}},
		{"table_heading", &t.TableHeading, properties{fg: p.dim, bold: true}},
		{"gauge", &t.Gauge, properties{fg: p.accent, monoBold: true}},
		{"progress", &t.Progress, properties{fg: p.green, monoBold: true}},

		{"selected", &t.Selected, properties{fg: p.onBar.or(p.accent), bg: p.bar, basicReverse: true, monoReverse: true}},
		{"selected_dim", &t.SelectedDim, properties{bg: p.barDim, fg: p.onTint, monoUnder: true}},
		{"marked", &t.Marked, properties{fg: p.yellow, bold: true}},
		{"folder", &t.Folder, properties{fg: p.blue, monoBold: true}},
		{"changed", &t.Changed, properties{fg: p.yellow, bold: true}},
		{"badge", &t.Badge, properties{fg: p.red, bold: true}},
		{"stale", &t.Stale, properties{fg: p.dim, italic: true, dim: true}},
		{"finding", &t.Finding, properties{fg: p.red, bold: true, reverse: true}},
		{"match", &t.Match, properties{fg: p.onMatch, bg: p.match, monoUnder: true, keepsBackground: true}},
		{"match_now", &t.MatchNow, properties{fg: p.onMatch, bg: p.matchNow, bold: true, monoReverse: true, keepsBackground: true}},

		{"line_number", &t.LineNumber, properties{fg: p.faint, dim: true}},
		{"line_number_now", &t.LineNumberNow, properties{fg: p.accent, monoBold: true}},
		{"selection", &t.Selection, properties{fg: p.onTint.sixteen(p.blue), bg: p.chosen, basicReverse: true, monoReverse: true}},
		{"flash", &t.Flash, properties{fg: p.onTint.sixteen(p.yellow), bg: p.flash, monoBold: true}},
		{"hidden_char", &t.HiddenChar, properties{fg: p.red, reverse: true}},
		{"heading", &t.Heading, properties{fg: p.accent, bold: true}},
		{"strong", &t.Strong, properties{bold: true}},
		{"emphasis", &t.Emphasis, properties{italic: true}},
		{"code", &t.Code, properties{fg: p.cyan}},
		{"link", &t.Link, properties{fg: p.blue, under: true}},
		{"quote", &t.Quote, properties{fg: p.dim, italic: true}},
		{"list_mark", &t.ListMark, properties{fg: p.accent}},
		{"key", &t.Key, properties{fg: p.blue}},
		{"string", &t.String, properties{fg: p.green}},
		{"number", &t.Number, properties{fg: p.purple}},
		{"keyword", &t.Keyword, properties{fg: p.purple}},
		{"comment", &t.Comment, properties{fg: p.dim, italic: true}},

		{"added", &t.Added, properties{fg: p.added, monoBold: true}},
		{"removed", &t.Removed, properties{fg: p.removed, monoUnder: true}},
		{"deleted", &t.Deleted, properties{fg: p.removed, strike: true}},
		{"added_line", &t.AddedLine, properties{fg: p.onAdded, bg: p.addedLine, monoBold: true}},
		{"removed_line", &t.RemovedLine, properties{fg: p.onRemoved, bg: p.removedLine}},
		{"added_word", &t.AddedWord, properties{fg: p.onTint.sixteen(p.added), bg: p.addedWord, bold: true, basicReverse: true, monoReverse: true}},
		{"removed_word", &t.RemovedWord, properties{fg: p.onTint.sixteen(p.removed), bg: p.removedWord, bold: true, basicReverse: true, monoReverse: true}},
		{"hunk", &t.Hunk, properties{fg: p.purple}},
		{"warn", &t.Warn, properties{fg: p.yellow, monoBold: true}},
		{"error", &t.Error, properties{fg: p.red, bold: true}},
		{"good", &t.Good, properties{fg: p.green}},

		{"ours", &t.Ours, properties{fg: p.onTint.sixteen(p.blue), bg: p.ours, monoBold: true}},
		{"theirs", &t.Theirs, properties{fg: p.onTint.sixteen(p.orange), bg: p.theirs, monoUnder: true}},
		{"base", &t.Base, properties{fg: p.onTint.sixteen(p.dim), bg: p.base, dim: true}},
		{"result", &t.Result, properties{fg: p.onTint.sixteen(p.green), bg: p.result, monoBold: true, monoUnder: true}},
		{"conflict", &t.Conflict, properties{fg: p.red, bold: true, monoReverse: true}},

		{"person", &t.person, properties{fg: p.green}},
		{"agent", &t.agent, properties{fg: p.purple}},
		{"api_key", &t.apiKey, properties{fg: p.cyan}},
		{"outside", &t.outside, properties{fg: p.yellow}},
	}
	heat := [...]properties{{fg: p.dim, dim: true}, {fg: p.yellow}, {fg: p.orange, bold: true}, {fg: p.red, bold: true, under: true}}
	for i, l := range heat {
		all = append(all, role{"heat_" + strconv.Itoa(i+1), &t.Heat[i], l})
	}
	for i, c := range p.age {
		all = append(all, role{"age_" + strconv.Itoa(i+1), &t.Age[i], properties{fg: c, bold: i == 0, monoUnder: i == 1, dim: i == 3}})
	}
	for i, c := range p.band {
		// Without colours every other band is reversed, so that neighbours differ.
		all = append(all, role{"band_" + strconv.Itoa(i+1), &t.Band[i], properties{
			fg: p.onTint.sixteen(c), bg: c.sixteen(ink{}), basicReverse: true,
			monoReverse: i%2 == 0, monoUnder: i%2 == 1, monoBold: i == 2 || i == 3, dim: i > 3,
		}})
	}
	return all
}

// sixteen returns the colour with another replacement among sixteen. None of the sixteen is
// a tint that every other can be read on, so there the text takes the colour, or is
// reversed: a colour that can be read on the background is a background that can be read
// on.
func (i ink) sixteen(other ink) ink { return ink{i.rgb, i.near, other.of} }

// or is sixteen, unless there already is a replacement.
func (i ink) or(other ink) ink { return ink{i.rgb, i.near, cmp.Or(i.of, other.of)} }

// some returns the colour among 256.
func (i ink) some() string {
	if i.near != "" || !strings.HasPrefix(i.rgb, "#") {
		return cmp.Or(i.near, i.rgb)
	}
	return strconv.Itoa(int(ansi.Convert256(lipgloss.Color(i.rgb))))
}

// style returns the SGR sequences of a style. It does not use lipgloss's Render, which takes
// much longer because of its box model: every start makes a hundred styles.
func (l properties) style(colors Colors) Style {
	if colors != Mono {
		l.dim = false // its colour dims it
	}
	switch colors {
	case Many:
		return l.with(l.fg.rgb, l.bg.rgb)
	case Some:
		return l.with(l.fg.some(), l.bg.some())
	case Sixteen:
		l.reverse = l.reverse || l.basicReverse && l.bg.of == ""
		s := l.with(l.fg.of, l.bg.of)
		if l.keepsBackground {
			s.On = notReversed + s.On
		}
		return s
	}
	l.bold, l.under, l.reverse = l.bold || l.monoBold, l.under || l.monoUnder, l.reverse || l.monoReverse
	return l.with("", "")
}

// notReversed lets text with a background of its own keep it in a reversed row, such as the
// selected one in the basic colours.
const notReversed = "\x1b[27m"

func (l properties) with(fg, bg string) Style {
	var s ansi.Style
	if l.bold {
		s = s.Bold()
	}
	if l.italic {
		s = s.Italic(true)
	}
	if l.under {
		s = s.Underline(true)
	}
	if l.reverse {
		s = s.Reverse(true)
	}
	if l.dim {
		s = s.Faint()
	}
	if fg != "" {
		s = s.ForegroundColor(lipgloss.Color(fg))
	}
	if bg != "" {
		s = s.BackgroundColor(lipgloss.Color(bg))
	}
	if l.strike {
		s = s.Strikethrough(true)
	}
	if len(s) == 0 {
		return Style{}
	}
	return Style{On: s.String(), Off: ansi.ResetStyle}
}
