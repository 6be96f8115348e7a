package gitsync

import (
	"bufio"
	"context"
	"fmt"
	"path"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// giveOut makes commits of the changes that are not on the branch, and joins them with what was taken in.
func (r *run) giveOut(ctx context.Context) error {
	unsent, err := Unshared(ctx, r.s, r.b.Sent)
	if err != nil {
		return err
	}
	behind := r.o.Rewrite
	if !behind {
		if behind, err = r.isAncestor(ctx, r.remote, r.b.Head); err != nil {
			return err
		}
	}
	if len(unsent) == 0 && behind && !r.b.Waits && r.b.Head != "" {
		if r.b.Remote != r.remote {
			r.b.Remote = r.remote
			return SetBranch(ctx, r.s, r.b, nil)
		}
		return nil
	}
	r.Waiting = 0
	w := &writer{run: r, tip: r.b.Head, blobs: map[versions.Hash]string{}, merged: map[string][]byte{}, waiting: newWaiting()}
	err = w.begin(ctx, behind)
	if err != nil {
		return err
	}
	defer w.git.Kill()
	if err := w.write(ctx, unsent, behind); err != nil {
		return err
	}
	head, err := w.end()
	if err != nil {
		return err
	}
	if err := r.step("committed"); err != nil {
		return err
	}
	r.b.Head, r.b.Remote, r.b.Sent, r.b.Waits = head, r.remote, w.last, len(w.waiting.at) > 0
	if w.delayed > 0 {
		r.b.Sent = w.delayed - 1
	}
	if err := SetBranch(ctx, r.s, r.b, w.added); err != nil {
		return err
	}
	r.Sent += w.sent
	if r.b.Head == "" {
		return nil
	}
	_, err = output(ctx, r.dir, "update-ref", "refs/heads/"+r.b.Name, r.b.Head)
	return err
}

// writer writes commits by git fast-import.
type writer struct {
	*run
	git     *git.Process
	w       *bufio.Writer
	commits int
	tip     string                   // of the commits: an id, or a mark
	files   map[string]git.Entry     // of the tip
	there   map[string]git.Entry     // of the branch's commit there
	blobs   map[versions.Hash]string // ids of contents that were written
	merged  map[string][]byte        // by their ids, contents that no version has
	waiting waiting
	folders map[string]bool // of files; some may be empty
	added   []versions.Shared
	sent    int // of added, those that have a commit
	last    int64
	rejects []versions.Held // see rejected
	delayed int64           // the first change that waits for a decision; 0: none
}

// ref is where the commits are written, until the branch's refs say so.
const ref = "refs/memend/new"

func (w *writer) begin(ctx context.Context, behind bool) (err error) {
	files := map[string]git.Entry{}
	if w.tip != "" {
		if files, err = git.Files(ctx, w.dir, w.tip, w.b.Subdir); err != nil {
			return err
		}
	}
	w.setFiles(files)
	if !behind {
		if w.there, err = git.Files(ctx, w.dir, w.remote, w.b.Subdir); err != nil {
			return err
		}
	}
	err = core.View(ctx, w.s.Trail, func(q tables.Reader) error {
		paths, err := awaited(q, w.s.Row)
		for _, p := range paths {
			w.waiting.add(w.path(p))
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := w.keepLarge(ctx, behind); err != nil {
		return err
	}
	if w.git, err = git.Start(ctx, w.dir, "fast-import", "--quiet", "--done", "--force", "--date-format=raw"); err != nil {
		return err
	}
	w.w = bufio.NewWriterSize(w.git.In, 64<<10)
	fmt.Fprintf(w.w, "reset %s\n", ref)
	if w.tip != "" {
		fmt.Fprintf(w.w, "from %s\n", w.tip)
	}
	fmt.Fprintln(w.w)
	return nil
}

// path is where a memory is in the repository.
func (w *writer) path(p memfs.Path) string { return path.Join(w.b.Subdir, p.Rel()) }

func (w *writer) write(ctx context.Context, unsent []int64, behind bool) error {
	if len(unsent) > 0 {
		at := 0
		err := exchange.ExportAfter(ctx, w.s, unsent[0]-1, func(it versions.Item) error {
			if it.Record == nil {
				return w.blob(it.Content)
			}
			if at < len(unsent) && it.Record.Number == unsent[at] {
				at++
				versions.ReportProgress(ctx, versions.Progress{Done: at, Total: len(unsent), Of: versions.ChangesSent})
				return w.change(ctx, it.Record)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return w.finish(ctx, unsent, behind)
}

// change writes the commit of a change, if it changes the tree.
func (w *writer) change(ctx context.Context, r *versions.Record) error {
	if w.waits(r) {
		return nil
	}
	gone, put := map[string]bool{}, map[string]git.Entry{}
	for i := range r.Versions {
		v := &r.Versions[i]
		if !v.Redacted.IsZero() || v.Lost {
			continue
		}
		source, err := w.sourceOf(ctx, v)
		if err != nil {
			return err
		}
		if !v.From.IsRoot() || v.Operation == versions.Deleted {
			gone[source] = true
		}
		if v.Operation == versions.Deleted {
			continue
		}
		at := source
		if !v.From.IsRoot() {
			at = w.path(v.Path)
		}
		blob, err := w.onto(ctx, v, source)
		if err != nil {
			return err
		}
		if blob == "" {
			return fmt.Errorf("change %d: the content of %s can't be read", r.Number, v.Path.Tool())
		}
		put[at] = git.Entry{Mode: w.mode(source), Blob: blob}
	}
	id := newID()
	w.added = append(w.added, versions.Shared{ID: id, Change: r.Number})
	ops := w.ops(gone, put)
	if len(ops) == 0 {
		return nil
	}
	w.sent++
	text, err := w.told(ctx, r)
	if err != nil {
		return err
	}
	return w.commit(w.author(r), message(id, r, text), "", ops)
}

// mode is the mode that a file keeps.
func (w *writer) mode(at string) string {
	if f := w.files[at]; f.Regular() {
		return f.Mode
	}
	return "100644"
}

// finish makes the tree what stands in the store: by a merge with what was taken in, if there is something to join.
func (w *writer) finish(ctx context.Context, unsent []int64, behind bool) error {
	chain := w.tip
	merges := !behind && chain != ""
	if merges && w.sent == 0 {
		ahead, err := w.isAncestor(ctx, w.b.Head, w.remote)
		if err != nil {
			return err
		}
		merges = !ahead
	}
	if !behind && !merges { // only the branch moved on
		w.tip, chain = w.remote, ""
	}
	if merges {
		w.tip = w.remote
	}
	if !behind {
		w.setFiles(w.there)
	}
	stands := map[string]bool{}
	put := map[string]git.Entry{}
	last, err := Texts(ctx, w.s, func(p memfs.Path, text []byte) error {
		at := w.path(p)
		stands[at] = true
		e := git.Entry{Mode: w.mode(at), Blob: git.BlobID(text, w.like())}
		if e == w.files[at] || w.waiting.has(at) {
			return nil
		}
		put[at] = e
		if w.blobs[versions.Sum(text)] != "" {
			return nil
		}
		return w.blob(text)
	})
	if err != nil {
		return err
	}
	if last != lastOf(unsent) && last > w.b.Sent {
		more, err := Unshared(ctx, w.s, max(w.b.Sent, lastOf(unsent)))
		if err != nil {
			return err
		}
		if len(more) > 0 {
			return errGoesOn
		}
	}
	w.last = last
	gone := map[string]bool{}
	for at, f := range w.files {
		if !stands[at] && f.Regular() && !w.waiting.has(at) {
			if _, ok := w.memory(at); ok {
				gone[at] = true
			}
		}
	}
	r := &versions.Record{Kind: versions.KindEdit, By: versions.By{Actor: w.by.Actor, Door: w.by.Door}, Time: time.Now(), Versions: w.effects(gone, put)}
	ops := w.ops(gone, put)
	if !merges && len(ops) == 0 {
		return nil
	}
	subject := ""
	if merges {
		subject = fmt.Sprintf("Merge branch %s with the store %s", w.b.Name, w.s.Info().Name)
		w.Merged = true
	} else {
		chain = ""
	}
	text, err := w.decided(ctx, r, subject)
	if err != nil {
		return err
	}
	return w.commit(w.author(r), message(newID(), r, text), chain, ops)
}

func lastOf(ns []int64) int64 {
	if len(ns) == 0 {
		return 0
	}
	return ns[len(ns)-1]
}
