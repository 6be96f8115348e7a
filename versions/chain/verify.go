package chain

import (
	"bytes"
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// Report is what a verification found.
type Report struct {
	Problems []string
	Head     Head // computed from the rows

	anew    int64   // the chain of changes has to be computed again from this one on; 0: it verifies
	acts    bool    // the chain of acts does not verify
	differs []rowID // rows that differ from the newest act that lists them
}

func (r *Report) say(format string, args ...any) {
	r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
}

// verifier compares a store's rows with its chains.
type verifier struct {
	hasher
	Report
	q      db.Queryer
	store  int64
	since  *Head
	listed map[rowID][]byte // the commitments in the newest acts
}

// Verify computes both chains of a store and compares them with what the trail and, if it is not nil, an
// earlier head of the store say.
func Verify(q db.Queryer, store int64, since *Head) (Report, error) {
	v := &verifier{q: q, store: store, since: since, listed: map[rowID][]byte{}}
	for _, step := range []func() error{v.actChain, v.changes, v.rows} {
		if err := step(); err != nil {
			return v.Report, err
		}
	}
	for _, row := range slices.SortedFunc(maps.Keys(v.listed), compareRows) {
		if v.listed[row] != nil {
			v.differ(row, "is missing, or a mark in it")
		}
	}
	return v.Report, nil
}

func compareRows(a, b rowID) int {
	return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.id, b.id))
}

func (v *verifier) differ(row rowID, how string) {
	v.differs = append(v.differs, row)
	name := "row"
	if s := shapes[row.table]; s != nil {
		name = s.name
	}
	if row.table == Trust {
		v.say("pins or rejected lines of the store: what the acts record of them differs")
		return
	}
	v.say("%s with the row id %d: %s", name, row.id, how)
}

// actChain verifies the chain of acts and notes what the newest act says of each row.
func (v *verifier) actChain() error {
	var uid, stated []byte
	var count int64
	if err := v.q.Row(`SELECT uid,acts,coalesce(acted,x'') FROM store WHERE id=?`, v.store).Scan(&uid, &count, &stated); err != nil {
		return err
	}
	v.Head.Store = ids.Store(ids.Format(ids.StorePrefix, uid))
	head := genesis("acts", uid)
	v.compareActs(0, head)
	wrong := func(format string, args ...any) {
		if !v.acts {
			v.say(format, args...)
		}
		v.acts = true
	}
	for row, err := range v.q.Each(`SELECT number,ts,data,mark FROM act WHERE store=? ORDER BY number`, v.store) {
		if err != nil {
			return err
		}
		var number, ts any
		var data, mark []byte
		if err := row.Scan(&number, &ts, &data, &mark); err != nil {
			return err
		}
		v.Head.Act++
		head = chained(head, actFacts(number, ts, data))
		if number != v.Head.Act || !bytes.Equal(mark, head[:markBytes]) {
			wrong("act %d: it was altered, or acts before it were removed or inserted", v.Head.Act)
		}
		v.compareActs(v.Head.Act, head)
		entries, err := decode(data)
		if err != nil {
			wrong("act %d: it was altered", v.Head.Act)
		}
		for _, e := range entries {
			if e.table != Repair {
				v.listed[rowID{e.table, e.id}] = e.commitment
			}
		}
	}
	copy(v.Head.ActsHash[:], head)
	if v.Head.Act != count || count > 0 && !bytes.Equal(stated, head) {
		wrong("acts: the trail has %d and recorded %d, or its record of their last hash was altered", v.Head.Act, count)
	}
	if v.since != nil && v.since.Act > v.Head.Act {
		v.say("acts: the trail has %d, and had %d at the given head", v.Head.Act, v.since.Act)
	}
	return nil
}

func (v *verifier) compareActs(number int64, head []byte) {
	if v.since != nil && v.since.Act == number && !bytes.Equal(v.since.ActsHash[:], head) {
		v.say("acts: those up to %d are not the same as at the given head", number)
	}
}

