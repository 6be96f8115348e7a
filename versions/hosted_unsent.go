package versions

import (
	"context"
	"database/sql"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/chain"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/planning"
)

// Changes of other programs in a replica's folder are adopted immediately, before the service has
// them. Such versions, and memories that start with one, have ids of a special form. Once the
// service has the newest version, they get the service's ids. A version that lost a race against
// another writer keeps its own id.

// isUnsent returns the SQL condition that the id in a column is of that form.
func isUnsent(column string) string {
	return `substr(` + column + `,1,7)=CAST('` + ids.UnsentMark + `' AS BLOB)`
}

// freshUID returns an id for a version or a memory that is made here.
func (s *Store) freshUID() []byte {
	if s.hosted() {
		return ids.NewUnsent()
	}
	return ids.New()
}

// unsentAfter reports whether a change after number last has versions that the service lacks. After an
// error, the next pull by time finds them.
func (s *Store) unsentAfter(ctx context.Context, last int64) (is bool) {
	err := s.t.db.Row(ctx, `SELECT EXISTS(SELECT 1 FROM change c JOIN version v ON v.change=c.id WHERE c.store=? AND c.number>? AND `+isUnsent("v.uid")+`)`, s.id, last).Scan(&is)
	return err == nil && is
}

// sent is a memory as the service has it, as far as this home knows.
type sent struct {
	id             MemoryID // empty: the service never had it
	planning.State          // zero: the service no longer has it
}

// sentOf returns the service's state of a memory, according to its versions below a number.
func (x *txn) sentOf(memory int64, below int) (out sent, err error) {
	var muid []byte
	var v stateScan
	err = x.Row(`SELECT m.uid,`+stateColumns+` FROM version v JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob
		WHERE v.memory=? AND v.number<? AND NOT `+isUnsent("v.uid")+` ORDER BY v.number DESC LIMIT 1`, memory, below).
		Scan(append([]any{&muid}, v.dest()...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return sent{}, nil
	}
	if err != nil || ids.Unsent(muid) {
		return sent{}, err
	}
	out.id = MemoryID(ids.Format(ids.MemoryPrefix, muid))
	out.State, err = v.state()
	return out, err
}

// sentNow sets the ids of a version and its memory to the service's ids.
func (x *txn) sentNow(version int64, versionUID []byte, memory int64, memoryUID []byte) error {
	amended := []int64{version}
	if memoryUID != nil {
		var err error
		if amended, err = db.IDs(x, `SELECT id FROM version WHERE memory=?`, memory); err != nil {
			return err
		}
	}
	x.reread = true
	for _, id := range amended {
		if err := x.amend(chain.Version, id); err != nil {
			return err
		}
	}
	for _, q := range []struct {
		text string
		uid  []byte
		row  int64
	}{
		{`UPDATE version SET uid=? WHERE id=?`, versionUID, version},
		{`UPDATE head SET vuid=? WHERE version=?`, versionUID, version},
		{`UPDATE memory SET uid=? WHERE id=?`, memoryUID, memory},
		{`UPDATE head SET muid=? WHERE memory=?`, memoryUID, memory},
	} {
		if q.uid == nil {
			continue
		}
		if err := x.Exec(q.text, q.uid, q.row); err != nil {
			return err
		}
	}
	return nil
}

// unsent returns the acts for the memories whose newest version the service does not have. It
// leaves out refused memories, and reports in got those that no service takes.
func (s *replica) unsent(ctx context.Context, refused map[int64]bool, got *pulled) (*delivery, error) {
	const newest = `SELECT v.memory,v.number FROM version v JOIN memory m ON m.id=v.memory
		WHERE v.uid>=CAST('unsent-' AS BLOB) AND v.uid<CAST('unsent.' AS BLOB) AND m.store=? AND v.number=(SELECT max(number) FROM version WHERE memory=v.memory)`
	d := &delivery{by: outside, asked: request{kind: KindAdopt, path: memfs.Root}, background: true}
	if err := s.t.db.Row(ctx, newest+` LIMIT 1`, s.id).Scan(new(int64), new(int)); err != nil {
		return d, unlessNone(err)
	}
	leave, err := s.enter(ctx)
	if err != nil {
		return d, err
	}
	defer leave()
	x := s.reader(ctx)
	var all []versionRow
	for row, err := range x.Each(newest, s.id) {
		var v versionRow
		if err == nil {
			err = row.Scan(&v.memory, &v.number)
		}
		if err != nil {
			return d, err
		}
		all = append(all, v)
	}
	for _, v := range all {
		if refused[v.memory] {
			continue
		}
		now, err := nowOf(x, v.memory)
		if err != nil {
			return d, err
		}
		a, err := x.actOf(v.memory, v.number, now)
		switch {
		case errors.Is(err, ErrInvalid):
			refused[v.memory] = true
			got.Skipped = append(got.Skipped, Skipped{string(a.sent.id), now.Path.String(), err})
		case err != nil:
			return d, err
		case a != nil:
			a.from = v.number
			d.acts = append(d.acts, a)
		}
	}
	return d, nil
}
