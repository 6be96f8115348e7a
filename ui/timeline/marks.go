package timeline

import (
	"slices"
	"time"

	"github.com/memend/memend/versions"
)

// mark is a change on the time line. A store may have many: it is kept small.
type mark struct {
	micros   int64
	versions int32
	session  int32 // its index in marks.sessions
	undone   bool
}

// session is a run of changes of one writer.
type session struct {
	id    versions.SessionID
	actor versions.Actor
	first int64 // change
	last  int64
	count int
}

// marks are all changes, as far as they are read: from the newest back.
type marks struct {
	first    int64  // the oldest that is read
	all      []mark // of first and on
	sessions []session
	byID     map[string]int32
	acts     map[int64]span // of other programs, by each of their changes
}

// span is the changes of an act, none of another between them.
type span struct {
	first, last int64
	versions    int32
}

// last is the newest change.
func (m *marks) last() int64 {
	if len(m.all) == 0 {
		return 0
	}
	return m.first + int64(len(m.all)) - 1
}

// join makes the changes of an act one step, if nobody else made a change between them.
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

// part makes the act at n single changes again, of which some may have been undone since.
func (m *marks) part(n int64) {
	if s, ok := m.acts[n]; ok && s.last == n {
		for n := s.first; n <= s.last; n++ {
			delete(m.acts, n)
		}
	}
}

// step goes so many steps from a change: an act is one. Who stands inside of an act goes
// on from change to change.
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

// at is the mark of a change.
func (m *marks) at(n int64) (mark, bool) {
	if n < m.first || n > m.last() || len(m.all) == 0 {
		return mark{}, false
	}
	return m.all[n-m.first], true
}

// add puts a page of older changes, newest first, before what is read. Of what was
// told while the page was on its way it may hold some too.
func (m *marks) add(page []versions.Change) {
	if len(m.all) > 0 {
		page = slices.DeleteFunc(page, func(c versions.Change) bool { return c.Number >= m.first })
	}
	if len(page) == 0 {
		return
	}
	older := make([]mark, len(page), len(page)+len(m.all))
	for i := range page {
		older[len(page)-1-i] = m.take(page[i])
	}
	m.all = append(older, m.all...)
	m.first = page[len(page)-1].Number
}

// extend puts newer changes, oldest first, at the end.
func (m *marks) extend(changes []versions.Change) {
	for _, c := range changes {
		if len(m.all) > 0 && c.Number != m.last()+1 {
			continue
		}
		if len(m.all) == 0 {
			m.first = c.Number
		}
		m.all = append(m.all, m.take(c))
		if old, ok := m.at(c.Undoes); ok && c.Undoes > 0 {
			old.undone = c.Kind == versions.KindUndo
			m.all[c.Undoes-m.first] = old
		}
	}
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
	return mark{micros: c.Time.UnixMicro(), versions: int32(c.Versions), session: i, undone: c.UndoneBy != 0}
}

// session is whose change n is.
func (m *marks) session(n int64) (session, bool) {
	k, ok := m.at(n)
	if !ok {
		return session{}, false
	}
	return m.sessions[k.session], true
}

// turn is the change where the run of the session at n begins, or the one before
// or after it: the nearest change of another session in direction d.
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

// when is the change that was the newest at a time.
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
