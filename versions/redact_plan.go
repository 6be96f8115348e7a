package versions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/memtrail/memtrail/memfs"
)

// RedactTarget says what to erase: one of Version, Versions, Memory and Match.
type RedactTarget struct {
	Version   VersionID   // this version
	Versions  []VersionID // these versions
	Memory    MemoryID    // the versions of this memory; of one that stands the newest only with a HeadChoice
	Match     []byte      // every version whose text or path holds this
	Shared    bool        // but for Match: other versions with the same content too, of whatever store
	AllStores bool        // with Match: of all stores of the home
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
	Unreadable int              // contents that could not be searched: they are damaged
	changes    []int64          // that tell a path which holds the text
	newest     int64            // version there was when it was made

	// Of a hosted store:
	taken        int64 // the change that took it out of memories that stood
	erasedThere  int   // versions that the service has erased
	droppedThere int   // that it no longer had
}

// Empty reports whether there is nothing to erase.
func (p RedactPlan) Empty() bool { return len(p.Erase) == 0 && len(p.changes) == 0 }

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
// content. It changes nothing. With Match it reads every content of the home once.
func (s *Store) PlanRedact(ctx context.Context, target RedactTarget) (RedactPlan, error) {
	p := RedactPlan{Target: target}
	if err := target.check(); err != nil {
		return p, err
	}
	var holding []int64 // contents
	if target.Match != nil {
		var err error
		if holding, err = s.t.contentsWith(ctx, target.Match, &p.Unreadable); err != nil {
			return p, err
		}
	}
	err := s.t.view(ctx, func(q reader) error {
		if err := q.row(`SELECT coalesce(max(id),0) FROM version`).Scan(&p.newest); err != nil {
			return err
		}
		switch {
		case target.Match != nil:
			return s.planMatch(q, &p, holding)
		case target.Memory != "":
			var memory int64
			if err := q.row(`SELECT id FROM memory WHERE uid=? AND store=?`, parseUID(memoryPrefix, string(target.Memory)), s.id).Scan(&memory); err != nil {
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

func (t RedactTarget) check() error {
	n := 0
	for _, given := range []bool{t.Version != "", len(t.Versions) > 0, t.Memory != "", t.Match != nil} {
		if given {
			n++
		}
	}
	if n != 1 || t.Match != nil && len(t.Match) == 0 {
		return errors.New("redact: name one of a version, a memory, or a text")
	}
	return nil
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
	all, err := plannedVersions(q, `v.blob IN (SELECT value FROM json_each(?1)) OR instr(CAST(v.path AS BLOB),?2) OR instr(CAST(v.origin AS BLOB),?2)`, asJSON(blobs), p.Target.Match)
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
	p.changes, err = q.ids(`SELECT id FROM change WHERE (store=? OR ?) AND (instr(CAST(path AS BLOB),?) OR instr(CAST(dest AS BLOB),?))`,
		s.id, p.Target.AllStores, p.Target.Match, p.Target.Match)
	return err
}

// plannedVersions reads versions that are not redacted, oldest first.
func plannedVersions(q reader, which string, args ...any) ([]PlannedVersion, error) {
	rows, err := q.rows(`SELECT `+versionColumns+`,o.id,o.uid,o.name,v.memory,EXISTS(SELECT 1 FROM head WHERE memory=v.memory AND version=v.id)`+
		versionTables+`JOIN store o ON o.id=m.store WHERE v.redacted IS NULL AND (`+which+`) ORDER BY v.id`, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []PlannedVersion
	for rows.Next() {
		var p PlannedVersion
		var uid []byte
		v, err := scanVersion(rows, &p.store, &uid, &p.Store, &p.memory, &p.Live)
		if err != nil {
			return nil, err
		}
		p.Version, p.row, p.blob, p.StoreID = v.Version, v.row, v.blob, StoreID(formatUID(storePrefix, uid))
		out = append(out, p)
	}
	return out, rows.Err()
}

func asJSON(ids []int64) string {
	b, err := json.Marshal(ids)
	if err != nil {
		panic(err) // numbers
	}
	return string(b)
}

// contentsWith lists the contents that hold a text.
func (t *Trail) contentsWith(ctx context.Context, text []byte, unreadable *int) (out []int64, err error) {
	err = t.eachBlob(ctx, func(q reader, id int64) error {
		b, err := blobContent(q, id)
		switch {
		case errors.Is(err, ErrLost) && storesNothing(q, id): // and so can't hold it
		case errors.Is(err, ErrDamaged):
			*unreadable++
		case err != nil:
			return err
		case bytes.Contains(b, text):
			out = append(out, id)
		}
		return nil
	})
	return out, err
}

// stale refuses a plan that is no longer what would be done: versions have come
// that it should name, or memories have moved on from what it says they hold.
// The caller holds the lock.
func (p RedactPlan) stale(q rower) error {
	t := p.Target
	blobs, err := idsOf(q, `SELECT coalesce(v.blob,0) FROM version v JOIN memory m ON m.id=v.memory WHERE v.id>?1`, p.newest)
	if err != nil || len(blobs) == 0 {
		return err
	}
	var named int
	if err := q.row(`SELECT count(*) FROM version v JOIN memory m ON m.id=v.memory
		WHERE v.id>? AND (m.uid=? OR instr(CAST(v.path AS BLOB),?) OR instr(CAST(v.origin AS BLOB),?))`,
		p.newest, parseUID(memoryPrefix, string(t.Memory)), t.Match, t.Match).Scan(&named); err != nil {
		return diskError(err)
	}
	if named > 0 {
		return &StalePlanError{Doing: "redact"}
	}
	for _, blob := range blobs {
		if p.erases(blob) {
			return &StalePlanError{Doing: "redact"}
		}
		if t.Match == nil || blob == 0 {
			continue
		}
		b, err := blobContent(q, blob)
		if err != nil && !errors.Is(err, ErrDamaged) {
			return err
		}
		if bytes.Contains(b, t.Match) {
			return &StalePlanError{Doing: "redact"}
		}
	}
	return nil
}

func (p RedactPlan) erases(blob int64) bool {
	return blob != 0 && slices.ContainsFunc(p.Erase, func(v PlannedVersion) bool { return v.blob == blob })
}

// stillLive refuses a plan whose idea of what stands is no longer so.
func (p RedactPlan) stillLive(q rower) error {
	for _, v := range p.Erase {
		var live bool
		if err := q.row(`SELECT EXISTS(SELECT 1 FROM head WHERE memory=? AND version=?)`, v.memory, v.row).Scan(&live); err != nil {
			return diskError(err)
		}
		if live != v.Live {
			return &StalePlanError{"redact", v.Path}
		}
	}
	return nil
}

// tellsPath reports whether the text stands in a path.
func (t RedactTarget) tellsPath(p memfs.Path) bool {
	return t.Match != nil && bytes.Contains([]byte(key(p)), t.Match)
}
