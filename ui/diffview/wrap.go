package diffview

// A row of the diff takes one row of the window or, if long lines are wrapped, as many as
// its text needs. The window begins in row top, of which the first sub rows are above it.
// Heights are computed only for rows near the window.

// height returns how many rows of the window row y takes; from limit on it need not be
// exact.
func (v *View) height(y, limit int) int {
	if !v.wrap || v.partAt(y).kind != hunkPart {
		return 1
	}
	n := 1
	cells, _ := v.cellsAt(y)
	for i := range cells {
		n = max(n, len(cells[i].rows(limit)))
	}
	return n
}

// highest is the most rows of one line: as many as its bytes.
const highest = lineBytes

// move moves the top of the window by n of its rows, within the diff.
func (v *View) move(n int) {
	switch {
	case !v.wrap:
		v.top = max(0, min(v.top+n, v.rows-1))
		return
	case n >= v.rows:
		v.top = max(0, v.rows-1)
		v.sub = v.height(v.top, highest) - 1
		return
	case -n >= v.rows && n < 0:
		v.top, v.sub = 0, 0
		return
	}
	for ; n > 0 && v.stepDown(); n-- {
	}
	for ; n < 0 && v.stepUp(); n++ {
	}
}

func (v *View) stepDown() bool {
	if v.sub+1 < v.height(v.top, v.sub+2) {
		v.sub++
		return true
	}
	if v.top+1 >= v.rows {
		return false
	}
	v.top, v.sub = v.top+1, 0
	return true
}

func (v *View) stepUp() bool {
	switch {
	case v.sub > 0:
		v.sub--
	case v.top > 0:
		v.top--
		v.sub = v.height(v.top, highest) - 1
	default:
		return false
	}
	return true
}

// fillWindow moves the top to an existing row, and up until the window is full.
func (v *View) fillWindow() {
	if !v.wrap {
		v.top, v.sub = max(0, min(v.top, v.rows-v.h)), 0
		return
	}
	v.top = max(0, min(v.top, v.rows-1))
	if v.sub > 0 {
		v.sub = min(v.sub, v.height(v.top, highest)-1)
	}
	have := -v.sub
	for y := v.top; y < v.rows && have < v.h; y++ {
		have += v.height(y, v.h+v.sub)
	}
	for ; have < v.h && v.stepUp(); have++ {
	}
}

// window returns the first row that is not completely visible, and the first that is not
// visible at all.
func (v *View) window() (whole, beyond int) {
	if !v.wrap {
		end := min(v.top+v.h, v.rows)
		return end, end
	}
	left := v.h + v.sub
	for y := v.top; y < v.rows; y++ {
		n := v.height(y, left+1)
		if n > left {
			return y, y + min(left, 1)
		}
		left -= n
	}
	return v.rows, v.rows
}

// rowAt returns the row at row y of the window; above and below the window every row counts
// as one.
func (v *View) rowAt(y int) int {
	if !v.wrap || y < 0 {
		return v.top + y
	}
	at := v.top
	for y += v.sub; at < v.rows; at++ {
		n := v.height(at, y+1)
		if y < n {
			return at
		}
		y -= n
	}
	return at + y
}

// below returns how many rows of the window are between its top and row y, which is not
// above it, at most as many as the window has.
func (v *View) below(y int) int {
	if !v.wrap {
		return y - v.top
	}
	n := -v.sub
	for at := v.top; at < y && n < v.h; at++ {
		n += v.height(at, v.h)
	}
	return min(n, v.h)
}

// show scrolls as little as possible to make row y visible.
func (v *View) show(y int) {
	whole, _ := v.window()
	switch {
	case y < v.top || y == v.top && v.sub > 0:
		v.top, v.sub = y, 0
	case y >= whole:
		v.top, v.sub = y, 0
		v.move(-max(0, v.h-v.height(y, v.h)))
	}
}

// SetWrap sets whether long lines are wrapped.
func (v *View) SetWrap(on bool) {
	if v.wrap != on {
		v.rearrange(func() { v.wrap, v.left = on, 0 })
	}
}

func (v *View) toggleWrap() { v.SetWrap(!v.wrap) }

func (v *View) asideDisabled() string {
	if v.wrap {
		return "lines are wrapped"
	}
	return ""
}
