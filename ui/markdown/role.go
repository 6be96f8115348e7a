package markdown

import (
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/syntax"
)

// role is the role of a part of a text. The first values are flags, because a link can be
// strong; the values from kinds on are those of package syntax.
type role uint8

const (
	strong role = 1 << iota
	emphasis
	code
	link
	dim
	kinds // of syntax, from here on
)

func kindRole(k syntax.Kind) role { return kinds + role(k) }

var (
	heading  = kindRole(syntax.Heading)
	quote    = kindRole(syntax.Quote)
	listMark = kindRole(syntax.ListMark)
	codeText = kindRole(syntax.Code)
)

// Styles holds how each role is drawn in a theme.
type Styles struct {
	on     [256]string
	hidden string // of marks for invisible characters
	chosen string // of the selected link
	lines  theme.Lines
	ascii  bool // bars before text are ASCII, too
}

// NewStyles returns the styles of a theme.
func NewStyles(t *theme.Theme) *Styles {
	s := &Styles{hidden: t.HiddenChar.On, chosen: t.Selection.On, lines: t.Lines, ascii: t.Lines == theme.ASCII}
	for r := range kinds {
		s.on[r] = set(r, strong, t.Strong.On) + set(r, emphasis, t.Emphasis.On) + set(r, dim, t.Dim.On) + set(r, code, t.Code.On) + set(r, link, t.Link.On)
	}
	for k, on := range syntax.NewStyles(t) {
		s.on[kindRole(syntax.Kind(k))] = on
	}
	return s
}

func set(r, bit role, on string) string {
	if r&bit == 0 {
		return ""
	}
	return on
}
