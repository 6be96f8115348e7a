package stores

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// These limits are those of the memory-stores API.
const (
	maxAttached          = 8
	maxInstructionsRunes = 4096
)

// Attach attaches up to eight stores to a session, once. Later calls with the same stores
// open them again; with others they fail with ErrAttached. From then on the engine rejects
// the session's changes to other stores (ErrUnattached) and to read-only attachments
// (ErrReadOnly), in every process. The caller must close the result.
func Attach(ctx context.Context, t *core.Trail, by versions.By, as []versions.Attachment) (*Attached, error) {
	as, err := checkAttachments(by, as)
	if err != nil {
		return nil, fmt.Errorf("attach stores: %w", err)
	}
	a := &Attached{t: t, session: by.Session}
	for _, at := range as {
		s, err := t.OpenStore(ctx, at.Store)
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		a.stores = append(a.stores, attachedStore{Store: s, at: at})
	}
	if err := a.begin(ctx, by); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	a.keepUp(ctx)
	return a, nil
}

// AttachOpen is Attach for a server that already has the stores open. stores are those of
// the attachments, in the same order. Closing the result leaves them open.
func AttachOpen(ctx context.Context, t *core.Trail, by versions.By, as []versions.Attachment, stores []*core.Store) (*Attached, error) {
	as, err := checkAttachments(by, as)
	if err != nil {
		return nil, fmt.Errorf("attach stores: %w", err)
	}
	a := &Attached{t: t, session: by.Session, lent: true}
	for i, at := range as {
		if i >= len(stores) || stores[i].Opened.ID != at.Store {
			return nil, fmt.Errorf("attach stores: %w: %s is not open", versions.ErrInvalid, at.Store)
		}
		a.stores = append(a.stores, attachedStore{Store: stores[i], at: at})
	}
	if err := a.begin(ctx, by); err != nil {
		return nil, err
	}
	return a, nil
}

// begin records the attachments and chooses the folder of each store.
func (a *Attached) begin(ctx context.Context, by versions.By) error {
	if err := a.record(ctx, by); err != nil {
		return fmt.Errorf("attach stores to session %s: %w", by.Session, err)
	}
	var infos []versions.StoreInfo
	for _, s := range a.stores {
		infos = append(infos, s.Opened)
	}
	for i, p := range mountPaths(infos) {
		a.stores[i].mount = p
	}
	return nil
}

func checkAttachments(by versions.By, as []versions.Attachment) ([]versions.Attachment, error) {
	if by.Session == "" {
		return nil, fmt.Errorf("%w without a session", versions.ErrInvalid)
	}
	if len(as) == 0 || len(as) > maxAttached {
		return nil, fmt.Errorf("%w: %d stores, there may be 1 to %d", versions.ErrInvalid, len(as), maxAttached)
	}
	as = slices.Clone(as)
	for i := range as {
		at := &as[i]
		if at.Access == "" {
			at.Access = versions.ReadWrite
		}
		switch {
		case at.Access != versions.ReadWrite && at.Access != versions.ReadOnly:
			return nil, fmt.Errorf("%w: access %q; there are %s and %s", versions.ErrInvalid, at.Access, versions.ReadWrite, versions.ReadOnly)
		case !utf8.ValidString(at.Instructions) || utf8.RuneCountInString(at.Instructions) > maxInstructionsRunes:
			return nil, fmt.Errorf("%w: instructions must be at most %d characters of UTF-8", versions.ErrInvalid, maxInstructionsRunes)
		case slices.ContainsFunc(as[:i], func(o versions.Attachment) bool { return o.Store == at.Store }):
			return nil, fmt.Errorf("%w: %s twice", versions.ErrInvalid, at.Store)
		}
	}
	return as, nil
}

// record stores the attachments, or verifies that they equal the stored ones.
func (a *Attached) record(ctx context.Context, by versions.By) error {
	unlock, err := a.t.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return core.InTx(context.WithoutCancel(ctx), a.stores[0].Store, func(x *core.Txn) error { return a.recordIn(x, by) })
}

func (a *Attached) recordIn(x *core.Txn, by versions.By) error {
	_, session, err := x.Who(by)
	if err != nil {
		return err
	}
	stand, err := attachments(x, session.Int64)
	if err != nil {
		return err
	}
	want := map[int64]versions.Attachment{}
	for _, s := range a.stores {
		want[s.Row] = s.at
	}
	if len(stand) > 0 {
		for id, at := range want {
			if stand[id] != at || len(stand) != len(want) {
				return versions.ErrAttached
			}
		}
		return nil
	}
	for n, s := range a.stores {
		x.Exec(`INSERT INTO attachment(session,store,n,access,instructions) VALUES(?,?,?,?,?)`,
			session.Int64, s.Row, n, string(s.at.Access), s.at.Instructions)
	}
	return nil
}

// Attachments lists the stores attached to a session, in the order of Attach. A session
// without attached stores has none.
func Attachments(ctx context.Context, t *core.Trail, session versions.SessionID) ([]versions.Attachment, error) {
	var at versions.Attachment
	return db.All(t.DB.Rows(ctx, `SELECT s.uid, a.access, a.instructions FROM attachment a JOIN store s ON s.id=a.store
		WHERE a.session=(SELECT id FROM session WHERE uid=?) ORDER BY a.n`, string(session)), &at, tables.IDTo(&at.Store), &at.Access, &at.Instructions)
}

// attachments returns the attachments of a session, keyed by the store's row.
func attachments(x *core.Txn, session int64) (map[int64]versions.Attachment, error) {
	out := map[int64]versions.Attachment{}
	var id int64
	var at versions.Attachment
	rows := x.Rows(`SELECT a.store, s.uid, a.access, a.instructions FROM attachment a JOIN store s ON s.id=a.store WHERE a.session=?`, session)
	for range rows.Each(&id, tables.IDTo(&at.Store), &at.Access, &at.Instructions) {
		out[id] = at
	}
	return out, rows.Err()
}
