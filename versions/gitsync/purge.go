package gitsync

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/scrub"
)

// purge makes the branch anew without what was erased here: all commits stay, by their authors, with their other files, and
// with all that is none of the store's. A commit that had brought an erased text leaves the file as it was before, and its
// message says only that; who has its change still finds its id. Doing it again changes nothing.
func (r *run) purge(ctx context.Context) error {
	l, err := r.leaving(ctx)
	if err != nil {
		return err
	}
	if len(l.blobs)+len(l.commits)+len(l.texts)+len(l.names) == 0 { // all of it is taken in, and goes on
		r.b.Head = r.remote
		return nil
	}
	if err := r.filter(ctx, l); err != nil {
		return err
	}
	begun := r.dir + ".new"
	if err := r.begin(ctx, begun, r.remote); err != nil {
		return err
	}
	if said, err := git.Remote(ctx, begun, "-c", "gc.auto=0", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", r.dir, "+"+clean+":"+r.there()).CombinedOutput(); err != nil {
		return git.Error(begun, err, said)
	}
	if r.b.Head, err = output(ctx, begun, "rev-parse", "--verify", "--quiet", r.there()); err != nil {
		return err
	}
	if err := RemoveErased(ctx, r.s); err != nil {
		return err
	}
	r.seen = false // the commit there is not in this repository
	return os.Rename(begun, r.dir)
}

// clean is the ref of the branch without what was erased.
const clean = "refs/memend/clean"

// leaving is what leaves the branch.
type leaving struct {
	blobs   map[string]bool            // contents, wherever they are
	commits map[string]versions.Erased // commits whose changes have something erased
	texts   map[string]string          // by commits: what is left of their messages
	names   []string                   // names, addresses and ids of which something was erased, each with what is left of it
	subdir  string
}

