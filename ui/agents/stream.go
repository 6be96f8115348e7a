package agents

import (
	"context"
	"slices"

	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// key identifies an activity.
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
		return b.Read // a writer read before it wrote
	}
	return keyOf(a).id > keyOf(b).id
}

// stream is a window on the activity of a store that passes a filter, which is longer than the
// loaded part. It loads older pages as the window moves, and what is new when it is told to. New
// activity is appended to recent, so the cost of an insertion does not depend on how much is
// loaded.
type stream struct {
	ctx     context.Context
	store   Store
	changed func() // called when more or fewer rows are loaded

	page, newer screen.Load[activities] // older and new ones

	recent []versions.Activity // oldest first
	past   []versions.Activity // newest first, all older than recent

	list.List
	cols, height int  // of the rows
	above        int  // rows of the filter
	focused      bool // the cursor is in them
	follow       bool // the cursor stays on the newest
	inDiff       bool // the diff of the current activity is shown instead: the cursor stays on that
	unseen       int  // new activities since the cursor left the top

	next    versions.Cursor
	done    bool // the oldest is loaded
	err     error
	session versions.SessionID // only the activity of this session; empty for all
	query   query
}

func (s *stream) len() int { return len(s.recent) + len(s.past) }

// at returns the ith activity, counted from the newest.
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

// current returns the activity under the cursor.
func (s *stream) current() (*versions.Activity, bool) { return s.at(s.Cur) }

// take merges new activity and replaces activity that is loaded already. It returns how many
// came before the newest.
func (s *stream) take(page []versions.Activity) (came int) {
	for i := len(page) - 1; i >= 0; i-- { // oldest first
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
	return came
}

// undoesMore reports whether a change undid or redid several others, or undid an undo; only the store knows what is in effect then.
func (s *stream) undoesMore(c versions.Change) bool {
	undoes := func(c versions.Change) bool { return c.Kind == versions.KindUndo || c.Kind == versions.KindRedo }
	if !undoes(c) || c.Undoes == 0 {
		return undoes(c)
	}
	for i := range s.len() {
		if a, _ := s.at(i); !a.Read && a.Change.Number == c.Undoes {
			return undoes(a.Change)
		}
	}
	return false
}

// markUndone updates the state of loaded changes that by undid or redid.
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

// keep runs change and then puts the cursor on the same activity at the same place of the
// screen, or on the newest while following.
func (s *stream) keep(change func()) {
	a, ok := s.current()
	var was versions.Activity
	if ok {
		was = *a
	}
	below := s.Cur - s.Top
	change()
	if s.follow && !s.inDiff || !ok {
		s.Cur, s.Top = 0, 0
		return
	}
	s.Cur = s.find(&was)
	s.Top = s.Cur - below
	s.Clamp(s.len(), s.height)
}

// find returns the row of an activity, or of the activity at its place.
func (s *stream) find(a *versions.Activity) int {
	low, high := 0, s.len()
	for low < high {
		mid := (low + high) / 2
		if b, _ := s.at(mid); newer(b, a) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return max(0, min(low, s.len()-1))
}

func (s *stream) move(to int) { s.Go(to, s.len(), s.height) }

// scroll moves the window, and the cursor too if it would leave the window.
func (s *stream) scroll(n int) {
	s.Scroll(n, s.len(), s.height)
	s.Cur = max(s.Top, min(s.Cur, s.Top+max(s.height, 1)-1, max(0, s.len()-1)))
}
