package memory

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
)

// visit is a position in a memory that was shown.
type visit struct {
	path memfs.Path
	at   position
}

// visits are the memories that were shown before the current one, and those that the person
// went back from; the last is the nearest.
type visits struct {
	back, forward []visit
	going         *visit                  // the requested one, while going back or forward
	before        *visit                  // what was open before a preview; nil if what is shown is open
	left          map[memfs.Path]position // the last position in each memory
}

// maxVisits is how far back one can go.
const maxVisits = 100

// arrive records that the memory at p is shown instead of from. After going back or
// forward, it returns the position to restore.
func (v *visits) arrive(from visit, p memfs.Path) (at position, again bool) {
	g := v.going
	v.going = nil
	if g == nil || g.path != p {
		if from.path != p {
			v.push(from)
		}
		return position{}, false
	}
	if n := len(v.back); n > 0 && v.back[n-1] == *g {
		v.back = v.back[:n-1]
		v.forward = append(v.forward, from)
	} else if n := len(v.forward); n > 0 && v.forward[n-1] == *g {
		v.forward = v.forward[:n-1]
		v.back = append(v.back, from)
	}
	return g.at, true
}

// push records a position that is left for another.
func (v *visits) push(from visit) {
	if from.path.IsRoot() {
		return
	}
	v.forward = nil
	v.back = append(v.back, from)
	if len(v.back) > maxVisits {
		v.back = slices.Clone(v.back[len(v.back)-maxVisits:])
	}
}

// moved updates paths after a rename.
func (v *visits) moved(from, to memfs.Path) {
	for _, list := range [][]visit{v.back, v.forward} {
		for i := range list {
			follow(&list[i].path, from, to)
		}
	}
	if v.before != nil {
		follow(&v.before.path, from, to)
	}
}

// follow updates a path after a rename.
func follow(p *memfs.Path, from, to memfs.Path) {
	if p.In(from) {
		*p = p.Move(from, to)
	}
}

// visit returns the current position.
func (m *Pane) visit() visit {
	if m.text.doc == nil {
		return visit{path: m.opening}
	}
	return visit{m.Path(), m.text.position()}
}

// goToVisit requests the last of some visits, if there is one; the lists change when it is loaded.
func (m *Pane) goToVisit(of []visit) tea.Cmd {
	if len(of) == 0 {
		return nil
	}
	to := of[len(of)-1]
	m.visits.going = &to
	return m.env.Do(screen.Open{Path: to.path})
}
