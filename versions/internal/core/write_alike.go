package core

import (
	"context"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/tables"
)

// folded returns what names that look alike have in common.
func folded(name string) string { return norm.NFC.String(strings.ToLower(norm.NFD.String(name))) }

// firstMissing returns the first folder or file on the way to p that doesn't exist.
func firstMissing(dir *memfs.Dir, p memfs.Path) (missing memfs.Path, ok bool) {
	exists := func(p memfs.Path) bool { _, err := dir.Lstat(p); return err == nil }
	if p.IsRoot() || exists(p) {
		return p, false
	}
	for missing = p; !missing.Dir().IsRoot() && !exists(missing.Dir()); {
		missing = missing.Dir()
	}
	return missing, true
}

// refuseAlike rejects a plan that would make two names which look alike.
func (d *Mutation) refuseAlike(p memfs.Plan) error {
	for _, op := range p.Ops {
		var made, self memfs.Path
		switch {
		case op.Kind == memfs.OpPut && op.MustBeNew:
			made = op.Path
		case op.Kind == memfs.OpRename:
			made, self = op.To, op.Path
		default:
			continue
		}
		_, found, err := d.Txn.Store.alike(d.Txn, made)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(found, func(q memfs.Path) bool { return q != self }); i >= 0 {
			return &versions.AlikeError{Path: made, Exists: found[i]}
		}
	}
	return nil
}

// alike returns the first folder or file on the way to p that doesn't exist, and the names beside it that look like it. It
// lists no folder: an index has the paths of memories in lower case, but only of ASCII letters. Other letters are tried
// in both Unicode forms, as they are, in lower case and in upper case; what no scan has seen, and what is no memory, is
// looked for in the folder under the same names.
func (s *Store) alike(q db.Queryer, p memfs.Path) (missing memfs.Path, found []memfs.Path, err error) {
	missing, ok := firstMissing(Folder(s), p)
	if !ok {
		return p, nil, nil
	}
	add := func(at memfs.Path) {
		if at != missing && !slices.Contains(found, at) {
			found = append(found, at)
		}
	}
	for _, form := range formsOf(missing.Base()) {
		if at, err := missing.Dir().Join(form); err == nil {
			if _, err := Folder(s).Lstat(at); err == nil {
				add(at)
			}
		}
	}
	want := folded(missing.Base())
	asked := map[string]bool{}
	for _, form := range formsOf(versions.Key(missing)) {
		if form = lowerASCII(form); asked[form] {
			continue
		}
		asked[form] = true
		heads, err := tables.AllPaths(q.Rows(AlikeHeads, s.Row, form))
		if err != nil {
			return p, nil, err
		}
		for _, at := range heads {
			for depth := strings.Count(at.Rel(), "/") - strings.Count(missing.Rel(), "/"); depth > 0; depth-- {
				at = at.Dir()
			}
			if at.Dir() == missing.Dir() && folded(at.Base()) == want {
				add(at)
			}
		}
	}
	return missing, found, nil
}

// AlikeHeads selects memories by a path in lower case: at the path, or some below it.
const AlikeHeads = `SELECT path FROM head WHERE store=?1 AND lower(path)=?2
	UNION ALL SELECT * FROM (SELECT path FROM head WHERE store=?1 AND lower(path)>?2||'/' AND lower(path)<?2||'0' LIMIT 50)`

// formsOf returns the likely ways of writing a name or a path.
func formsOf(path string) (out []string) {
	for _, cased := range []string{path, strings.ToLower(path), strings.ToUpper(path)} {
		for _, form := range []norm.Form{norm.NFC, norm.NFD} {
			if s := form.String(cased); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// lowerASCII is what lower does in SQLite.
func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// Find returns the path that a person means by p: p itself if it exists or has a history,
// otherwise the only path of the folder that looks like it, or p if there is none.
func (s *Store) Find(ctx context.Context, p memfs.Path) (memfs.Path, error) {
	q, err := s.lookFor(ctx, p)
	if err != nil || q == p {
		return p, err
	}
	var known bool
	err = View(ctx, s.Trail, func(r tables.Reader) error {
		return r.Row(`SELECT EXISTS(SELECT 1 FROM version v JOIN change c ON c.id=v.change WHERE v.path=? AND c.store=?)`, versions.Key(p), s.Row).Scan(&known)
	})
	if err != nil || known {
		return p, err
	}
	return q, nil
}

// lookFor returns p if it exists. Otherwise it follows p through the names that look like its
// segments, and returns p if they lead nowhere, or one has several.
func (s *Store) lookFor(ctx context.Context, p memfs.Path) (at memfs.Path, err error) {
	if _, err := Folder(s).Lstat(p); err == nil {
		return p, nil
	}
	err = View(ctx, s.Trail, func(q tables.Reader) error {
		for at = p; ; {
			missing, found, err := s.alike(q, at)
			if err != nil || len(found) != 1 {
				at = p
				return err
			}
			at = at.Move(missing, found[0])
			if _, err := Folder(s).Lstat(at); err == nil {
				return nil
			}
		}
	})
	return at, err
}

// exactName completes the answer about a path that doesn't exist with the one that the model means.
func (s *Store) exactName(ctx context.Context, c memfs.Command, mount memfs.Path) string {
	paths, err := memfs.Paths(c)
	if err != nil || !paths[0].In(mount) {
		return ""
	}
	p := paths[0].Move(mount, memfs.Root)
	if q, err := s.lookFor(ctx, p); err == nil && q != p {
		return " Its exact name is " + q.Move(memfs.Root, mount).Tool() + "."
	}
	return ""
}
