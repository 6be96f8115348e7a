package repair

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/memend/memend/memfs"
)

// Store corrects the numbers, times and paths of a store's changes and versions.
func Store(x Tx, store int64) error {
	if err := renumber(x, store); err != nil {
		return err
	}
	for _, in := range []struct{ list, set string }{
		{`SELECT v.id,v.path FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.path IS NOT NULL`, `UPDATE version SET path=? WHERE id=?`},
		{`SELECT v.id,v.origin FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.origin IS NOT NULL`, `UPDATE version SET origin=? WHERE id=?`},
		{`SELECT id,path FROM change WHERE store=?`, `UPDATE change SET path=? WHERE id=?`},
		{`SELECT id,dest FROM change WHERE store=?`, `UPDATE change SET dest=? WHERE id=?`},
	} {
		if err := repairPaths(x, store, in.list, in.set); err != nil {
			return err
		}
	}
	return nil
}

// repairPaths replaces the characters that no path may contain.
func repairPaths(x Tx, store int64, list, set string) error {
	mended := map[int64]string{}
	for row, err := range x.Each(list, store) {
		if err != nil {
			return err
		}
		var id int64
		var path string
		if err := row.Scan(&id, &path); err != nil {
			return err
		}
		if _, err := memfs.ParsePath(path); err == nil {
			continue
		}
		mended[id] = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return unicode.ReplacementChar
			}
			return r
		}, strings.ToValidUTF8(path, string(unicode.ReplacementChar)))
		if p, err := memfs.ParsePath(mended[id]); err != nil || p.IsRoot() {
			mended[id] = fmt.Sprintf("lost-%d", id)
		}
	}
	for id, path := range mended {
		if err := x.Exec(set, path, id); err != nil {
			return err
		}
	}
	return nil
}
