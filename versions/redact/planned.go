package redact

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/scrub"
)

// Plan is a preview of a redaction.
type Plan struct {
	Target     versions.RedactTarget
	Erase      []versions.PlannedVersion // oldest first
	Kept       []versions.PlannedVersion // have the same content and are not erased
	Places     []versions.TextPlace      // with Match: other texts that contain it
	Unreadable int                       // damaged contents, which could not be searched
	beside     int                       // how many of Places, the first, are in files beside the trail
	changes    []int64                   // whose rows contain a path with the text
	Newest     int64                     // newest version when the plan was made
	needle     *scrub.Needle             // compiled from Match
	brief      bool                      // of versions, only what a receipt says of them is read
	Taken      int64                     // for a hosted store: the change that removed the text from current memories
}

// Empty reports whether the plan has nothing to erase. Texts that can't be erased may
// still contain the text.
func (p Plan) Empty() bool {
	return len(p.Erase) == 0 && len(p.changes) == 0 && !slices.ContainsFunc(p.Places, func(x versions.TextPlace) bool { return !x.Stays })
}

// Current lists the current versions: erasing them requires a HeadChoice.
func (p Plan) Current() []versions.PlannedVersion {
	var out []versions.PlannedVersion
	for _, v := range p.Erase {
		if v.Current {
			out = append(out, v)
		}
	}
	return out
}

// Prepare plans what a redaction would erase, and lists what else has the same content.
// It changes nothing. With Match it reads every content of the home once, and the
// conversations, drafts and editors' copies.
func Prepare(ctx context.Context, s *core.Store, target versions.RedactTarget) (Plan, error) {
	return prepare(ctx, s, Plan{Target: target})
}

func prepare(ctx context.Context, s *core.Store, p Plan) (_ Plan, err error) {
	target := p.Target
	if err := Check(target); err != nil {
		return p, err
	}
	if p.needle, err = needle(target); err != nil {
		return p, err
	}
	var holding []int64 // contents with the text
	if p.needle != nil {
		if holding, err = contentsWith(ctx, s.Trail, p.needle, &p.Unreadable); err != nil {
			return p, err
		}
		beside := newSweep(s.Trail, p.needle.Pieces(), p)
		beside.Dry = true
		if err := beside.Run(ctx); err != nil {
			return p, err
		}
		p.Places = placesBeside(beside)
		p.beside = len(p.Places)
	}
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		if err := q.Row(`SELECT coalesce(max(id),0) FROM version`).Scan(&p.Newest); err != nil {
			return err
		}
		switch {
		case target.Match != nil:
			return planMatch(s, q, &p, holding)
		case target.Memory != "":
			var memory int64
			if err := q.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(target.Memory)), s.Row).Scan(&memory); err != nil {
				return tables.NotFound(err, versions.ErrNoMemory, string(target.Memory))
			}
			return p.own(q, `v.memory=?`, memory)
		}
		ids := target.Versions
		if target.Version != "" {
			ids = []versions.VersionID{target.Version}
		}
		rows := make([]int64, len(ids))
		for i, id := range ids {
			var err error
			if rows[i], err = history.FindVersion(s, q, id); err != nil {
				return err
			}
		}
		return p.own(q, `v.id IN (SELECT value FROM json_each(?))`, tables.AsJSON(rows))
	})
	return p, err
}

// Check returns why the target is invalid.
func Check(t versions.RedactTarget) error {
	n := 0
	for _, given := range []bool{t.Version != "", len(t.Versions) > 0, t.Memory != "", t.Match != nil} {
		if given {
			n++
		}
	}
	if n != 1 || t.Match != nil && len(t.Match) == 0 {
		return errors.New("redact: name one of a version, a memory, or a text")
	}
	_, err := needle(t)
	return err
}

// own adds the versions that a condition selects, and as kept those that share a content with them.
func (p *Plan) own(q tables.Reader, which string, arg any) (err error) {
	if p.Erase, err = PlannedVersions(q, which, arg); err != nil {
		return err
	}
	p.Kept, err = PlannedVersions(q, `v.blob IN (SELECT v.blob FROM version v WHERE `+which+`) AND NOT (`+which+`)`, arg, arg)
	return err
}

// matching adds the versions with some contents, or with the text in their paths.
func (p *Plan) matching(s *core.Store, q tables.Reader, blobs []int64) error {
	read, which := PlannedVersions, pathsOfVersions
	if p.brief {
		read = heldVersions
	} else {
		which = pathsToErase
	}
	paths, err := rowsWith(p.needle, q, which)
	if err != nil {
		return err
	}
	all, err := read(q, `v.blob IN (SELECT value FROM json_each(?)) OR v.id IN (SELECT value FROM json_each(?))`, tables.AsJSON(blobs), tables.AsJSON(paths))
	if err != nil {
		return err
	}
	for _, v := range all {
		if p.Target.AllStores || v.StoreRow == s.Row {
			p.Erase = append(p.Erase, v)
		} else {
			p.Kept = append(p.Kept, v)
		}
	}
	return nil
}

