package versions

import (
	"context"
	"fmt"
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

// alike returns the first folder or file on the way to p that doesn't exist, and the names
// beside it that look like it, apart from self. A folder that can't be listed has none: this
// is no reason to refuse a write that the folder allows.
func alike(dir *memfs.Dir, p, self memfs.Path) (missing memfs.Path, found []memfs.Path) {
	exists := func(p memfs.Path) bool { _, err := dir.Lstat(p); return err == nil }
	if p.IsRoot() || exists(p) {
		return p, nil
	}
	for missing = p; !missing.Dir().IsRoot() && !exists(missing.Dir()); {
		missing = missing.Dir()
	}
	siblings, err := dir.Children(missing.Dir())
	if err != nil {
		return missing, nil
	}
	want := folded(missing.Base())
	for _, q := range siblings {
		if q != self && folded(q.Base()) == want {
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
		if _, found := alike(d.x.s.dir, made, self); len(found) > 0 {
			return &AlikeError{Path: made, Exists: found[0]}
		}
	}
	return nil
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
		missing, found := alike(dir, at, memfs.Path{})
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
