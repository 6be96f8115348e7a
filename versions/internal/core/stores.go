package core

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/tables"
)

// Stores lists the stores of this home, the one that a person last opened or reviewed first.
func (t *Trail) Stores(ctx context.Context) ([]versions.StoreInfo, error) {
	var out []versions.StoreInfo
	var s tables.StoreRow
	rows := t.DB.Rows(ctx, `SELECT `+tables.StoreColumns+` FROM store ORDER BY used DESC, id DESC`)
	for range rows.Each(s.To(t.folderOf)...) {
		out = append(out, s.StoreInfo)
	}
	return out, rows.Err()
}

// StoreByID reads the description and the row of a store.
func StoreByID(ctx context.Context, t *Trail, id versions.StoreID) (versions.StoreInfo, int64, error) {
	var s tables.StoreRow
	err := t.DB.Row(ctx, `SELECT `+tables.StoreColumns+` FROM store WHERE uid=?`, ids.Parse(ids.StorePrefix, string(id))).Scan(s.To(t.folderOf)...)
	return s.StoreInfo, s.Row, tables.NotFound(err, versions.ErrNoStore, string(id))
}

// FindStore finds a store by its name, its id, or its folder. A folder inside a store's
// folder finds that store, but a store of named files is found by its own folder only. It
// returns ErrNoStore if there is none.
func (t *Trail) FindStore(ctx context.Context, ref string) (versions.StoreInfo, error) {
	all, err := t.Stores(ctx)
	if err != nil {
		return versions.StoreInfo{}, err
	}
	for _, s := range all {
		if s.Name == ref || string(s.ID) == ref {
			return s, nil
		}
	}
	if folder, err := disk.RealFolder(ref); err == nil {
		if s, ok := versions.HoldingFolder(all, folder); ok {
			return s, nil
		}
		if s, ok := behindLink(all, ref); ok {
			return s, nil
		}
	}
	return versions.StoreInfo{}, fmt.Errorf("%w: %s", versions.ErrNoStore, ref)
}

// MakeStore creates a store for a folder. It moves and adds nothing in the folder. It
// fails if the requested name is taken.
func (t *Trail) MakeStore(ctx context.Context, by versions.By, n versions.NewStore) (versions.StoreInfo, error) {
	if err := errors.Join(n.Check(), t.MayAdminister(ctx, by), MayChange(t)); err != nil {
		return versions.StoreInfo{}, err
	}
	about, err := texts(n)
	if err != nil {
		return versions.StoreInfo{}, err
	}
	unlock, err := t.DB.Acquire(ctx)
	if err != nil {
		return versions.StoreInfo{}, err
	}
	defer unlock()
	all, err := t.Stores(ctx)
	if err != nil {
		return versions.StoreInfo{}, err
	}
	if n.ForAgents {
		if i := slices.IndexFunc(all, func(s versions.StoreInfo) bool { return s.ForAgents }); i >= 0 {
			return all[i], nil
		}
		n.Name = versions.UnusedName(all, n.Name)
	}
	made := n.Folder == ""
	if n.Name, err = choose(n, all); err != nil {
		return versions.StoreInfo{}, fmt.Errorf("create store: %w", err)
	}
	// A folder that memend makes is empty. One that a lost trail left may have files.
	began := sql.NullInt64{Valid: made && !exists(filepath.Join(t.Folder, StoresFolder, n.Name))}
	if n.Folder, err = t.folderFor(n, all); err != nil {
		return versions.StoreInfo{}, fmt.Errorf("create store %s: %w", n.Name, err)
	}
	uid := ids.New()
	if err := t.insertStore(context.WithoutCancel(ctx), by, uid, n, about, began); err != nil {
		return versions.StoreInfo{}, fmt.Errorf("create store %s: %w", n.Name, err)
	}
	info, _, err := StoreByID(ctx, t, versions.StoreID(ids.Format(ids.StorePrefix, uid)))
	return info, err
}

// insertStore writes the row of a store, with its pin: the store is never there without it.
func (t *Trail) insertStore(ctx context.Context, by versions.By, uid []byte, n versions.NewStore, about [2]string, began sql.NullInt64) error {
	return InTrailTx(ctx, t, func(x TrailTxn) error {
		return t.insertStoreIn(&Txn{TrailTxn: x}, by, uid, n, about, began)
	})
}

