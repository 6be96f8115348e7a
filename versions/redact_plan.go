package versions

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/scrub"
)

// RedactTarget says what to erase: one of Version, Versions, Memory and Match.
type RedactTarget struct {
	Version   VersionID   // this version
	Versions  []VersionID // these versions
	Memory    MemoryID    // the versions of this memory; of one that stands the newest only with a HeadChoice
	Match     []byte      // every version whose text or path holds this, and what else in the home does
	Shared    bool        // but for Match: other versions with the same content too, of whatever store
	AllStores bool        // with Match: of all stores of the home

	IgnoreCase bool // with Match: in upper and lower case
	Regexp     bool // Match is a regular expression
}

// PlannedVersion is a version as a plan names it.
type PlannedVersion struct {
	Version
	StoreID StoreID
	Store   string // its name
	Live    bool   // its memory stands, and this is what it holds
	row     int64
	blob    int64
	store   int64
	memory  int64
}

// RedactPlan is what a redaction would do.
type RedactPlan struct {
	Target     RedactTarget
	Erase      []PlannedVersion // oldest first
	Kept       []PlannedVersion // hold the same and are not part of it
	Places     []TextPlace      // with Match: what besides versions holds it
	Unreadable int              // contents that could not be searched: they are damaged
	changes    []int64          // that tell a path which holds the text
	newest     int64            // version there was when it was made
	needle     *scrub.Needle    // of Match
	dropped    []StoreID        // stores that are deleted
	taken      int64            // of a hosted store: the change that took it out of memories that stood
}

// Empty reports whether there is nothing to erase. Something that can't be erased may
// hold the text all the same.
func (p RedactPlan) Empty() bool {
	return len(p.Erase) == 0 && len(p.changes) == 0 && !slices.ContainsFunc(p.Places, func(x TextPlace) bool { return !x.Stays })
}

// Live lists the versions that stand: erasing them takes a HeadChoice.
func (p RedactPlan) Live() []PlannedVersion {
	var out []PlannedVersion
	for _, v := range p.Erase {
		if v.Live {
			out = append(out, v)
		}
	}
	return out
}

// PlanRedact says what a redaction would erase, and what would keep the same
// content. It changes nothing. With Match it reads every content of the home once, and
// the conversations, drafts and editors' copies.
func (s *Store) PlanRedact(ctx context.Context, target RedactTarget) (p RedactPlan, err error) {
	p = RedactPlan{Target: target}
	if err := target.Check(); err != nil {
		return p, err
	}
	if p.needle, err = target.needle(); err != nil {
		return p, err
	}
	var holding []int64 // contents
	if p.needle != nil {
		if holding, err = s.t.contentsWith(ctx, p.needle, &p.Unreadable); err != nil {
			return p, err
		}
		outside := s.t.newSweep(p.needle.Pieces(), p)
		outside.dry = true
		if err := outside.run(ctx); err != nil {
			return p, err
		}
		p.Places = outside.places
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

// Check reports what no redaction can be about.
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

// own plans the versions that a condition chooses, and those that share a
// content with them.
func (p *RedactPlan) own(q reader, which string, arg any) (err error) {
	if p.Erase, err = plannedVersions(q, which, arg); err != nil {
		return err
	}
	sharing, err := plannedVersions(q, `v.blob IN (SELECT v.blob FROM version v WHERE `+which+`) AND NOT (`+which+`)`, arg, arg)
	if p.Target.Shared {
		p.Erase = append(p.Erase, sharing...)
	} else {
		p.Kept = sharing
	}
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

// place adds to the places that hold the text.
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
func plannedVersions(q reader, which string, args ...any) ([]PlannedVersion, error) {
	var out []PlannedVersion
	for row, err := range q.Each(`SELECT `+versionColumns+`,o.id,o.uid,o.name,v.memory,EXISTS(SELECT 1 FROM head WHERE memory=v.memory AND version=v.id)`+
		versionTables+`JOIN store o ON o.id=m.store WHERE v.redacted IS NULL AND (`+which+`) ORDER BY v.id`, args...) {
		if err != nil {
			return nil, err
		}
		var p PlannedVersion
		var uid []byte
		v, err := scanVersion(row, &p.store, &uid, &p.Store, &p.memory, &p.Live)
		if err != nil {
			return nil, err
		}
		p.Version, p.row, p.blob, p.StoreID = v.Version, v.row, v.blob, StoreID(ids.Format(ids.StorePrefix, uid))
		out = append(out, p)
	}
	return out, nil
}

func asJSON(ids []int64) string {
	b, err := json.Marshal(ids)
	if err != nil {
		panic(err) // numbers
	}
	return string(b)
}

// contentsWith lists the contents that hold a text.
func (t *Trail) contentsWith(ctx context.Context, n *scrub.Needle, unreadable *int) (out []int64, err error) {
	err = t.eachBlob(ctx, func(q reader, id int64) error {
		b, err := blobContent(q, id)
		switch {
		case errors.Is(err, ErrLost) && storesNothing(q, id): // and so can't hold it
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

// stale refuses a plan that is no longer what would be done: versions have come
// that it should name, or memories have moved on from what it says they hold.
// The caller holds the lock.
func (p RedactPlan) stale(q db.Queryer) error {
	newer, err := p.newer(q, 0)
	if err == nil && len(newer) > 0 {
		err = &StalePlanError{Doing: "redact"}
	}
	return err
}

// newer lists the versions of a store, 0: of all, that came after the plan and that it
// should name.
func (p RedactPlan) newer(q db.Queryer, store int64) (out []int64, err error) {
	type came struct {
		id, blob int64
		uid      []byte
		paths    [2]sql.NullString
	}
	var all []came
	for row, err := range q.Each(`SELECT v.id,coalesce(v.blob,0),m.uid,v.path,v.origin FROM version v JOIN memory m ON m.id=v.memory WHERE v.id>?1 AND v.redacted IS NULL AND (m.store=?2 OR ?2=0)`, p.newest, store) {
		if err != nil {
			return nil, err
		}
		var c came
		if err := row.Scan(&c.id, &c.blob, &c.uid, &c.paths[0], &c.paths[1]); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	memory := ids.Parse(ids.MemoryPrefix, string(p.Target.Memory))
	for _, c := range all {
		named := memory != nil && bytes.Equal(c.uid, memory) || p.erases(c.blob) || p.needle.InString(c.paths[0].String) || p.needle.InString(c.paths[1].String)
		if !named && p.needle != nil && c.blob != 0 {
			b, err := blobContent(q, c.blob)
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

// stillLive refuses a plan whose idea of what stands is no longer so.
func (p RedactPlan) stillLive(q db.Queryer) error {
	for _, v := range p.Erase {
		var live bool
		if err := q.Row(`SELECT EXISTS(SELECT 1 FROM head WHERE memory=? AND version=?)`, v.memory, v.row).Scan(&live); err != nil {
			return err
		}
		if live != v.Live {
			return &StalePlanError{"redact", v.Path}
		}
	}
	return nil
}

// tellsPath reports whether the text stands in a path.
func (p RedactPlan) tellsPath(path memfs.Path) bool { return p.needle.InString(key(path)) }
