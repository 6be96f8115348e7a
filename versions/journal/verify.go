package journal

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/memend/memend/versions/db"
)

// maxNamed is how many problems of one kind Verify names.
const maxNamed = 20

// verifier verifies a log.
type verifier struct {
	q        db.Queryer
	problems []string
	named    map[string]int
}

// Verify compares the records with each other and with the tables, and returns what differs.
func Verify(q db.Queryer) ([]string, error) {
	v := &verifier{q: q, named: map[string]int{}}
	var broken *record // the first one that does not follow the one before
	last := int64(0)
	w := &walk{q: q, differ: v.differs, emptied: func(r *record) {
		v.say("emptied records", "record %d (%s %d): its secret was emptied, and nothing in the log says why", r.n, r.kind, r.id)
	}, each: func(r *record) {
		if last++; broken == nil && (r.n != last || !r.sound) {
			broken = &record{n: r.n, kind: r.kind, id: r.id}
		}
	}}
	err := w.run()
	if broken != nil {
		altered := fmt.Sprintf("log: record %d (%s %d): it was altered, or records before it were removed or inserted", broken.n, broken.kind, broken.id)
		v.problems = slices.Insert(v.problems, 0, altered)
	}
	if err != nil {
		return v.problems, err
	}
	if err := v.numbers(); err != nil {
		return v.problems, err
	}
	for what, n := range v.named {
		if n > maxNamed {
			v.problems = append(v.problems, fmt.Sprintf("log: %d more %s", n-maxNamed, what))
		}
	}
	return v.problems, nil
}

// say adds a problem. Those of one sort are counted after the first ones.
func (v *verifier) say(sort, format string, args ...any) {
	if v.named[sort]++; v.named[sort] <= maxNamed {
		v.problems = append(v.problems, fmt.Sprintf("log: "+format, args...))
	}
}

// eachRecord calls do for the records from one on, in their order, with the hash before each. A missing or
// damaged number is not skipped: the records come in the order of their rows.
func eachRecord(q db.Queryer, do func(r *record, before []byte) error) error {
	before := make([]byte, hashBytes)
	var next record
	rows := q.Rows(`SELECT n,kind,id,iif(store=0,-1,coalesce(store,0)),ts,head,secret,was,hash FROM log ORDER BY n`)
	for range rows.Each(&next.n, &next.kind, &next.id, &next.store, &next.ts, &next.head, &next.secret, &next.was, &next.hash) {
		r := next
		if err := do(&r, before); err != nil {
			return err
		}
		before = r.hash
	}
	return rows.Err()
}

// numbers compares the changes with the records that they name.
func (v *verifier) numbers() error {
	var number, record any
	rows := v.q.Rows(`SELECT c.number,c.record FROM change c LEFT JOIN log l ON l.n=c.record WHERE l.n IS NULL OR l.kind<>4 OR l.id<>c.id OR l.secret IS NULL`)
	for range rows.Each(&number, &record) {
		v.say("changes with another record", "change %v: its record is not %v", number, record)
	}
	return rows.Err()
}

// fits reports whether the record comes after one with the hash before.
func (r *record) fits(before []byte) bool {
	return bytes.Equal(r.hash, r.chained(before)) && (r.was == nil || r.secret == nil)
}

// differs names a noun whose newest record and rows differ.
func (v *verifier) differs(k Kind, r *record, s *state) error {
	id := firstID(r, s)
	what := fmt.Sprintf("%s %d", k, id)
	if k == Change {
		var number sql.NullInt64
		if err := v.q.Row(`SELECT number FROM change WHERE id=?`, id).Scan(&number); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if number.Valid {
			what = fmt.Sprintf("change %d", number.Int64)
		}
	}
	switch {
	case r == nil:
		v.say("rows without a record", "%s: no record has it", what)
	case s == nil:
		v.say("missing rows", "%s: it is in record %d, and missing in the tables", what, r.n)
	default:
		v.say("altered rows", "%s: it is not as record %d says; it was altered since", what, r.n)
	}
	return nil
}

func firstID(r *record, s *state) int64 {
	if r != nil {
		return r.id
	}
	return s.id
}

// walk compares the newest record of each noun with its rows. The newest is the one with a secret.
type walk struct {
	q       db.Queryer
	differ  func(Kind, *record, *state) error // one of the two is nil if it is missing
	emptied func(*record)                     // a secret was emptied without a reason; may be nil
	each    func(*record)                     // is told of every record, in their order; may be nil

	removals map[int64]int64 // stores that were removed, and the records that say so
	seen     [len(nouns) + 1]db.RowSet
	without  map[[2]int64]*record // the last records without a secret, by kind and id
}

