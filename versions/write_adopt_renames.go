package versions

import (
	"slices"

	"github.com/memend/memend/memfs"
)

// adoptRenames adopts renames by pairing removed paths with new ones, and returns the
// remaining paths.
func (x *txn) adoptRenames(paths []memfs.Path) ([]memfs.Path, error) {
	goneBySHA := map[Hash][]head{}
	var candidates []memfs.Path
	for _, p := range paths {
		h, err := x.head(p)
		if err != nil {
			return nil, err
		}
		_, there, err := x.fileAt(p)
		switch {
		case err != nil: // adopt gets the same error and handles it
		case h.live() && !there:
			goneBySHA[h.sha] = append(goneBySHA[h.sha], h)
		case !h.live() && there:
			candidates = append(candidates, p)
		}
	}
	if len(goneBySHA) == 0 || len(candidates) == 0 {
		return paths, nil
	}
	type arrival struct {
		path memfs.Path
		sig  memfs.Sig
	}
	newBySHA := map[Hash][]arrival{}
	for _, p := range candidates {
		b, g, err := x.s.dir.Read(p, x.s.t.maxBytes)
		if err != nil {
			continue // adopt gets the same error and handles it
		}
		newBySHA[sum(b)] = append(newBySHA[sum(b)], arrival{p, g})
	}
	done := map[memfs.Path]bool{}
	for sha, gone := range goneBySHA {
		arrived := newBySHA[sha]
		short := len(arrived) > 0 && arrived[0].sig.Size < minPaired
		for _, pair := range pairUp(len(gone), len(arrived), short, func(i, j int) bool {
			was, is := gone[i].sig, arrived[j].sig
			return was.Ino != 0 && was.Ino == is.Ino && (!short || was.Mtime == is.Mtime)
		}) {
			h, a := gone[pair[0]], arrived[pair[1]]
			if err := x.adoptMoved(h, a.path, a.sig); err != nil {
				return nil, err
			}
			done[h.path], done[a.path] = true, true
		}
	}
	return slices.DeleteFunc(paths, func(p memfs.Path) bool { return done[p] }), nil
}

// minPaired is the size from which an equal content says that a file was renamed. Two files that are shorter,
// or empty, may be equal by chance: they must be the same file, by inode and, as inodes are used again, by time.
const minPaired = 32

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
