package exchange

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/versions"
)

// GitOptions say what to take of a stream.
type GitOptions struct {
	Subdir string            // only what lies in this folder, which becomes the root; "": all
	Left   func(what string) // told of each path that is left out and why; and when trailers of ours don't fit
}

// ReadGit reads a stream of git fast-export.
func ReadGit(r io.Reader, o GitOptions) iter.Seq2[versions.Item, error] {
	return func(yield func(versions.Item, error) bool) {
		g := &gitReader{s: newStream(r), o: o, yield: yield, ours: true,
			blobs: map[int64]versions.Hash{}, left: map[string]bool{}}
		g.tree = newTree(g.memory)
		err := g.run()
		if err != nil && !errors.Is(err, errEnough) {
			yield(versions.Item{}, g.s.at(err))
		}
	}
}

type gitReader struct {
	s     *stream
	o     GitOptions
	yield func(versions.Item, error) bool
	tree  *tree
	blobs map[int64]versions.Hash // by mark
	left  map[string]bool         // paths that were told of

	branch  string // of the newest commit
	mark    string // ":5", of the newest commit; "" when it has none
	commits int64
	records int64
	fresh   bool // the next commit has no parent unless it says so
	ours    bool // all commits so far had trailers that fit
	done    bool // the stream promised to say when it ends
}

func (g *gitReader) run() error {
	for {
		line, err := g.s.next()
		if errors.Is(err, io.EOF) {
			if g.done {
				return unsound("it was cut off: it promised to end with \"done\"")
			}
			return nil
		}
		if err != nil {
			return err
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "blob":
			err = g.blob()
		case "commit":
			err = g.commit(rest)
		case "reset":
			err = g.reset()
		case "tag":
			err = g.tag()
		case "feature":
			g.done = g.done || rest == "done"
		case "done":
			return nil
		case "", "option", "progress", "checkpoint":
		default:
			err = unsound("this is no command of a fast-import stream that memtrail knows")
		}
		if err != nil {
			return err
		}
	}
}

// heading reads the lines that a command may have before what matters.
func (g *gitReader) heading(words ...string) (got map[string]string, err error) {
	got = map[string]string{}
	for {
		line, err := g.s.next()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return nil, err
		}
		word, rest, _ := strings.Cut(line, " ")
		known := false
		for _, w := range words {
			known = known || w == word
		}
		if !known {
			g.s.back()
			return got, nil
		}
		got[word] = rest
		if word == "gpgsig" {
			if _, err := g.s.data(); err != nil {
				return nil, err
			}
		}
	}
}

func (g *gitReader) give(it versions.Item) error {
	if !g.yield(it, nil) {
		return errEnough
	}
	return nil
}

func (g *gitReader) blob() error {
	head, err := g.heading("mark", "original-oid")
	if err != nil {
		return err
	}
	b, err := g.s.data()
	if err != nil {
		return err
	}
	mark, err := gitMark(head["mark"])
	if err != nil {
		return err
	}
	g.blobs[mark] = hashOf(b)
	return g.give(versions.Item{Content: b})
}

// reset may begin another line of history; where it only names a commit it says
// nothing about memories.
func (g *gitReader) reset() error {
	_, names, err := g.s.word("from")
	g.fresh = g.fresh || !names
	return err
}

func (g *gitReader) tag() error {
	if _, err := g.heading("mark", "from", "original-oid", "tagger"); err != nil {
		return err
	}
	_, err := g.s.data()
	return err
}

func (g *gitReader) commit(branch string) error {
	head, err := g.heading("mark", "original-oid", "author", "committer", "gpgsig", "encoding")
	if err != nil {
		return err
	}
	message, err := g.s.data()
	if err != nil {
		return err
	}
	if err := g.parent(branch, head["mark"]); err != nil {
		return err
	}
	g.tree.begin()
	if err := g.changes(); err != nil {
		return err
	}
	r, err := g.record(head, string(message))
	if err != nil || r == nil {
		return err
	}
	g.records++
	return g.give(versions.Item{Record: r})
}

// parent holds that a commit follows the one before it.
func (g *gitReader) parent(branch, mark string) error {
	from, named, err := g.s.word("from")
	if err != nil {
		return err
	}
	if _, err := g.heading("merge"); err != nil { // what it merged shows in its files
		return err
	}
	follows := g.commits > 0 && branch == g.branch && !g.fresh
	if named {
		from = strings.TrimSuffix(from, "^0")
		follows = g.commits > 0 && (g.mark != "" && from == g.mark || from == g.branch)
	}
	if follows == (g.commits == 0) || g.commits == 0 && named {
		return fmt.Errorf("%w: %w", versions.ErrUnsound, ErrNotLinear)
	}
	g.branch, g.mark, g.fresh = branch, mark, false
	g.commits++
	return nil
}

