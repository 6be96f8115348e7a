package gitsync

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/git"
)

// blob writes a content.
func (w *writer) blob(content []byte) error {
	w.blobs[versions.Sum(content)] = git.BlobID(content, w.like())
	fmt.Fprintln(w.w, "blob")
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

// ops returns the commands that change the tip's tree, and changes files alike. What waits for a person stays as it is on
// the branch.
func (w *writer) ops(gone map[string]bool, put map[string]git.Entry) (ops []string) {
	for at := range gone {
		if _, again := put[at]; !again && !w.waiting.has(at) && w.files[at].Regular() {
			ops = append(ops, "D "+exchange.GitPath(at))
			delete(w.files, at)
		}
	}
	slices.Sort(ops)
	for _, at := range slices.Sorted(maps.Keys(put)) {
		e := put[at]
		if w.waiting.has(at) || w.files[at] == e {
			continue
		}
		w.freePath(at)
		ops = append(ops, fmt.Sprintf("M %s %s %s", e.Mode, e.Blob, exchange.GitPath(at)))
		w.files[at] = e
	}
	return ops
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

// commit writes a commit on the tip; merged is another parent.
func (w *writer) commit(author, message, merged string, ops []string) error {
	w.commits++
	fmt.Fprintf(w.w, "commit %s\nmark :%d\nauthor %s\ncommitter %s\n", ref, w.commits, author, author)
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
	w.tip = fmt.Sprintf(":%d", w.commits)
	return w.w.WriteByte('\n')
}

// end ends the stream and returns the id of the tip.
func (w *writer) end() (string, error) {
	made := strings.HasPrefix(w.tip, ":")
	if made {
		fmt.Fprintln(w.w, "get-mark", w.tip)
	}
	fmt.Fprintln(w.w, "done")
	if err := w.w.Flush(); err != nil {
		return "", cmp.Or(w.git.End(), err) // why git no longer reads
	}
	said, err := io.ReadAll(w.git.Out)
	if err == nil {
		err = w.git.End()
	}
	if err != nil || !made {
		return w.tip, err
	}
	return strings.TrimSpace(string(said)), nil
}
