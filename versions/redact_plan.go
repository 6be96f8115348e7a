package versions

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/scrub"
)

// RedactTarget says what to erase: exactly one of Version, Versions, Memory and Match is
// set.
type RedactTarget struct {
	Version   VersionID   // one version
	Versions  []VersionID // several versions
	Memory    MemoryID    // the versions of this memory; the current one only with a HeadChoice
	Match     []byte      // every version whose text or path contains this, and other texts in the home
	AllStores bool        // with Match: in all stores of the home

	IgnoreCase bool // with Match: ignore case
	Regexp     bool // Match is a regular expression
}

// PlannedVersion is a version in a redaction plan.
type PlannedVersion struct {
	Version
	StoreID StoreID
	Store   string // the store's name
	Current bool   // it is the current version of its memory
	row     int64
	blob    int64
	store   int64
	memory  int64
}

// RedactPlan is a preview of a redaction.
type RedactPlan struct {
	Target     RedactTarget
	Erase      []PlannedVersion // oldest first
	Kept       []PlannedVersion // have the same content and are not erased
	Places     []TextPlace      // with Match: other texts that contain it
	Unreadable int              // damaged contents, which could not be searched
	changes    []int64          // whose rows contain a path with the text
	newest     int64            // newest version when the plan was made
	needle     *scrub.Needle    // compiled from Match
	taken      int64            // for a hosted store: the change that removed the text from current memories
}

// Empty reports whether the plan has nothing to erase. Texts that can't be erased may
// still contain the text.
func (p RedactPlan) Empty() bool {
	return len(p.Erase) == 0 && len(p.changes) == 0 && !slices.ContainsFunc(p.Places, func(x TextPlace) bool { return !x.Stays })
}

// Current lists the current versions: erasing them requires a HeadChoice.
func (p RedactPlan) Current() []PlannedVersion {
	var out []PlannedVersion
	for _, v := range p.Erase {
		if v.Current {
			out = append(out, v)
		}
	}
	return out
}

// PlanRedact plans what a redaction would erase, and lists what else has the same content.
// It changes nothing. With Match it reads every content of the home once, and the
// conversations, drafts and editors' copies.
func (s *Store) PlanRedact(ctx context.Context, target RedactTarget) (p RedactPlan, err error) {
	p = RedactPlan{Target: target}
	if err := target.Check(); err != nil {
		return p, err
	}
	if p.needle, err = target.needle(); err != nil {
		return p, err
	}
	var holding []int64 // contents with the text
	if p.needle != nil {
		if holding, err = s.t.contentsWith(ctx, p.needle, &p.Unreadable); err != nil {
			return p, err
		}
		beside := s.t.newSweep(p.needle.Pieces(), p)
		beside.Dry = true
		if err := beside.Run(ctx); err != nil {
			return p, err
		}
		p.Places = placesBeside(beside)
	}
	err = s.t.view(ctx, func(q reader) error {
		if err := q.Row(`SELECT coalesce(max(id),0) FROM version`).Scan(&p.newest); err != nil {
			return err
		}
		switch {
		case target.Match != nil:
			return s.planMatch(q, &p, holding)
		case target.Memory != "":
			var memory int64
			if err := q.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(target.Memory)), s.id).Scan(&memory); err != nil {
				return notFound(err, ErrNoMemory, string(target.Memory))
			}
			return p.own(q, `v.memory=?`, memory)
		}
		ids := target.Versions
		if target.Version != "" {
			ids = []VersionID{target.Version}
		}
		rows := make([]int64, len(ids))
		for i, id := range ids {
			var err error
			if rows[i], err = s.findVersion(q, id); err != nil {
				return err
			}
		}
		return p.own(q, `v.id IN (SELECT value FROM json_each(?))`, asJSON(rows))
	})
	return p, err
}

// Check returns why the target is invalid.
func (t RedactTarget) Check() error {
	n := 0
	for _, given := range []bool{t.Version != "", len(t.Versions) > 0, t.Memory != "", t.Match != nil} {
		if given {
			n++
		}
	}
	if n != 1 || t.Match != nil && len(t.Match) == 0 {
		return errors.New("redact: name one of a version, a memory, or a text")
	}
	_, err := t.needle()
	return err
}

// own adds the versions that a condition selects, and as kept those that share a content with them.
func (p *RedactPlan) own(q reader, which string, arg any) (err error) {
	if p.Erase, err = plannedVersions(q, which, arg); err != nil {
		return err
	}
	p.Kept, err = plannedVersions(q, `v.blob IN (SELECT v.blob FROM version v WHERE `+which+`) AND NOT (`+which+`)`, arg, arg)
	return err
}

