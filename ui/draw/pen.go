package draw

import (
	"bytes"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
)

// Pen draws the parts of a row one after the other and counts columns.
type Pen struct {
	W, Used int
	Base    string // for the whole row
	Plain   bool   // the row has one style: parts have none of their own
}

// Put draws safe text.
func (p *Pen) Put(dst []byte, s string, st theme.Style) []byte {
	return p.Clip(dst, s, p.W-p.Used, st)
}

// Clip draws text in at most cols columns.
func (p *Pen) Clip(dst []byte, s string, cols int, st theme.Style) []byte {
	cols = min(cols, p.W-p.Used)
	if cols <= 0 {
		return dst
	}
	if p.Plain || st.On == "" {
		dst, cols = ClipMore(dst, s, cols, st)
	} else {
		dst = append(dst, st.On...)
		dst, cols = ClipMore(dst, s, cols, st)
		dst = append(dst, st.Off...)
	}
	p.Used += cols
	return dst
}

// ClipMore is text.ClipMore with the style's ellipsis, and without its colours.
func ClipMore(dst []byte, s string, cols int, st theme.Style) ([]byte, int) {
	if !st.ASCII {
		return text.ClipMore(dst, s, cols)
	}
	dst, used := text.ClipMore(dst, st.Signs(s), cols)
	if cut, ok := bytes.CutSuffix(dst, []byte(theme.CutSign)); ok {
		dst = append(cut, st.Cut()...)
	}
	return dst, used
}

// ClipStart is text.ClipStart in the same way.
func ClipStart(dst []byte, s string, cols int, st theme.Style) ([]byte, int) {
	at := len(dst)
	dst, used := text.ClipStart(dst, st.Signs(s), cols)
	if rest, cut := bytes.CutPrefix(dst[at:], []byte(theme.CutSign)); cut && st.ASCII {
		dst = append(append(dst[:at], st.Cut()...), rest...)
	}
	return dst, used
}

// PadMore is ClipMore padded to exactly cols columns.
func PadMore(dst []byte, s string, cols int, st theme.Style) []byte {
	dst, used := ClipMore(dst, s, cols, st)
	return text.Spaces(dst, cols-used)
}

// ClipStart draws text in at most cols columns and cuts the beginning of a longer one, as
// suits a path.
func (p *Pen) ClipStart(dst []byte, s string, cols int, st theme.Style) []byte {
	cols = min(cols, p.W-p.Used)
	if cols <= 0 {
		return dst
	}
	if p.Plain {
		st = theme.Style{ASCII: st.ASCII}
	}
	dst = append(dst, st.On...)
	dst, cols = ClipStart(dst, s, cols, st)
	dst = append(dst, st.Off...)
	p.Used += cols
	return dst
}

// Right draws s right-aligned in cols columns.
func (p *Pen) Right(dst []byte, s string, cols int, st theme.Style) []byte {
	dst = p.Space(dst, cols-text.Width(s))
	return p.Clip(dst, s, cols, st)
}

// Space draws blanks, as many as there is room for.
func (p *Pen) Space(dst []byte, n int) []byte {
	n = max(min(n, p.W-p.Used), 0)
	p.Used += n
	return text.Spaces(dst, n)
}
