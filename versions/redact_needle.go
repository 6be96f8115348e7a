package versions

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/match"
	"github.com/memend/memend/versions/scrub"
)

// needle compiles the text that a target names; it is nil when the target names versions.
func (t RedactTarget) needle() (*scrub.Needle, error) {
	if t.Match == nil {
		return nil, nil
	}
	n, err := scrub.Compile(t.Match, t.Regexp, t.IgnoreCase)
	if err != nil && !errors.As(err, new(*match.PatternError)) {
		err = fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return n, err
}

// rowsWith lists the rows with a text that holds the needle. A query gives the row and
// two texts, which may be NULL.
func rowsWith(n *scrub.Needle, q db.Queryer, query string, args ...any) (out []int64, err error) {
	for row, err := range q.Each(query, args...) {
		if err != nil {
			return nil, err
		}
		var id int64
		var a, b sql.RawBytes
		if err := row.Scan(&id, &a, &b); err != nil {
			return nil, err
		}
		if n.InEscaped(a) || n.InEscaped(b) {
			out = append(out, id)
		}
	}
	return out, nil
}

// searchFor makes a search of the home and of some folders.
func (t *Trail) searchFor(s scrub.Scanner, folders []string, progress func(done, total int64)) *scrub.Search {
	home := t.home
	if real, err := realFolder(home); err == nil {
		home = real
	}
	roots := []string{home}
	for _, folder := range folders {
		if !inFolder(folder, home) {
			roots = append(roots, folder)
		}
	}
	trail := filepath.Join(home, trailFile)
	return &scrub.Search{
		Scanner: s, Folders: roots, Progress: progress, Database: readTrailCopy,
		// Others that begin with its name are copies, which repairs and upgrades leave.
		Live: func(file string) bool { return file == trail || file == trail+"-wal" || file == trail+"-shm" },
	}
}
