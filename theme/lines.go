package theme

// Lines are the characters for lines around and between panes, each one column wide.
type Lines struct {
	Across, Down                               string
	TopLeft, TopRight, BottomLeft, BottomRight string
	TeeDown, TeeRight, TeeLeft                 string // where a line branches off
	Cross                                      string // where two lines cross
}

// Drawn lines need box-drawing characters; ASCII lines are for fonts and screen readers
// without them.
var (
	Drawn = Lines{"─", "│", "╭", "╮", "╰", "╯", "┬", "├", "┤", "┼"}
	ASCII = Lines{"-", "|", "+", "+", "+", "+", "+", "+", "+", "+"}
)

// WithLines returns the theme with other lines; with ASCII lines, signs are ASCII too.
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