// changes reads the file commands of a commit.
func (g *gitReader) changes() error {
	for {
		line, err := g.s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "M":
			err = g.modify(rest)
		case "D":
			err = g.delete(rest)
		case "R", "C":
			err = g.move(word, rest)
		case "deleteall":
			g.tree.remove("")
		default:
			g.s.back()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (g *gitReader) modify(rest string) error {
	mode, rest, _ := strings.Cut(rest, " ")
	ref, rest, _ := strings.Cut(rest, " ")
	path, _, err := gitWords(rest, true)
	if err != nil {
		return err
	}
	odd := false
	switch mode {
	case "100644", "644", "100755", "755":
	case "120000", "160000":
		odd = true
	default:
		return unsound("mode %.20q is not that of a file", mode)
	}
	if path == "" {
		return unsound("a path is missing")
	}
	var h versions.Hash
	switch {
	case ref == "inline":
		b, err := g.s.data()
		if err != nil {
			return err
		}
		h = hashOf(b)
		if err := g.give(versions.Item{Content: b}); err != nil {
			return err
		}
	case !odd || mode == "120000":
		mark, err := gitMark(ref)
		if err != nil {
			return unsound("%.60q: the content is not in the stream (write it with git fast-export, not with --no-data)", ref)
		}
		known := false
		if h, known = g.blobs[mark]; !known {
			return unsound("no content has mark %.40s", ref)
		}
	}
	if odd && g.inside(path) {
		g.tell(path, "a link or a submodule")
	}
	g.tree.put(path, h, odd)
	return nil
}

func (g *gitReader) delete(rest string) error {
	path, _, err := gitWords(rest, true)
	if err == nil && path != "" {
		g.tree.remove(path)
	}
	return err
}

func (g *gitReader) move(word, rest string) error {
	from, rest, err := gitWords(rest, false)
	if err != nil {
		return err
	}
	to, _, err := gitWords(rest, true)
	if err != nil {
		return err
	}
	do := g.tree.rename
	if word == "C" {
		do = g.tree.copy
	}
	if !do(from, to) {
		return unsound("nothing stands at %.80q", from)
	}
	return nil
}

// inside reports whether a path of the stream lies in the folder that is taken.
func (g *gitReader) inside(path string) bool {
	return g.o.Subdir == "" || strings.HasPrefix(path, g.o.Subdir+"/")
}

// memory is the path of a memory for one of the stream.
func (g *gitReader) memory(path string) (memfs.Path, bool) {
	if !g.inside(path) {
		return memfs.Root, false
	}
	own := path
	if g.o.Subdir != "" {
		own = path[len(g.o.Subdir)+1:]
	}
	p, err := memfs.ParsePath(own)
	switch {
	case err != nil:
		why := (*memfs.PathError)(nil)
		errors.As(err, &why)
		g.tell(path, why.Err.Error())
	case p.IsRoot() || p.Rel() != own:
		g.tell(path, "not a path that a memory can have")
	default:
		return p, true
	}
	return memfs.Root, false
}

func (g *gitReader) tell(path, why string) {
	if g.left[path] {
		return
	}
	g.left[path] = true
	g.say("%q is left out: %s", path, why)
}

func (g *gitReader) say(format string, args ...any) {
	if g.o.Left != nil {
		g.o.Left(fmt.Sprintf(format, args...))
	}
}

// record is what a commit comes to: what its trailers say when they fit what it
// does to the files, else what its files say. nil: nothing for memories.
func (g *gitReader) record(head map[string]string, message string) (*versions.Record, error) {
	net := g.tree.net()
	if g.ours {
		r, err := readMessage(message)
		if err == nil && r != nil && r.Number == g.records+1 && g.o.Subdir == "" && g.fits(r, net) {
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
	name, _, err := gitPerson(head["author"])
	if head["author"] == "" {
		name, _, err = gitPerson(head["committer"])
	}
	if err != nil {
		return nil, err
	}
	_, seconds, err := gitPerson(head["committer"])
	if err != nil {
		return nil, err
	}
	r := &versions.Record{Time: time.Unix(seconds, 0).UTC(), Versions: net,
		By: versions.By{Actor: versions.Actor{Kind: versions.Person, Name: name}, Session: versions.SessionID(head["original-oid"])}}
	describe(r)
	return r, nil
}

// fits reports whether the versions that trailers tell of leave the files as the
// commit left them, and account for all that it did.
func (g *gitReader) fits(r *versions.Record, net []versions.RecordVersion) bool {
	told, stands := map[memfs.Path]bool{}, map[memfs.Path]bool{}
	redacted := false
	for i := range r.Versions {
		v := &r.Versions[i]
		told[v.Path], told[v.From] = true, true
		redacted = redacted || !v.Redacted.IsZero()
		if v.SHA256 == (versions.Hash{}) {
			continue
		}
		stands[v.Path] = true
		if f := g.tree.files[v.Path.Rel()]; f == nil || f.now.odd || f.now.hash != v.SHA256 {
			return false
		}
	}
	for p := range told {
		if !p.IsRoot() && !stands[p] && g.tree.files[p.Rel()] != nil {
			return false
		}
	}
	for i := range net {
		v := &net[i]
		if v.Operation == versions.Deleted && redacted {
			continue
		}
		if !told[v.Path] || !told[v.From] && !v.From.IsRoot() {
			return false
		}
	}
	return true
}