func (s *Store) planMatch(q reader, p *RedactPlan, blobs []int64) error {
	paths, err := rowsWith(p.needle, q, `SELECT id,path,origin FROM version WHERE path IS NOT NULL`)
	if err != nil {
		return err
	}
	all, err := plannedVersions(q, `v.blob IN (SELECT value FROM json_each(?)) OR v.id IN (SELECT value FROM json_each(?))`, asJSON(blobs), asJSON(paths))
	if err != nil {
		return err
	}
	for _, v := range all {
		if p.Target.AllStores || v.store == s.id {
			p.Erase = append(p.Erase, v)
		} else {
			p.Kept = append(p.Kept, v)
		}
	}
	if p.changes, err = rowsWith(p.needle, q, `SELECT id,path,dest FROM change WHERE store=? OR ?`, s.id, p.Target.AllStores); err != nil {
		return err
	}
	return eachText(q, placeTexts, func(text trailText) error {
		if text.what == "" || !p.Target.AllStores && text.store != 0 && text.store != s.id || !p.needle.InEscaped(text.text) {
			return nil
		}
		p.place(p.needle.Masked(text.what), text.stays)
		return nil
	})
}

// place adds a place that contains the text.
func (p *RedactPlan) place(what string, stays bool) {
	for i := range p.Places {
		if x := &p.Places[i]; x.What == what {
			x.Count++
			return
		}
	}
	p.Places = append(p.Places, TextPlace{What: what, Count: 1, Stays: stays})
}

// plannedVersions reads versions that are not redacted, oldest first.
func plannedVersions(q reader, which string, args ...any) (out []PlannedVersion, err error) {
	var v stored
	var p PlannedVersion
	rows := q.Rows(`SELECT `+versionColumns+`,o.id,o.uid,o.name,v.memory,EXISTS(SELECT 1 FROM head WHERE memory=v.memory AND version=v.id)`+
		versionTables+`JOIN store o ON o.id=m.store WHERE v.redacted IS NULL AND (`+which+`) ORDER BY v.id`, args...)
	for range rows.Each(append(v.columns(), &p.store, idTo(&p.StoreID), &p.Store, &p.memory, &p.Current)...) {
		p.Version, p.row, p.blob = v.Version, v.row, v.blob
		out = append(out, p)
	}
	return out, rows.Err()
}

func asJSON(ids []int64) string {
	b, err := json.Marshal(ids)
	if err != nil {
		panic(err) // numbers always marshal
	}
	return string(b)
}

// contentsWith lists the contents that contain a text.
func (t *Trail) contentsWith(ctx context.Context, n *scrub.Needle, unreadable *int) (out []int64, err error) {
	err = t.eachBlob(ctx, func(q reader, id int64) error {
		b, err := blobs.Get(q, id)
		switch {
		case errors.Is(err, ErrLost) && blobs.IsEmpty(q, id): // so it can't contain the text
		case errors.Is(err, ErrDamaged):
			*unreadable++
		case err != nil:
			return err
		case n.In(b):
			out = append(out, id)
		}
		return nil
	})
	return out, err
}

// stale rejects a plan that is out of date: versions were added that it should name, or
// memories no longer have the content it lists. The caller holds the lock.
func (p RedactPlan) stale(q db.Queryer) error {
	newer, err := p.newer(q, 0)
	if err == nil && len(newer) > 0 {
		err = &StalePlanError{Doing: "redact"}
	}
	return err
}

// newer lists the versions, of one store or (0) of all, that were added after the plan and
// that it should name.
func (p RedactPlan) newer(q db.Queryer, store int64) (out []int64, err error) {
	type came struct {
		id, blob int64
		uid      []byte
		paths    [2]sql.NullString
	}
	var c came
	all, err := db.All(q.Rows(`SELECT v.id,coalesce(v.blob,0),m.uid,v.path,v.origin FROM version v JOIN memory m ON m.id=v.memory WHERE v.id>?1 AND v.redacted IS NULL AND (m.store=?2 OR ?2=0)`, p.newest, store),
		&c, &c.id, &c.blob, &c.uid, &c.paths[0], &c.paths[1])
	if err != nil {
		return nil, err
	}
	memory := ids.Parse(ids.MemoryPrefix, string(p.Target.Memory))
	for _, c := range all {
		named := memory != nil && bytes.Equal(c.uid, memory) || p.erases(c.blob) || p.needle.InString(c.paths[0].String) || p.needle.InString(c.paths[1].String)
		if !named && p.needle != nil && c.blob != 0 {
			b, err := blobs.Get(q, c.blob)
			if err != nil && !errors.Is(err, ErrDamaged) {
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

func (p RedactPlan) erases(blob int64) bool {
	return blob != 0 && slices.ContainsFunc(p.Erase, func(v PlannedVersion) bool { return v.blob == blob })
}

// stillCurrent rejects a plan if other versions are current now.
func (p RedactPlan) stillCurrent(q db.Queryer) error {
	for _, v := range p.Erase {
		var live bool
		if err := q.Row(`SELECT EXISTS(SELECT 1 FROM head WHERE memory=? AND version=?)`, v.memory, v.row).Scan(&live); err != nil {
			return err
		}
		if live != v.Current {
			return &StalePlanError{"redact", v.Path}
		}
	}
	return nil
}

// tellsPath reports whether a path contains the text.
func (p RedactPlan) tellsPath(path memfs.Path) bool { return p.needle.InString(key(path)) }
