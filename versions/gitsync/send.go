package gitsync

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/git"
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
	w := &writer{run: r, tip: r.b.Head, blobs: map[versions.Hash]int{}, written: map[int]string{}, merged: map[string][]byte{}, awaited: map[string]bool{}, above: map[string]bool{}}
	err = w.begin(ctx, behind)
	defer w.stop()
	if err != nil {
		return err
	}
	if err := w.write(ctx, unsent, behind); err != nil {
		return err
	}
	head, err := w.end(ctx)
	if err != nil {
		return err
	}
	if err := r.step("committed"); err != nil {
		return err
	}
	r.b.Head, r.b.Remote, r.b.Sent, r.b.Waits = head, r.remote, w.last, len(w.awaited) > 0
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
	marks   string // the file in which git leaves the ids
	mark    int
	tip     string               // of the commits: an id, or a mark
	files   map[string]git.Entry // of the tip
	there   map[string]git.Entry // of the branch's commit there
	blobs   map[versions.Hash]int
	written map[int]string    // ids of contents by their marks
	merged  map[string][]byte // by their ids, contents that no version has
	awaited map[string]bool   // paths that stay as they are on the branch
	above   map[string]bool   // folders of awaited
	folders map[string]bool   // of files; some may be empty
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
	paths, err := Awaited(ctx, w.s)
	if err != nil {
		return err
	}
	for _, p := range paths {
		w.await(w.path(p))
	}
	if err := w.keepLarge(ctx, behind); err != nil {
		return err
	}
	f, err := os.CreateTemp(w.dir, marksPrefix+"*")
	if err != nil {
		return err
	}
	w.marks = f.Name()
	if err := f.Close(); err != nil {
		return err
	}
	if w.git, err = git.Start(ctx, w.dir, "fast-import", "--quiet", "--done", "--force", "--date-format=raw", "--export-marks="+w.marks); err != nil {
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

// blob writes a content.
func (w *writer) blob(content []byte) error {
	w.mark++
	w.blobs[hashOf(content)] = w.mark
	w.written[w.mark] = git.BlobID(content, w.like())
	fmt.Fprintf(w.w, "blob\nmark :%d\n", w.mark)
	return w.data(content)
}

// like is an id of the repository's kind.
func (w *writer) like() string {
	for _, id := range []string{w.b.Head, w.remote} {
		if id != "" {
			return id
		}
	}
	return ""
}

func (w *writer) data(b []byte) error {
	fmt.Fprintf(w.w, "data %d\n", len(b))
	w.w.Write(b)
	return w.w.WriteByte('\n')
}

// change writes the commit of a change, if it changes the tree.
func (w *writer) change(ctx context.Context, r *versions.Record) error {
	if w.waits(r) {
		return nil
	}
	gone, put := map[string]bool{}, map[string]git.Entry{}
	marks := map[string]int{}
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
		if w.blobs[v.SHA256] == 0 {
			return fmt.Errorf("change %d: the content of %s can't be read", r.Number, v.Path.Tool())
		}
		mark, err := w.onto(ctx, v, source)
		if err != nil {
			return err
		}
		put[at], marks[at] = git.Entry{Mode: w.mode(source), Blob: w.written[mark]}, mark
	}
	id := newID()
	w.added = append(w.added, versions.Shared{ID: id, Change: r.Number})
	ops := w.ops(gone, put, marks)
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

// waits reports whether a change is on a memory that waits for a person. It goes out after the decision, and so do later
// changes on its memories.
func (w *writer) waits(r *versions.Record) bool {
	var at []string
	for i := range r.Versions {
		for _, p := range []memfs.Path{r.Versions[i].Path, r.Versions[i].From} {
			if !p.IsRoot() {
				at = append(at, w.path(p))
			}
		}
	}
	if !slices.ContainsFunc(at, w.isAwaited) {
		return false
	}
	for _, p := range at {
		w.await(p)
	}
	if w.delayed == 0 {
		w.delayed = r.Number
	}
	w.Waiting++
	return true
}

// await leaves a path as it is on the branch.
func (w *writer) await(p string) {
	w.awaited[p] = true
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		w.above[d] = true
	}
}

// isAwaited reports whether a path is awaited, or above or below one that is: a file may be where a folder should come.
func (w *writer) isAwaited(p string) bool {
	if w.awaited[p] || w.above[p] {
		return true
	}
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if w.awaited[d] {
			return true
		}
	}
	return false
}

// mode is the mode that a file keeps.
func (w *writer) mode(at string) string {
	if f := w.files[at]; f.Regular() {
		return f.Mode
	}
	return "100644"
}

// ops returns the commands that change the tip's tree, and changes files alike. What waits for a person stays as it is on
// the branch.
func (w *writer) ops(gone map[string]bool, put map[string]git.Entry, marks map[string]int) (ops []string) {
	for at := range gone {
		if _, again := put[at]; !again && !w.isAwaited(at) && w.files[at].Regular() {
			ops = append(ops, "D "+quotedPath(at))
			delete(w.files, at)
		}
	}
	slices.Sort(ops)
	var puts []string
	for at, e := range put {
		if w.isAwaited(at) || w.files[at] == e {
			continue
		}
		w.freePath(at)
		ref := e.Blob
		if mark := marks[at]; mark > 0 {
			ref = fmt.Sprintf(":%d", mark)
		}
		puts = append(puts, fmt.Sprintf("M %s %s %s", e.Mode, ref, quotedPath(at)))
		w.files[at] = e
	}
	slices.SortFunc(puts, func(a, b string) int {
		return strings.Compare(a[strings.LastIndexByte(a, ' '):], b[strings.LastIndexByte(b, ' '):])
	})
	return append(ops, puts...)
}