// leaving finds what was erased here on the branch. Nothing here tells what an erased text was. So it is any content, of a
// memory of which something was erased, that no version here has.
func (r *run) leaving(ctx context.Context) (*leaving, error) {
	l := &leaving{blobs: map[string]bool{}, commits: map[string]versions.Erased{}, texts: map[string]string{}, subdir: r.b.Subdir}
	erased, err := Erased(ctx, r.s)
	if err != nil {
		return nil, err
	}
	words, err := readSaid(ctx, r.s)
	if err != nil {
		return nil, err
	}
	suspect := map[memfs.Path]bool{}
	paths, err := ErasedPaths(ctx, r.s)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		suspect[p] = true
	}
	kept := map[string]bool{}
	err = exchange.ExportAfter(ctx, r.s, 0, func(it versions.Item) error {
		if it.Record == nil {
			kept[git.BlobID(it.Content, r.remote)] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	pairs, err := r.pairs(ctx)
	if err != nil {
		return nil, err
	}
	brought := map[memfs.Path][]string{} // contents
	err = r.each(ctx, pairs, func(c *git.Commit, t *told) {
		for _, id := range []string{t.in.ID, c.ID} {
			if e, was := erased[id]; was {
				l.commits[c.ID] = e
			}
		}
		l.words(c, t, words)
		for _, f := range c.Files {
			p, ok := l.memory(f.Path)
			if !ok || f.Status == 'D' || !git.Regular(f.Mode) {
				continue
			}
			suspect[p] = suspect[p] || l.erases(c.ID, p)
			brought[p] = append(brought[p], f.Blob)
		}
	})
	if err != nil {
		return nil, err
	}
	for p, blobs := range brought {
		for _, b := range blobs {
			if suspect[p] && !kept[b] {
				l.blobs[b] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(l.blobs))
	sizes, err := git.Sizes(ctx, r.dir, names)
	for i, size := range sizes {
		if size > versions.DefaultMaxBytes { // it never was a memory
			delete(l.blobs, names[i])
		}
	}
	return l, err
}

// words adds what leaves the message of a commit and the names in it, as far as they have other words than the trail.
func (l *leaving) words(c *git.Commit, t *told, words *said) {
	is, known := words.changes[t.in.ID]
	if !known {
		is, known = words.changes[c.ID]
	}
	n := len(l.names)
	if known {
		l.name(c.Name, word(is.By.Actor.Name))
		l.name(t.in.By.Actor.Name, is.By.Actor.Name)
		l.name(c.Email, word(is.Email))
		l.name(string(t.in.By.Session), string(is.By.Session))
		l.name(t.in.By.ToolUse, is.By.ToolUse)
	}
	ours := len(t.ids) > 0
	switch {
	case is.Message != "" && is.Message != t.in.Message && scrub.IsMasked(is.Message):
		l.texts[c.ID] = is.Message
	case ours && t.made == "" && is.Message == "" && words.reasons: // nothing here tells which reason it has
		l.texts[c.ID] = t.subject
	case !ours && len(l.names) > n:
		l.texts[c.ID] = t.in.Message
	}
}

// name adds a name that a commit has, unless the trail has it as it was.
func (l *leaving) name(there, here string) {
	if there == "" || there == here || !scrub.IsMasked(here) {
		return
	}
	l.names = append(l.names, there, here)
	if q := quoted(there); q != there {
		l.names = append(l.names, q, quoted(here))
	}
}

// memory returns the memory at a path of the repository; false if there can be none.
func (l *leaving) memory(path string) (p memfs.Path, ok bool) {
	p, why := exchange.MemoryIn(path, l.subdir)
	return p, why == "" && !p.IsRoot()
}

// erases reports whether what a commit did at a path was erased.
func (l *leaving) erases(commit string, p memfs.Path) bool {
	e, was := l.commits[commit]
	return was && !e.Kept[p]
}

// file reports whether a file that a commit brings leaves it. at is the path as fast-export writes it.
func (l *leaving) file(commit, blob, at string) bool {
	if l.blobs[blob] {
		return true
	}
	if _, was := l.commits[commit]; !was {
		return false
	}
	if name, err := strconv.Unquote(at); err == nil { // git quotes as C does
		at = name
	}
	p, ok := l.memory(at)
	return ok && l.erases(commit, p)
}

// pairs lists the branch's commits, each with each of its parents.
func (r *run) pairs(ctx context.Context) (out []git.Pair, err error) {
	list, err := output(ctx, r.dir, "rev-list", "--topo-order", "--reverse", "--parents", r.remote)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(list) {
		ids := strings.Fields(line)
		for _, parent := range ids[min(1, len(ids)):] {
			out = append(out, git.Pair{Commit: ids[0], Parent: parent})
		}
		if len(ids) == 1 {
			out = append(out, git.Pair{Commit: ids[0]})
		}
	}
	return out, nil
}

// filter writes the branch again, to the ref clean, by fast-export and fast-import.
func (r *run) filter(ctx context.Context, l *leaving) error {
	from, err := git.Start(ctx, r.dir, "fast-export", "--no-data", "--show-original-ids", "--reencode=no", r.there())
	if err != nil {
		return err
	}
	defer from.Kill()
	to, err := git.Start(ctx, r.dir, "fast-import", "--quiet", "--done", "--force")
	if err != nil {
		return err
	}
	defer to.Kill()
	w := bufio.NewWriterSize(to.In, 64<<10)
	names := strings.NewReplacer(l.names...)
	commit, done := "", 0
	for {
		line, err := from.Out.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			break
		}
		if err != nil {
			return fmt.Errorf("read the branch: %w", err)
		}
		what, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch what {
		case "commit", "reset":
			fmt.Fprintf(w, "%s %s\n", what, clean)
			continue
		case "original-oid":
			commit = rest
			done++
			versions.ReportProgress(ctx, versions.Progress{Done: done, Of: versions.CommitsRewritten})
			continue
		case "author", "committer":
			line = names.Replace(line)
		case "data":
			n, err := strconv.Atoi(rest)
			if err != nil || n < 0 {
				return fmt.Errorf("read the branch: git says %q", line)
			}
			b := make([]byte, n)
			if _, err := io.ReadFull(from.Out, b); err != nil {
				return fmt.Errorf("read the branch: %w", err)
			}
			message := names.Replace(l.message(string(b), commit))
			fmt.Fprintf(w, "data %d\n%s", len(message), message)
			continue
		case "M":
			if fields := strings.SplitN(rest, " ", 3); len(fields) == 3 && l.file(commit, fields[1], fields[2]) {
				continue
			}
		}
		w.WriteString(line)
	}
	if err := from.End(); err != nil {
		return err
	}
	fmt.Fprintln(w, "done")
	if err := w.Flush(); err != nil {
		return errors.Join(err, to.End())
	}
	if _, err := io.Copy(io.Discard, to.Out); err != nil {
		return err
	}
	return to.End()
}

// message returns the message of a commit without what it may tell of an erased text: our trailers stay.
func (l *leaving) message(b, commit string) string {
	text, reworded := l.texts[commit]
	_, erased := l.commits[commit]
	if erased {
		text = "A change whose text was erased"
	} else if !reworded {
		return b
	}
	out := text + "\n\n"
	ours := false
	for line := range strings.Lines(b) {
		key, _, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(key, trailer) && key != trailer+"Subject" {
			out, ours = out+strings.TrimSuffix(line, "\n")+"\n", true
		}
	}
	if !ours {
		out += trailer + "Id: " + commit + "\n"
	}
	if erased {
		out += trailer + "Subject: " + text + "\n"
	}
	return out
}
