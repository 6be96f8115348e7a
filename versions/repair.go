package versions

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/memtrail/memtrail/memfs"
)

// Repaired says what a repair found and did. The zero Repaired found nothing.
type Repaired struct {
	Rebuilt bool     // the database could not be trusted: it was written anew from all that could be read of it
	Lost    bool     // not even that: the trail begins anew, with the stores that could still be read
	Aside   string   // the file that the damaged database was put into; empty when it was left where it is
	Stores  []string // names of the stores that the trail has now
	Healed  int      // damaged contents that a file of the folder still held
	Damaged int      // contents that stay damaged: reading one of their versions is an error
}

// Repair makes the trail of a home usable again, as far as it can be: nobody may
// work on the home meanwhile. It removes nothing: a database that has to be
// replaced is put aside first. Numbers and times that don't follow one another are
// put right. Heads are made anew from the versions; what differs
// from them in the folders is adopted at the next Sync, as what other programs
// wrote. So a trail that is lost altogether ends with one version a file.
func Repair(ctx context.Context, home string, o Options) (Repaired, error) {
	var done Repaired
	home, err := filepath.Abs(home)
	if err != nil {
		return done, err
	}
	if err := done.database(ctx, home); err != nil {
		return done, fmt.Errorf("repair trail in %s: %w", home, err)
	}
	t, err := Open(ctx, home, o)
	if err != nil {
		return done, err
	}
	err = done.contents(ctx, t)
	return done, errors.Join(err, t.Close())
}

// contents heals what the folders still hold, and makes the heads anew.
func (r *Repaired) contents(ctx context.Context, t *Trail) error {
	infos, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	bad, err := t.damaged(ctx)
	if err != nil {
		return err
	}
	for _, info := range infos {
		r.Stores = append(r.Stores, info.Name)
		if err := r.store(ctx, t, info, bad); err != nil {
			return fmt.Errorf("repair store %s: %w", info.Name, err)
		}
	}
	var missing int
	err = t.get(ctx, `SELECT count(DISTINCT blob) FROM version WHERE blob NOT IN (SELECT id FROM blob)`, nil, &missing)
	r.Damaged = len(bad) + missing
	return diskError(err)
}

// damaged lists the contents that can't be read, by hash, with their rows.
func (t *Trail) damaged(ctx context.Context) (map[Hash]int64, error) {
	bad := map[Hash]int64{}
	err := t.eachBlob(ctx, func(q reader, id int64) error {
		_, err := blobContent(q, id)
		if !errors.Is(err, ErrDamaged) {
			return err
		}
		var sha []byte
		if err := q.row(`SELECT sha FROM blob WHERE id=?`, id).Scan(&sha); err != nil {
			return err
		}
		var h Hash
		copy(h[:], sha)
		bad[h] = id
		return nil
	})
	return bad, err
}

// eachBlob calls do with every content, a few hundred to a snapshot.
func (t *Trail) eachBlob(ctx context.Context, do func(q reader, id int64) error) error {
	for last, more := int64(0), true; more; {
		err := t.view(ctx, func(q reader) error {
			ids, err := q.ids(`SELECT id FROM blob WHERE id>? ORDER BY id LIMIT 500`, last)
			more = len(ids) > 0
			for _, id := range ids {
				last = id
				if err := do(q, id); err != nil {
					return err
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ids reads one column of row ids.
func (r reader) ids(text string, args ...any) ([]int64, error) { return idsOf(r, text, args...) }

// idsOf is the same for whatever answers a query.
func idsOf(q rower, text string, args ...any) (out []int64, err error) {
	rows, err := q.rows(text, args...)
	if err != nil {
		return nil, diskError(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, diskError(rows.Err())
}

// store heals the contents of one store and makes its heads anew. A store whose
// folder is gone keeps them as they are.
func (r *Repaired) store(ctx context.Context, t *Trail, info StoreInfo, bad map[Hash]int64) error {
	s, err := t.OpenStore(ctx, info.ID)
	if fe := (*FolderError)(nil); errors.As(err, &fe) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	unlock, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.rollback()
	if err := s.dir.Scan(ctx, func(f memfs.Found) error { return r.heal(x, f, bad) }); err != nil {
		return err
	}
	if err := x.numbersAnew(); err != nil {
		return err
	}
	if err := x.headsAnew(); err != nil {
		return err
	}
	return x.commit()
}

// heal puts a content right that the file f holds as it should be.
func (r *Repaired) heal(x *txn, f memfs.Found, bad map[Hash]int64) error {
	if len(bad) == 0 || f.Err != nil || f.Kind != memfs.File || f.Sig.Size > maxKeepBytes {
		return nil
	}
	b, _, err := x.s.dir.Read(f.Path, maxKeepBytes)
	if err != nil {
		return nil // what can't be read heals nothing
	}
	id, ok := bad[sum(b)]
	if !ok {
		return nil
	}
	delete(bad, sum(b))
	r.Healed++
	return x.replaceBlob(id, b)
}

// headsAnew makes every memory's newest version its head.
func (x *txn) headsAnew() error {
	if err := x.exec(`DELETE FROM head WHERE store=?`, x.s.id); err != nil {
		return err
	}
	rows, err := x.rows(`SELECT id FROM memory WHERE store=? ORDER BY id`, x.s.id)
	if err != nil {
		return diskError(err)
	}
	var memories []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return errors.Join(err, rows.Close())
		}
		memories = append(memories, id)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return diskError(err)
	}
	for _, id := range memories {
		if err := x.headBack(id); err != nil {
			return err
		}
	}
	return nil
}
