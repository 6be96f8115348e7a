// Package theme holds the colours and the styles, named by what they are for.
//
// A Style is a pair of SGR sequences made once, so that a frame is built by
// appending strings and never by rendering: that costs a fiftieth. A theme is
// immutable; a change of look is another theme.
//
// Colour never carries a meaning alone: whoever draws an added line also draws
// its sign, and in the monochrome theme bold, underline and reverse do what
// colours do elsewhere.
package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Colors is how many colours the terminal has.
type Colors int

const (
	Many    Colors = iota // 256 or more
	Sixteen               // the basic set
	Mono                  // none, as NO_COLOR asks
)

// Style is what is written before and after a text. Off is Reset, or empty when
// there is nothing to end.
type Style struct{ On, Off string }

// Append draws s, which must be safe to draw, in the style.
func (s Style) Append(dst []byte, text string) []byte {
	dst = append(dst, s.On...)
	dst = append(dst, text...)
	return append(dst, s.Off...)
}

// Theme is every style by its role.
type Theme struct {
	Dark   bool
	Colors Colors

	// Frame.
	Text          Style // ordinary text: the terminal's own
	Dim           Style // what can be overlooked
	Border        Style // of a pane
	BorderFocused Style // of the pane that has the keys
	Title         Style
	TitleFocused  Style
	Status        Style // the status line
	StatusStrong  Style // what matters in it
	StatusWarn    Style // what is wrong, in it
	HintKey       Style // a key in the hints
	Hint          Style // what it does
	Toast         Style // a message
	ToastError    Style
	Input         Style // what is typed into a prompt
	Cursor        Style // the cell of a text cursor that is drawn, not the terminal's

	// Lists and the tree.
	Selected    Style // the row of the cursor
	SelectedDim Style // the same in a pane without focus
	Marked      Style // rows chosen together
	Folder      Style
	Changed     Style // mark of what changed and was not looked at
	Badge       Style // mark of what deserves a look, hidden characters say
	Match       Style // text that was found
	MatchNow    Style // the hit where the search stands

	// Text of memories.
	LineNumber    Style
	LineNumberNow Style
	Selection     Style // selected text
	Flash         Style // a line that has just changed
	HiddenChar    Style // what stands for a character that would not show
	Heading       Style
	Strong        Style
	Emphasis      Style
	Code          Style
	Link          Style
	Quote         Style
	ListMark      Style
	Key           Style // a key of JSON or YAML
	String        Style
	Number        Style
	Keyword       Style
	Comment       Style

	// Changes.
	Added       Style // signs and counts
	Removed     Style
	AddedLine   Style // a whole line
	RemovedLine Style
	AddedWord   Style // the words that differ within it
	RemovedWord Style
	Hunk        Style // a heading between hunks
	Warn        Style
	Error       Style
	Good        Style

	person, agent, apiKey, outside Style
}

// Actor is the style of a kind of actor: "person", "agent", "api_key", "outside".
func (t *Theme) Actor(kind string) Style {
	switch kind {
	case "person":
		return t.person
	case "agent":
		return t.agent
	case "api_key":
		return t.apiKey
	case "outside":
		return t.outside
	}
	return t.Dim
}

// look is what a style is made of.
type look struct {
	fg, bg                                ink
	bold, italic, under, reverse, strike  bool
	monoBold, monoUnder, monoReverse, dim bool // where there are no colours
}

// New makes the theme for a dark or light background.
func New(isDark bool, colors Colors) *Theme {
	p := light
	if isDark {
		p = dark
	}
	t := &Theme{Dark: isDark, Colors: colors}
	for _, r := range roles(t, p) {
		*r.style = r.look.style(colors)
	}
	return t
}

type role struct {
	style *Style
	look  look
}

