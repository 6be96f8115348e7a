package tree

import (
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions"
)

// maxDescribed is how many entries of a folder are listed.
const maxDescribed = 200

// Under is what is under the cursor: a path or, in a folder, an entry whose name no path can
// hold.
type Under struct {
	Path memfs.Path
	name string
}

// Under returns what is under the cursor.
func (o *outline) Under() Under {
	u := Under{Path: o.Here()}
	if n := o.current(); n != nil {
		u.name, _ = n.unnamed()
	}
	return u
}

// At returns what is at a path.
func At(p memfs.Path) Under { return Under{Path: p} }

// Is reports whether it is the memory, or the file, at a path.
func (u Under) Is(p memfs.Path) bool { return u.Path == p && u.name == "" }

// Describe returns lines about what has no text: of a folder a summary and what is in it. It
// returns nil for a memory and any other file.
func (t *Pane) Describe(u Under) []string {
	if u.name != "" {
		return []string{u.name, "", "No memory can have this name: it has control characters, or is not UTF-8.", "It is listed, and neither read nor versioned. Rename it with another program."}
	}
	p := u.Path
	if t.data == nil || p.IsRoot() {
		return nil
	}
	n := t.data.node(p)
	if n == nil || !n.folder() {
		return nil
	}
	parts := []string{draw.Plural(n.count, "memory", "memories")}
	if n.count > 0 {
		parts = append(parts, draw.Bytes(n.size), draw.TokenCount(n.size))
	}
	if n.others > 0 {
		parts = append(parts, strconv.Itoa(n.others)+" not versioned")
	}
	if n.changed > 0 {
		parts = append(parts, strconv.Itoa(n.changed)+" to review")
	}
	out := []string{strings.Join(parts, " · "), ""}
	for _, k := range n.kids[:min(len(n.kids), maxDescribed)] {
		line := k.name()
		if k.folder() {
			line += "/ " + strconv.Itoa(k.count)
		}
		if t.Review.hasUnreviewed(k) {
			line += " ●"
		}
		out = append(out, line)
	}
	return out
}

// NotVersioned returns why an entry that is not a memory has no versions.
func NotVersioned(e *versions.Entry) string {
	switch e.Kind {
	case versions.TooBig:
		return "it is over " + draw.Bytes(versions.DefaultMaxBytes)
	case versions.LinkEntry:
		return "it is a symbolic link"
	case versions.Unreadable:
		return e.Note
	case versions.Special:
		if e.Note != "" {
			return "it is " + e.Note
		}
	}
	return "it is not a regular file"
}
