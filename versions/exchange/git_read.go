package exchange

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/memend/memend/versions"
)

// GitOptions selects what to read from a stream.
type GitOptions struct {
	Subdir string            // read only this folder, which becomes the root; "": everything
	Left   func(what string) // called for each path that is left out, with the reason; and if our trailers don't match
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
	left  map[string]bool         // paths that were reported

	branch  string // of the newest commit
	mark    string // ":5", of the newest commit; "" if it has none
	commits int64
	records int64
	fresh   bool // the next commit has no parent unless it says so
	ours    bool // all commits so far had matching trailers
	done    bool // the stream announced that it will mark its end
}

func (g *gitReader) run() error {
	for {
		line, err := g.s.next()
		if errors.Is(err, io.EOF) {
			if g.done {
				return unsound("the input is truncated: the final \"done\" is missing")
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
			err = unsound("unknown command of a fast-import stream")
		}
		if err != nil {
			return err
		}
	}
}

// heading reads the optional lines at the beginning of a command.
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

// reset may begin another line of history; if it only names a commit, it says nothing about memories.
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

// parent checks that a commit follows the one before it.
func (g *gitReader) parent(branch, mark string) error {
	from, named, err := g.s.word("from")
	if err != nil {
		return err
	}
	if _, err := g.heading("merge"); err != nil { // the merged changes are in the commit's files
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
			return unsound("mark %.40s has no content", ref)
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
		return unsound("no file at %.80q", from)
	}
	return nil
}
