package plan

import (
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// Restore is the goal of giving a memory the content of one of its versions, as a new version. An existing memory
// keeps its path; a deleted one comes back under the same id at its path in that version.
type Restore versions.VersionID

// RestoreAt is the goal of restoring some paths, and everything below them, to a moment; the
// root is the whole tree. It covers every memory that was there then or is there now: each
// returns to its path and content of that moment, or is deleted if it didn't exist. Links and
// folders return as far as changes since then affected them.
type RestoreAt struct {
	Moment versions.Moment // only its change counts
	Paths  []memfs.Path
}

func (g Restore) String() string { return "restore version " + string(g) }

func (g RestoreAt) String() string {
	return fmt.Sprintf("restore %s to change %d", versions.Common(g.Paths).Tool(), g.Moment.Change)
}

// covers reports whether a restore covers the path.
func (g RestoreAt) covers(p memfs.Path) bool {
	return slices.ContainsFunc(g.Paths, func(at memfs.Path) bool { return p.In(at) })
}

func (g Restore) collect(p *Planner) error {
	id := versions.VersionID(g)
	if id == "" {
		return fmt.Errorf("restore: %w: no version is named", versions.ErrNothing)
	}
	var m planning.Memory
	row, err := history.FindVersion(p.Store, p.Reader, id)
	if err != nil {
		return err
	}
	err = p.Reader.Row(`SELECT v.memory, m.uid, `+tables.StateColumns+` FROM version v JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob WHERE v.id=?`, row).Scan(append([]any{&m.Row, tables.IDTo(&m.ID)}, tables.StateTo(&m.Then)...)...)
	if err != nil {
		return tables.NotFound(err, versions.ErrNoVersion, string(id))
	}
	switch {
	case m.Then.Redacted:
		return fmt.Errorf("restore: %w", tables.Erased(p.Reader, id))
	case !m.Then.Live():
		return fmt.Errorf("restore: version %s: %w", id, versions.ErrDeletion)
	}
	now, err := p.now(m.Row)
	if err != nil {
		return err
	}
	if now.Live() {
		m.Then = m.Then.At(now.Path)
	}
	p.asked = core.Request{Kind: versions.KindRestore, Path: m.Then.Path}
	p.Items = []*Planned{{Memory: m}}
	return nil
}

// collect adds the memories that changed since the moment and were then, or are now, at a path or below it.
func (g RestoreAt) collect(p *Planner) (err error) {
	if p.shown.Moment, err = history.MomentIn(p.Store, p.Reader, g.Moment.Change); err != nil {
		return err
	}
	p.asked = core.Request{Kind: versions.KindRestore, Path: versions.Common(g.Paths)}
	var next Planned
	var at memfs.Path
	var begins bool
	rows := p.Reader.Rows(`SELECT m.id, m.uid, `+tables.StateColumns+`, h.path, since.number=1 AND EXISTS(SELECT 1 FROM version WHERE memory=since.memory AND number=1 AND op='modified'),
		`+arrivedBy+` NOT IN ('adopt','import') FROM `+history.SinceThen+`
		JOIN memory m ON m.id=since.memory LEFT JOIN version v ON v.memory=since.memory AND v.number=since.number-1
		LEFT JOIN blob b ON b.id=v.blob LEFT JOIN head h ON h.memory=m.id`, p.Store.Row, g.Moment.Change)
	for range rows.Each(append(append([]any{&next.Row, tables.IDTo(&next.ID)}, tables.StateTo(&next.Then)...), tables.PathTo(&at), &begins, &next.KeepFolders)...) {
		it := next
		if begins {
			it.Then = planning.Unknown
		}
		// A redacted version has no path; the memory's current path decides.
		if it.Then.Live() && !it.Then.Redacted && g.covers(it.Then.Path) || !at.IsRoot() && g.covers(at) {
			p.Items = append(p.Items, &it)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if err := p.collectOthersSince(g); err != nil || len(p.Items)+len(p.reversed) > 0 {
		return err
	}
	for _, at := range g.Paths {
		if err := p.checkEver(at); err != nil {
			return err
		}
	}
	return nil
}

// arrivedBy is an SQL expression: the kind of the change that put memory m at its path. If another program
// or an import did, nothing says which folders existed before.
const arrivedBy = `coalesce((SELECT c.kind FROM version a JOIN change c ON c.id=a.change WHERE a.memory=m.id AND (a.op='created' OR a.origin IS NOT NULL) ORDER BY a.number DESC LIMIT 1),'')`

// checkEver returns ErrNoMemory for a path where no memory ever was. It is most likely misspelled, and
// "nothing to do" would mislead.
func (p *Planner) checkEver(at memfs.Path) error {
	if at.IsRoot() {
		return nil
	}
	k := versions.Key(at)
	var known bool
	if err := p.Reader.Row(`SELECT EXISTS(SELECT 1 FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=?1 AND (v.path=?2 OR v.path>?2||'/' AND v.path<?2||'0'))`, p.Store.Row, k).Scan(&known); err != nil {
		return err
	}
	if !known {
		return fmt.Errorf("%s: %w", p.Goal, versions.ErrNoMemory)
	}
	return nil
}

// now adopts the file of a memory and returns the head after that.
func now(d *core.Mutation, memory int64) (tables.Head, error) {
	h, err := d.Txn.HeadOf(memory)
	if err != nil || !h.Live() {
		return h, err
	}
	if _, err := d.Current(h.Path); err != nil {
		return h, err
	}
	return d.Txn.HeadOf(memory)
}
