package versions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/ids"
)

const storeColumns = `id,uid,name,title,description,metadata,upstream,folder,home,files,created,updated,used,agents,archived,
	(SELECT coalesce(sum(` + countUpstream + `),0) FROM redaction WHERE redaction.store=store.id AND pending<>0),` + limitColumns

// storeRow is a store and its row.
type storeRow struct {
	StoreInfo
	id int64
}

// columns are the destinations of the storeColumns.
func (s *storeRow) columns(t *Trail) []any {
	damaged := func(what string, err error) error {
		if err != nil {
			err = fmt.Errorf("%w: %s of store %s: %v", ErrDamaged, what, s.Name, err)
		}
		return err
	}
	return append([]any{&s.id, idTo(&s.ID), &s.Name, &s.Title, &s.Description,
		parsedTo(&s.Metadata, func(text string) (m map[string]string, err error) {
			err = damaged("metadata", json.Unmarshal([]byte(text), &m))
			return m, err
		}),
		parsedTo(&s.Upstream, func(text string) (u Remote, err error) {
			if text != "" {
				err = damaged("upstream", json.Unmarshal([]byte(text), &u))
			}
			return u, err
		}),
		parsedTo(&s.Folder, func(place string) (string, error) { return t.folderOf(place), nil }), &s.home,
		parsedTo(&s.Files, func(text string) (memfs.Names, error) {
			names, err := filesOf(text)
			return names, damaged("files", err)
		}),
		timeTo(&s.Created), timeTo(&s.Updated), timeTo(&s.LastUsed), &s.ForAgents, timeTo(&s.Archived), &s.LeftUpstream}, s.Limits.columns()...)
}

// Stores lists the stores of this home, the last used first.
func (t *Trail) Stores(ctx context.Context) ([]StoreInfo, error) {
	var out []StoreInfo
	var s storeRow
	rows := t.db.Rows(ctx, `SELECT `+storeColumns+` FROM store ORDER BY used DESC, id DESC`)
	for range rows.Each(s.columns(t)...) {
		out = append(out, s.StoreInfo)
	}
	return out, rows.Err()
}

func (t *Trail) storeByID(ctx context.Context, id StoreID) (StoreInfo, int64, error) {
	var s storeRow
	err := t.db.Row(ctx, `SELECT `+storeColumns+` FROM store WHERE uid=?`, ids.Parse(ids.StorePrefix, string(id))).Scan(s.columns(t)...)
	return s.StoreInfo, s.id, notFound(err, ErrNoStore, string(id))
}

// FindStore finds a store by its name, its id, or its folder. A folder inside a store's
// folder finds that store, but a store of named files is found by its own folder only. It
// returns ErrNoStore if there is none.
func (t *Trail) FindStore(ctx context.Context, ref string) (StoreInfo, error) {
	all, err := t.Stores(ctx)
	if err != nil {
		return StoreInfo{}, err
	}
	for _, s := range all {
		if s.Name == ref || string(s.ID) == ref {
			return s, nil
		}
	}
	if folder, err := realFolder(ref); err == nil {
		if s, ok := holding(all, folder); ok {
			return s, nil
		}
		if s, ok := behindLink(all, ref); ok {
			return s, nil
		}
	}
	return StoreInfo{}, fmt.Errorf("%w: %s", ErrNoStore, ref)
}

// holding returns the innermost store whose folder is or contains folder.
func holding(all []StoreInfo, folder string) (found StoreInfo, ok bool) {
	for _, s := range all {
		if inFolder(folder, s.Folder) && (s.Files.All() || s.Folder == folder) && len(s.Folder) > len(found.Folder) {
			found, ok = s, true
		}
	}
	return found, ok
}

// holdingFile returns the innermost store that a file of the machine belongs to.
func holdingFile(all []StoreInfo, file string) (found StoreInfo, any bool) {
	for _, s := range all {
		p, ok := pathInFolder(file, s.Folder)
		if (ok && s.Files.Match(p) || s.Files.All() && inFolder(file, s.Folder)) && len(s.Folder) > len(found.Folder) {
			found = s
		}
	}
	return found, found.ID != ""
}

