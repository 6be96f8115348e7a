package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/memend/memend/versions/db"
)

// Access is what a session may do in an attached store.
type Access string

const (
	ReadWrite Access = "read_write"
	ReadOnly  Access = "read_only"
)

// Attachment is a store that a session works on.
type Attachment struct {
	Store        StoreID
	Access       Access // empty: ReadWrite
	Instructions string // for the agent's prompt
}

// These limits are those of the memory-stores API.
const (
	maxAttached          = 8
	maxInstructionsRunes = 4096
)

// Attach attaches up to eight stores to a session, once. Later calls with the same stores
// open them again; with others they fail with ErrAttached. From then on the engine rejects
// the session's changes to other stores (ErrUnattached) and to read-only attachments
// (ErrReadOnly), in every process. The caller must close the result.
func (t *Trail) Attach(ctx context.Context, by By, as []Attachment) (*Attached, error) {
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
func (t *Trail) AttachOpen(ctx context.Context, by By, as []Attachment, stores []*Store) (*Attached, error) {
	as, err := checkAttachments(by, as)
	if err != nil {
		return nil, fmt.Errorf("attach stores: %w", err)
	}
	a := &Attached{t: t, session: by.Session, lent: true}
	for i, at := range as {
		if i >= len(stores) || stores[i].info.ID != at.Store {
			return nil, fmt.Errorf("attach stores: %w: %s is not open", ErrInvalid, at.Store)
		}
		a.stores = append(a.stores, attachedStore{Store: stores[i], at: at})
	}
	if err := a.begin(ctx, by); err != nil {
		return nil, err
	}
	return a, nil
}

// begin records the attachments and chooses the folder of each store.
func (a *Attached) begin(ctx context.Context, by By) error {
	if err := a.record(ctx, by); err != nil {
		return fmt.Errorf("attach stores to session %s: %w", by.Session, err)
	}
	var infos []StoreInfo
	for _, s := range a.stores {
		infos = append(infos, s.info)
	}
	for i, p := range mountPaths(infos) {
		a.stores[i].mount = p
	}
	return nil
}

func checkAttachments(by By, as []Attachment) ([]Attachment, error) {
	if by.Session == "" {
		return nil, fmt.Errorf("%w without a session", ErrInvalid)
	}
	if len(as) == 0 || len(as) > maxAttached {
		return nil, fmt.Errorf("%w: %d stores, there may be 1 to %d", ErrInvalid, len(as), maxAttached)
	}
	as = slices.Clone(as)
	for i := range as {
		at := &as[i]
		if at.Access == "" {
			at.Access = ReadWrite
		}
		switch {
		case at.Access != ReadWrite && at.Access != ReadOnly:
			return nil, fmt.Errorf("%w: access %q; there are %s and %s", ErrInvalid, at.Access, ReadWrite, ReadOnly)
		case !utf8.ValidString(at.Instructions) || utf8.RuneCountInString(at.Instructions) > maxInstructionsRunes:
			return nil, fmt.Errorf("%w: instructions must be at most %d characters of UTF-8", ErrInvalid, maxInstructionsRunes)
		case slices.ContainsFunc(as[:i], func(o Attachment) bool { return o.Store == at.Store }):
			return nil, fmt.Errorf("%w: %s twice", ErrInvalid, at.Store)
		}
	}
	return as, nil
}

// record stores the attachments, or verifies that they equal the stored ones.
func (a *Attached) record(ctx context.Context, by By) error {
	unlock, err := a.t.db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return a.stores[0].inTx(context.WithoutCancel(ctx), func(x *txn) error { return a.recordIn(x, by) })
}

func (a *Attached) recordIn(x *txn, by By) error {
	_, session, err := x.who(by)
	if err != nil {
		return err
	}
	stand, err := x.attachments(session.Int64)
	if err != nil {
		return err
	}
	want := map[int64]Attachment{}
	for _, s := range a.stores {
		want[s.id] = s.at
	}
	if len(stand) > 0 {
		for id, at := range want {
			if stand[id] != at || len(stand) != len(want) {
				return ErrAttached
			}
		}
		return nil
	}
	for n, s := range a.stores {
		if err := x.Exec(`INSERT INTO attachment(session,store,n,access,instructions) VALUES(?,?,?,?,?)`,
			session.Int64, s.id, n, string(s.at.Access), s.at.Instructions); err != nil {
			return err
		}
	}
	return nil
}

// Attachments lists the stores attached to a session, in the order of Attach. A session
// without attached stores has none.
func (t *Trail) Attachments(ctx context.Context, session SessionID) (out []Attachment, err error) {
	err = t.view(ctx, func(q reader) error {
		var at Attachment
		out, err = db.All(q.Rows(`SELECT s.uid, a.access, a.instructions FROM attachment a JOIN store s ON s.id=a.store
			WHERE a.session=(SELECT id FROM session WHERE uid=?) ORDER BY a.n`, string(session)), &at, idTo(&at.Store), &at.Access, &at.Instructions)
		return err
	})
	return out, err
}

// attachments returns the attachments of a session, keyed by the store's row.
func (x *txn) attachments(session int64) (map[int64]Attachment, error) {
	out := map[int64]Attachment{}
	var id int64
	var at Attachment
	rows := x.Rows(`SELECT a.store, s.uid, a.access, a.instructions FROM attachment a JOIN store s ON s.id=a.store WHERE a.session=?`, session)
	for range rows.Each(&id, idTo(&at.Store), &at.Access, &at.Instructions) {
		out[id] = at
	}
	return out, rows.Err()
}

// MayAdminister rejects operations on whole stores by a session with attached stores
// (ErrAdministers): to create, connect, describe, limit, move, archive, unarchive or
// delete a store, to import and to redact. The session's own stores are no exception. An
// unnamed actor counts as an agent, and an agent without a session could belong to such a
// session, so both are rejected (ErrUnidentified). All these operations call MayAdminister
// themselves.
func (t *Trail) MayAdminister(ctx context.Context, by By) error {
	if by.Actor == (Actor{}) || by.Actor.Kind == Agent && by.Session == "" {
		return ErrUnidentified
	}
	if by.Session == "" {
		return nil
	}
	var attached bool
	err := t.db.Row(ctx, `SELECT EXISTS(SELECT 1 FROM attachment a JOIN session s ON s.id=a.session WHERE s.uid=?)`, string(by.Session)).Scan(&attached)
	if err == nil && attached {
		err = fmt.Errorf("session %s: %w", by.Session, ErrAdministers)
	}
	return err
}

// mayWrite rejects a mutation by a session that has attached stores if this store is not
// among them or is attached read-only. A session without attachments may write.
func (x *txn) mayWrite(by By) error {
	if by.Session == "" {
		return nil
	}
	var access sql.NullString
	var attached bool
	err := x.Row(`SELECT (SELECT access FROM attachment WHERE session=s.id AND store=?2), EXISTS(SELECT 1 FROM attachment WHERE session=s.id)
		FROM session s WHERE s.uid=?1`, string(by.Session), x.s.id).Scan(&access, &attached)
	switch {
	case err != nil:
		return ignoreNoRows(err) // the session's first operation
	case attached && !access.Valid:
		return fmt.Errorf("store %s, session %s: %w", x.s.info.Name, by.Session, ErrUnattached)
	case attached && Access(access.String) != ReadWrite:
		return fmt.Errorf("store %s, session %s: %w", x.s.info.Name, by.Session, ErrReadOnly)
	}
	return nil
}
