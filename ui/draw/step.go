package draw

// Step moves a cursor by d rows in a list of n, never onto a heading.
func Step(n, cur, d int, heading func(int) bool) int {
	last := max(n-1, 0)
	cur = min(max(cur+d, 0), last)
	by := 1
	if d < 0 && cur > 0 {
		by = -1
	}
	for range 2 * n { // to the end, and back
		if !heading(cur) {
			break
		}
		if cur+by < 0 || cur+by > last {
			by = -by
		}
		cur = min(max(cur+by, 0), last)
	}
	return cur
}
