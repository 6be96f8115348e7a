package memory

import (
	"context"
	"fmt"
	"io"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
)

// hexView shows the bytes of a file of any size: it holds those around the screen.
type hexView struct {
	on      bool
	w       int
	top     int64 // the first byte shown
	at      int64 // offset of bytes
	bytes   []byte
	pieces  screen.Load[held]
	fetches bool
}

const hexPiece = 64 << 10

// per returns the number of bytes per row.
func (v *hexView) per() int {
	switch {
	case v.w >= 10+16*3+3+16:
		return 16
	case v.w >= 10+8*3+2+8:
		return 8
	case v.w >= 4*3+2+4:
		return 4
	}
	return 2
}

func (v *hexView) resize(w int) {
	v.w = w
	v.top -= v.top % int64(v.per())
}

// dirty marks the bytes as outdated.
func (v *hexView) dirty() {
	v.bytes = nil
	v.pieces.Stop()
	v.fetches = false
}

func (v *hexView) scroll(d int, size int64, h int) {
	v.scrollTo(v.top+int64(d)*int64(v.per()), size, h)
}

// scrollTo shows the row of a byte at the top, or lower if the screen would not be full.
func (v *hexView) scrollTo(at, size int64, h int) {
	per := int64(v.per())
	rows := (size + per - 1) / per
	row := min(at/per, max(rows-int64(h), 0))
	v.top = max(row, 0) * per
}

// fetchBytes requests the bytes around the screen if they are not loaded.
func (m *Pane) fetchBytes() tea.Cmd {
	v, f, size, h := &m.hex, m.doc.file, m.doc.size, m.h
	to := min(v.top+int64(h*v.per()), size)
	if v.fetches || v.top >= v.at && to <= v.at+int64(len(v.bytes)) {
		return nil
	}
	v.fetches = true
	at := max(v.top-hexPiece/2, 0)
	return v.pieces.Begin(m.env.Ctx, func(context.Context) (held, error) {
		b := make([]byte, hexPiece)
		n, err := f.ReadAt(b, at)
		if err == io.EOF {
			err = nil
		}
		return held{at, b[:n]}, err
	}, m.bytesRead)
}

// held is a part of a file.
type held struct {
	at    int64
	bytes []byte
}

func (m *Pane) bytesRead(h held, err error) tea.Cmd {
	if m.doc == nil {
		return nil
	}
	m.hex.fetches = false
	m.hex.at, m.hex.bytes = h.at, h.bytes
	if err != nil {
		m.err = err
		return nil
	}
	if len(h.bytes) == 0 { // truncated meanwhile: the watcher will report it
		return nil
	}
	return m.Fetch()
}

// toggleHex switches between bytes and text, and keeps the position as well as possible.
func (m *Pane) toggleHex(int) tea.Cmd {
	m.hex.on = !m.hex.on
	m.sel = selection{}
	if m.hex.on {
		_, at := m.doc.index.near(m.top.line)
		m.hex.resize(m.w)
		m.hex.scrollTo(at, m.doc.size, m.h)
	}
	return m.Fetch()
}

// view appends h rows.
func (v *hexView) view(dst []byte, th *theme.Theme, size int64, h int) []byte {
	per := v.per()
	for y := range h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		p := draw.Pen{W: v.w}
		at := v.top + int64(y*per)
		if at < size {
			dst = v.row(dst, &p, th, at, min(size-at, int64(per)))
		}
		dst = p.Space(dst, v.w-p.Used)
	}
	return dst
}

// row draws n bytes: offset, hexadecimal values, and text.
func (v *hexView) row(dst []byte, p *draw.Pen, th *theme.Theme, at, n int64) []byte {
	per := v.per()
	if v.w >= 10+per*3+2+per {
		off := strconv.FormatInt(at, 16)
		dst = p.Put(dst, "00000000"[:max(8-len(off), 0)]+off, th.LineNumber)
		dst = p.Space(dst, 2)
	}
	from := min(max(at-v.at, 0), int64(len(v.bytes)))
	row := v.bytes[from:min(from+n, int64(len(v.bytes)))]
	if at < v.at {
		row = nil // not read yet
	}
	if v.w < per*4+2 {
		return p.Put(dst, fmt.Sprintf("% x", row), theme.Style{})
	}
	// All cells are ASCII and one column wide: they need not be measured.
	for i, c := range row {
		if i == 8 {
			dst = p.Space(dst, 1)
		}
		if c == 0 {
			dst = append(th.Dim.Append(dst, "00"), ' ')
		} else {
			dst = append(dst, hexDigits[c>>4], hexDigits[c&15], ' ')
		}
	}
	p.Used += 3 * len(row)
	dst = p.Space(dst, 3*(per-len(row))+1)
	if per == 16 && len(row) <= 8 {
		dst = p.Space(dst, 1)
	}
	return v.asText(dst, p, th, row)
}

// asText draws bytes as characters.
func (v *hexView) asText(dst []byte, p *draw.Pen, th *theme.Theme, row []byte) []byte {
	p.Used += len(row)
	for len(row) > 0 {
		n := 1
		shows := printable(row[0])
		for n < len(row) && printable(row[n]) == shows {
			n++
		}
		if shows {
			dst = append(dst, th.String.On...)
			dst = append(dst, row[:n]...)
			dst = append(dst, th.String.Off...)
		} else {
			dst = th.Dim.Append(dst, "················"[:n*len("·")])
		}
		row = row[n:]
	}
	return dst
}

func printable(c byte) bool { return c >= 0x20 && c < 0x7f }

const hexDigits = "0123456789abcdef"
