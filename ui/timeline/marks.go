package timeline

import (
	"slices"
	"time"

	"github.com/memend/memend/versions"
)

// mark is a change on the timeline. It is small because a store may have many.
type mark struct {
	micros   int64
	versions int32
	session  int32 // index in marks.sessions
	undone   bool
	undoes   bool // it is an undo or a redo
}

// session holds the range and the count of a session's changes.
type session struct {
	id    versions.SessionID
	actor versions.Actor
	first int64 // number of its first change
	last  int64
	count int
}

// marks holds all changes, as far as they are loaded: from the newest back.
type marks struct {
	first    int64  // the oldest loaded one
	all      []mark // from first on: the end of cells
	cells    []mark // with free cells at the beginning, for older changes
	free     int
	sessions []session
	byID     map[string]int32
	acts     map[int64]span // bulk edits of other programs, by each of their changes
}

// span is the range of a bulk edit's changes, without others in between.
type span struct {
	first, last int64
	versions    int32
}

// last returns the newest change.
func (m *marks) last() int64 {
	if len(m.all) == 0 {
		return 0
	}
	return m.first + int64(len(m.all)) - 1
}

// count returns how many changes there are, at least 1.
func (m *marks) count() int64 { return max(int64(len(m.all)), 1) }

// join makes the changes of a bulk edit one step, if there are no others in between.
func (m *marks) join(b versions.Bulk) {
	if !unbroken(b) {
		return
	}
	if m.acts == nil {
		m.acts = map[int64]span{}
	}
	for n := b.First(); n <= b.Last(); n++ {
		m.acts[n] = span{b.First(), b.Last(), int32(b.Versions)}
	}
}

func unbroken(b versions.Bulk) bool { return b.Last()-b.First()+1 == int64(len(b.Changes)) }

// part splits the bulk edit at n into single changes, because some may have been undone since.
func (m *marks) part(n int64) {
	if s, ok := m.acts[n]; ok && s.last == n {
		for n := s.first; n <= s.last; n++ {
			delete(m.acts, n)
		}
	}
}

// step returns the change that many steps from at; a bulk edit is one step. From inside a bulk
// edit, each change is a step.
func (m *marks) step(at, steps int64) int64 {
	d := int64(1)
	if steps < 0 {
		d, steps = -1, -steps
	}
	for ; steps > 0 && at+d >= 0 && at+d <= m.last(); steps-- {
		s, ok := m.acts[at+d]
		switch inside := at >= s.first && at < s.last; {
		case !ok || inside:
			at += d
		case d > 0:
			at = s.last
		case at > s.last:
			at = s.last
		default:
			at = s.first - 1
		}
	}
	return at
}

// at returns the mark of a change.
func (m *marks) at(n int64) (mark, bool) {
	if n < m.first || n > m.last() || len(m.all) == 0 {
		return mark{}, false
	}
	return m.all[n-m.first], true
}

// add prepends a page of older changes, newest first. It may contain changes that events added
// while it was loading.
func (m *marks) add(page []versions.Change) {
	if len(m.all) > 0 {
		page = slices.DeleteFunc(page, func(c versions.Change) bool { return c.Number >= m.first })
	}
	if len(page) == 0 {
		return
	}
	if m.free < len(page) { // twice as many, so that a million changes are copied a few times, not for each page
		grown := make([]mark, 2*len(m.all)+len(page))
		m.free = len(grown) - len(m.all)
		copy(grown[m.free:], m.all)
		m.cells = grown
	}
	for i := range page {
		m.free--
		m.cells[m.free] = m.take(page[i])
	}
	m.all = m.cells[m.free:]
	m.first = page[len(page)-1].Number
}

// extend appends newer changes, oldest first.
func (m *marks) extend(changes []versions.Change) {
	for _, c := range changes {
		if len(m.all) > 0 && c.Number != m.last()+1 {
			continue
		}
		if len(m.all) == 0 {
			m.first = c.Number
		}
		m.cells = append(m.cells, m.take(c))
		m.all = m.cells[m.free:]
		if old, ok := m.at(c.Undoes); ok && c.Undoes > 0 {
			old.undone = c.Kind == versions.KindUndo
			m.all[c.Undoes-m.first] = old
		}
	}
}

func undoes(c versions.Change) bool {
	return c.Kind == versions.KindUndo || c.Kind == versions.KindRedo
}

// undoesMore reports whether a change undid or redid several others, or undid an undo; only the store knows what is in effect then.
func (m *marks) undoesMore(c versions.Change) bool {
	k, ok := m.at(c.Undoes)
	return undoes(c) && (c.Undoes == 0 || ok && k.undoes)
}

func (m *marks) take(c versions.Change) mark {
	if m.byID == nil {
		m.byID = map[string]int32{}
	}
	key := string(c.Session)
	if key == "" {
		key = "\x00" + c.Actor.String()
	}
	i, ok := m.byID[key]
	if !ok {
		i = int32(len(m.sessions))
		m.byID[key] = i
		m.sessions = append(m.sessions, session{id: c.Session, actor: c.Actor, first: c.Number, last: c.Number})
	}
	s := &m.sessions[i]
	s.first, s.last, s.count = min(s.first, c.Number), max(s.last, c.Number), s.count+1
	return mark{micros: c.Time.UnixMicro(), versions: int32(c.Versions), session: i, undone: c.UndoneBy != 0, undoes: undoes(c)}
}

// session returns the session of change n.
func (m *marks) session(n int64) (session, bool) {
	k, ok := m.at(n)
	if !ok {
		return session{}, false
	}
	return m.sessions[k.session], true
}

// turn returns the nearest change of another session in direction d. Going back from inside a
// run of consecutive changes of one session, it returns the first change of that run.
func (m *marks) turn(n int64, d int) int64 {
	k, ok := m.at(n)
	if !ok {
		return n + int64(d)
	}
	to := n
	for {
		next, ok := m.at(to + int64(d))
		if !ok || next.session != k.session {
			break
		}
		to += int64(d)
	}
	if d < 0 && to < n {
		return to
	}
	return to + int64(d)
}

// when returns the newest change at a time.
func (m *marks) when(t time.Time) int64 {
	lo, hi := 0, len(m.all)
	for lo < hi {
		mid := (lo + hi) / 2
		if m.all[mid].micros <= t.UnixMicro() {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return m.first + int64(lo) - 1
}
