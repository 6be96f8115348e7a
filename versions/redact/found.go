package redact

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/scrub"
)

// locate determines what holds the erased bytes that the search found: versions and
// memories outside the redaction, texts of the trail, files beside it, or, which should
// not happen, free space in the database.
func locate(ctx context.Context, t *core.Trail, r *versions.Receipt, f *scrub.Search, p Plan) error {
	l := &locator{t: t, ctx: ctx, r: r, scanner: f.Scanner, known: scrub.Hits{}, seen: scrub.Hits{}}
	defer func() { r.Seen = len(l.seen) }()
	for _, v := range p.Kept {
		l.add(versions.Holding{Version: v.ID, Store: v.Store, Path: v.Path.Tool(), Current: v.Current, All: p.needle == nil})
	}
	if p.needle != nil {
		if err := l.newer(p); err != nil {
			return err
		}
	}
	if err := l.texts(); err != nil {
		return err
	}
	in, err := l.memories(f.Found)
	if err != nil {
		return err
	}
	for i, hit := range f.Found {
		if hit.Live {
			if err := l.trail(hit); err != nil {
				return err
			}
		} else {
			l.file(hit, in[i])
		}
	}
	return nil
}

type locator struct {
	t       *core.Trail
	ctx     context.Context
	r       *versions.Receipt
	scanner scrub.Scanner
	known   scrub.Hits // known to be in the trail legitimately
	named   scrub.Hits // of these, those in texts that can't be named
	seen    scrub.Hits // found anywhere
	read    bool       // known includes the contents
}

// count adds one to each window that a search found.
func (l *locator) count(found scrub.Hits) {
	for i := range found {
		l.seen[i]++
	}
}

// newer finds versions that were added since the plan.
func (l *locator) newer(p Plan) error {
	return core.View(l.ctx, l.t, func(q tables.Reader) error {
		ids, err := p.newer(q, 0)
		if err != nil {
			return err
		}
		vs, err := heldVersions(q, `v.id IN (SELECT value FROM json_each(?))`, tables.AsJSON(ids))
		for _, v := range vs {
			l.add(versions.Holding{Version: v.ID, Store: v.Store, Path: v.Path.Tool(), Current: v.Current})
		}
		return err
	})
}

// add adds a holding. It omits a name that itself contains the text.
func (l *locator) add(h versions.Holding) {
	for _, name := range []*string{&h.Path, &h.File, &h.Store, &h.Place} {
		*name = l.scanner.Needle.Masked(*name)
	}
	for i := range l.r.Found {
		if have := &l.r.Found[i]; h.Version != "" && have.Version == h.Version {
			have.Current, have.All = have.Current || h.Current, have.All || h.All
			have.Windows, have.Matches = max(have.Windows, h.Windows), max(have.Matches, h.Matches)
			if h.File != "" {
				have.File = h.File
			}
			return
		}
	}
	add(l.r, h)
}

// memory is what the trail says of a file.
type memory struct {
	store   versions.StoreInfo // whose folder has the file; zero if there is none
	path    string             // in the store
	current versions.VersionID // empty if it is no memory
}

// memories returns what the trail says of each of some files.
func (l *locator) memories(found []scrub.FileFinding) ([]memory, error) {
	stores, err := l.t.Stores(l.ctx)
	if err != nil {
		return nil, err
	}
	in := make([]memory, len(found))
	paths := map[versions.StoreID][]string{}
	for i, hit := range found {
		if s, ok := versions.HoldingFile(stores, hit.File); ok && !hit.Live {
			rel, err := filepath.Rel(s.Folder, hit.File)
			if err != nil {
				return nil, err
			}
			in[i] = memory{store: s, path: filepath.ToSlash(rel)}
			paths[s.ID] = append(paths[s.ID], in[i].path)
		}
	}
	for id, list := range paths {
		asJSON, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		var path string
		var current versions.VersionID
		byPath := map[string]versions.VersionID{}
		rows := l.t.DB.Rows(l.ctx, `SELECT path,vuid FROM head WHERE store=(SELECT id FROM store WHERE uid=?) AND path IN (SELECT value FROM json_each(?))`, ids.Parse(ids.StorePrefix, string(id)), string(asJSON))
		for range rows.Each(&path, tables.IDTo(&current)) {
			byPath[path] = current
		}
		if err := rows.Err(); err != nil {
			return nil, err
		}
		for i := range in {
			if in[i].store.ID == id {
				in[i].current = byPath[in[i].path]
			}
		}
	}
	return in, nil
}

