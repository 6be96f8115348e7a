package chain

import (
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/versions/db"
)

// entry is a row with its commitment from an act on. The commitment is empty if the row was removed.
type entry struct {
	table      Table
	id         int64
	commitment []byte
}

// rowID identifies a row of any table.
type rowID struct {
	table Table
	id    int64
}

// Acts collects what a transaction does to rows that are in the trail already, or beside the chain of
// changes.
type Acts struct {
	rows []rowID
	only map[int64][]rowID // for one store each
}

// Add lists a row, with what it says at the end of the transaction.
func (a *Acts) Add(t Table, id int64) {
	if row := (rowID{t, id}); !slices.Contains(a.rows, row) {
		a.rows = append(a.rows, row)
	}
}

// addAmended lists the actors and sessions that were amended before the store had a change.
func (a *Acts) addAmended(x Tx, store int64) error {
	for _, t := range []Table{Actor, Session} {
		ids, err := db.IDs(x, `SELECT id FROM `+shapes[t].name+` WHERE committed IS NOT NULL`)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if a.only == nil {
				a.only = map[int64][]rowID{}
			}
			a.only[store] = append(a.only[store], rowID{t, id})
		}
	}
	return nil
}

// Amend must be called before facts of a row are changed that the chain commits to.
func (a *Acts) Amend(x Tx, t Table, id int64) error {
	h := &hasher{}
	if t == Version {
		if err := h.keepSalt(x, id); err != nil {
			return err
		}
	}
	v, err := h.read(x, t, id)
	if err != nil {
		return err
	}
	salt := v[0]
	if t == Change && salt == nil {
		if salt, err = h.versionSalts(x, id); err != nil {
			return err
		}
	}
	a.Add(t, id)
	return x.Exec(`UPDATE `+shapes[t].name+` SET committed=coalesce(committed,?), salt=randomblob(16) WHERE id=?`, h.row(t, v, salt), id)
}

// keepSalt gives the change of a version its salt, before the salt of the version is lost.
func (h *hasher) keepSalt(x Tx, version int64) error {
	var change int64
	err := x.Row(`SELECT c.id FROM version v JOIN change c ON c.id=v.change WHERE v.id=? AND c.salt IS NULL`, version).Scan(&change)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	salt, err := h.versionSalts(x, change)
	if err != nil {
		return err
	}
	return x.Exec(`UPDATE change SET salt=? WHERE id=?`, salt, change)
}

func (h *hasher) versionSalts(x Tx, change int64) (any, error) {
	var salts [][]any
	for row, err := range x.Each(`SELECT salt FROM version WHERE change=? ORDER BY id`, change) {
		if err != nil {
			return nil, err
		}
		var salt any
		if err := row.Scan(&salt); err != nil {
			return nil, err
		}
		salts = append(salts, []any{salt})
	}
	return h.saltOf(salts), nil
}

// read returns the columns of a row's shape.
func (h *hasher) read(q db.Queryer, t Table, id int64) ([]any, error) {
	s := shapes[t]
	v, dest := scanned(s.width())
	return v, q.Row(`SELECT `+s.columns()+` FROM `+s.from+` WHERE `+s.id+`=?`, id).Scan(dest...)
}

// scanned returns a row of values and the destinations for scanning it.
func scanned(n int) (row, dest []any) {
	row, dest = make([]any, n), make([]any, n)
	for i := range row {
		dest[i] = &row[i]
	}
	return row, dest
}

// Write adds an act to the chain of each store that is concerned.
func (a *Acts) Write(x Tx, now int64) error {
	if len(a.rows) == 0 && len(a.only) == 0 {
		return nil
	}
	entries := map[int64][]entry{}
	for _, row := range a.rows {
		e, store, err := commitNow(x, row)
		if errors.Is(err, sql.ErrNoRows) {
			continue // its store was deleted
		}
		if err != nil {
			return err
		}
		if store != 0 {
			entries[store] = append(entries[store], e)
			continue
		}
		all, err := db.IDs(x, `SELECT id FROM store`)
		if err != nil {
			return err
		}
		for _, id := range all {
			entries[id] = append(entries[id], e)
		}
	}
	for store, rows := range a.only {
		for _, row := range rows {
			e, _, err := commitNow(x, row)
			if err != nil {
				return err
			}
			entries[store] = append(entries[store], e)
		}
	}
	a.rows, a.only = nil, nil
	for store, es := range entries {
		if err := writeAct(x, store, now, es); err != nil {
			return err
		}
	}
	return nil
}

// commitNow returns the commitment of a row and its store, with a new salt unless Amend gave it one.
func commitNow(x Tx, row rowID) (e entry, store int64, err error) {
	s := shapes[row.table]
	if !s.amending {
		column := "salt"
		if row.table == Trust {
			column = "sealed"
		}
		if err := x.Exec(`UPDATE `+tableOf(row.table)+` SET `+column+`=randomblob(16) WHERE id=?`, row.id); err != nil {
			return e, 0, err
		}
	}
	h := &hasher{}
	v, err := h.read(x, row.table, row.id)
	if err != nil {
		return e, 0, err
	}
	if s.store != "" {
		var of sql.NullInt64
		if err := x.Row(`SELECT (SELECT id FROM store WHERE id=`+s.store+`) FROM `+s.from+` WHERE `+s.id+`=?`, row.id).Scan(&of); err != nil {
			return e, 0, err
		}
		if store = of.Int64; store == 0 {
			return e, 0, sql.ErrNoRows
		}
	}
	return entry{row.table, row.id, h.row(row.table, v, nil)}, store, nil
}

// tableOf returns the name of the SQL table.
func tableOf(t Table) string {
	switch t {
	case Held:
		return "held"
	}
	return shapes[t].name
}

func writeAct(x Tx, store, now int64, es []entry) error {
	var uid, head []byte
	var n int64
	if err := x.Row(`SELECT uid,acts,acted FROM store WHERE id=?`, store).Scan(&uid, &n, &head); err != nil {
		return err
	}
	if n == 0 {
		head = genesis("acts", uid)
	}
	n++
	data := encode(es)
	head = chained(head, actFacts(n, now, data))
	if err := x.Exec(`INSERT INTO act(store,number,ts,data,mark) VALUES(?,?,?,?,?)`, store, n, now, data, head[:markBytes]); err != nil {
		return err
	}
	return x.Exec(`UPDATE store SET acts=?, acted=? WHERE id=?`, n, head, store)
}

func actFacts(number, ts any, data []byte) []byte {
	h := hasher{}
	h.value(number)
	h.value(ts)
	h.value(data)
	return h.buf
}

// The data of an act is a list of: the table, one byte; the row, as a varint; the commitment, 32
// bytes, all 0 if the row was removed.
func encode(es []entry) (data []byte) {
	for _, e := range es {
		data = binary.AppendUvarint(append(data, byte(e.table)), uint64(e.id))
		var c [hashBytes]byte
		copy(c[:], e.commitment)
		data = append(data, c[:]...)
	}
	return data
}

func decode(data []byte) (es []entry, err error) {
	for len(data) > 0 {
		id, n := binary.Uvarint(data[1:])
		if n <= 0 || len(data) < 1+n+hashBytes {
			return es, fmt.Errorf("%w: an act ends early", db.ErrDamaged)
		}
		e := entry{Table(data[0]), int64(id), data[1+n : 1+n+hashBytes]}
		if slices.Max(e.commitment) == 0 {
			e.commitment = nil
		}
		es, data = append(es, e), data[1+n+hashBytes:]
	}
	return es, nil
}
