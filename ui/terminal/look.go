package terminal

import (
	"strings"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// look is a style. There is one for each style, so that pointers can be compared.
type look struct {
	style uv.Style
	set   string // SGR sequence that sets it after the plain style; that of the plain style, after any
}

// looks are the styles of a terminal with certain colours.
type looks struct {
	profile colorprofile.Profile
	plain   *look
	all     map[uv.Style]*look
	next    map[turn]*look
}

// turn is an SGR sequence in a style.
type turn struct {
	from     *look
	sequence string
}

// maxTurns limits how many sequences are remembered. The program's frames have some dozens.
const maxTurns = 10_000

func newLooks(profile colorprofile.Profile) *looks {
	plain := &look{set: ansi.ResetStyle}
	return &looks{profile: profile, plain: plain, all: map[uv.Style]*look{{}: plain}, next: map[turn]*look{}}
}

// after returns the style after the SGR sequence at the beginning of s, and the length of that: 1,
// for the escape character alone, if there is none.
func (l *looks) after(pen *look, s string) (int, *look) {
	n := sgr(s)
	if n == 0 {
		return 1, pen
	}
	to := l.next[turn{pen, s[:n]}]
	if to == nil {
		st := pen.style
		p := ansi.GetParser()
		ansi.DecodeSequence(s[:n], 0, p)
		uv.ReadStyle(p.Params(), &st)
		ansi.PutParser(p)
		to = l.of(st)
		if len(l.next) == maxTurns {
			clear(l.next)
		}
		l.next[turn{pen, strings.Clone(s[:n])}] = to
	}
	return n, to
}

// sgr returns the length of the SGR sequence at the beginning of s, or 0.
func sgr(s string) int {
	if len(s) < 3 || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

func (l *looks) of(st uv.Style) *look {
	if known := l.all[st]; known != nil {
		return known
	}
	out := &look{style: st, set: ansi.ResetStyle}
	if st := uv.ConvertStyle(st, l.profile); !st.IsZero() {
		out.set = st.String()
	}
	if len(l.all) == maxTurns { // the looks that rows have are then redrawn once
		clear(l.all)
		l.all[uv.Style{}] = l.plain
	}
	l.all[st] = out
	return out
}

// blank appends blank cells up to w.
func (l *looks) blank(cells []cell, w int) []cell {
	for len(cells) < w {
		cells = append(cells, cell{" ", l.plain, 1})
	}
	return cells
}
