package journal

import (
	"cmp"
	"database/sql"
	"errors"
	"slices"

	"github.com/memend/memend/versions/db"
)

// Watches says which rows the database has to report to Append.
func Watches() map[string][]db.Watch {
	out := map[string][]db.Watch{}
	for _, n := range nouns {
		for i, t := range n.tables {
			if t.name == "memory" { // its row comes and goes with the versions
				continue
			}
			w := db.Watch{Kind: int64(n.kind), Row: bare(t.noun), Partial: t.only, First: i == 0 && bare(t.noun) == "id"}
			if n.kind == Change && i == 0 {
				w.Note = "record"
			}
			for _, c := range t.all() {
				w.Columns = append(w.Columns, bare(c))
			}
			out[t.name] = append(out[t.name], w)
		}
	}
	return out
}

// Append adds a record for each noun that a transaction touched. It is called before the commit.
func Append(x Tx, touched []db.Touched, now int64) error {
	if len(touched) == 0 {
		return nil
	}
	slices.SortFunc(touched, func(a, b db.Touched) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Row, b.Row))
	})
	l, err := opened(x)
	if err != nil {
		return err
	}
	for len(touched) > 0 {
		n := 1
		for n < min(len(touched), atOnce) && touched[n].Kind == touched[0].Kind {
			n++
		}
		if err := l.noteAll(touched[:n], now); err != nil {
			return err
		}
		touched = touched[n:]
	}
	return nil
}

// noteAll appends what some nouns of one kind are now, in the order of their ids.
func (l *log) noteAll(touched []db.Touched, now int64) error {
	ids := make([]int64, len(touched))
	for i, t := range touched {
		ids[i] = t.Row
	}
	at, err := statesAt(l.x, Kind(touched[0].Kind), ids)
	if err != nil {
		return err
	}
	for _, t := range touched {
		if err := l.note(t, at[t.Row], now); err != nil {
			return err
		}
	}
	return nil
}

// log is the log, while records are appended.
type log struct {
	x       Tx
	n       int64
	hash    []byte // of the last record
	dropped map[int64]bool
}

func opened(x Tx) (*log, error) {
	l := &log{x: x, hash: make([]byte, hashBytes)}
	err := x.Row(`SELECT n,hash FROM log ORDER BY n DESC LIMIT 1`).Scan(&l.n, &l.hash)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return l, err
}

// note appends what a noun is now; nil: it was removed.
func (l *log) note(t db.Touched, s *state, now int64) error {
	k := Kind(t.Kind)
	var before *record
	var err error
	if !t.New {
		if before, err = l.newest(k, t); err != nil {
			return err
		}
	}
	if s != nil {
		if before != nil {
			if err := l.empty(`n=?`, before.n); err != nil {
				return err
			}
		}
		return l.noteState(k, *s, now)
	}
	if before == nil || l.dropped[before.store] {
		return nil // nothing recorded it, or the record of the store says it
	}
	if k == Store {
		err = l.drop(t.Row)
	} else {
		err = l.empty(`n=?`, before.n)
	}
	if err != nil {
		return err
	}
	l.append(&record{kind: k, id: t.Row, store: before.store, ts: now, head: []byte{}})
	return l.x.Err()
}

// newest returns the record that says what a noun is until now; nil if there is none. Changes have the number of theirs, because
// an index of the records of all changes would make each write of one slower.
func (l *log) newest(k Kind, t db.Touched) (*record, error) {
	r := &record{n: t.Note}
	var err error
	switch {
	case k != Change:
		err = l.x.Row(`SELECT n,coalesce(store,0) FROM log WHERE kind<>4 AND kind=? AND id=? AND secret IS NOT NULL ORDER BY n DESC LIMIT 1`, int64(k), t.Row).Scan(&r.n, &r.store)
	case r.n == 0:
		err = l.x.Row(`SELECT l.n,coalesce(l.store,0) FROM change c JOIN log l ON l.n=c.record AND l.kind=4 AND l.id=c.id WHERE c.id=?`, t.Row).Scan(&r.n, &r.store)
	default:
		err = l.x.Row(`SELECT coalesce(store,0) FROM log WHERE n=? AND kind=4 AND id=?`, r.n, t.Row).Scan(&r.store)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return r, err
}

// drop empties the secrets of a store that is removed.
func (l *log) drop(store int64) error {
	if l.dropped == nil {
		l.dropped = map[int64]bool{}
	}
	l.dropped[store] = true
	return l.empty(`store=?`, store)
}

// empty empties the secrets of records.
func (l *log) empty(which string, args ...any) error {
	var all []record
	var r record
	rows := l.x.Rows(`SELECT n,secret FROM log WHERE secret IS NOT NULL AND `+which, args...)
	for range rows.Each(&r.n, &r.secret) {
		all = append(all, record{n: r.n, was: r.commitment()})
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, r := range all {
		l.x.Exec(`UPDATE log SET secret=NULL, was=? WHERE n=?`, r.was, r.n)
	}
	return nil
}

func (l *log) append(r *record) {
	l.n++
	r.n = l.n
	l.hash = r.chained(l.hash)
	var store, secret any // NULL, if there is none
	if r.store != 0 {
		store = r.store
	}
	if r.secret != nil {
		secret = r.secret
	}
	l.x.Exec(`INSERT INTO log(n,kind,id,store,ts,head,secret,hash) VALUES(?,?,?,?,?,?,?,?)`, r.n, int64(r.kind), r.id, store, r.ts, r.head, secret, l.hash)
}

// Begin records all nouns of a trail that has no log yet. It calls progress now and then with how many of the changes it
// recorded.
func Begin(x Tx, now int64, progress func(done, total int)) error {
	l, err := opened(x)
	if err != nil {
		return err
	}
	var done, total int
	if err := x.Row(`SELECT count(*) FROM change`).Scan(&total); err != nil {
		return err
	}
	w := &walk{q: x, differ: func(k Kind, _ *record, s *state) error {
		if k == Change {
			if done++; done%atOnce == 0 {
				progress(done, total)
			}
		}
		return l.noteState(k, *s, now)
	}}
	return w.run()
}

// noteState appends a record with the state of a noun.
func (l *log) noteState(k Kind, s state, now int64) error {
	r := record{kind: k, id: s.id, ts: now, head: s.head}
	switch n := byKind(k); {
	case n.storeFirst:
		v := values{b: s.head}
		_, _, _ = v.uint(), v.uint(), v.uint() // the number of rows and of columns
		r.store, _ = v.next().(int64)
	case n.store != "":
		if err := l.x.Row(`SELECT `+n.store, s.id).Scan(&r.store); err != nil {
			return err
		}
	}
	r.secret = salted(s.secret)
	l.append(&r)
	if k == Change {
		l.x.Exec(`UPDATE change SET record=? WHERE id=?`, r.n, r.id)
	}
	return l.x.Err()
}
