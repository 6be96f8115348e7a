package syntax

// Starts knows the state that each line of a text begins in, whatever the size of
// the text: it keeps that of one line in so many, and reads on from there.
type Starts struct {
	lang Language
	at   []State // of the lines 0, startEvery, …
}

const startEvery = 64

// Starts reads a text of n lines. It takes its time with large texts; where late,
// asked now and then, becomes true, what follows is taken for ordinary text.
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

// At is the state that line i begins in.
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