// file locates what was found in a file outside the database: a current memory or any other file.
func (l *locator) file(hit scrub.FileFinding, in memory) {
	h := versions.Holding{File: hit.File, Windows: len(hit.Hits), Matches: hit.Matches, All: hit.Whole}
	if hit.Named {
		h.Matches++
	}
	if in.path != "" {
		if h.Windows = l.scanner.Pieces.CountNamed(hit.Hits); h.Windows == 0 && h.Matches == 0 && !h.All {
			return
		}
	}
	if h.Version = in.current; in.current != "" {
		h.Store, h.Path, h.Current = in.store.Name, "/memories/"+in.path, true
	}
	l.count(hit.Hits)
	l.add(h)
}

// trail locates windows found in the database to the contents whose stored form has
// them, and to names and paths. Windows that neither explains are remnants.
func (l *locator) trail(hit scrub.FileFinding) error {
	if !l.read {
		l.read = true
		if err := l.contents(l.known); err != nil {
			return err
		}
	}
	left := 0
	for i, n := range hit.Hits {
		// The log may contain a page many times; the database contains each once.
		if l.known[i] == 0 || filepath.Base(hit.File) == db.File && n > l.known[i] || l.named[i] > 0 {
			left++
			l.seen[i]++
		}
	}
	if left > 0 {
		l.add(versions.Holding{File: hit.File, Windows: left})
	}
	return nil
}

// contents finds the contents whose stored form has known windows.
func (l *locator) contents(known scrub.Hits) error {
	return core.EachBlob(l.ctx, l.t, func(q tables.Reader, id int64) error {
		own := scrub.Hits{}
		if err := blobs.EachStored(q, id, func(b []byte) { l.scanner.Pieces.Find(b, own) }); err != nil {
			return err
		}
		for i, n := range own {
			known[i] += n
		}
		if n := l.scanner.Pieces.CountNamed(own); n > 0 {
			l.count(own)
			return l.versionsOf(q, id, n)
		}
		return l.ctx.Err()
	})
}

func (l *locator) versionsOf(q tables.Reader, blob int64, windows int) error {
	vs, err := heldVersions(q, `v.blob=?`, blob)
	for _, v := range vs {
		l.add(versions.Holding{Version: v.ID, Store: v.Store, Path: v.Path.Tool(), Current: v.Current, Windows: windows})
	}
	return err
}

// texts searches the trail's texts: names, descriptions, paths.
func (l *locator) texts() error {
	l.named = scrub.Hits{}
	at := map[string]int{} // index of the holding of each place
	err := core.View(l.ctx, l.t, func(q tables.Reader) error {
		err := eachText(q, slices.Concat(pathTexts, placeTexts()), func(x trailText) error {
			raw := scrub.Hits{}
			l.scanner.Pieces.Find(x.text, raw)
			for i, n := range raw {
				l.known[i] += n * x.copies
				if x.what == "" {
					l.named[i] += n
				}
			}
			var found scrub.Finding
			l.scanner.Text(x.words, &found)
			if x.what == "" || !found.Any() {
				return nil
			}
			l.count(found.Hits)
			h := versions.Holding{Place: x.what, Windows: len(found.Hits), Matches: found.Matches, All: found.Whole}
			if i, known := at[x.what]; known {
				l.r.Found[i].Matches += h.Matches
				return nil
			}
			if at[x.what] = len(l.r.Found); len(l.r.Found) >= maxHoldings {
				delete(at, x.what)
			}
			l.add(h)
			return nil
		})
		if err != nil {
			return err
		}
		return l.log(q)
	})
	return err
}

// log adds to the known windows those that the log has once more. One that only the log has is a remnant.
func (l *locator) log(q tables.Reader) error {
	var secret sql.RawBytes
	rows := q.Rows(`SELECT secret FROM log WHERE secret IS NOT NULL`)
	for range rows.Each(&secret) {
		again := scrub.Hits{}
		l.scanner.Pieces.Find(secret, again)
		for i, n := range again {
			if l.known[i] > 0 {
				l.known[i] += n
			}
		}
	}
	return rows.Err()
}