// roles says how each role looks.
func roles(t *Theme, p palette) []role {
	return []role{
		{&t.Dim, look{fg: p.dim, dim: true}},
		{&t.Border, look{fg: p.faint, dim: true}},
		{&t.BorderFocused, look{fg: p.accent, monoBold: true}},
		{&t.Title, look{fg: p.dim}},
		{&t.TitleFocused, look{fg: p.accent, bold: true}},
		{&t.Status, look{fg: p.dim, bg: p.status, monoReverse: true}},
		{&t.StatusStrong, look{fg: p.accent, bg: p.status, bold: true, monoReverse: true}},
		{&t.StatusWarn, look{fg: p.yellow, bg: p.status, bold: true, monoReverse: true}},
		{&t.HintKey, look{fg: p.accent, monoBold: true}},
		{&t.Hint, look{fg: p.dim}},
		{&t.Toast, look{fg: p.green, bold: true}},
		{&t.ToastError, look{fg: p.red, bold: true, monoReverse: true}},
		{&t.Input, look{bold: true}},
		{&t.Cursor, look{reverse: true}},

		{&t.Selected, look{fg: p.onBar, bg: p.bar, monoReverse: true}},
		{&t.SelectedDim, look{bg: p.barDim, fg: p.onTint, monoUnder: true}},
		{&t.Marked, look{fg: p.yellow, bold: true, monoBold: true}},
		{&t.Folder, look{fg: p.blue, monoBold: true}},
		{&t.Changed, look{fg: p.yellow, bold: true}},
		{&t.Badge, look{fg: p.red, bold: true}},
		{&t.Match, look{fg: p.onMatch, bg: p.match, monoUnder: true}},
		{&t.MatchNow, look{fg: p.onMatch, bg: p.matchNow, bold: true, monoReverse: true}},

		{&t.LineNumber, look{fg: p.faint, dim: true}},
		{&t.LineNumberNow, look{fg: p.accent, monoBold: true}},
		{&t.Selection, look{fg: p.onTint, bg: p.chosen, monoReverse: true}},
		{&t.Flash, look{fg: p.onTint, bg: p.flash, monoBold: true}},
		{&t.HiddenChar, look{fg: p.red, reverse: true}},
		{&t.Heading, look{fg: p.accent, bold: true}},
		{&t.Strong, look{bold: true}},
		{&t.Emphasis, look{italic: true}},
		{&t.Code, look{fg: p.cyan}},
		{&t.Link, look{fg: p.blue, under: true}},
		{&t.Quote, look{fg: p.dim, italic: true}},
		{&t.ListMark, look{fg: p.accent}},
		{&t.Key, look{fg: p.blue}},
		{&t.String, look{fg: p.green}},
		{&t.Number, look{fg: p.purple}},
		{&t.Keyword, look{fg: p.purple}},
		{&t.Comment, look{fg: p.dim, italic: true}},

		{&t.Added, look{fg: p.green, monoBold: true}},
		{&t.Removed, look{fg: p.red, monoUnder: true}},
		{&t.AddedLine, look{fg: p.onAdded, bg: p.added, monoBold: true}},
		{&t.RemovedLine, look{fg: p.onRemoved, bg: p.removed}},
		{&t.AddedWord, look{fg: p.onTint, bg: p.addedW, bold: true, monoReverse: true}.sixteen(p.green)},
		{&t.RemovedWord, look{fg: p.onTint, bg: p.removedW, bold: true, monoReverse: true}.sixteen(p.red)},
		{&t.Hunk, look{fg: p.purple}},
		{&t.Warn, look{fg: p.yellow, monoBold: true}},
		{&t.Error, look{fg: p.red, bold: true}},
		{&t.Good, look{fg: p.green}},

		{&t.person, look{fg: p.green}},
		{&t.agent, look{fg: p.purple}},
		{&t.apiKey, look{fg: p.cyan}},
		{&t.outside, look{fg: p.yellow}},
	}
}

// sixteen gives a tint another foreground where there are sixteen colours: none
// of them is a tint that text can stand on, so the text takes the colour.
func (l look) sixteen(fg ink) look {
	l.fg.of = fg.of
	return l
}

func (l look) style(colors Colors) Style {
	s := lipgloss.NewStyle().Bold(l.bold).Italic(l.italic).Underline(l.under).Reverse(l.reverse).Strikethrough(l.strike)
	switch colors {
	case Many:
		s = paint(s, l.fg.rgb, l.bg.rgb)
	case Sixteen:
		s = paint(s, l.fg.of, l.bg.of)
		if l.bg.rgb != "" && l.bg.of == "" && l.bold { // a word within a line
			s = s.Reverse(true)
		}
	case Mono:
		s = s.Bold(l.bold || l.monoBold).Underline(l.under || l.monoUnder).Reverse(l.reverse || l.monoReverse).Faint(l.dim)
	}
	on, off, _ := strings.Cut(s.Render("\x00"), "\x00")
	return Style{on, off}
}

func paint(s lipgloss.Style, fg, bg string) lipgloss.Style {
	if fg != "" {
		s = s.Foreground(lipgloss.Color(fg))
	}
	if bg != "" {
		s = s.Background(lipgloss.Color(bg))
	}
	return s
}
