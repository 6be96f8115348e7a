package journal

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
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
	removals map[int64]int64 // stores that were removed, and the records that say so
	last     int64
}

// Verify compares the records with each other and with the tables, and returns what differs.
func Verify(q db.Queryer) ([]string, error) {
	v := &verifier{q: q, named: map[string]int{}}
	for _, look := range []func() error{v.chain, v.emptied, v.tables} {
		if err := look(); err != nil {
			return v.problems, err
		}
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
	for row, err := range q.Each(`SELECT n,kind,id,iif(store=0,-1,coalesce(store,0)),ts,head,secret,was,hash FROM log ORDER BY n`) {
		if err != nil {
			return err
		}
		var r record
		if err := row.Scan(&r.n, &r.kind, &r.id, &r.store, &r.ts, &r.head, &r.secret, &r.was, &r.hash); err != nil {
			return err
		}
		if err := do(&r, before); err != nil {
			return err
		}
		before = r.hash
	}
	return nil
}

func (v *verifier) chain() error {
	broken := false
	return eachRecord(v.q, func(r *record, before []byte) error {
		v.last++
		fits := r.n == v.last && bytes.Equal(r.hash, r.chained(before)) && (r.was == nil || r.secret == nil)
		if !fits && !broken {
			broken = true
			v.say("altered records", "record %d (%s %d): it was altered, or records before it were removed or inserted", r.n, r.kind, r.id)
		}
		return nil
	})
}

// emptied finds secrets that were emptied without a reason.
func (v *verifier) emptied() error {
	var err error
	if v.removals, err = removedStores(v.q); err != nil {
		return err
	}
	for row, err := range v.q.Each(`SELECT n,kind,id,coalesce(store,0) FROM log l WHERE was IS NOT NULL AND NOT EXISTS(SELECT 1 FROM log WHERE kind=l.kind AND id=l.id AND n>l.n) ORDER BY n`) {
		if err != nil {
			return err
		}
		var r record
		if err := row.Scan(&r.n, &r.kind, &r.id, &r.store); err != nil {
			return err
		}
		if r.n > v.removals[r.store] {
			v.say("emptied records", "record %d (%s %d): its secret was emptied, and nothing in the log says why", r.n, r.kind, r.id)
		}
	}
	return nil
}

// removedStores lists the stores that were removed, with the last records that say so.
func removedStores(q db.Queryer) (map[int64]int64, error) {
	out := map[int64]int64{}
	for row, err := range q.Each(`SELECT id,max(n) FROM log WHERE kind IN (1,12) AND kind=? AND length(head)=0 GROUP BY id`, int64(Store)) {
		if err != nil {
			return nil, err
		}
		var id, n int64
		if err := row.Scan(&id, &n); err != nil {
			return nil, err
		}
		out[id] = n
	}
	return out, nil
}

// tables compares the tables with the newest records.
func (v *verifier) tables() error {
	return compare(v.q, v.removals, func(k Kind, r *record, s *state) error {
		what := fmt.Sprintf("%s %d", k, firstID(r, s))
		if k == Change {
			var number sql.NullInt64
			if err := v.q.Row(`SELECT number FROM change WHERE id=?`, firstID(r, s)).Scan(&number); err != nil && !errors.Is(err, sql.ErrNoRows) {
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
	})
}

func firstID(r *record, s *state) int64 {
	if r != nil {
		return r.id
	}
	return s.id
}

// compare calls differ for each noun whose newest record and rows differ. One of the two is nil if it is missing.
func compare(q db.Queryer, removals map[int64]int64, differ func(Kind, *record, *state) error) error {
	for _, n := range nouns {
		for next := int64(-1 << 62); ; {
			from, to, some, err := n.nextIDs(q, next)
			if err != nil {
				return err
			}
			if !some {
				break
			}
			if err := n.compareIDs(q, from, to, removals, differ); err != nil {
				return err
			}
			next = to + 1
		}
	}
	return nil
}

// nextIDs returns a range with the next ids from one on, of rows or of records.
func (n *noun) nextIDs(q db.Queryer, next int64) (from, to int64, some bool, err error) {
	t := n.tables[0]
	rows := `SELECT DISTINCT ` + t.noun + ` AS i FROM ` + t.source() + ` WHERE ` + t.noun + `>=?1`
	if t.where != "" {
		rows += ` AND ` + t.where
	}
	var a, b sql.NullInt64
	err = q.Row(`SELECT min(i),max(i) FROM (SELECT i FROM (SELECT * FROM (`+rows+` ORDER BY 1 LIMIT ?3) UNION SELECT * FROM (SELECT DISTINCT id FROM log WHERE kind=?2 AND id>=?1 ORDER BY 1 LIMIT ?3)) ORDER BY i LIMIT ?3)`,
		next, int64(n.kind), atOnce).Scan(&a, &b)
	return a.Int64, b.Int64, a.Valid, err
}

func (n *noun) compareIDs(q db.Queryer, from, to int64, removals map[int64]int64, differ func(Kind, *record, *state) error) error {
	states, err := statesOf(q, n.kind, from, to)
	if err != nil {
		return err
	}
	newest, err := newestOf(q, n.kind, from, to)
	if err != nil {
		return err
	}
	for len(states)+len(newest) > 0 {
		var s *state
		var r *record
		if len(newest) == 0 || len(states) > 0 && states[0].id <= newest[0].id {
			s = &states[0]
		}
		if len(states) == 0 || len(newest) > 0 && newest[0].id <= states[0].id {
			r = &newest[0]
		}
		if s != nil {
			states = states[1:]
		}
		if r != nil {
			newest = newest[1:]
			if r.removed() || r.n <= removals[r.store] {
				r = nil
			}
		}
		if r == nil && s == nil || r != nil && s != nil && n.same(r.state(), *s) {
			continue
		}
		if err := differ(n.kind, r, s); err != nil {
			return err
		}
	}
	return nil
}

// newestOf reads the newest records of the nouns with ids in a range, in the order of their ids.
func newestOf(q db.Queryer, k Kind, from, to int64) (out []record, err error) {
	for row, err := range q.Each(`SELECT n,id,coalesce(store,0),ts,head,secret,was,hash,coalesce((SELECT hash FROM log WHERE n=l.n-1),x'') FROM log l WHERE kind=?1 AND id BETWEEN ?2 AND ?3 AND n=(SELECT max(n) FROM log WHERE kind=l.kind AND id=l.id) ORDER BY id`,
		int64(k), from, to) {
		if err != nil {
			return nil, err
		}
		r := record{kind: k}
		var before []byte
		if err := row.Scan(&r.n, &r.id, &r.store, &r.ts, &r.head, &r.secret, &r.was, &r.hash, &before); err != nil {
			return nil, err
		}
		if r.n == 1 {
			before = make([]byte, hashBytes)
		}
		r.sound = bytes.Equal(r.hash, r.chained(before))
		out = append(out, r)
	}
	return out, nil
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

// Restarts describes the repairs after which the hashes of the log were computed again.
func Restarts(q db.Queryer) (out []string, err error) {
	for row, err := range q.Each(`SELECT id,ts FROM log WHERE kind IN (1,12) AND kind=? ORDER BY n`, int64(Repair)) {
		if err != nil {
			return nil, err
		}
		var from, ts int64
		if err := row.Scan(&from, &ts); err != nil {
			return nil, err
		}
		day := time.UnixMicro(ts).UTC().Format(time.DateOnly)
		if from > 0 {
			out = append(out, fmt.Sprintf("the log begins anew at record %d, after a repair on %s", from, day))
		} else {
			out = append(out, fmt.Sprintf("rows were written again after a repair on %s", day))
		}
	}
	return out, nil
}
