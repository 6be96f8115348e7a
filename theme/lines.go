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

// WithLines is the theme with other lines.
func (t *Theme) WithLines(l Lines) *Theme {
	with := *t
	with.Lines = l
	return &with
}