func (w *walk) run() (err error) {
	if w.removals, err = removedStores(w.q); err != nil {
		return err
	}
	for k := range w.seen {
		w.seen[k] = db.RowSet{}
	}
	w.without = map[[2]int64]*record{}
	var batch []*record
	err = eachRecord(w.q, func(r *record, before []byte) error {
		if r.sound = r.fits(before); w.each != nil {
			w.each(r)
		}
		key := [2]int64{int64(r.kind), r.id}
		switch {
		case byKind(r.kind) == nil:
		case r.removed():
			delete(w.without, key)
		case r.n <= w.removals[r.store]:
		case r.secret == nil:
			w.without[key] = &record{n: r.n, kind: r.kind, id: r.id}
		default:
			delete(w.without, key)
			w.seen[r.kind].Add(r.id)
			batch = append(batch, r)
		}
		if len(batch) < atOnce {
			return nil
		}
		err := w.compare(batch)
		batch = nil
		return err
	})
	if err == nil {
		err = w.compare(batch)
	}
	if err != nil {
		return err
	}
	if w.emptied != nil {
		for _, r := range w.without {
			w.emptied(r)
		}
	}
	return w.unrecorded()
}

// compare compares records with the rows. Most were written in the order of their ids.
func (w *walk) compare(batch []*record) error {
	by := map[Kind][]*record{}
	for _, r := range batch {
		by[r.kind] = append(by[r.kind], r)
	}
	for _, n := range nouns {
		all := by[n.kind]
		if len(all) == 0 {
			continue
		}
		ids := make([]int64, len(all))
		for i, r := range all {
			ids[i] = r.id
		}
		slices.Sort(ids)
		at, err := statesAt(w.q, n.kind, ids)
		if err != nil {
			return err
		}
		for _, r := range all {
			if s := at[r.id]; s == nil || !n.same(r.state(), *s) {
				if err := w.differ(n.kind, r, s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// unrecorded finds the rows that no record has.
func (w *walk) unrecorded() error {
	for _, n := range nouns {
		t := n.tables[0]
		text := `SELECT DISTINCT ` + t.noun + ` FROM ` + t.source()
		if t.where != "" {
			text += ` WHERE ` + t.where
		}
		var lack []int64
		var id int64
		rows := w.q.Rows(text + ` ORDER BY 1`)
		for range rows.Each(&id) {
			if !w.seen[n.kind].Has(id) {
				lack = append(lack, id)
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		for len(lack) > 0 {
			some := lack[:min(atOnce, len(lack))]
			lack = lack[len(some):]
			states, err := statesOf(w.q, n.kind, some[0], some[len(some)-1])
			if err != nil {
				return err
			}
			for i := range states {
				if w.seen[n.kind].Has(states[i].id) {
					continue
				}
				if err := w.differ(n.kind, nil, &states[i]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// state returns what the record says.
func (r *record) state() state {
	return state{r.id, r.head, r.secret[min(saltBytes, len(r.secret)):]}
}

// same reports whether two states say the same.
func (n *noun) same(a, b state) bool {
	if bytes.Equal(a.head, b.head) && bytes.Equal(a.secret, b.secret) {
		return true
	}
	in, err := a.rows(n)
	if err != nil {
		return false
	}
	is, err := b.rows(n)
	return err == nil && reflect.DeepEqual(in, is)
}

// removedStores lists the stores that were removed, with the last records that say so.
func removedStores(q db.Queryer) (map[int64]int64, error) {
	return db.Map[int64, int64](q.Rows(`SELECT id,max(n) FROM log WHERE kind<>4 AND kind=? AND length(head)=0 GROUP BY id`, int64(Store)))
}

// Restarts describes the repairs after which the hashes of the log were computed again.
func Restarts(q db.Queryer) (out []string, err error) {
	var from, ts int64
	rows := q.Rows(`SELECT id,ts FROM log WHERE kind<>4 AND kind=? ORDER BY n`, int64(Repair))
	for range rows.Each(&from, &ts) {
		day := time.UnixMicro(ts).UTC().Format(time.DateOnly)
		if from > 0 {
			out = append(out, fmt.Sprintf("the log begins anew at record %d, after a repair on %s", from, day))
		} else {
			out = append(out, fmt.Sprintf("rows were written again after a repair on %s", day))
		}
	}
	return out, rows.Err()
}