func inFolder(p, folder string) bool {
	rel, err := filepath.Rel(folder, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// realFolder returns the canonical name of an existing folder.
func realFolder(p string) (string, error) {
	p, err := filepath.Abs(p)
	if err != nil {
		return "", err
	}
	if p, err = filepath.EvalSymlinks(p); err != nil {
		return "", err
	}
	fi, err := os.Stat(p)
	if err != nil {
		return "", err
	}
	if !fi.IsDir() {
		return "", fmt.Errorf("%s is not a folder", p)
	}
	return p, nil
}

// NewStore describes a store to create.
type NewStore struct {
	Name        string // empty: derived from the title or else the folder, with a number if it is taken
	Title       string
	Description string
	Metadata    map[string]string
	Folder      string      // empty: a new one inside home
	Files       memfs.Names // of the folder, that are its memories
	ForAgents   bool        // see StoreInfo: if there is one, MakeStore returns it, and the name gets a number if it is taken
	Pinned      PinFor      // for whom all its memories are read-only from the beginning; empty: nobody
	Upstream    Remote
}

// CreateStore is MakeStore with the most common fields.
func (t *Trail) CreateStore(ctx context.Context, by By, name, description, folder string) (StoreInfo, error) {
	return t.MakeStore(ctx, by, NewStore{Name: name, Description: description, Folder: folder})
}

// MakeStore creates a store for a folder. It moves and adds nothing in the folder. It
// fails if the requested name is taken.
func (t *Trail) MakeStore(ctx context.Context, by By, n NewStore) (StoreInfo, error) {
	if err := errors.Join(n.check(), t.MayAdminister(ctx, by), t.mayChange()); err != nil {
		return StoreInfo{}, err
	}
	about, err := n.texts()
	if err != nil {
		return StoreInfo{}, err
	}
	unlock, err := t.db.Acquire(ctx)
	if err != nil {
		return StoreInfo{}, err
	}
	defer unlock()
	all, err := t.Stores(ctx)
	if err != nil {
		return StoreInfo{}, err
	}
	if n.ForAgents {
		if i := slices.IndexFunc(all, func(s StoreInfo) bool { return s.ForAgents }); i >= 0 {
			return all[i], nil
		}
		n.Name = unusedName(all, n.Name)
	}
	made := n.Folder == ""
	if n.Name, err = n.choose(all); err != nil {
		return StoreInfo{}, fmt.Errorf("create store: %w", err)
	}
	// A folder that memend makes is empty. One that a lost trail left may have files.
	began := sql.NullInt64{Valid: made && !exists(filepath.Join(t.home, storesFolder, n.Name))}
	if n.Folder, err = t.folderFor(n, all); err != nil {
		return StoreInfo{}, fmt.Errorf("create store %s: %w", n.Name, err)
	}
	uid := ids.New()
	if err := t.insertStore(context.WithoutCancel(ctx), by, uid, n, about, began); err != nil {
		return StoreInfo{}, fmt.Errorf("create store %s: %w", n.Name, err)
	}
	info, _, err := t.storeByID(ctx, StoreID(ids.Format(ids.StorePrefix, uid)))
	return info, err
}

// insertStore writes the row of a store, with its pin: the store is never there without it.
func (t *Trail) insertStore(ctx context.Context, by By, uid []byte, n NewStore, about [2]string, began sql.NullInt64) error {
	return t.inTx(ctx, func(x trailTxn) error {
		return t.insertStoreIn(&txn{trailTxn: x}, by, uid, n, about, began)
	})
}

func (t *Trail) insertStoreIn(x *txn, by By, uid []byte, n NewStore, about [2]string, began sql.NullInt64) error {
	folder, home := t.placeOf(n.Folder)
	now := t.now().UnixMicro()
	id, err := x.Insert(`INSERT INTO store(uid,name,title,description,metadata,upstream,folder,home,files,created,updated,used,began,agents) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		uid, n.Name, n.Title, n.Description, about[0], about[1], folder, home, filesText(n.Files), now, now, now, began, n.ForAgents)
	if err != nil {
		return err
	}
	if n.Pinned == "" {
		return nil
	}
	return x.pin(id, by.Actor, memfs.Root, n.Pinned, now)
}

// check returns why the store is invalid.
func (n NewStore) check() error {
	if n.Name != "" || n.Folder == "" && n.Title == "" {
		if err := checkName(n.Name); err != nil {
			return err
		}
	}
	if !n.Files.All() && (n.Folder == "" || n.Upstream != Remote{}) {
		return fmt.Errorf("store of named files: %w: its files must be in a folder of this machine that exists", ErrInvalid)
	}
	if n.Pinned != "" {
		if err := checkPin(memfs.Root, n.Pinned); err != nil {
			return err
		}
	}
	if err := checkTitle(n.Title); err != nil {
		return err
	}
	if err := checkDescription(n.Description); err != nil {
		return err
	}
	return checkMetadata(n.Metadata)
}

// texts returns metadata and upstream as stored in the table.
func (n NewStore) texts() (out [2]string, err error) {
	out[0] = "{}"
	if len(n.Metadata) > 0 {
		b, err := json.Marshal(n.Metadata)
		if err != nil {
			return out, err
		}
		out[0] = string(b)
	}
	out[1], err = n.Upstream.text()
	return out, err
}

// text returns a remote as stored in the table.
func (r Remote) text() (string, error) {
	if r == (Remote{}) {
		return "", nil
	}
	b, err := json.Marshal(r)
	return string(b), err
}

// choose returns the requested name, or a free one.
func (n NewStore) choose(all []StoreInfo) (string, error) {
	if n.Name == "" && n.Title != "" {
		return unusedName(all, handle(n.Title)), nil
	}
	return chooseName(all, n.Name, n.Folder)
}

// storesFolder is the folder in the home for the folders that memend creates.
const storesFolder = "stores"

// folderFor returns the requested folder, or a new one in the home.
func (t *Trail) folderFor(n NewStore, all []StoreInfo) (string, error) {
	if n.Folder == "" {
		n.Folder = filepath.Join(t.home, storesFolder, n.Name)
		if err := disk.MakeFolder(n.Folder); err != nil {
			return "", err
		}
	}
	real, err := realFolder(n.Folder)
	if err == nil {
		err = t.checkFolder(all, filesIn{real, n.Files})
	}
	return real, err
}

// checkFolder rejects files that another store has, and a folder that contains the trail.
// Hidden subfolders don't belong to the store of a folder and may be another's.
func (t *Trail) checkFolder(all []StoreInfo, n filesIn) error {
	for _, s := range all {
		has := s.files()
		switch {
		case has.folder == n.folder && !(has.names.All() && n.names.All()):
			return fmt.Errorf("%w: %s (%s)", ErrSameFolder, s.Name, s.Folder)
		case has.shares(n):
			return fmt.Errorf("%w: %s (%s)", ErrNested, s.Name, s.Folder)
		case n.shares(has):
			return fmt.Errorf("%w: %s (%s)", ErrHoldsStore, s.Name, s.Folder)
		}
	}
	if n.shares(filesIn{folder: t.real}) {
		return fmt.Errorf("%w: %s", ErrHomeInside, t.real)
	}
	return nil
}

// Covers reports whether a store of these files in folder would share memories with this store.
func (s StoreInfo) Covers(folder string, files memfs.Names) bool {
	return s.Folder == folder || s.files().shares(filesIn{folder, files})
}

// Shares reports whether the store and a store of these files in folder can have the same file.
func (s StoreInfo) Shares(folder string, files memfs.Names) bool {
	other := filesIn{folder, files}
	return s.files().shares(other) || other.shares(s.files())
}

const maxNameRunes = 255

// checkTitle validates a title by the rules of the memory-stores API.
func checkTitle(title string) error {
	if !utf8.ValidString(title) || utf8.RuneCountInString(title) > maxNameRunes || strings.ContainsFunc(title, unicode.IsControl) {
		return fmt.Errorf("title of store: %w: must be at most %d characters of UTF-8, none of them a control character", ErrInvalid, maxNameRunes)
	}
	return nil
}

func checkName(name string) error {
	switch {
	case name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxNameRunes:
		return fmt.Errorf("store name %q: must be 1 to %d characters", name, maxNameRunes)
	case strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, "."):
		return fmt.Errorf("store name %q: must not hold control characters or slashes, nor begin with a dot", name)
	case strings.HasPrefix(name, ids.StorePrefix):
		return fmt.Errorf("store name %q: looks like an id", name)
	}
	return nil
}

// chooseName returns the requested name, or the folder's name, with a number if that is taken.
// Memories are in many folders of this name: there the name of the folder around it comes first.
func chooseName(all []StoreInfo, name, folder string) (string, error) {
	if name != "" {
		if err := checkName(name); err != nil {
			return "", err
		}
		if nameTaken(all, name) {
			return "", fmt.Errorf("%w: %s", ErrNameTaken, name)
		}
		return name, nil
	}
	folder, err := realFolder(folder)
	if err != nil {
		return "", err
	}
	base := filepath.Base(folder)
	if base == "memories" {
		base = filepath.Base(filepath.Dir(folder)) + "-" + base
	}
	if base = strings.TrimLeft(base, ".-"); checkName(base) != nil {
		base = "store"
	}
	return unusedName(all, base), nil
}

func nameTaken(all []StoreInfo, name string) bool {
	return slices.ContainsFunc(all, func(s StoreInfo) bool { return s.Name == name })
}

// unusedName returns base, with a number if it is taken.
func unusedName(all []StoreInfo, base string) string {
	name := base
	for n := 2; nameTaken(all, name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// maxHandle bounds names derived from titles, because they become folder names.
const maxHandle = 60

// handle derives a name from a title by the rule for agents' mounts: lower case, with one
// dash for each run of characters other than ASCII letters and digits.
func handle(title string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(title) {
		if b.Len() == maxHandle {
			break
		}
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-")
	if checkName(name) != nil {
		return "store"
	}
	return name
}

// UseStore records that a person opened a store.
func (t *Trail) UseStore(ctx context.Context, id StoreID) error {
	return t.update(ctx, `UPDATE store SET used=? WHERE uid=?`, t.now().UnixMicro(), ids.Parse(ids.StorePrefix, string(id)))
}

// MoveStore records the new location of a store's folder. Memories that are not in that
// folder count as deleted: see MayMoveStore.
func (t *Trail) MoveStore(ctx context.Context, by By, id StoreID, folder string) error {
	if err := t.mayAdminister(ctx, by, id, "move"); err != nil {
		return err
	}
	real, err := realFolder(folder)
	if err != nil {
		return fmt.Errorf("move store: %w", err)
	}
	all, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	others := all[:0:0]
	var files memfs.Names
	for _, s := range all {
		if s.ID != id {
			others = append(others, s)
		} else {
			files = s.Files
		}
	}
	if err := t.checkFolder(others, filesIn{real, files}); err != nil {
		return fmt.Errorf("move store to %s: %w", real, err)
	}
	folder, home := t.placeOf(real)
	return t.update(ctx, `UPDATE store SET folder=?, home=?, folder_identity=?, updated=? WHERE uid=?`, folder, home, identityOf(real), t.now().UnixMicro(), ids.Parse(ids.StorePrefix, string(id)))
}

func (t *Trail) update(ctx context.Context, text string, args ...any) error {
	unlock, err := t.db.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return t.updateLocked(ctx, text, args...)
}

// updateLocked is update for a caller that holds the lock.
func (t *Trail) updateLocked(ctx context.Context, text string, args ...any) error {
	return t.inTx(ctx, func(x trailTxn) error {
		return x.Exec(text, args...)
	})
}

// Parted is a store that was the replica of one at a service in an earlier home, and is an ordinary one since.
type Parted struct{ Name, URL string }

// TellParted calls tell once for the stores that became ordinary ones, if there are any. When it has
// returned, they are not told again.
func (t *Trail) TellParted(ctx context.Context, tell func([]Parted)) error {
	var p Parted
	all, err := db.All(t.db.Rows(ctx, `SELECT name,parted FROM store WHERE parted<>'' ORDER BY name`), &p, &p.Name, &p.URL)
	if err != nil {
		return err
	}
	if len(all) == 0 || t.db.ReadOnly() != nil {
		return nil
	}
	tell(all)
	return t.update(ctx, `UPDATE store SET parted=''`)
}
