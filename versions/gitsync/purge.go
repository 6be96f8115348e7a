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
)

// purge makes the branch anew without what was erased here: all commits stay, by their authors, with their other files, and
// with all that is none of the store's. A commit that had brought an erased text leaves the file as it was before, and its
// message says only that; who has its change still finds its id.
func (r *run) purge(ctx context.Context) error {
	erased, err := r.s.Erased(ctx)
	if err != nil {
		return err
	}
	blobs, err := r.erasedBlobs(ctx, erased)
	if err != nil {
		return err
	}
	if len(blobs) == 0 { // all of it is taken in, and goes on
		r.b.Head = r.remote
		return nil
	}
	if err := r.filter(ctx, blobs, erased); err != nil {
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
	if err := r.s.RemoveErased(ctx); err != nil {
		return err
	}
	return os.Rename(begun, r.dir)
}

// clean is the ref of the branch without what was erased.
const clean = "refs/memend/clean"

// erasedBlobs returns the contents on the branch that were erased here. Nothing here tells what an
// erased text was. So it is any content, of a memory of which something was erased, that no version here has.
func (r *run) erasedBlobs(ctx context.Context, erased map[string]versions.Erased) (map[string]bool, error) {
	suspect := map[string]bool{}
	paths, err := r.s.ErasedPaths(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		suspect[p.Rel()] = true
	}
	kept := map[string]bool{}
	err = r.s.ExportAfter(ctx, 0, func(it versions.Item) error {
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
	log, err := git.Compare(ctx, r.dir, pairs)
	if err != nil {
		return nil, err
	}
	defer log.Kill()
	type brought struct{ path, blob string }
	var all []brought
	for range pairs {
		c, err := log.Next()
		if err != nil {
			return nil, err
		}
		t, err := read(&c)
		if err != nil {
			return nil, err
		}
		gone, was := erased[t.in.ID]
		if !was {
			gone, was = erased[c.ID]
		}
		for _, f := range c.Files {
			p, why := exchange.MemoryIn(f.Path, r.b.Subdir)
			if why != "" || p == (memfs.Path{}) || f.Status == 'D' || !git.Regular(f.Mode) {
				continue
			}
			if was && !gone.Kept[p] {
				suspect[p.Rel()] = true
			}
			all = append(all, brought{p.Rel(), f.Blob})
		}
	}
	blobs := map[string]bool{}
	for _, b := range all {
		if suspect[b.path] && !kept[b.blob] {
			blobs[b.blob] = true
		}
	}
	names := slices.Sorted(maps.Keys(blobs))
	sizes, err := git.Sizes(ctx, r.dir, names)
	for i, size := range sizes {
		if size > versions.DefaultMaxBytes { // it never was a memory
			delete(blobs, names[i])
		}
	}
	return blobs, err
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
func (r *run) filter(ctx context.Context, blobs map[string]bool, erased map[string]versions.Erased) error {
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
		case "data":
			n, err := strconv.Atoi(rest)
			if err != nil || n < 0 {
				return fmt.Errorf("read the branch: git says %q", line)
			}
			b := make([]byte, n)
			if _, err := io.ReadFull(from.Out, b); err != nil {
				return fmt.Errorf("read the branch: %w", err)
			}
			b = withoutErased(b, commit, erased)
			fmt.Fprintf(w, "data %d\n", len(b))
			w.Write(b)
			continue
		case "M":
			if fields := strings.Fields(rest); len(fields) > 1 && blobs[fields[1]] {
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

// withoutErased returns a commit's message without what it may tell of an erased text: our trailers stay.
func withoutErased(message []byte, commit string, erased map[string]versions.Erased) []byte {
	t, err := read(&git.Commit{ID: commit, Committed: "0", Written: "0", Message: string(message)})
	if err != nil {
		return message
	}
	_, was := erased[t.in.ID]
	if _, here := erased[commit]; !was && !here {
		return message
	}
	const text = "A change whose text was erased"
	out := text + "\n\n"
	ours := false
	for line := range strings.Lines(string(message)) {
		key, _, _ := strings.Cut(line, ": ")
		if strings.HasPrefix(key, trailer) && key != trailer+"Subject" {
			out, ours = out+strings.TrimSuffix(line, "\n")+"\n", true
		}
	}
	if !ours {
		out += trailer + "Id: " + commit + "\n"
	}
	return []byte(out + trailer + "Subject: " + text + "\n")
}
