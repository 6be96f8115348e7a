package syntax

// Starts holds the state at the beginning of each line of a text of any size: it stores
// that of every startEvery-th line, and computes the others from there.
type Starts struct {
	lang Language
	at   []State // of the lines 0, startEvery, …
}

const startEvery = 64

// Starts reads a text of n lines. It is slow for large texts; after late, which it calls
// now and then, returns true, the rest counts as ordinary text.
func (l Language) Starts(n int, line func(int) string, late func() bool) Starts {
	s := Starts{lang: l}
	if l != Markdown {
		return s
	}
	st := State(0)
	for i := range n {
		if i%startEvery == 0 {
			if i%(startEvery*64) == 0 && i > 0 && late() {
				break
			}
			s.at = append(s.at, st)
		}
		st = l.Next(line(i), st)
	}
	return s
}

// At returns the state at the beginning of line i.
func (s Starts) At(i int, line func(int) string) State {
	if s.lang != Markdown && i > 0 {
		return Body
	}
	k := min(i/startEvery, len(s.at)-1)
	if k < 0 || i-k*startEvery >= startEvery {
		if i == 0 {
			return 0
		}
		return Body
	}
	st := s.at[k]
	for j := k * startEvery; j < i; j++ {
		st = s.lang.Next(line(j), st)
	}
	return st
}
