package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// lookFor takes the windows of what a plan will leave nothing of: of the contents
// as the trail stores them, of their hashes, and of the text itself or, when none
// was named, of the contents as they read.
func (t *Trail) lookFor(ctx context.Context, p RedactPlan) (*pieces, error) {
	stays := map[int64]bool{0: true}
	for _, v := range p.Kept {
		stays[v.blob] = true
	}
	var blobs []int64
	for _, v := range p.Erase {
		if !stays[v.blob] {
			stays[v.blob] = true // named once
			blobs = append(blobs, v.blob)
		}
	}
	return t.windowsOf(ctx, blobs, p.Target.Match)
}

// windowsOf takes the windows of contents. With a text that was named, that is
// looked for in place of the whole contents: the rest of them may well be elsewhere.
func (t *Trail) windowsOf(ctx context.Context, blobs []int64, text []byte) (*pieces, error) {
	var total int64
	err := t.get(ctx, `SELECT coalesce(sum(size+length(data)+coalesce((SELECT sum(length(data)) FROM blob_chunk WHERE blob=blob.id),0)),0)
		FROM blob WHERE id IN (SELECT value FROM json_each(?))`, []any{asJSON(blobs)}, &total)
	if err != nil {
		return nil, diskError(err)
	}
	w := newPieces(total)
	if text != nil {
		w.addNamed(text)
	}
	for _, id := range blobs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := t.view(ctx, func(q reader) error {
			err := eachStored(q, id, w.add)
			if errors.Is(err, sql.ErrNoRows) { // erased meanwhile by somebody else
				return nil
			}
			if err != nil || text != nil {
				return err
			}
			b, err := blobContent(q, id)
			if err == nil {
				w.add(b)
			}
			if errors.Is(err, ErrDamaged) { // as stored it is looked for all the same
				w.skipped++
				err = nil
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return w, nil
}

// eachStored gives what the trail holds of a content: its hash, and the content as
// it is stored.
func eachStored(q rower, blob int64, do func([]byte)) error {
	var sha, data []byte
	if err := q.row(`SELECT sha,data FROM blob WHERE id=?`, blob).Scan(&sha, &data); err != nil {
		return err
	}
	do(sha)
	do(data)
	rows, err := q.rows(`SELECT data FROM blob_chunk WHERE blob=? ORDER BY n`, blob)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var part []byte
		if err := rows.Scan(&part); err != nil {
			return err
		}
		do(part)
	}
	return rows.Err()
}

// prove brings erased parts to their end, searches, and writes the receipts.
// skipped are stores that could not be seen to.
func (t *Trail) prove(ctx context.Context, parts []Receipt, look *pieces, p RedactPlan, c RedactChoice, skipped ...string) (Receipt, error) {
	r := together(parts)
	skipped = append(skipped, t.eraseSpool("")...)
	drafts, unseen := t.eraseDrafts(ctx, look, p)
	r.Drafts, skipped = drafts, append(skipped, unseen...)
	r.Masked, unseen = t.maskConversations(ctx, look, p)
	skipped = append(skipped, unseen...)
	emptied, err := t.waitEmptied(ctx, parts, c.Wait)
	if err != nil || !emptied {
		return r, err
	}
	r.Windows, r.Run = look.count(), look.run()
	f := &search{t: t, look: look, progress: c.Progress, unknown: skipped}
	if f.folders, err = t.foldersOf(ctx, parts, p.Target.AllStores); err != nil {
		return r, err
	}
	err = f.run(ctx)
	r.Files, r.Bytes, r.Unknown = f.files, f.done, f.unknown
	if err == nil {
		err = t.attribute(ctx, &r, f, p)
	}
	if err != nil && ctx.Err() != nil {
		r.Unknown, err = append(r.Unknown, "the search was stopped"), nil
	}
	if look.skipped > 0 {
		is, was := "are", "were"
		if look.skipped == 1 {
			is, was = "is", "was"
		}
		r.Unknown = append(r.Unknown, fmt.Sprintf("%d of the texts %s too short or too plain to be told from others, and %s not searched for", look.skipped, is, was))
	}
	if p.Unreadable > 0 {
		r.Unknown = append(r.Unknown, fmt.Sprintf("%d contents of the trail are damaged and could not be read", p.Unreadable))
	}
	switch {
	case len(r.Found) > 0:
		r.Outcome = OutcomeStillIn
	case len(r.Unknown) > 0 || err != nil:
		r.Outcome = OutcomeUnknown
	default:
		r.Outcome = OutcomeGone
	}
	return r, errors.Join(err, t.writeReceipts(context.WithoutCancel(ctx), parts, r))
}

// together is the receipt of all parts together.
func together(parts []Receipt) (r Receipt) {
	for i, part := range parts {
		if i == 0 {
			r = part
			continue
		}
		r.Versions += part.Versions
		r.Deletions += part.Deletions
		r.ErasedThere += part.ErasedThere
		r.DroppedThere += part.DroppedThere
	}
	return r
}

// writeReceipts notes what was found. Of what was erased nothing is in it, as a
// path that tells it was masked.
func (t *Trail) writeReceipts(ctx context.Context, parts []Receipt, r Receipt) error {
	unlock, err := t.acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	for _, part := range parts {
		own := r
		own.Store, own.Name, own.Versions, own.Change, own.Folder = part.Store, part.Name, part.Versions, part.Change, part.Folder
		own.Deletions = part.Deletions
		own.ErasedThere, own.DroppedThere = part.ErasedThere, part.DroppedThere
		if _, err := t.w.ExecContext(ctx, `UPDATE redaction SET receipt=? WHERE id=?`, own.encode(), part.ID); err != nil {
			return diskError(err)
		}
	}
	return nil
}

// waitEmptied tries to empty the database's log until it worked or nobody wants
// to wait any longer. It waits without the lock: others may write meanwhile.
func (t *Trail) waitEmptied(ctx context.Context, parts []Receipt, wait time.Duration) (bool, error) {
	const pause = 50 * time.Millisecond
	var ids []int64
	for _, part := range parts {
		ids = append(ids, part.ID)
	}
	for end := time.Now().Add(wait); ; {
		left, err := t.tryFinish(ctx, ids)
		if err != nil || left == 0 {
			return left == 0 && err == nil, err
		}
		if time.Now().After(end) {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, nil
		case <-time.After(pause):
		}
	}
}

func (t *Trail) tryFinish(ctx context.Context, ids []int64) (left int, err error) {
	ctx = context.WithoutCancel(ctx)
	unlock, err := t.acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if err := t.finishRedactions(ctx); err != nil {
		return 0, err
	}
	err = t.w.QueryRowContext(ctx, `SELECT count(*) FROM redaction WHERE pending>0 AND id IN (SELECT value FROM json_each(?))`, asJSON(ids)).Scan(&left)
	return left, diskError(err)
}

// foldersOf are the folders of the stores concerned; that of a deleted one is not
// memtrail's to speak of any more.
func (t *Trail) foldersOf(ctx context.Context, parts []Receipt, all bool) ([]string, error) {
	stores, err := t.Stores(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range stores {
		if all || slices.ContainsFunc(parts, func(r Receipt) bool { return r.Store == s.ID }) {
			out = append(out, filepath.Clean(s.Folder))
		}
	}
	return out, nil
}
