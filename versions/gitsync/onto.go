package gitsync

import (
	"context"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/git"
)

// sourceOf returns where the tip has the memory that a version of a change is of: elsewhere than here, if a held change
// that it is made on there had renamed it.
func (w *writer) sourceOf(ctx context.Context, v *versions.RecordVersion) (string, error) {
	at := w.path(v.Path)
	if !v.From.IsRoot() {
		at = w.path(v.From)
	}
	if v.Operation == versions.Created || w.files[at].Regular() {
		return at, nil
	}
	paths, err := HeldPaths(ctx, w.s, v.Memory)
	for _, p := range paths {
		if there := w.path(p); w.files[there].Regular() {
			return there, nil
		}
	}
	return at, err
}

// onto returns the id of the content that a version leaves at the tip, which has the memory at source. If that text is
// another than the one that was changed, as after a held change that a person decided about only later, what the version
// changed is merged with it. Where both changed the same lines, the version's count: a later commit says what came of them.
func (w *writer) onto(ctx context.Context, v *versions.RecordVersion, source string) (id string, err error) {
	id = w.blobs[v.SHA256]
	tip := w.files[source]
	if id == "" || w.b.Head == "" || v.Operation == versions.Created || !tip.Regular() || tip.Blob == id {
		return id, nil
	}
	before, err := TextBefore(ctx, w.s, v.ID)
	if err != nil || before == nil || git.BlobID(before, w.like()) == tip.Blob {
		return id, err
	}
	there, err := w.tipText(ctx, tip.Blob)
	if err != nil {
		return id, err
	}
	after, err := TextOf(ctx, w.s, v.SHA256)
	if err != nil {
		return id, err
	}
	text := diff.Merge(before, there, after).Favor(diff.MergeTheirs)
	if id = w.blobs[versions.Sum(text)]; id == "" {
		err = w.blob(text)
		id = w.blobs[versions.Sum(text)]
		w.merged[id] = text
	}
	return id, err
}

// tipText returns the content of a blob of the tip. git does not have those that were written just now.
func (w *writer) tipText(ctx context.Context, id string) ([]byte, error) {
	if text, ok := w.merged[id]; ok {
		return text, nil
	}
	for sum, blob := range w.blobs {
		if blob == id {
			return TextOf(ctx, w.s, sum)
		}
	}
	text, err := git.Command(ctx, w.dir, "cat-file", "blob", id).Output()
	if err != nil {
		return nil, fmt.Errorf("read %.10s: %w", id, git.Error(w.dir, err, nil))
	}
	return text, nil
}
