package versions

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

const storeColumns = `id,uid,name,description,metadata,folder,created,updated,used,coalesce(archived,0),` + limitColumns

func scanStore(row interface{ Scan(...any) error }) (info StoreInfo, id int64, err error) {
	var uid []byte
	var metadata string
	var created, updated, used, archived int64
	var raw limitScan
	err = row.Scan(&id, &uid, &info.Name, &info.Description, &metadata, &info.Folder, &created, &updated, &used, &archived, &raw[0], &raw[1], &raw[2])
	if err != nil {
		return info, id, diskError(err)
	}
	if err := json.Unmarshal([]byte(metadata), &info.Metadata); err != nil {
		return info, id, fmt.Errorf("%w: metadata of store %s: %v", ErrDamaged, info.Name, err)
	}
	info.ID = StoreID(formatUID(storePrefix, uid))
	info.Limits = raw.limits()
	info.Created, info.Updated, info.LastUsed = fromMicros(created), fromMicros(updated), fromMicros(used)
	if archived != 0 {
		info.Archived = fromMicros(archived)
	}
	return info, id, nil
}

// Stores lists the stores of this home, the one used last first.
func (t *Trail) Stores(ctx context.Context) ([]StoreInfo, error) {
	rows, err := t.query(ctx, `SELECT `+storeColumns+` FROM store ORDER BY used DESC, id DESC`)
	if err != nil {
		return nil, diskError(err)
	}
	defer func() { _ = rows.Close() }()
	var out []StoreInfo
	for rows.Next() {
		info, _, err := scanStore(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, info)
	}
	return out, rows.Err()
}

func (t *Trail) storeByID(ctx context.Context, id StoreID) (StoreInfo, int64, error) {
	s, err := t.stmt(ctx, `SELECT `+storeColumns+` FROM store WHERE uid=?`)
	if err != nil {
		return StoreInfo{}, 0, diskError(err)
	}
	info, row, err := scanStore(s.QueryRowContext(ctx, parseUID(storePrefix, string(id))))
	if errors.Is(err, sql.ErrNoRows) {
		return info, 0, fmt.Errorf("%w: %s", ErrNoStore, id)
	}
	return info, row, diskError(err)
}

// FindStore finds a store by its name, its id, or its folder. A folder inside a
// store's folder is that store's. ErrNoStore when there is none.
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
	}
	return StoreInfo{}, fmt.Errorf("%w: %s", ErrNoStore, ref)
}

// holding is the innermost store whose folder is or holds folder.
func holding(all []StoreInfo, folder string) (found StoreInfo, ok bool) {
	for _, s := range all {
		if inFolder(folder, s.Folder) && len(s.Folder) > len(found.Folder) {
			found, ok = s, true
		}
	}
	return found, ok
}

func inFolder(p, folder string) bool {
	rel, err := filepath.Rel(folder, p)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// realFolder is the one name of a folder that exists.
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

// CreateStore gives a folder a trail. Nothing in the folder is moved or added.
// An empty folder makes one inside home; an empty name takes the folder's. A name
// that is taken is an error when it was asked for, and gets a number otherwise.
func (t *Trail) CreateStore(ctx context.Context, name, description, folder string) (StoreInfo, error) {
	if folder == "" {
		if err := checkName(name); err != nil {
			return StoreInfo{}, err
		}
		folder = filepath.Join(t.home, "stores", name)
		if err := makeFolder(folder); err != nil {
			return StoreInfo{}, fmt.Errorf("create store %s: %w", name, err)
		}
	}
	real, err := realFolder(folder)
	if err != nil {
		return StoreInfo{}, fmt.Errorf("create store: %w", err)
	}
	unlock, err := t.acquire(ctx)
	if err != nil {
		return StoreInfo{}, err
	}
	defer unlock()
	all, err := t.Stores(ctx)
	if err != nil {
		return StoreInfo{}, err
	}
	if err := t.checkFolder(all, real); err != nil {
		return StoreInfo{}, fmt.Errorf("create store of %s: %w", real, err)
	}
	if name, err = chooseName(all, name, real); err != nil {
		return StoreInfo{}, fmt.Errorf("create store of %s: %w", real, err)
	}
	if err := checkDescription(description); err != nil {
		return StoreInfo{}, err
	}
	uid, now := newUID(), t.now().UnixMicro()
	_, err = t.w.ExecContext(ctx, `INSERT INTO store(uid,name,description,folder,created,updated,used) VALUES(?,?,?,?,?,?,?)`,
		uid, name, description, real, now, now, now)
	if err != nil {
		return StoreInfo{}, fmt.Errorf("create store %s: %w", name, diskError(err))
	}
	info, _, err := t.storeByID(ctx, StoreID(formatUID(storePrefix, uid)))
	return info, err
}

func (t *Trail) checkFolder(all []StoreInfo, folder string) error {
	if s, ok := holding(all, folder); ok {
		return fmt.Errorf("%w: %s (%s)", ErrNested, s.Name, s.Folder)
	}
	home, err := realFolder(t.home)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(folder, home)
	if err == nil && inFolder(home, folder) && !hiddenRel(rel) {
		return fmt.Errorf("%w: %s", ErrHomeInside, home)
	}
	return nil
}

// hiddenRel reports whether a scan passes a relative path over.
func hiddenRel(rel string) bool {
	for seg := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if strings.HasPrefix(seg, ".") && seg != "." {
			return true
		}
	}
	return false
}

const maxNameRunes = 255

func checkName(name string) error {
	switch {
	case name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxNameRunes:
		return fmt.Errorf("store name %q: must be 1 to %d characters", name, maxNameRunes)
	case strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, "."):
		return fmt.Errorf("store name %q: must not hold control characters or slashes, nor begin with a dot", name)
	case strings.HasPrefix(name, storePrefix):
		return fmt.Errorf("store name %q: looks like an id", name)
	}
	return nil
}

// chooseName is the name asked for, or the folder's with a number if need be.
func chooseName(all []StoreInfo, name, folder string) (string, error) {
	taken := func(n string) bool {
		for _, s := range all {
			if s.Name == n {
				return true
			}
		}
		return false
	}
	if name != "" {
		if err := checkName(name); err != nil {
			return "", err
		}
		if taken(name) {
			return "", fmt.Errorf("%w: %s", ErrNameTaken, name)
		}
		return name, nil
	}
	base := strings.TrimLeft(filepath.Base(folder), ".")
	if checkName(base) != nil {
		base = "memories"
	}
	name = base
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name, nil
}

// UseStore notes that a store was opened by a person.
func (t *Trail) UseStore(ctx context.Context, id StoreID) error {
	return t.update(ctx, `UPDATE store SET used=? WHERE uid=?`, t.now().UnixMicro(), parseUID(storePrefix, string(id)))
}

// MoveStore tells the trail where a store's folder went.
func (t *Trail) MoveStore(ctx context.Context, id StoreID, folder string) error {
	real, err := realFolder(folder)
	if err != nil {
		return fmt.Errorf("move store: %w", err)
	}
	all, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	others := all[:0:0]
	for _, s := range all {
		if s.ID != id {
			others = append(others, s)
		}
	}
	if err := t.checkFolder(others, real); err != nil {
		return fmt.Errorf("move store to %s: %w", real, err)
	}
	return t.update(ctx, `UPDATE store SET folder=?, updated=? WHERE uid=?`, real, t.now().UnixMicro(), parseUID(storePrefix, string(id)))
}

func (t *Trail) update(ctx context.Context, text string, args ...any) error {
	unlock, err := t.acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	_, err = t.writer.ExecContext(ctx, text, args...)
	return diskError(err)
}