// pathsOfVersions reads the paths of versions for rowsWith.
const pathsOfVersions = `SELECT id,path,origin FROM version WHERE path IS NOT NULL`

// pathsToErase is pathsOfVersions without the former paths of current versions, which eraseOrigins erases.
const pathsToErase = `SELECT id,path,iif(EXISTS(SELECT 1 FROM head WHERE memory=version.memory AND version=version.id),NULL,origin) FROM version WHERE path IS NOT NULL`

func planMatch(s *core.Store, q tables.Reader, p *Plan, blobs []int64) (err error) {
	if err := p.matching(s, q, blobs); err != nil {
		return err
	}
	if p.changes, err = rowsWith(p.needle, q, `SELECT id,path,dest FROM change WHERE store=?1 OR ?2
		UNION ALL SELECT v.change,v.origin,NULL FROM head h JOIN version v ON v.id=h.version WHERE h.store=?1 OR ?2`, s.Row, p.Target.AllStores); err != nil {
		return err
	}
	if len(p.Erase) == 0 { // else the paths of the versions say it
		if err := p.placeChanges(q); err != nil {
			return err
		}
	}
	return eachText(q, placeTexts(), func(text trailText) error {
		if text.what == "" || !p.Target.AllStores && text.store != 0 && text.store != s.Row || !p.needle.InEscaped(text.words) {
			return nil
		}
		p.place(p.needle.Masked(text.what), text.stays)
		return nil
	})
}

// placeChanges adds the changes whose rows contain a path with the text.
func (p *Plan) placeChanges(q tables.Reader) error {
	var store string
	var x versions.TextPlace
	rows := q.Rows(`SELECT o.name,count(*) FROM change c JOIN store o ON o.id=c.store WHERE c.id IN (SELECT value FROM json_each(?)) GROUP BY o.id`, tables.AsJSON(p.changes))
	for range rows.Each(&store, &x.Count) {
		x.What = p.needle.Masked("path of a change in store " + store)
		p.Places = append(p.Places, x)
	}
	return rows.Err()
}

// place adds a place that contains the text.
func (p *Plan) place(what string, stays bool) {
	for i := range p.Places {
		if x := &p.Places[i]; x.What == what {
			x.Count++
			return
		}
	}
	p.Places = append(p.Places, versions.TextPlace{What: what, Count: 1, Stays: stays})
}

// PlannedVersions reads versions that are not redacted, oldest first.
func PlannedVersions(q tables.Reader, which string, args ...any) (out []versions.PlannedVersion, err error) {
	var v tables.Stored
	var p versions.PlannedVersion
	rows := q.Rows(`SELECT `+tables.VersionColumns+`,o.id,o.uid,o.name,v.memory,EXISTS(SELECT 1 FROM head WHERE memory=v.memory AND version=v.id)`+
		tables.VersionTables+`JOIN store o ON o.id=m.store WHERE v.redacted IS NULL AND (`+which+`) ORDER BY v.id`, args...)
	for range rows.Each(append(v.To(), &p.StoreRow, tables.IDTo(&p.StoreID), &p.Store, &p.Memory, &p.Current)...) {
		p.Version, p.Row, p.Blob = v.Version, v.Row, v.Blob
		out = append(out, p)
	}
	return out, rows.Err()
}

// heldVersions reads what a receipt says of versions that are not redacted, oldest first.
func heldVersions(q tables.Reader, which string, args ...any) ([]versions.PlannedVersion, error) {
	var p versions.PlannedVersion
	return db.All(q.Rows(`SELECT v.id,v.uid,v.path,coalesce(v.blob,0),o.id,o.name,EXISTS(SELECT 1 FROM head WHERE memory=v.memory AND version=v.id)
		FROM version v JOIN memory m ON m.id=v.memory JOIN store o ON o.id=m.store WHERE v.redacted IS NULL AND (`+which+`) ORDER BY v.id`, args...),
		&p, &p.Row, tables.IDTo(&p.ID), tables.PathTo(&p.Path), &p.Blob, &p.StoreRow, &p.Store, &p.Current)
}

// contentsWith lists the contents that contain a text.
func contentsWith(ctx context.Context, t *core.Trail, n *scrub.Needle, unreadable *int) (out []int64, err error) {
	err = eachWith(ctx, t, n, unreadable, func(c blobs.Content) { out = append(out, c.ID) })
	return out, err
}

