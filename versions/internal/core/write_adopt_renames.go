package core

import (
	"cmp"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/match"
)

// adoptRenames adopts renames by pairing removed paths with new ones, and returns the
// remaining paths.
func (x *Txn) adoptRenames(paths []memfs.Path) ([]memfs.Path, error) {
	if Hosted(x.Store) {
		return paths, nil
	}
	goneBySHA := map[versions.Hash][]tables.Head{}
	var candidates []memfs.Path
	for _, p := range paths {
		h, err := x.Head(p)
		if err != nil {
			return nil, err
		}
		_, there, err := x.fileAt(p)
		switch {
		case err != nil: // adopt gets the same error and handles it
		case h.Live() && !there:
			goneBySHA[h.SHA] = append(goneBySHA[h.SHA], h)
		case !h.Live() && there:
			candidates = append(candidates, p)
		}
	}
	if len(goneBySHA) == 0 || len(candidates) == 0 {
		return paths, nil
	}
	newBySHA := map[versions.Hash][]newFile{}
	for _, p := range candidates {
		b, g, err := x.Store.Dir.Read(p, x.Store.Trail.MaxBytes)
		if err != nil {
			continue // adopt gets the same error and handles it
		}
		sha := versions.Sum(b)
		newBySHA[sha] = append(newBySHA[sha], newFile{p, g, sha, match.LinesOf(b)})
	}
	done := map[memfs.Path]bool{}
	for sha, gone := range goneBySHA {
		arrived := newBySHA[sha]
		short := len(arrived) > 0 && arrived[0].sig.Size < match.MinPaired
		for _, pair := range pairUp(len(gone), len(arrived), short, func(i, j int) bool {
			was, is := gone[i].Sig, arrived[j].sig
			return was.Ino != 0 && was.Ino == is.Ino && (!short || was.Mtime == is.Mtime)
		}) {
			h, a := gone[pair[0]], arrived[pair[1]]
			if err := x.adoptMoved(h, a.path, a.sig); err != nil {
				return nil, err
			}
			done[h.Path], done[a.path] = true, true
		}
	}
	if err := x.adoptSimilar(goneBySHA, newBySHA, done); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(paths, func(p memfs.Path) bool { return done[p] }), nil
}

// newFile is a file that may be a renamed one.
type newFile struct {
	path  memfs.Path
	sig   memfs.Sig
	sha   versions.Hash
	lines match.Lines
}

// maxSimilar is how many removed and how many new files are compared for being alike. Each is compared with each;
// for more, only equal contents say that files were renamed, as in git.
const maxSimilar = 400

// adoptSimilar adopts as renamed and edited those of the remaining files that are most alike, and adds their paths to
// done.
func (x *Txn) adoptSimilar(goneBySHA map[versions.Hash][]tables.Head, newBySHA map[versions.Hash][]newFile, done map[memfs.Path]bool) error {
	var gone []tables.Head
	var arrived []newFile
	for _, hs := range goneBySHA {
		gone = append(gone, hs...)
	}
	for _, as := range newBySHA {
		arrived = append(arrived, as...)
	}
	gone = slices.DeleteFunc(gone, func(h tables.Head) bool { return done[h.Path] })
	arrived = slices.DeleteFunc(arrived, func(a newFile) bool { return done[a.path] || !a.lines.Enough() })
	if len(gone) == 0 || len(arrived) == 0 || len(gone) > maxSimilar || len(arrived) > maxSimilar {
		return nil
	}
	type pair struct {
		from  tables.Head
		to    newFile
		alike float64
	}
	var pairs []pair
	for _, h := range gone {
		blob, err := x.BlobOf(h.Version)
		if err != nil {
			return err
		}
		b, err := blobs.Get(x.Tx, blob)
		if errors.Is(err, versions.ErrDamaged) {
			continue // nothing says what it was like
		}
		if err != nil {
			return err
		}
		was := match.LinesOf(b)
		for _, a := range arrived {
			// Equal contents that are still here are ambiguous.
			if alike := was.Alike(a.lines); alike >= match.MinAlike && h.SHA != a.sha {
				pairs = append(pairs, pair{h, a, alike})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.alike, a.alike), versions.ComparePaths(a.from.Path, b.from.Path), versions.ComparePaths(a.to.path, b.to.path))
	})
	for _, p := range pairs {
		if done[p.from.Path] || done[p.to.path] {
			continue
		}
		b, g, err := x.Store.Dir.Read(p.to.path, x.Store.Trail.MaxBytes)
		if err != nil {
			continue // adopt gets the same error and handles it
		}
		if err := x.adoptMovedAs(p.from, p.to.path, b, g); err != nil {
			return err
		}
		done[p.from.Path], done[p.to.path] = true, true
	}
	return nil
}

// adoptMovedAs records that another program renamed the memory of h and changed its content to b.
func (x *Txn) adoptMovedAs(h tables.Head, to memfs.Path, b []byte, g memfs.Sig) (err error) {
	sha := versions.Sum(b)
	v := VersionRow{Memory: h.Memory, Op: versions.Modified, Path: to, Origin: h.Path, Facts: tables.FactsOf(b, sha)}
	if v.Blob, err = blobs.Put(x.Tx, b, sha); err != nil {
		return err
	}
	if v.Source, err = x.broughtBack(h.Memory, v.Blob); err != nil {
		return err
	}
	return x.adoptVersion(&v, g)
}

// pairUp pairs removed files with new files of the same content: the same file, then, if the content is
// not short, the last remaining one on each side. It leaves others unpaired because they are ambiguous.
func pairUp(gone, arrived int, short bool, sameFile func(i, j int) bool) (pairs [][2]int) {
	usedG, usedA := make([]bool, gone), make([]bool, arrived)
	for i := range gone {
		for j := range arrived {
			if !usedA[j] && !usedG[i] && sameFile(i, j) {
				pairs = append(pairs, [2]int{i, j})
				usedG[i], usedA[j] = true, true
			}
		}
	}
	if !short && gone-len(pairs) == 1 && arrived-len(pairs) == 1 {
		pairs = append(pairs, [2]int{slices.Index(usedG, false), slices.Index(usedA, false)})
	}
	return pairs
}
