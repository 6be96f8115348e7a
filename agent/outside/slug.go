package outside

import (
	"path/filepath"
	"unicode/utf16"
)

const slugUnits = 200 // a longer slug is cut here and gets a hash

// Slug returns the name of a working directory's project folder, or of a long one its first 200
// characters: see HasSlug.
func Slug(path string) string {
	slug, _ := slugOf(path)
	return slug
}

// slugOf returns the slug, and whether it was cut. Every UTF-16 unit that is not an ASCII letter or
// digit becomes a dash.
func slugOf(path string) (slug string, cut bool) {
	units := utf16.Encode([]rune(path))
	cut = len(units) > slugUnits
	out := make([]byte, 0, min(len(units), slugUnits))
	for _, u := range units[:cap(out)] {
		if !alphanumeric(u) {
			u = '-'
		}
		out = append(out, byte(u))
	}
	return string(out), cut
}

func alphanumeric(u uint16) bool {
	return u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z' || u >= '0' && u <= '9'
}

// HasSlug reports whether a project folder's name may be that of a working directory. Several
// directories can have one name: /a/b and /a-b do. The hash at the end of a long name is ignored,
// because its function depends on the runtime that made it.
func HasSlug(name, path string) bool { return keyOfName(name) == keyOfPath(path) }

// keyOfPath returns what all names of a directory's project folder have in common: the slug, and for a
// long one the dash before the hash.
func keyOfPath(path string) string {
	slug, cut := slugOf(path)
	if cut {
		return slug + "-"
	}
	return slug
}

func keyOfName(name string) string {
	if len(name) > slugUnits {
		return name[:slugUnits+1]
	}
	return name
}

// known maps keys to directories; of two with the same key the first stays.
type known map[string]string

// add adds a directory and its parents, because an agent may change into a subfolder while it works.
func (k known) add(dir string) {
	for {
		key := keyOfPath(dir)
		if k[key] == dir {
			return
		}
		if k[key] == "" {
			k[key] = dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return
		}
		dir = up
	}
}

// of returns the directory with the slug of a project folder, or "".
func (k known) of(name string) string { return k[keyOfName(name)] }
