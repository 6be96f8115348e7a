package versions

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
)

// attribute says what it is that holds erased bytes: versions and memories that
// were not part of the redaction, files beside them, or what it should not be,
// places in the database that belong to none of them.
func (t *Trail) attribute(ctx context.Context, r *Receipt, f *search, p RedactPlan) error {
	a := &attribution{t: t, ctx: ctx, r: r, look: f.look, match: p.Target.Match}
	for _, v := range p.Kept {
		a.hold(Holding{Version: v.ID, Store: v.Store, Path: v.Path.Tool(), Live: v.Live, All: true})
	}
	stores, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	for _, hit := range f.found {
		if hit.trail {
			err = a.trail(hit)
		} else {
			err = a.file(hit, stores)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type attribution struct {
	t     *Trail
	ctx   context.Context
	r     *Receipt
	look  *pieces
	match []byte
}

// masked stands in a receipt for the text that was to be erased.
const masked = "[redacted]"

// hold adds a holding. Where the text stands in a name, the name isn't told.
func (a *attribution) hold(h Holding) {
	for _, name := range []*string{&h.Path, &h.File, &h.Store} {
		if a.match != nil {
			*name = strings.ReplaceAll(*name, string(a.match), masked)
		}
	}
	for i := range a.r.Found {
		if have := &a.r.Found[i]; h.Version != "" && have.Version == h.Version {
			have.Live, have.All = have.Live || h.Live, have.All || h.All
			have.Windows = max(have.Windows, h.Windows)
			if h.File != "" {
				have.File = h.File
			}
			return
		}
	}
	a.r.hold(h)
}

// file attributes a file outside the database: a memory as it stands, or any other.
func (a *attribution) file(hit fileHits, stores []StoreInfo) error {
	h := Holding{File: hit.file, Windows: len(hit.hits)}
	if s, ok := holding(stores, hit.file); ok {
		if h.Windows = a.look.ofNamed(hit.hits); h.Windows == 0 {
			return nil
		}
		rel, err := filepath.Rel(s.Folder, hit.file)
		if err != nil {
			return err
		}
		var uid []byte
		err = a.t.get(a.ctx, `SELECT vuid FROM head WHERE store=(SELECT id FROM store WHERE uid=?) AND path=?`,
			[]any{parseUID(storePrefix, string(s.ID)), filepath.ToSlash(rel)}, &uid)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return diskError(err)
		}
		if err == nil {
			h.Version, h.Store, h.Path, h.Live = VersionID(formatUID(versionPrefix, uid)), s.Name, "/memories/"+filepath.ToSlash(rel), true
		}
	}
	a.hold(h)
	return nil
}

// trail attributes windows that are in the database: to the contents that have
// them in their stored form, and to names and paths. What neither accounts for is
// a remnant.
func (a *attribution) trail(hit fileHits) error {
	known := hits{}
	if err := a.contents(known); err != nil {
		return err
	}
	texts, err := a.texts(known)
	if err != nil {
		return err
	}
	left := 0
	for i, n := range hit.hits {
		// The log may have a page many times; in the database each stands once.
		if known[i] == 0 || filepath.Base(hit.file) == trailFile && n > known[i] || texts[i] > 0 {
			left++
		}
	}
	if left > 0 {
		a.hold(Holding{File: hit.file, Windows: left})
	}
	return nil
}

// contents finds the contents whose stored form has windows of those in hit.
func (a *attribution) contents(known hits) error {
	return a.t.eachBlob(a.ctx, func(q reader, id int64) error {
		own := hits{}
		if err := eachStored(q, id, func(b []byte) { a.look.find(b, 0, own) }); err != nil {
			return err
		}
		for i, n := range own {
			known[i] += n
		}
		if n := a.look.ofNamed(own); n > 0 {
			return a.versionsOf(q, id, n)
		}
		return a.ctx.Err()
	})
}

func (a *attribution) versionsOf(q reader, blob int64, windows int) error {
	vs, err := plannedVersions(q, `v.blob=?`, blob)
	for _, v := range vs {
		a.hold(Holding{Version: v.ID, Store: v.Store, Path: v.Path.Tool(), Live: v.Live, Windows: windows})
	}
	return err
}

// texts finds windows in what the trail says in words: paths, names, descriptions.
func (a *attribution) texts(known hits) (hits, error) {
	out := hits{}
	rows, err := a.t.query(a.ctx, `SELECT path||char(0)||coalesce(origin,'') FROM version WHERE path IS NOT NULL
		UNION ALL SELECT path FROM version WHERE path IS NOT NULL UNION ALL SELECT path||char(0)||dest FROM change
		UNION ALL SELECT path FROM head UNION ALL SELECT path FROM head UNION ALL SELECT path||char(0)||dest FROM intent
		UNION ALL SELECT path||char(0)||origin FROM evidence
		UNION ALL SELECT name||char(0)||title||char(0)||description||char(0)||metadata||char(0)||upstream||char(0)||folder FROM store UNION ALL SELECT receipt FROM redaction`)
	if err != nil {
		return nil, diskError(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text sql.RawBytes
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		a.look.find(bytes.Clone(text), 0, out)
	}
	for i, n := range out {
		known[i] += n
	}
	return out, rows.Err()
}
