package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// Pinned is what is pinned in a store, and what it says.
type Pinned struct {
	pins []versions.Pin
	says map[string][]pinnedLine // by the subject of the claim
}

// pinnedLine is a line of a pinned memory that claims something.
type pinnedLine struct{ path, text, says string }

// Of what a pin covers, so much is read: the queue is read at each change of the store.
const (
	maxPinned     = 200     // memories
	maxPinnedText = 1 << 16 // bytes of each
)

// PinnedIn reads what is pinned in a store.
func PinnedIn(ctx context.Context, s *core.Store) (out Pinned, err error) {
	if out.pins, err = Pins(ctx, s); err != nil || len(out.pins) == 0 {
		return out, err
	}
	out.says = map[string][]pinnedLine{}
	return out, core.View(ctx, s.Trail, func(q tables.Reader) error {
		var st planning.State
		states, err := db.All(q.Rows(pinnedStates, s.Row, maxPinnedText, maxPinned), &st, tables.StateTo(&st)...)
		if err != nil {
			return err
		}
		for _, st := range states {
			if text, err := tables.TextOf(q, st); err == nil { // damage in one memory hides no other
				out.add(st.Path.String(), string(text))
			}
		}
		return ctx.Err()
	})
}

const pinnedStates = `SELECT ` + tables.StateColumns + ` FROM head h JOIN version v ON v.id=h.version JOIN blob b ON b.id=v.blob
	WHERE h.store=?1 AND b.size<=?2 AND v.redacted IS NULL AND EXISTS(SELECT 1 FROM pin p WHERE p.store=?1
		AND (p.path='' OR h.path=p.path OR h.path>p.path||'/' AND h.path<p.path||'0')) ORDER BY h.path LIMIT ?3`

func (pd *Pinned) add(path, text string) {
	lines := strings.Split(text, "\n")
	for _, c := range claimsOf(text) {
		pd.says[c.subject] = append(pd.says[c.subject], pinnedLine{path, strings.TrimLeft(strings.TrimSpace(lines[c.line]), "-*+ "), c.says})
	}
}

// contradicted returns what is pinned that the new lines of a memory contradict, for a person to read; empty if nothing.
func (pd *Pinned) contradicted(p *Pending) string {
	if len(pd.says) == 0 || !p.Now.Exists {
		return ""
	}
	var added map[int]bool // nil: all
	if p.Was.Exists {
		added = map[int]bool{}
		for _, e := range p.Diff().Edits() {
			for i := range e.NewLines {
				added[e.New+i] = true
			}
		}
	}
	for _, c := range claimsOf(string(p.Now.Text)) {
		if added != nil && !added[c.line] {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(pd.says[c.subject]), func(l pinnedLine) bool { return l.path == p.Now.Path.String() })
		if len(others) > 0 && !slices.ContainsFunc(others, func(l pinnedLine) bool { return l.says == c.says }) {
			return fmt.Sprintf("%s: %s", others[0].path, others[0].text)
		}
	}
	return ""
}
