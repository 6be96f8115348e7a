package versions

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"golang.org/x/text/unicode/norm"
)

// AlikeError refuses a new path that people can't tell from an existing one: macOS composes
// letters in another way than most editors and models do, and a model often changes the case
// of a name that it remembers.
type AlikeError struct {
	Path   memfs.Path // the refused one
	Exists memfs.Path // the memory, or the folder above it, that looks alike
}

func (e *AlikeError) Error() string { return fmt.Sprintf("create %s: %s", e.Path.Tool(), e.why()) }

func (e *AlikeError) why() string {
	return e.Exists.Tool() + " exists, and its name differs only by case or Unicode form"
}

// Unwrap makes errors.Is(err, memfs.ErrExist) true.
func (e *AlikeError) Unwrap() error { return memfs.ErrExist }

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

// alike returns the first folder or file on the way to p that doesn't exist, and the names
// beside it that look like it. A folder that can't be listed has none: this
// is no reason to refuse what the folder allows.
func alike(dir *memfs.Dir, p memfs.Path) (missing memfs.Path, found []memfs.Path) {
	missing, ok := firstMissing(dir, p)
	if !ok {
		return p, nil
	}
	siblings, err := dir.Children(missing.Dir())
	if err != nil {
		return missing, nil
	}
	want := folded(missing.Base())
	for _, q := range siblings {
		if folded(q.Base()) == want {
			found = append(found, q)
		}
	}
	return missing, found
}

// refuseAlike rejects a plan that would make two names which look alike.
func (d *mutation) refuseAlike(p memfs.Plan) error {
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
		exists, found, err := d.x.memoryAlike(made, self)
		if err != nil {
			return err
		}
		if found {
			return &AlikeError{Path: made, Exists: exists}
		}
	}
	return nil
}

// memoryAlike finds a memory, or a folder of memories, whose name looks like the first one on the way to p that doesn't
// exist, apart from self. Each create asks, so it lists no folder: an index has the paths in lower case, but only of
// ASCII letters. Other letters are tried in both Unicode forms, as they are, in lower case and in upper case; what no scan
// has seen is looked for in the folder under the same names.
func (x *txn) memoryAlike(p, self memfs.Path) (exists memfs.Path, found bool, err error) {
	missing, ok := firstMissing(x.s.dir, p)
	if !ok {
		return p, false, nil
	}
	want := folded(missing.Base())
	asked := map[string]bool{}
	for _, form := range formsOf(missing.Base()) {
		if q, err := missing.Dir().Join(form); err == nil && q != self && q != missing {
			if _, err := x.s.dir.Lstat(q); err == nil {
				return q, true, nil
			}
		}
	}
	for _, form := range formsOf(key(missing)) {
		if form = lowerASCII(form); asked[form] {
			continue
		}
		asked[form] = true
		for row, err := range x.Each(alikeHeads, x.s.id, form) {
			if err != nil {
				return p, false, err
			}
			var path string
			if err := row.Scan(&path); err != nil {
				return p, false, err
			}
			q, err := pathOf(path)
			if err != nil {
				return p, false, err
			}
			for depth := strings.Count(q.Rel(), "/") - strings.Count(missing.Rel(), "/"); depth > 0; depth-- {
				q = q.Dir()
			}
			if q != self && q != missing && q.Dir() == missing.Dir() && folded(q.Base()) == want {
				return q, true, nil
			}
		}
	}
	return p, false, nil
}

// alikeHeads selects memories by a path in lower case: at the path, or the first below it.
const alikeHeads = `SELECT path FROM head WHERE store=?1 AND lower(path)=?2
	UNION ALL SELECT * FROM (SELECT path FROM head WHERE store=?1 AND lower(path)>?2||'/' AND lower(path)<?2||'0' ORDER BY lower(path) LIMIT 1)`

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
	q := lookFor(s.folder(), p)
	if q == p {
		return p, nil
	}
	var known bool
	err := s.t.view(ctx, func(r reader) error {
		return r.Row(`SELECT EXISTS(SELECT 1 FROM version v JOIN change c ON c.id=v.change WHERE v.path=? AND c.store=?)`, key(p), s.id).Scan(&known)
	})
	if err != nil || known {
		return p, err
	}
	return q, nil
}

// lookFor returns p if it exists. Otherwise it follows p through the names that look like its
// segments, and returns p if they lead nowhere, or one has several.
func lookFor(dir *memfs.Dir, p memfs.Path) memfs.Path {
	for at := p; ; {
		missing, found := alike(dir, at)
		if len(found) != 1 {
			return p
		}
		at = at.Move(missing, found[0])
		if _, err := dir.Lstat(at); err == nil {
			return at
		}
	}
}

// exactName completes the answer about a path that doesn't exist with the one that the model means.
func exactName(dir *memfs.Dir, c memfs.Command, mount memfs.Path) string {
	paths, err := memfs.Paths(c)
	if err != nil || !paths[0].In(mount) {
		return ""
	}
	p := paths[0].Move(mount, memfs.Root)
	if q := lookFor(dir, p); q != p {
		return " Its exact name is " + q.Move(memfs.Root, mount).Tool() + "."
	}
	return ""
}
