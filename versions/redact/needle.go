package redact

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/scrub"
)

// needle compiles the text of a target; it is nil if the target names versions.
func needle(t versions.RedactTarget) (*scrub.Needle, error) {
	if t.Match == nil {
		return nil, nil
	}
	n, err := scrub.Compile(t.Match, t.Regexp, t.IgnoreCase)
	if err != nil && !errors.As(err, new(*match.PatternError)) {
		err = fmt.Errorf("%w: %w", versions.ErrInvalid, err)
	}
	return n, err
}

// rowsWith lists the rows with a text that contains the needle. A query returns the row
// and two texts, which may be NULL.
func rowsWith(n *scrub.Needle, q db.Queryer, query string, args ...any) (out []int64, err error) {
	var id int64
	var a, b sql.RawBytes
	rows := q.Rows(query, args...)
	for range rows.Each(&id, &a, &b) {
		if n.InEscaped(a) || n.InEscaped(b) {
			out = append(out, id)
		}
	}
	return out, rows.Err()
}

// searchFor returns a search of the home and of some folders.
func searchFor(t *core.Trail, s scrub.Scanner, folders []scrub.Folder, progress func(done, total int64)) *scrub.Search {
	home := t.Folder
	if real, err := disk.RealFolder(home); err == nil {
		home = real
	}
	roots := []scrub.Folder{{Name: home}}
	for _, folder := range folders {
		if !versions.InFolder(folder.Name, home) {
			roots = append(roots, folder)
		}
	}
	trail := filepath.Join(home, db.File)
	return &scrub.Search{
		Scanner: s, Folders: roots, Progress: progress, Database: blobs.ReadCopy,
		// Other files whose names begin with the trail's name are copies, which repairs and
		// upgrades leave.
		Live: func(file string) bool { return file == trail || file == trail+"-wal" || file == trail+"-shm" },
	}
}
