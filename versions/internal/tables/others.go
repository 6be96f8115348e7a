package tables

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
)

// Other is what a change did to something in the folder that has no versions: a link, a folder, a file
// over the limit, or a special file. A change records it, so that an undo restores it. The root as from
// means that it did not exist before, and as to that it does not exist afterwards; only links and
// folders have one.
type Other struct {
	Kind     memfs.Kind
	From, To memfs.Path
	Target   string      // of a link
	Mode     fs.FileMode // of a folder; 0: the usual one
}

// Inverse returns what undoes o.
func (o Other) Inverse() Other {
	o.From, o.To = o.To, o.From
	return o
}

// The trail stores others as texts with a separator that no path contains: kind, mode, from, to, target.
const (
	otherFields    = 5
	OtherSeparator = "\x1f"
)

// OthersSafe is the target of a link in the trail.
func OthersSafe(target string) string { return strings.ReplaceAll(target, OtherSeparator, "") }

func OthersText(others []Other) string {
	var out []string
	for _, o := range others {
		out = append(out, strconv.Itoa(int(o.Kind)), strconv.FormatUint(uint64(o.Mode), 8), versions.Key(o.From), versions.Key(o.To), OthersSafe(o.Target))
	}
	return strings.Join(out, OtherSeparator)
}

// ParseOthers reads what a change did to links, folders and files without versions.
func ParseOthers(text string) (out []Other, err error) {
	if text == "" { // a redaction erased it
		return nil, nil
	}
	for f := range slices.Chunk(strings.Split(text, OtherSeparator), otherFields) {
		if len(f) < otherFields {
			return nil, fmt.Errorf("%w: a change lists others with %d fields", versions.ErrDamaged, len(f))
		}
		kind, err := strconv.Atoi(f[0])
		if err != nil {
			return nil, errors.Join(versions.ErrDamaged, err)
		}
		mode, err := strconv.ParseUint(f[1], 8, 32)
		if err != nil {
			return nil, errors.Join(versions.ErrDamaged, err)
		}
		o := Other{Kind: memfs.Kind(kind), Mode: fs.FileMode(mode), Target: f[4]}
		if o.From, err = PathOf(f[2]); err != nil {
			return nil, err
		}
		if o.To, err = PathOf(f[3]); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// acrossOf decodes the acrossColumn.
func acrossOf(text string) (*versions.Across, error) {
	var a versions.Across
	var store, version, path string
	if err := json.Unmarshal([]byte(text), &[]any{&store, &a.Name, &version, &a.Number, &path}); err != nil {
		return nil, errors.Join(versions.ErrDamaged, err)
	}
	for _, id := range []struct {
		hex, prefix string
		set         func(string)
	}{
		{store, ids.StorePrefix, func(id string) { a.Store = versions.StoreID(id) }},
		{version, ids.VersionPrefix, func(id string) { a.Version = versions.VersionID(id) }},
	} {
		uid, err := hex.DecodeString(id.hex)
		if err != nil {
			return nil, errors.Join(versions.ErrDamaged, err)
		}
		id.set(ids.Format(id.prefix, uid))
	}
	var err error
	a.Path, err = PathOf(path)
	return &a, err
}

// linkChanges pairs what a change recorded about links.
func linkChanges(text string) (out []versions.LinkChange, err error) {
	others, err := ParseOthers(text)
	for _, o := range others {
		if n := len(out); n > 0 && out[n-1].Path == o.To && out[n-1].Now == "" {
			out[n-1].Now = o.Target
		} else if o.To.IsRoot() {
			out = append(out, versions.LinkChange{Path: o.From, Was: o.Target})
		} else {
			out = append(out, versions.LinkChange{Path: o.To, Now: o.Target})
		}
	}
	return out, err
}

func LinksText(links map[memfs.Path]string) string {
	var others []Other
	for _, p := range slices.SortedFunc(maps.Keys(links), versions.ComparePaths) {
		others = append(others, Other{Kind: memfs.Link, To: p, Target: links[p]})
	}
	return OthersText(others)
}
