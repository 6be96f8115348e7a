package places

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// living returns the known project that is the repository of a worktree which does not exist any more; "" if none is.
// Git remembers a worktree until it prunes it.
func (f *finder) living(gone string) string {
	for _, dir := range f.projects {
		for _, tree := range f.folders(dir, ".git", "worktrees") {
			link := strings.TrimSpace(string(f.file(tree.folder, "gitdir")))
			if filepath.IsAbs(link) && filepath.Dir(filepath.Clean(link)) == filepath.Clean(gone) {
				return dir
			}
		}
	}
	return ""
}

// Heir returns the store that the memories of a place whose project is gone belong to now: the one of the same kind in
// the repository that the project was a worktree of. It is the zero StoreInfo if that can't be told.
func (p Place) Heir(stores []versions.StoreInfo) versions.StoreInfo {
	var out []versions.StoreInfo
	for _, s := range stores {
		if p.Living != "" && s.Metadata[Project] == p.Living && KindOf(s) == p.Kind && s.Folder != p.Folder && s.Archived.IsZero() {
			out = append(out, s)
		}
	}
	if len(out) != 1 {
		return versions.StoreInfo{}
	}
	return out[0]
}

// maxMerged bounds the text of one memory that is merged.
const maxMerged = 4 << 20

// Texts reads the memories of a place, to merge them into a store. The error reports what can't be read, beside
// everything else.
func (p Place) Texts() (out []versions.MergeText, err error) {
	root, err := os.OpenRoot(p.Folder)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	var failed []error
	walked := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			failed = append(failed, err)
			return nil
		case name != "." && (memfs.HiddenName(e.Name()) || e.Name() == "node_modules"):
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !e.Type().IsRegular():
			return nil
		}
		info, err := e.Info()
		if err == nil && info.Size() > maxMerged {
			err = memfs.ErrTooBig
		}
		var text []byte
		if err == nil {
			text, err = root.ReadFile(name)
		}
		if err == nil && !utf8.Valid(text) {
			err = versions.ErrNotText
		}
		at, perr := memfs.ParsePath(name)
		if err = errors.Join(err, perr); err != nil {
			failed = append(failed, &fs.PathError{Op: "read", Path: filepath.Join(p.Folder, name), Err: err})
			return nil
		}
		out = append(out, versions.MergeText{Path: at, Text: text})
		return nil
	})
	return out, errors.Join(append(failed, walked)...)
}
