package exchange

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
)

// inside reports whether a path is in the selected folder.
func (g *gitReader) inside(path string) bool {
	return g.subdir == "" || strings.HasPrefix(path, g.subdir+"/")
}

// memory returns the path of a memory for a path in the repository.
func (g *gitReader) memory(path string) (memfs.Path, bool) {
	p, why := MemoryIn(path, g.subdir)
	if why != "" {
		g.tell(path, why)
	}
	return p, !p.IsRoot()
}

// MemoryIn returns the memory at a path of a repository whose memories are in the folder subdir, "" for all of it; or the
// root, and why no memory can be there. Of what is outside of the folder nothing is said.
func MemoryIn(path, subdir string) (p memfs.Path, why string) {
	own := path
	if subdir != "" {
		var inside bool
		if own, inside = strings.CutPrefix(path, subdir+"/"); !inside {
			return memfs.Root, ""
		}
	}
	p, err := memfs.ParsePath(own)
	invalid := (*memfs.PathError)(nil)
	switch {
	case errors.As(err, &invalid):
		return memfs.Root, invalid.Err.Error()
	case err != nil:
		return memfs.Root, err.Error()
	case p.IsRoot() || p.Rel() != own:
		return memfs.Root, "not a path that a memory can have"
	case p.RunsWhenOpened():
		return memfs.Root, memfs.ErrControlFile.Error()
	}
	return p, ""
}

func (g *gitReader) tell(path, why string) {
	if g.left[path] {
		return
	}
	g.left[path] = true
	g.say("%q is left out: %s", path, why)
}

func (g *gitReader) say(format string, args ...any) {
	g.notice(fmt.Sprintf(format, args...))
}

// record returns the change that a commit makes: by its trailers if they match what it does to the files, otherwise by its files. It returns nil if no memory
// changes.
func (g *gitReader) record(c *git.Commit) (*versions.Record, error) {
	net := g.tree.net()
	r, text, err := readMessage(c.Message)
	if g.ours {
		if err == nil && r != nil && r.Number == g.records+1 && g.subdir == "" && g.fits(r, net) {
			r.Message, r.Email = g.message(text), g.email(c.Email)
			return r, nil
		}
		if r != nil || err != nil || g.records > 0 {
			g.say("commit %d: its trailers don't fit what it does; from here on only its files count", g.commits)
		}
		g.ours = false
	}
	if len(net) == 0 {
		return nil, nil
	}
	when, err := c.Time()
	if err != nil {
		return nil, err
	}
	if g.cut && g.commits == 1 { // its author did not write what was there before
		r = &versions.Record{Time: when, Versions: net, By: versions.By{Actor: versions.Actor{Kind: versions.Outside}}}
		describe(r)
		r.Kind, r.Found = versions.KindAdopt, true
		return r, nil
	}
	r = &versions.Record{Time: when, Versions: net, Message: g.message(text), Email: g.email(c.Email),
		By: versions.By{Actor: versions.Actor{Kind: versions.Person, Name: git.Text(cmp.Or(c.Name, c.Email))}, Session: versions.SessionID(c.ID)}}
	describe(r)
	return r, nil
}

// message returns the part of a commit's message that a trail stores.
func (g *gitReader) message(text string) string {
	text = strings.TrimRight(git.Text(text), "\n")
	if len(text) <= versions.MaxMessageBytes {
		return text
	}
	g.say("commit %d: its message has %d bytes; the first %d are kept", g.commits, len(text), versions.MaxMessageBytes)
	return strings.TrimRight(strings.ToValidUTF8(text[:versions.MaxMessageBytes], ""), "\n")
}

// email returns the part of an author's e-mail address that a trail stores: nothing of one that GitWriter made up.
func (g *gitReader) email(address string) string {
	address = gitWord(git.Text(address))
	if len(address) > versions.MaxEmailBytes {
		g.say("commit %d: the e-mail address of its author is left out: it has more than %d bytes", g.commits, versions.MaxEmailBytes)
		return ""
	}
	if kind, ok := strings.CutSuffix(address, noEmail); ok && slices.Contains(versions.ActorKinds, versions.ActorKind(kind)) {
		return ""
	}
	return address
}

// fits reports whether the versions in trailers leave the files as the commit left them, and account for all that it did.
func (g *gitReader) fits(r *versions.Record, net []versions.RecordVersion) bool {
	told, stands := map[memfs.Path]bool{}, map[memfs.Path]bool{}
	redacted := false
	for i := range r.Versions {
		v := &r.Versions[i]
		told[v.Path], told[v.From] = true, true
		redacted = redacted || !v.Redacted.IsZero() || v.Lost
		if !inTree(v) {
			continue
		}
		stands[v.Path] = true
		if f := g.tree.file(v.Path.Rel()); f == nil || f.now.odd || f.now.hash != v.SHA256 {
			return false
		}
	}
	for p := range told {
		if !p.IsRoot() && !stands[p] && g.tree.file(p.Rel()) != nil {
			return false
		}
	}
	for i := range net {
		v := &net[i]
		if v.Operation == versions.Deleted && redacted {
			continue
		}
		// git may report a removal as a rename of a memory whose path was erased.
		if !told[v.Path] || !told[v.From] && !v.From.IsRoot() && !redacted {
			return false
		}
	}
	return true
}
