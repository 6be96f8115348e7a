package agents

// Selected returns where the row of the cursor begins, in the focused part.
func (p *Pane) Selected() (x, y int, ok bool) {
	a := p.arrange()
	switch {
	case p.part == inDiff:
		x, y, ok = p.diff.Selected()
		return a.stream.X + x, a.stream.Y + y, ok && a.stream.H > 0
	case p.part == inSessions:
		y = p.sessions.Cur - p.sessions.Top
		return a.sessions.X, a.sessions.Y + y, y >= 0 && y < a.sessions.H
	}
	y = p.stream.Cur - p.stream.Top
	return a.stream.X, a.stream.Y + y, y >= 0 && y < a.stream.H && !p.shows
}
