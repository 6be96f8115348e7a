package core

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// knownLinks returns the links that the trail knows in the folder, with their targets. It knows none
// before the first scan.
func (x *Txn) knownLinks() (links map[memfs.Path]string, known bool, err error) {
	var text sql.NullString
	if err := x.Row(`SELECT links FROM store WHERE id=?`, x.Store.Row).Scan(&text); err != nil {
		return nil, false, err
	}
	others, err := tables.ParseOthers(text.String)
	links = map[memfs.Path]string{}
	for _, o := range others {
		links[o.To] = o.Target
	}
	return links, text.Valid, err
}

func (x *Txn) setLinks(links map[memfs.Path]string) {
	x.Exec(`UPDATE store SET links=? WHERE id=?`, tables.LinksText(links), x.Store.Row)
}

// followLinks notes what a mutation does to links, so that a scan doesn't take it for another program's act.
func (x *Txn) followLinks(others []tables.Other) error {
	if !slices.ContainsFunc(others, func(o tables.Other) bool { return o.Kind == memfs.Link }) {
		return nil
	}
	links, known, err := x.knownLinks()
	if err != nil || !known {
		return err
	}
	for _, o := range others {
		if o.Kind != memfs.Link {
			continue
		}
		delete(links, o.From)
		if !o.To.IsRoot() && x.Store.Dir.Names().Shows(o.To) {
			links[o.To] = o.Target
		}
	}
	x.setLinks(links)
	return x.Err()
}

// adoptLinks records as a change what other programs did to links since the last scan. The first scan of a
// store only notes which there are.
func (s *Store) adoptLinks(ctx context.Context, sc *scanned) (changed bool, err error) {
	if Hosted(s) || s.Trail.DB.ReadOnly() != nil {
		return false, nil
	}
	found := map[memfs.Path]string{}
	for _, e := range sc.others {
		if e.Kind == versions.LinkEntry {
			found[e.Path] = tables.OthersSafe(e.Note)
		}
	}
	var known sql.NullString
	if err := s.Trail.DB.Row(ctx, `SELECT links FROM store WHERE id=?`, s.Row).Scan(&known); err != nil || known.Valid && known.String == tables.LinksText(found) {
		return false, err
	}
	var c *ChangeRow
	if err := Locked(ctx, s, func(x *Txn) (err error) {
		c, err = x.adoptLinks(found)
		return err
	}); err != nil || c == nil {
		return false, err
	}
	Notify(s.Trail)
	return true, nil
}

func (x *Txn) adoptLinks(found map[memfs.Path]string) (*ChangeRow, error) {
	was, known, err := x.knownLinks()
	if err != nil {
		return nil, err
	}
	if !known {
		x.setLinks(found)
		return nil, x.Err()
	}
	paths := maps.Clone(was)
	maps.Copy(paths, found)
	now := map[memfs.Path]string{}
	var others []tables.Other
	var changed []memfs.Path
	for _, p := range slices.SortedFunc(maps.Keys(paths), versions.ComparePaths) {
		if !x.Store.Dir.Names().Shows(p) { // it is followed no more
			continue
		}
		target := was[p]
		if info, err := x.Store.Dir.Lstat(p); err == nil || memfs.Is(err, memfs.NoMemory) { // the scan didn't hold the lock
			target = tables.OthersSafe(info.Target)
		}
		if target != "" {
			now[p] = target
		}
		if target == was[p] {
			continue
		}
		changed = append(changed, p)
		if was[p] != "" {
			others = append(others, tables.Other{Kind: memfs.Link, From: p, Target: was[p]})
		}
		if target != "" {
			others = append(others, tables.Other{Kind: memfs.Link, To: p, Target: target})
		}
	}
	if len(others) == 0 {
		x.setLinks(now)
		return nil, x.Err()
	}
	c, err := x.NewChange(Outside, Request{Kind: versions.KindAdopt, Path: versions.Common(changed)})
	if err != nil {
		return nil, err
	}
	x.recordOthers(c, others)
	x.setLinks(now)
	return c, x.Err()
}