// freePath removes from files what git replaces by a file at a path: files above and below it.
func (w *writer) freePath(at string) {
	if _, there := w.files[at]; there {
		return
	}
	for d := path.Dir(at); d != "."; d = path.Dir(d) {
		delete(w.files, d)
		w.folders[d] = true
	}
	if !w.folders[at] {
		return
	}
	for p := range w.files {
		if strings.HasPrefix(p, at+"/") {
			delete(w.files, p)
		}
	}
}

// setFiles sets the tree that the next commands change.
func (w *writer) setFiles(files map[string]git.Entry) {
	w.files, w.folders = files, map[string]bool{}
	for p := range files {
		for d := path.Dir(p); d != "." && !w.folders[d]; d = path.Dir(d) {
			w.folders[d] = true
		}
	}
}

func quotedPath(p string) string {
	if !strings.ContainsAny(p, " \"\\\n") {
		return p
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(p) + `"`
}

// commit writes a commit on the tip; merged is another parent.
func (w *writer) commit(author, message, merged string, ops []string) error {
	w.mark++
	fmt.Fprintf(w.w, "commit %s\nmark :%d\nauthor %s\ncommitter %s\n", ref, w.mark, author, author)
	if err := w.data([]byte(message)); err != nil {
		return err
	}
	if w.tip != "" {
		fmt.Fprintf(w.w, "from %s\n", w.tip)
	}
	if merged != "" {
		fmt.Fprintf(w.w, "merge %s\n", merged)
	}
	for _, op := range ops {
		fmt.Fprintln(w.w, op)
	}
	w.tip = fmt.Sprintf(":%d", w.mark)
	return w.w.WriteByte('\n')
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
	put, marks := map[string]git.Entry{}, map[string]int{}
	last, err := Texts(ctx, w.s, func(p memfs.Path, text []byte) error {
		at := w.path(p)
		stands[at] = true
		e := git.Entry{Mode: w.mode(at), Blob: git.BlobID(text, w.like())}
		if e == w.files[at] || w.isAwaited(at) {
			return nil
		}
		put[at] = e
		if mark := w.blobs[hashOf(text)]; mark > 0 {
			marks[at] = mark
			return nil
		}
		err := w.blob(text)
		marks[at] = w.mark
		return err
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
		if !stands[at] && f.Regular() && !w.isAwaited(at) {
			if _, ok := w.memory(at); ok {
				gone[at] = true
			}
		}
	}
	r := &versions.Record{Kind: versions.KindEdit, By: versions.By{Actor: w.by.Actor, Door: w.by.Door}, Time: time.Now(), Versions: w.effects(gone, put)}
	ops := w.ops(gone, put, marks)
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

// keepLarge makes the files of the branch that are too large for memories stay as they are there, whatever the store
// has at their paths.
func (w *writer) keepLarge(ctx context.Context, behind bool) error {
	var at, ids []string
	files := w.there
	if behind {
		files = w.files
	}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if files[p].Regular() {
			at, ids = append(at, p), append(ids, files[p].Blob)
		}
	}
	sizes, err := git.Sizes(ctx, w.dir, ids)
	if err != nil {
		return err
	}
	for i, p := range at {
		if sizes[i] > versions.DefaultMaxBytes {
			w.leave(p, tooLarge)
			w.await(p)
		}
	}
	return nil
}

func lastOf(ns []int64) int64 {
	if len(ns) == 0 {
		return 0
	}
	return ns[len(ns)-1]
}

// stop ends git, if it still runs, and removes what only it needed.
func (w *writer) stop() {
	if w.git != nil {
		w.git.Kill()
	}
	if w.marks != "" {
		_ = os.Remove(w.marks)
	}
}

// end ends the stream and returns the id of the tip.
func (w *writer) end(ctx context.Context) (string, error) {
	fmt.Fprintln(w.w, "done")
	if err := w.w.Flush(); err != nil {
		return "", w.failed(err)
	}
	if _, err := io.Copy(io.Discard, w.git.Out); err != nil {
		return "", err
	}
	if err := w.git.End(); err != nil {
		return "", err
	}
	if !strings.HasPrefix(w.tip, ":") {
		return w.tip, nil
	}
	b, err := os.ReadFile(w.marks)
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(b) {
		if mark, id, _ := strings.Cut(strings.TrimSpace(string(line)), " "); mark == w.tip {
			return id, nil
		}
	}
	return "", fmt.Errorf("git in %s: it did not say which commit it made", w.dir)
}

// failed returns why git no longer reads.
func (w *writer) failed(err error) error {
	if why := w.git.End(); why != nil {
		return why
	}
	return err
}