// eachWith calls do for the contents that contain a text.
func eachWith(ctx context.Context, t *core.Trail, n *scrub.Needle, unreadable *int, do func(blobs.Content)) error {
	return core.EachContents(ctx, t, func(q tables.Reader, some []blobs.Content) error {
		found := make([]bool, len(some))
		memfs.Parallel(len(some), func(i int) { found[i] = some[i].Err == nil && n.In(some[i].Text) })
		for i, c := range some {
			switch {
			case found[i]:
				do(c)
			case c.Err == nil:
			case errors.Is(c.Err, versions.ErrLost) && blobs.IsEmpty(q, c.ID): // so it can't contain the text
			case errors.Is(c.Err, versions.ErrDamaged):
				*unreadable++
			default:
				return c.Err
			}
		}
		return ctx.Err()
	})
}

// OtherCase returns how many more versions contain the text of a target, or have it in a path, if case is ignored.
func OtherCase(ctx context.Context, s *core.Store, target versions.RedactTarget) (n int, err error) {
	exact, err := needle(target)
	if err != nil {
		return 0, err
	}
	target.IgnoreCase = true
	folded, err := needle(target)
	if err != nil {
		return 0, err
	}
	var holding, more []int64
	err = eachWith(ctx, s.Trail, folded, new(int), func(c blobs.Content) {
		if exact.In(c.Text) {
			holding = append(holding, c.ID)
		} else {
			more = append(more, c.ID)
		}
	})
	if err != nil {
		return 0, err
	}
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		paths, err := rowsWith(folded, q, pathsOfVersions)
		if err != nil || len(paths)+len(more) == 0 {
			return err
		}
		known, err := rowsWith(exact, q, pathsOfVersions)
		if err != nil {
			return err
		}
		return q.Row(`SELECT count(*) FROM version v JOIN memory m ON m.id=v.memory WHERE v.redacted IS NULL AND (m.store=? OR ?)
			AND (v.blob IN (SELECT value FROM json_each(?)) OR v.id IN (SELECT value FROM json_each(?)))
			AND (v.blob IN (SELECT value FROM json_each(?)) OR v.id IN (SELECT value FROM json_each(?))) IS NOT TRUE`,
			s.Row, target.AllStores, tables.AsJSON(more), tables.AsJSON(paths), tables.AsJSON(holding), tables.AsJSON(known)).Scan(&n)
	})
	return n, err
}

// stale rejects a plan that is out of date: versions were added that it should name, or
// memories no longer have the content it lists. The caller holds the lock.
func (p Plan) stale(q db.Queryer) error {
	newer, err := p.newer(q, 0)
	if err == nil && len(newer) > 0 {
		err = &versions.StalePlanError{Doing: "redact"}
	}
	return err
}

// newer lists the versions, of one store or (0) of all, that were added after the plan and
// that it should name.
func (p Plan) newer(q db.Queryer, store int64) (out []int64, err error) {
	type came struct {
		id, blob int64
		uid      []byte
		paths    [2]sql.NullString
	}
	var c came
	all, err := db.All(q.Rows(`SELECT v.id,coalesce(v.blob,0),m.uid,v.path,v.origin FROM version v JOIN memory m ON m.id=v.memory WHERE v.id>?1 AND v.redacted IS NULL AND (m.store=?2 OR ?2=0)`, p.Newest, store),
		&c, &c.id, &c.blob, &c.uid, &c.paths[0], &c.paths[1])
	if err != nil {
		return nil, err
	}
	memory := ids.Parse(ids.MemoryPrefix, string(p.Target.Memory))
	for _, c := range all {
		named := memory != nil && bytes.Equal(c.uid, memory) || p.erases(c.blob) || p.needle.InString(c.paths[0].String) || p.needle.InString(c.paths[1].String)
		if !named && p.needle != nil && c.blob != 0 {
			b, err := blobs.Get(q, c.blob)
			if err != nil && !errors.Is(err, versions.ErrDamaged) {
				return nil, err
			}
			named = p.needle.In(b)
		}
		if named {
			out = append(out, c.id)
		}
	}
	return out, nil
}

func (p Plan) erases(blob int64) bool {
	return blob != 0 && slices.ContainsFunc(p.Erase, func(v versions.PlannedVersion) bool { return v.Blob == blob })
}

// stillCurrent rejects a plan if other versions are current now.
func (p Plan) stillCurrent(q db.Queryer) error {
	for _, v := range p.Erase {
		var live bool
		if err := q.Row(`SELECT EXISTS(SELECT 1 FROM head WHERE memory=? AND version=?)`, v.Memory, v.Row).Scan(&live); err != nil {
			return err
		}
		if live != v.Current {
			return &versions.StalePlanError{Doing: "redact", Path: v.Path}
		}
	}
	return nil
}

// tellsPath reports whether a path contains the text.
func (p Plan) tellsPath(path memfs.Path) bool { return p.needle.InString(versions.Key(path)) }
