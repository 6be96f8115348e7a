package versions

import (
	"context"
	"database/sql"
	"maps"
	"slices"

	"github.com/memend/memend/memfs"
)

// LinkChange is what another program did to a link: it may change what an agent reads at its path.
type LinkChange struct {
	Path     memfs.Path
	Was, Now string // its targets; empty if there was, or is, no link
}

// linkChanges pairs what a change recorded about links.
func linkChanges(text string) (out []LinkChange, err error) {
	others, err := parseOthers(text)
	for _, o := range others {
		if n := len(out); n > 0 && out[n-1].Path == o.to && out[n-1].Now == "" {
			out[n-1].Now = o.target
		} else if o.to.IsRoot() {
			out = append(out, LinkChange{Path: o.from, Was: o.target})
		} else {
			out = append(out, LinkChange{Path: o.to, Now: o.target})
		}
	}
	return out, err
}

// knownLinks returns the links that the trail knows in the folder, with their targets. It knows none
// before the first scan.
func (x *txn) knownLinks() (links map[memfs.Path]string, known bool, err error) {
	var text sql.NullString
	if err := x.Row(`SELECT links FROM store WHERE id=?`, x.s.id).Scan(&text); err != nil {
		return nil, false, err
	}
	others, err := parseOthers(text.String)
	links = map[memfs.Path]string{}
	for _, o := range others {
		links[o.to] = o.target
	}
	return links, text.Valid, err
}

func (x *txn) setLinks(links map[memfs.Path]string) error {
	return x.Exec(`UPDATE store SET links=? WHERE id=?`, linksText(links), x.s.id)
}

func linksText(links map[memfs.Path]string) string {
	var others []other
	for _, p := range slices.SortedFunc(maps.Keys(links), comparePaths) {
		others = append(others, other{kind: memfs.Link, to: p, target: links[p]})
	}
	return othersText(others)
}

// followLinks notes what a mutation does to links, so that a scan doesn't take it for another program's act.
func (x *txn) followLinks(others []other) error {
	if !slices.ContainsFunc(others, func(o other) bool { return o.kind == memfs.Link }) {
		return nil
	}
	links, known, err := x.knownLinks()
	if err != nil || !known {
		return err
	}
	for _, o := range others {
		if o.kind != memfs.Link {
			continue
		}
		delete(links, o.from)
		if !o.to.IsRoot() && x.s.dir.Names().Shows(o.to) {
			links[o.to] = o.target
		}
	}
	return x.setLinks(links)
}

// adoptLinks records as a change what other programs did to links since the last scan. The first scan of a
// store only notes which there are.
func (s *Store) adoptLinks(ctx context.Context, sc *scanned) (changed bool, err error) {
	if s.hosted() || s.t.db.ReadOnly() != nil {
		return false, nil
	}
	found := map[memfs.Path]string{}
	for _, e := range sc.others {
		if e.Kind == LinkEntry {
			found[e.Path] = othersSafe(e.Note)
		}
	}
	var known sql.NullString
	if err := s.t.db.Row(ctx, `SELECT links FROM store WHERE id=?`, s.id).Scan(&known); err != nil || known.Valid && known.String == linksText(found) {
		return false, err
	}
	var c *changeRow
	if err := s.locked(ctx, func(x *txn) (err error) {
		c, err = x.adoptLinks(found)
		return err
	}); err != nil || c == nil {
		return false, err
	}
	s.t.notify()
	return true, nil
}

func (x *txn) adoptLinks(found map[memfs.Path]string) (*changeRow, error) {
	was, known, err := x.knownLinks()
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, x.setLinks(found)
	}
	paths := maps.Clone(was)
	maps.Copy(paths, found)
	now := map[memfs.Path]string{}
	var others []other
	var changed []memfs.Path
	for _, p := range slices.SortedFunc(maps.Keys(paths), comparePaths) {
		if !x.s.dir.Names().Shows(p) { // it is followed no more
			continue
		}
		target := was[p]
		if info, err := x.s.dir.Lstat(p); err == nil || memfs.Is(err, memfs.NoMemory) { // the scan didn't hold the lock
			target = othersSafe(info.Target)
		}
		if target != "" {
			now[p] = target
		}
		if target == was[p] {
			continue
		}
		changed = append(changed, p)
		if was[p] != "" {
			others = append(others, other{kind: memfs.Link, from: p, target: was[p]})
		}
		if target != "" {
			others = append(others, other{kind: memfs.Link, to: p, target: target})
		}
	}
	if len(others) == 0 {
		return nil, x.setLinks(now)
	}
	c, err := x.newChange(outside, request{kind: KindAdopt, path: common(changed)})
	if err != nil {
		return nil, err
	}
	if err := x.recordOthers(c, others); err != nil {
		return nil, err
	}
	return c, x.setLinks(now)
}
