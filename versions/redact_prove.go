package versions

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/scrub"
)

// lookFor takes the windows of what a plan will leave nothing of: of the contents
// as the trail stores them, of their hashes, and of the text itself or, when none
// was named, of the contents as they read.
func (t *Trail) lookFor(ctx context.Context, p RedactPlan) (*scrub.Pieces, error) {
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
	return t.windowsOf(ctx, blobs, p.needle)
}

// windowsOf takes the windows of contents. With a text that was named, that is
// looked for in place of the whole contents: the rest of them may well be elsewhere.
func (t *Trail) windowsOf(ctx context.Context, blobs []int64, named *scrub.Needle) (*scrub.Pieces, error) {
	var total int64
	err := t.get(ctx, `SELECT coalesce(sum(size+length(data)+coalesce((SELECT sum(length(data)) FROM blob_chunk WHERE blob=blob.id),0)),0)
		FROM blob WHERE id IN (SELECT value FROM json_each(?))`, []any{asJSON(blobs)}, &total)
	if err != nil {
		return nil, err
	}
	w := scrub.NewPieces(total)
	if named != nil {
		texts, err := t.occurrences(ctx, blobs, named)
		if err != nil {
			return nil, err
		}
		w.AddNamed(named.Forms(texts))
	}
	for _, id := range blobs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := t.view(ctx, func(q reader) error {
			err := eachStored(q, id, w.Add)
			if errors.Is(err, sql.ErrNoRows) { // erased meanwhile by somebody else
				return nil
			}
			if err != nil || named != nil {
				return err
			}
			b, err := blobContent(q, id)
			if err == nil {
				w.Add(b)
			}
			if errors.Is(err, ErrDamaged) { // as stored it is looked for all the same
				w.Damaged++
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

// maxOccurrences bounds how many different texts a regular expression is taken for.
const maxOccurrences = 10_000

// occurrences are the texts by which a needle stands in contents: of one that is not
// taken byte for byte they are known only so.
func (t *Trail) occurrences(ctx context.Context, blobs []int64, n *scrub.Needle) (out [][]byte, err error) {
	seen := map[string]bool{}
	for _, id := range blobs {
		if !n.Varies() || len(seen) >= maxOccurrences {
			break
		}
		err := t.view(ctx, func(q reader) error {
			b, err := blobContent(q, id)
			if err != nil {
				return unlessDamaged(err)
			}
			for _, text := range n.Matches(b, maxOccurrences) {
				if !seen[string(text)] {
					seen[string(text)] = true
					out = append(out, bytes.Clone(text))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func unlessDamaged(err error) error {
	if errors.Is(err, ErrDamaged) {
		return nil
	}
	return err
}

// eachStored gives what the trail holds of a content: its hash, which exports write in
// hexadecimal, and the content as it is stored.
func eachStored(q db.Queryer, blob int64, do func([]byte)) error {
	var sha, data []byte
	if err := q.Row(`SELECT sha,data FROM blob WHERE id=?`, blob).Scan(&sha, &data); err != nil {
		return err
	}
	do(sha)
	do([]byte(hex.EncodeToString(sha)))
	do(data)
	for row, err := range q.Each(`SELECT data FROM blob_chunk WHERE blob=? ORDER BY n`, blob) {
		if err != nil {
			return err
		}
		var part []byte
		if err := row.Scan(&part); err != nil {
			return err
		}
		do(part)
	}
	return nil
}

// prove brings a journaled redaction to its end, searches, and writes the receipts.
func (p *redacting) prove(ctx context.Context, look *scrub.Pieces) (Receipt, error) {
	emptied, err := p.waitEmptied(ctx)
	all, rerr := p.receipts(context.WithoutCancel(ctx))
	r := together(all)
	r.Unknown = append(r.Unknown, p.skipped...)
	if err := errors.Join(err, rerr); err != nil || !emptied {
		return r, err
	}
	if err := p.t.step("before-search"); err != nil {
		return r, err
	}
	var stores []StoreID
	for _, part := range all {
		stores = append(stores, part.Store)
	}
	folders, err := p.t.foldersOf(ctx, stores, p.plan.Target.AllStores)
	if err != nil {
		return r, err
	}
	f := p.t.searchFor(scrub.Scanner{Pieces: look, Needle: p.plan.needle}, folders, p.choice.Progress)
	f.Unknown = r.Unknown
	err = p.t.result(ctx, f, &r, p.plan)
	if werr := p.t.step("before-receipt"); werr != nil {
		return r, errors.Join(err, werr)
	}
	err = errors.Join(err, p.writeReceipts(context.WithoutCancel(ctx), all, r))
	if r.LeftThere > 0 { // what was found here is in the receipt, and counts once the service is done
		r.Outcome = OutcomePending
	}
	return r, err
}

// result searches, and says in a receipt what was found.
func (t *Trail) result(ctx context.Context, f *scrub.Search, r *Receipt, p RedactPlan) error {
	r.Windows, r.Run, r.Short = f.Pieces.Count(), f.Pieces.Run(), f.Pieces.Short()
	err := f.Run(ctx)
	r.Files, r.Bytes, r.Unknown = f.Files, f.Bytes, f.Unknown
	if err == nil {
		err = t.attribute(ctx, r, f, p)
	}
	if err != nil && ctx.Err() != nil {
		r.Unknown, err = append(r.Unknown, "the search was stopped"), nil
	}
	switch p.Unreadable {
	case 0:
	case 1:
		r.Unknown = append(r.Unknown, "1 content of the trail is damaged and could not be read")
	default:
		r.Unknown = append(r.Unknown, fmt.Sprintf("%d contents of the trail are damaged and could not be read", p.Unreadable))
	}
	switch f.Pieces.Damaged {
	case 0:
	case 1:
		r.Unknown = append(r.Unknown, "1 erased content was damaged, so its text was not searched for")
	default:
		r.Unknown = append(r.Unknown, fmt.Sprintf("%d erased contents were damaged, so their texts were not searched for", f.Pieces.Damaged))
	}
	switch {
	case len(r.Found) > 0:
		r.Outcome = OutcomeStillIn
	case len(r.Unknown) > 0 || err != nil:
		r.Outcome = OutcomeUnknown
	default:
		r.Outcome = OutcomeGone
	}
	*r = r.masked(p.needle)
	return err
}

// VerifyErased looks for a text that somebody names, everywhere a redaction does, and
// changes nothing: in all versions of the home, in the texts of the trail, and in every
// file of the home and of the store's folder, or of all stores' folders. The receipt has
// no ID and is kept nowhere; its outcome is OutcomeGone only when nothing holds the text.
func (s *Store) VerifyErased(ctx context.Context, target RedactTarget, c Scrub) (Receipt, error) {
	if target.Match == nil {
		return Receipt{}, errors.New("verify: name a text")
	}
	p, err := s.PlanRedact(ctx, target)
	if err != nil {
		return Receipt{}, err
	}
	var blobs []int64
	for _, v := range p.Erase {
		blobs = append(blobs, v.blob)
	}
	texts, err := s.t.occurrences(ctx, blobs, p.needle)
	if err != nil {
		return Receipt{}, err
	}
	p.Kept, p.Erase = append(p.Erase, p.Kept...), nil
	r := Receipt{Store: s.info.ID, Name: s.info.Name}
	folders, err := s.t.foldersOf(ctx, []StoreID{s.info.ID}, target.AllStores)
	if err != nil {
		return r, err
	}
	f := s.t.searchFor(scrub.Scanner{Pieces: p.needle.Pieces(texts...), Needle: p.needle}, folders, c.Progress)
	if f.Unknown, err = s.t.waitsThere(ctx, s.info.ID, target.AllStores); err != nil {
		return r, err
	}
	err = s.t.result(ctx, f, &r, p)
	return r, err
}

// together is the receipt of all parts together.
func together(parts []Receipt) (r Receipt) {
	for i, part := range parts {
		if i == 0 {
			r = part
			r.todo = nil
		} else {
			r.Versions += part.Versions
			r.Deletions += part.Deletions
			r.ErasedThere += part.ErasedThere
			r.DroppedThere += part.DroppedThere
			r.LeftThere += part.LeftThere
			r.WhyThere = cmp.Or(r.WhyThere, part.WhyThere)
			r.Drafts += part.Drafts
			r.Copies += part.Copies
			r.Masked += part.Masked
			r.Unknown = append(slices.Clone(r.Unknown), part.Unknown...)
			r.Places = append(slices.Clone(r.Places), part.Places...)
		}
		if len(parts) > 1 {
			r.Parts = append(r.Parts, Part{part.ID, part.Store, part.Name, part.Versions, part.Deletions, part.Change})
		}
	}
	return r
}

// writeReceipts notes what was found. Of what was erased nothing is in it, as a
// path that tells it was masked.
func (p *redacting) writeReceipts(ctx context.Context, parts []Receipt, r Receipt) error {
	unlock, err := p.t.acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	x, err := p.t.beginWrite(ctx, true)
	if err != nil {
		return err
	}
	defer x.Rollback()
	for _, part := range parts {
		now, stage, err := x.redaction(part.ID) // its service may have done more meanwhile
		if err != nil {
			return err
		}
		own := r
		own.ID, own.Store, own.Name, own.Versions, own.Change, own.Folder, own.Parts = part.ID, part.Store, part.Name, part.Versions, part.Change, part.Folder, nil
		own.Deletions = part.Deletions
		own.ErasedThere, own.DroppedThere, own.WhyThere, own.there = now.ErasedThere, now.DroppedThere, now.WhyThere, now.there
		if err := x.advance(&own, stage); err != nil {
			return err
		}
	}
	return x.Commit()
}

// waitEmptied tries to empty the database's log until it worked or nobody wants
// to wait any longer. It waits without the lock: others may write meanwhile.
func (p *redacting) waitEmptied(ctx context.Context) (bool, error) {
	const pause = 50 * time.Millisecond
	for end := time.Now().Add(p.choice.Wait); ; {
		left, err := p.tryFinish(ctx)
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

func (p *redacting) tryFinish(ctx context.Context) (left int, err error) {
	ctx = context.WithoutCancel(ctx)
	for _, part := range p.parts {
		if err := p.finish(ctx, part); err != nil && !errors.As(err, new(*FolderError)) {
			return 0, err
		}
	}
	unlock, err := p.t.acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if err := p.t.finishRedactions(ctx); err != nil {
		return 0, err
	}
	err = p.t.w.QueryRowContext(ctx, `SELECT count(*) FROM redaction WHERE pending>0 AND id IN (SELECT value FROM json_each(?))`, asJSON(p.ids)).Scan(&left)
	return left, db.Error(err)
}

// finish does what is left where one store is concerned: whoever enters it does so.
func (p *redacting) finish(ctx context.Context, part *redactedPart) error {
	leave, err := part.s.enter(context.WithoutCancel(ctx))
	if err == nil {
		leave()
	}
	return err
}

// foldersOf are the folders of the stores concerned; that of a deleted one is not
// memend's to speak of any more.
func (t *Trail) foldersOf(ctx context.Context, of []StoreID, all bool) ([]string, error) {
	stores, err := t.Stores(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, s := range stores {
		if all || slices.Contains(of, s.ID) {
			out = append(out, filepath.Clean(s.Folder))
		}
	}
	return out, nil
}