func (t *Trail) insertStoreIn(x *Txn, by versions.By, uid []byte, n versions.NewStore, about [2]string, began sql.NullInt64) error {
	folder, home := PlaceOf(t, n.Folder)
	now := t.Now().UnixMicro()
	id := x.Insert(`INSERT INTO store(uid,name,title,description,metadata,upstream,folder,home,files,created,updated,used,began,agents) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		uid, n.Name, n.Title, n.Description, about[0], about[1], folder, home, tables.FilesText(n.Files), now, now, now, began, n.ForAgents)
	if n.Pinned == "" {
		return x.Err()
	}
	return x.Pin(id, by.Actor, memfs.Root, n.Pinned, now)
}

// texts returns metadata and upstream as stored in the table.
func texts(n versions.NewStore) (out [2]string, err error) {
	out[0] = "{}"
	if len(n.Metadata) > 0 {
		b, err := json.Marshal(n.Metadata)
		if err != nil {
			return out, err
		}
		out[0] = string(b)
	}
	out[1], err = n.Upstream.Text()
	return out, err
}

// choose returns the requested name, or a free one.
func choose(n versions.NewStore, all []versions.StoreInfo) (string, error) {
	if n.Name == "" && n.Title != "" {
		return versions.UnusedName(all, versions.HandleOf(n.Title)), nil
	}
	return ChooseName(all, n.Name, n.Folder)
}

// StoresFolder is the folder in the home for the folders that memend creates.
const StoresFolder = "stores"

// folderFor returns the requested folder, or a new one in the home.
func (t *Trail) folderFor(n versions.NewStore, all []versions.StoreInfo) (string, error) {
	if n.Folder == "" {
		n.Folder = filepath.Join(t.Folder, StoresFolder, n.Name)
		if err := disk.MakeFolder(n.Folder); err != nil {
			return "", err
		}
	}
	real, err := disk.RealFolder(n.Folder)
	if err == nil {
		err = CheckFolder(t, all, versions.FilesIn{Folder: real, Names: n.Files})
	}
	return real, err
}

// CheckFolder rejects files that another store has, and a folder that contains the trail.
// Hidden subfolders don't belong to the store of a folder and may be another's.
func CheckFolder(t *Trail, all []versions.StoreInfo, n versions.FilesIn) error {
	for _, s := range all {
		has := s.FilesIn()
		switch {
		case has.Folder == n.Folder && !(has.Names.All() && n.Names.All()):
			return fmt.Errorf("%w: %s (%s)", versions.ErrSameFolder, s.Name, s.Folder)
		case has.Shares(n):
			return fmt.Errorf("%w: %s (%s)", versions.ErrNested, s.Name, s.Folder)
		case n.Shares(has):
			return fmt.Errorf("%w: %s (%s)", versions.ErrHoldsStore, s.Name, s.Folder)
		}
	}
	if n.Shares(versions.FilesIn{Folder: t.Real}) {
		return fmt.Errorf("%w: %s", versions.ErrHomeInside, t.Real)
	}
	return nil
}

// ChooseName returns the requested name, or the folder's name, with a number if that is taken.
// Memories are in many folders of this name: there the name of the folder around it comes first.
func ChooseName(all []versions.StoreInfo, name, folder string) (string, error) {
	if name != "" {
		if err := versions.CheckName(name); err != nil {
			return "", err
		}
		if versions.NameTaken(all, name) {
			return "", fmt.Errorf("%w: %s", versions.ErrNameTaken, name)
		}
		return name, nil
	}
	folder, err := disk.RealFolder(folder)
	if err != nil {
		return "", err
	}
	base := filepath.Base(folder)
	if base == "memories" {
		base = filepath.Base(filepath.Dir(folder)) + "-" + base
	}
	if base = strings.TrimLeft(base, ".-"); versions.CheckName(base) != nil {
		base = "store"
	}
	return versions.UnusedName(all, base), nil
}

// Update is UpdateLocked for a caller that does not hold the lock.
func Update(ctx context.Context, t *Trail, text string, args ...any) error {
	unlock, err := t.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return UpdateLocked(ctx, t, text, args...)
}

// UpdateLocked is update for a caller that holds the lock.
func UpdateLocked(ctx context.Context, t *Trail, text string, args ...any) error {
	return InTrailTx(ctx, t, func(x TrailTxn) error {
		x.Exec(text, args...)
		return x.Err()
	})
}

// RefuseArchived returns ErrArchived if the store is archived.
func (x *Txn) RefuseArchived() error {
	var at sql.NullInt64
	err := x.Row(`SELECT archived FROM store WHERE id=?`, x.Store.Row).Scan(&at)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: it was deleted", versions.ErrNoStore)
	case err != nil:
		return err
	case at.Valid:
		return &versions.ArchivedError{Store: x.Store.Opened.Name}
	}
	return nil
}

func (d *Mutation) onlyDeletes() bool {
	for _, v := range d.Versions {
		if v.Op != versions.Deleted {
			return false
		}
	}
	for _, st := range d.Steps {
		if st.Op != memfs.OpRemove {
			return false
		}
	}
	return true
}

// MayAdminister rejects operations on whole stores by a session with attached stores
// (ErrAdministers): to create, connect, describe, limit, move, archive, unarchive or
// delete a store, to import and to redact. The session's own stores are no exception. An
// unnamed actor counts as an agent, and an agent without a session could belong to such a
// session, so both are rejected (ErrUnidentified). All these operations call MayAdminister
// themselves.
func (t *Trail) MayAdminister(ctx context.Context, by versions.By) error {
	if by.Actor == (versions.Actor{}) || by.Actor.Kind == versions.Agent && by.Session == "" {
		return versions.ErrUnidentified
	}
	if by.Session == "" {
		return nil
	}
	var attached bool
	err := t.DB.Row(ctx, `SELECT EXISTS(SELECT 1 FROM attachment a JOIN session s ON s.id=a.session WHERE s.uid=?)`, string(by.Session)).Scan(&attached)
	if err == nil && attached {
		err = fmt.Errorf("session %s: %w", by.Session, versions.ErrAdministers)
	}
	return err
}

// MayWrite rejects a mutation by a session that has attached stores if this store is not
// among them or is attached read-only. A session without attachments may write.
func (x *Txn) MayWrite(by versions.By) error {
	if by.Session == "" {
		return nil
	}
	var access sql.NullString
	var attached bool
	err := x.Row(`SELECT (SELECT access FROM attachment WHERE session=s.id AND store=?2), EXISTS(SELECT 1 FROM attachment WHERE session=s.id)
		FROM session s WHERE s.uid=?1`, string(by.Session), x.Store.Row).Scan(&access, &attached)
	switch {
	case err != nil:
		return tables.IgnoreNoRows(err) // the session's first operation
	case attached && !access.Valid:
		return fmt.Errorf("store %s, session %s: %w", x.Store.Opened.Name, by.Session, versions.ErrUnattached)
	case attached && versions.Access(access.String) != versions.ReadWrite:
		return fmt.Errorf("store %s, session %s: %w", x.Store.Opened.Name, by.Session, versions.ErrReadOnly)
	}
	return nil
}
