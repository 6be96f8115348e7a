package theme

// Lines is what the lines around and between panes are drawn with: each is one
// column wide.
type Lines struct {
	Across, Down                               string
	TopLeft, TopRight, BottomLeft, BottomRight string
	TeeDown, TeeRight, TeeLeft                 string // where a line leaves another
	Cross                                      string // where two lines meet
}

// Drawn lines need box-drawing characters; those of ASCII do for fonts and
// screen readers without them.
var (
	Drawn = Lines{"─", "│", "╭", "╮", "╰", "╯", "┬", "├", "┤", "┼"}
	ASCII = Lines{"-", "|", "+", "+", "+", "+", "+", "+", "+", "+"}
)

// WithLines is the theme with other lines; with those of ASCII the signs are of it too.
func (t *Theme) WithLines(l Lines) *Theme {
	with := *t
	with.Lines = l
	for _, r := range roles(&with, palette{}) {
		r.style.ASCII = l == ASCII
	}
	return &with
}

func (l Lines) list() []string {
	return []string{l.Across, l.Down, l.TopLeft, l.TopRight, l.BottomLeft, l.BottomRight, l.TeeDown, l.TeeRight, l.TeeLeft, l.Cross}
}