// changes verifies the chain of changes.
func (v *verifier) changes() error {
	var uid, stated []byte
	var count int64
	if err := v.q.Row(`SELECT uid,changes,coalesce(chain,x'') FROM store WHERE id=?`, v.store).Scan(&uid, &count, &stated); err != nil {
		return err
	}
	head := genesis("changes", uid)
	v.compareChanges(0, head)
	back := stated[min(hashBytes, len(stated)):] // see Forget
	backs := len(back) == 0
	wrong := func(n int64, format string, args ...any) {
		if v.anew == 0 {
			v.anew = n
			v.say(format, args...)
		}
	}
	var n int64
	for from := int64(math.MinInt64); ; from += batch {
		// A number may be damaged, so there may be wide gaps.
		var next sql.NullInt64
		if err := v.q.Row(`SELECT min(number) FROM change WHERE store=? AND number>=?`, v.store, from).Scan(&next); err != nil {
			return err
		}
		if !next.Valid {
			break
		}
		from = next.Int64
		err := v.links(v.q, v.store, from, from+batch-1, func(l *link) error {
			n++
			backs = backs || bytes.Equal(back, head)
			head = chained(head, l.parts...)
			if l.number != n || !bytes.Equal(l.mark, head[:markBytes]) {
				wrong(n, "change %d: it or a version of it was altered, or changes before it were removed or inserted", n)
			}
			v.compareChanges(n, head)
			for _, e := range l.amended {
				v.compare(e)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	v.Head.Change = n
	copy(v.Head.Changes[:], head)
	if n != count || n > 0 && !bytes.Equal(stated[:min(hashBytes, len(stated))], head) || !backs {
		wrong(n+1, "changes: the trail has %d and recorded %d, or its record of their last hash was altered", n, count)
	}
	if v.since != nil && v.since.Change > n {
		v.say("changes: the trail has %d, and had %d at the given head", n, v.since.Change)
	}
	return nil
}

func (v *verifier) compareChanges(number int64, head []byte) {
	if v.since != nil && v.since.Change == number && !bytes.Equal(v.since.Changes[:], head) {
		v.say("changes: those up to %d are not the same as at the given head", number)
	}
}

// compare compares a row with the newest act that lists it.
func (v *verifier) compare(e entry) {
	row := rowID{e.table, e.id}
	was, listed := v.listed[row]
	delete(v.listed, row)
	switch {
	case !listed || was == nil:
		v.differ(row, "no act records it, or that it was amended")
	case !bytes.Equal(was, e.commitment):
		v.differ(row, "it was altered since it was last recorded")
	}
}

// rows compares the rows beside the chain of changes with the acts.
func (v *verifier) rows() error {
	for _, t := range []Table{Actor, Session, Attribution, Policy, Held, Redaction, Trust, Verified} {
		s := shapes[t]
		which := s.store + `=?` + s.inForce
		args := []any{v.store}
		if s.amending {
			which, args = s.own[1]+` IS NOT NULL`, nil
		}
		row, dest := scanned(1 + s.width())
		for r, err := range v.q.Each(`SELECT `+s.id+`,`+s.columns()+` FROM `+s.from+` WHERE `+which+` ORDER BY `+s.id, args...) {
			if err != nil {
				return err
			}
			if err := r.Scan(dest...); err != nil {
				return err
			}
			id, _ := row[0].(int64)
			facts := row[1:]
			_, listed := v.listed[rowID{t, id}]
			switch {
			case t == Trust && !listed && facts[4] == nil && facts[5] == nil:
				continue // nothing was pinned or rejected ever
			case s.amending && !listed && v.Head.Change == 0:
				continue // the first change will record it
			}
			v.compare(entry{t, id, v.row(t, facts, nil)})
		}
	}
	return nil
}

// Restart computes the chains again after a repair, from the first change that does not fit. An act
// says so.
func Restart(x Tx, store, now int64) error {
	for _, q := range []string{
		`UPDATE actor SET salt=randomblob(16) WHERE salt IS NULL`,
		`UPDATE session SET salt=randomblob(16) WHERE salt IS NULL`,
		`UPDATE version SET salt=randomblob(16) WHERE salt IS NULL`,
	} {
		if err := x.Exec(q); err != nil {
			return err
		}
	}
	r, err := Verify(x, store, nil)
	if err != nil || len(r.Problems) == 0 {
		return err
	}
	if r.anew > 0 {
		var last int64
		if err := x.Row(`SELECT coalesce(max(number),0) FROM change WHERE store=?`, store).Scan(&last); err != nil {
			return err
		}
		if err := Extend(x, &Acts{}, store, 1, last, 0); err != nil {
			return err
		}
	}
	if r.acts {
		if err := restartActs(x, store); err != nil {
			return err
		}
	}
	es := []entry{{table: Repair, id: r.anew}}
	for _, row := range r.differs {
		if shapes[row.table] == nil {
			continue
		}
		e, _, err := commitNow(x, row)
		if errors.Is(err, sql.ErrNoRows) {
			e, err = entry{table: row.table, id: row.id}, nil
		}
		if err != nil {
			return err
		}
		if amended, err := isAmended(x, row); err != nil {
			return err
		} else if !amended { // a mark of what is lost took its place
			e.commitment = nil
		}
		es = append(es, e)
	}
	return writeAct(x, store, now, es)
}

// isAmended reports whether acts record a row: in tables whose rows the chain of changes commits to, only after the
// row was amended.
func isAmended(x Tx, row rowID) (amended bool, err error) {
	s := shapes[row.table]
	if !s.amending {
		return true, nil
	}
	err = x.Row(`SELECT `+s.own[1]+` IS NOT NULL FROM `+s.from+` WHERE `+s.id+`=?`, row.id).Scan(&amended)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return amended, err
}

// restartActs numbers the acts of a store again and computes their chain.
func restartActs(x Tx, store int64) error {
	var uid []byte
	if err := x.Row(`SELECT uid FROM store WHERE id=?`, store).Scan(&uid); err != nil {
		return err
	}
	all, err := db.IDs(x, `SELECT id FROM act WHERE store=? ORDER BY id`, store)
	if err != nil {
		return err
	}
	if err := x.Exec(`UPDATE act SET number=-id WHERE store=?`, store); err != nil {
		return err
	}
	head := genesis("acts", uid)
	for i, id := range all {
		var ts any
		var data []byte
		if err := x.Row(`SELECT ts,data FROM act WHERE id=?`, id).Scan(&ts, &data); err != nil {
			return err
		}
		head = chained(head, actFacts(int64(i+1), ts, data))
		if err := x.Exec(`UPDATE act SET number=?, mark=? WHERE id=?`, i+1, head[:markBytes], id); err != nil {
			return err
		}
	}
	return x.Exec(`UPDATE store SET acts=?, acted=? WHERE id=?`, len(all), head, store)
}

// Restarts describes the repairs after which the chains of a store were computed again.
func Restarts(q db.Queryer, store int64) (out []string, err error) {
	for row, err := range q.Each(`SELECT ts,data FROM act WHERE store=? ORDER BY number`, store) {
		if err != nil {
			return nil, err
		}
		var ts int64
		var data []byte
		if err := row.Scan(&ts, &data); err != nil {
			return nil, err
		}
		entries, _ := decode(data)
		for _, e := range entries {
			day := time.UnixMicro(ts).UTC().Format(time.DateOnly)
			switch {
			case e.table != Repair:
			case e.id > 0:
				out = append(out, fmt.Sprintf("the chain begins anew at change %d, after a repair on %s", e.id, day))
			default:
				out = append(out, fmt.Sprintf("the chain of acts begins anew, after a repair on %s", day))
			}
		}
	}
	return out, nil
}

// Begin computes the chains of every store of a trail that had none.
func Begin(x Tx, now int64) error {
	for _, table := range []string{"actor", "session", "version"} {
		if err := x.Exec(`UPDATE ` + table + ` SET salt=randomblob(16)`); err != nil {
			return err
		}
	}
	stores, err := db.IDs(x, `SELECT id FROM store`)
	if err != nil {
		return err
	}
	for _, store := range stores {
		var acts Acts
		var changes int64
		if err := x.Row(`SELECT coalesce(max(number),0) FROM change WHERE store=?`, store).Scan(&changes); err != nil {
			return err
		}
		if changes > 0 {
			if err := Extend(x, &acts, store, 1, changes, 0); err != nil {
				return err
			}
		}
		if err := acts.addAll(x, store); err != nil {
			return err
		}
		if err := acts.Write(x, now); err != nil {
			return err
		}
	}
	return nil
}

// addAll lists every row of a store that acts record.
func (a *Acts) addAll(x Tx, store int64) error {
	for t, s := range shapes {
		if s.amending {
			continue
		}
		all, err := db.IDs(x, `SELECT `+s.id+` FROM `+s.from+` WHERE `+s.store+`=?`+s.inForce, store)
		if err != nil {
			return err
		}
		for _, id := range all {
			a.rows = append(a.rows, rowID{t, id})
		}
	}
	return nil
}
