package agents

import (
	"slices"

	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/versions"
)

// key tells what was done from all else that was.
type key struct {
	read bool
	id   int64
}

func keyOf(a *versions.Activity) key {
	if a.Read {
		return key{true, a.ID}
	}
	return key{false, a.Change.Number}
}

// newer is the order of the stream.
func newer(a, b *versions.Activity) bool {
	switch {
	case !a.Time.Equal(b.Time):
		return a.Time.After(b.Time)
	case a.Read != b.Read:
		return b.Read // who writes has read before
	}
	return keyOf(a).id > keyOf(b).id
}

// stream is a window on what was done, which is longer than what is loaded of it.
// What is new comes to the end of recent, so that it costs nothing however much is
// loaded.
type stream struct {
	recent []versions.Activity // oldest first
	past   []versions.Activity // newest first, all older than recent
	folded map[versions.SessionID]bool
	rows   []row // only while something is folded; else row i is what was done ith

	list.List
	follow bool // the cursor stays on the newest
	unseen int  // came since one moved away

	next    versions.Cursor
	done    bool // the oldest is loaded
	err     error
	session versions.SessionID // only what this one did; empty for all
}

// row is one line: one thing that was done, or all from at to before to that a
// folded session did without a break.
type row struct{ at, to int }

func (r row) run() bool { return r.to-r.at > 1 }

func (s *stream) len() int { return len(s.recent) + len(s.past) }

// at is what was done ith, from the newest.
func (s *stream) at(i int) (*versions.Activity, bool) {
	switch n := len(s.recent); {
	case i < 0 || i >= s.len():
		return nil, false
	case i < n:
		return &s.recent[n-1-i], true
	default:
		return &s.past[i-n], true
	}
}

// height is how many rows there are.
func (s *stream) height() int {
	if len(s.folded) == 0 {
		return s.len()
	}
	return len(s.rows)
}

func (s *stream) row(i int) (row, bool) {
	switch {
	case i < 0 || i >= s.height():
		return row{}, false
	case len(s.folded) == 0:
		return row{i, i + 1}, true
	}
	return s.rows[i], true
}

// current is what the cursor is on; of a folded run, the newest.
func (s *stream) current() (*versions.Activity, row, bool) {
	r, ok := s.row(s.Cur)
	if !ok {
		return nil, r, false
	}
	a, ok := s.at(r.at)
	return a, r, ok
}

// clear forgets all that is loaded.
func (s *stream) clear() {
	s.recent, s.past, s.rows = nil, nil, nil
	s.next, s.done, s.err = "", false, nil
}

// add puts what is older at the end.
func (s *stream) add(page []versions.Activity) {
	s.past = append(s.past, page...)
	s.lay()
}

// take puts what is new where it belongs, and in the place of what is known
// already. It says how much came on top of the newest.
func (s *stream) take(page []versions.Activity) (came int) {
	for i := len(page) - 1; i >= 0; i-- { // the oldest first
		a := &page[i]
		at := 0
		for {
			b, ok := s.at(at)
			if !ok || !newer(b, a) {
				break
			}
			at++
		}
		if b, ok := s.at(at); ok && keyOf(b) == keyOf(a) {
			*b = *a
			continue
		}
		came++
		if n := len(s.recent); at <= n {
			s.recent = slices.Insert(s.recent, n-at, *a)
		} else {
			s.past = slices.Insert(s.past, at-n, *a)
		}
	}
	s.lay()
	return came
}

// markUndone keeps what older changes say of themselves true.
func (s *stream) markUndone(by versions.Change) {
	for i := range s.len() {
		a, _ := s.at(i)
		if a.Read || a.Change.Number != by.Undoes {
			continue
		}
		a.Change.UndoneBy = 0
		if by.Kind == versions.KindUndo {
			a.Change.UndoneBy = by.Number
		}
		return
	}
}

// lay makes the rows, where something is folded.
func (s *stream) lay() {
	s.rows = s.rows[:0]
	if len(s.folded) == 0 {
		return
	}
	for i, n := 0, s.len(); i < n; {
		a, _ := s.at(i)
		j := i + 1
		for ; j < n && s.folded[a.Session]; j++ {
			if b, _ := s.at(j); b.Session != a.Session || b.Actor != a.Actor {
				break
			}
		}
		s.rows = append(s.rows, row{i, j})
		i = j
	}
}

// keep changes what is loaded and leaves the cursor on what it is on, in its place
// on the screen; or on the newest, while that is followed.
func (s *stream) keep(height int, change func()) {
	a, _, ok := s.current()
	var was versions.Activity
	if ok {
		was = *a
	}
	below := s.Cur - s.Top
	change()
	if s.follow || !ok {
		s.Cur, s.Top = 0, 0
		return
	}
	s.Cur = s.find(&was)
	s.Top = s.Cur - below
	s.Clamp(s.height(), height)
}

// find is the row of what was done, or of what stands where that would.
func (s *stream) find(a *versions.Activity) int {
	low, high := 0, s.height()
	for low < high {
		mid := (low + high) / 2
		r, _ := s.row(mid)
		if last, _ := s.at(r.to - 1); newer(last, a) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return max(0, min(low, s.height()-1))
}

// move puts the cursor on a row.
func (s *stream) move(to, height int) {
	s.Go(to, s.height(), height)
}

// scroll moves the window, and the cursor with it where it would leave it.
func (s *stream) scroll(n, height int) {
	s.Scroll(n, s.height(), height)
	s.Cur = max(s.Top, min(s.Cur, s.Top+max(height, 1)-1, max(0, s.height()-1)))
}

// fold folds the runs of a session, or shows them again.
func (s *stream) fold(id versions.SessionID, height int) {
	s.keepPlace(height, func() {
		if s.folded[id] {
			delete(s.folded, id)
			return
		}
		if s.folded == nil {
			s.folded = map[versions.SessionID]bool{}
		}
		s.folded[id] = true
	})
}

// foldAll folds every session that is loaded, or none.
func (s *stream) foldAll(on bool, height int) {
	s.keepPlace(height, func() {
		s.folded = map[versions.SessionID]bool{}
		for i := range s.len() {
			if a, _ := s.at(i); on {
				s.folded[a.Session] = true
			}
		}
	})
}

func (s *stream) keepPlace(height int, change func()) {
	following := s.follow && s.Cur == 0
	s.follow = false
	s.keep(height, func() { change(); s.lay() })
	s.follow = following
}
