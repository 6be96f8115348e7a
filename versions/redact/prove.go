package redact

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/scrub"
)

// lookFor collects the search windows for what a plan erases completely: of the stored
// form of contents, of their hashes, and of the given text or, if there is none, of the
// decoded contents.
func lookFor(ctx context.Context, t *core.Trail, p Plan) (*scrub.Pieces, error) {
	var erase []int64
	for _, v := range p.Erase {
		erase = append(erase, v.Row)
	}
	contents, err := db.Values[int64](t.DB.Rows(ctx, `SELECT DISTINCT blob FROM version WHERE id IN (SELECT value FROM json_each(?1)) AND blob IS NOT NULL
		EXCEPT SELECT blob FROM version WHERE blob IS NOT NULL AND id NOT IN (SELECT value FROM json_each(?1))`, tables.AsJSON(erase)))
	if err != nil {
		return nil, err
	}
	return WindowsOf(ctx, t, contents, p.needle)
}

// WindowsOf collects the windows of contents. If a text was given, it replaces the decoded
// contents, whose other parts may legitimately be elsewhere.
func WindowsOf(ctx context.Context, t *core.Trail, contents []int64, named *scrub.Needle) (*scrub.Pieces, error) {
	var total int64
	err := t.DB.Row(ctx, `SELECT coalesce(sum(size+length(data)+coalesce((SELECT sum(length(data)) FROM blob_chunk WHERE blob=blob.id),0)),0)
		FROM blob WHERE id IN (SELECT value FROM json_each(?))`, tables.AsJSON(contents)).Scan(&total)
	if err != nil {
		return nil, err
	}
	w := scrub.NewPieces(total)
	if named != nil {
		texts, err := occurrences(ctx, t, contents, named)
		if err != nil {
			return nil, err
		}
		w.AddNamed(named.Forms(texts))
	}
	for _, id := range contents {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		err := core.View(ctx, t, func(q tables.Reader) error {
			err := blobs.EachStored(q, id, w.Add)
			if errors.Is(err, sql.ErrNoRows) { // someone else erased it meanwhile
				return nil
			}
			if err != nil || named != nil {
				return err
			}
			b, err := blobs.Get(q, id)
			if err == nil {
				w.Add(b)
			}
			if errors.Is(err, versions.ErrDamaged) { // search for its stored form anyway
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

// maxOccurrences bounds how many different matches of a regular expression are searched
// for.
const maxOccurrences = 10_000

// occurrences returns the different matches of a needle in contents and paths. For a needle that
// isn't literal, only these show them.
func occurrences(ctx context.Context, t *core.Trail, contents []int64, n *scrub.Needle) (out [][]byte, err error) {
	if !n.Varies() {
		return nil, nil
	}
	seen := map[string]bool{}
	add := func(b []byte) {
		for _, text := range n.Matches(b, maxOccurrences) {
			if !seen[string(text)] {
				seen[string(text)] = true
				out = append(out, bytes.Clone(text))
			}
		}
	}
	paths, err := db.Values[string](t.DB.Rows(ctx, `SELECT path FROM version WHERE path IS NOT NULL UNION SELECT origin FROM version WHERE origin IS NOT NULL`))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		add([]byte(path))
	}
	for _, id := range contents {
		if len(seen) >= maxOccurrences {
			break
		}
		err := core.View(ctx, t, func(q tables.Reader) error {
			b, err := blobs.Get(q, id)
			if errors.Is(err, versions.ErrDamaged) {
				return nil
			}
			if err != nil {
				return err
			}
			add(b)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Prove finishes a journaled redaction, searches, and writes the receipts.
func (p *Redacting) Prove(ctx context.Context, look *scrub.Pieces) (versions.Receipt, error) {
	emptied, err := p.waitEmptied(ctx)
	all, rerr := p.entries(context.WithoutCancel(ctx))
	r := together(all)
	r.Unknown = append(r.Unknown, p.skipped...)
	if err := errors.Join(err, rerr); err != nil || !emptied {
		return r, err
	}
	if err := core.AtStep(p.Trail, "before-search"); err != nil {
		return r, err
	}
	var stores []versions.StoreID
	for _, part := range all {
		stores = append(stores, part.Store)
	}
	folders, err := foldersOf(ctx, p.Trail, stores, p.plan.Target.AllStores)
	if err != nil {
		return r, err
	}
	f := searchFor(p.Trail, scrub.Scanner{Pieces: look, Needle: p.plan.needle}, folders, p.Choice.Progress)
	f.Unknown = r.Unknown
	err = result(ctx, p.Trail, f, &r, p.plan)
	if werr := core.AtStep(p.Trail, "before-receipt"); werr != nil {
		return r, errors.Join(err, werr)
	}
	err = errors.Join(err, p.writeReceipts(context.WithoutCancel(ctx), all, r))
	if r.LeftUpstream > 0 { // the receipt lists what was found here; it counts once the service is done
		r.Outcome = versions.OutcomePending
	}
	return r, err
}

// result searches, and records the result in a receipt.
func result(ctx context.Context, t *core.Trail, f *scrub.Search, r *versions.Receipt, p Plan) error {
	r.Windows, r.Run, r.Short = f.Pieces.Count(), f.Pieces.Run(), f.Pieces.Short()
	err := f.Run(ctx)
	r.Files, r.Bytes, r.Unknown = f.Files, f.Bytes, f.Unknown
	if err == nil {
		err = locate(ctx, t, r, f, p)
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
		r.Outcome = versions.OutcomeStillIn
	case len(r.Unknown) > 0 || err != nil:
		r.Outcome = versions.OutcomeUnknown
	default:
		r.Outcome = versions.OutcomeGone
	}
	*r = masked(*r, p.needle)
	return err
}

// Verify searches for a given text everywhere a redaction does, and changes nothing:
// in all versions of the home, in the texts of the trail, and in every file of the home
// and of the store's folder, or of all stores' folders. Its receipt has no ID and isn't
// stored. The outcome is OutcomeGone only if nothing contains the text.
func Verify(ctx context.Context, s *core.Store, target versions.RedactTarget, c versions.Scrub) (versions.Receipt, error) {
	if target.Match == nil {
		return versions.Receipt{}, errors.New("verify: name a text")
	}
	p, err := prepare(ctx, s, Plan{Target: target, brief: true})
	if err != nil {
		return versions.Receipt{}, err
	}
	var contents []int64
	for _, v := range p.Erase {
		contents = append(contents, v.Blob)
	}
	texts, err := occurrences(ctx, s.Trail, contents, p.needle)
	if err != nil {
		return versions.Receipt{}, err
	}
	p.Kept, p.Erase = append(p.Erase, p.Kept...), nil
	r := versions.Receipt{Store: s.Opened.ID, Name: s.Opened.Name}
	folders, err := foldersOf(ctx, s.Trail, []versions.StoreID{s.Opened.ID}, target.AllStores)
	if err != nil {
		return r, err
	}
	f := searchFor(s.Trail, scrub.Scanner{Pieces: p.needle.Pieces(texts...), Needle: p.needle}, folders, c.Progress)
	if f.Unknown, err = waitsUpstream(ctx, s.Trail, s.Opened.ID, target.AllStores); err != nil {
		return r, err
	}
	err = result(ctx, s.Trail, f, &r, p)
	return r, err
}

// together combines the receipts of all parts.
func together(parts []Entry) (r versions.Receipt) {
	for i, part := range parts {
		if i == 0 {
			r = part.Receipt
		} else {
			r.Versions += part.Versions
			r.Deletions += part.Deletions
			r.ErasedUpstream += part.ErasedUpstream
			r.GoneUpstream += part.GoneUpstream
			r.LeftUpstream += part.LeftUpstream
			r.WhyUpstream = cmp.Or(r.WhyUpstream, part.WhyUpstream)
			r.Drafts += part.Drafts
			r.Copies += part.Copies
			r.Masked += part.Masked
			r.Unknown = append(slices.Clone(r.Unknown), part.Unknown...)
			r.Places = append(slices.Clone(r.Places), part.Places...)
		}
		if len(parts) > 1 {
			r.Parts = append(r.Parts, versions.Part{ID: part.ID, Store: part.Store, Name: part.Name, Versions: part.Versions, Deletions: part.Deletions, Change: part.Change})
		}
	}
	return r
}

// writeReceipts stores the results. They contain nothing that was erased, because paths
// with the text are masked.
func (p *Redacting) writeReceipts(ctx context.Context, parts []Entry, r versions.Receipt) error {
	unlock, err := p.Trail.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return core.InTrailTx(ctx, p.Trail, func(x core.TrailTxn) error {
		for _, part := range parts {
			now, err := ByID(x, part.ID) // its service may have done more meanwhile
			if err != nil {
				return err
			}
			own := r
			own.ID, own.Store, own.Name, own.Versions, own.Change, own.Folder, own.Parts = part.ID, part.Store, part.Name, part.Versions, part.Change, part.Folder, nil
			own.Deletions = part.Deletions
			own.ErasedUpstream, own.GoneUpstream, own.WhyUpstream = now.ErasedUpstream, now.GoneUpstream, now.WhyUpstream
			now.Receipt = own
			Advance(x, now, now.Stage)
		}
		return nil
	})
}

// waitEmptied tries to empty the database's log until that succeeds or the wait ends. It
// waits without the lock, so others can write meanwhile.
func (p *Redacting) waitEmptied(ctx context.Context) (bool, error) {
	const pause = 50 * time.Millisecond
	for end := time.Now().Add(p.Choice.Wait); ; {
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

func (p *Redacting) tryFinish(ctx context.Context) (left int, err error) {
	ctx = context.WithoutCancel(ctx)
	for _, part := range p.parts {
		if err := p.finish(ctx, part); err != nil && !errors.As(err, new(*versions.FolderError)) {
			return 0, err
		}
	}
	unlock, err := p.Trail.DB.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if err := finishRedactions(ctx, p.Trail); err != nil {
		return 0, err
	}
	err = p.Trail.DB.W.QueryRowContext(ctx, `SELECT count(*) FROM redaction WHERE pending>0 AND id IN (SELECT value FROM json_each(?))`, tables.AsJSON(p.IDs)).Scan(&left)
	return left, db.Error(err)
}

// finish does the remaining work that needs one store, by entering the store.
func (p *Redacting) finish(ctx context.Context, part *RedactedPart) error {
	unlock, err := core.Enter(context.WithoutCancel(ctx), part.Store)
	if err == nil {
		unlock()
	}
	return err
}

// foldersOf returns the folders of the stores concerned. A deleted store's folder is no
// longer memend's to search.
func foldersOf(ctx context.Context, t *core.Trail, of []versions.StoreID, all bool) ([]scrub.Folder, error) {
	stores, err := concerned(ctx, t, of, all)
	var out []scrub.Folder
	for _, s := range stores {
		out = append(out, scrub.Folder{Name: filepath.Clean(s.Folder), Skip: s.Unsearched()})
	}
	return out, err
}

// ownFolders returns those of foldersOf in which a sweep may remove empty folders. The folders of named files belong to
// somebody else, and a copy of a home changes nothing in those of the original.
func ownFolders(ctx context.Context, t *core.Trail, of []versions.StoreID, all bool) (out []string, err error) {
	stores, err := concerned(ctx, t, of, all)
	for _, s := range stores {
		if s.Files.All() && core.OthersFolder(t, s) == nil {
			out = append(out, filepath.Clean(s.Folder))
		}
	}
	return out, err
}

// concerned returns some stores, or all.
func concerned(ctx context.Context, t *core.Trail, of []versions.StoreID, all bool) ([]versions.StoreInfo, error) {
	stores, err := t.Stores(ctx)
	return slices.DeleteFunc(stores, func(s versions.StoreInfo) bool { return !all && !slices.Contains(of, s.ID) }), err
}
