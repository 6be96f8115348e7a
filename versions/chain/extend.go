package chain

import (
	"bytes"
	"crypto/rand"

	"github.com/memend/memend/versions/db"
)

// Tx is a transaction that writes.
type Tx interface {
	db.Queryer
	Exec(query string, args ...any) error
}

// batch is how many changes are read before rows are written again.
const batch = 1000

// link is what the chain holds of one change.
type link struct {
	id, number int64
	mark       []byte
	versions   int
	parts      [][]byte // the commitments of the change and of its versions
	salt       []byte   // a new one, if neither it nor a version of it has one
	amended    []entry  // with the commitments of the rows as they are now
}

var (
	linkColumns = `c.id,c.number,c.mark,` + shapes[Change].columns() + `,v.id,` + shapes[Version].columns()
	linkQuery   = `SELECT ` + linkColumns + ` FROM ` + shapes[Change].from + ` LEFT JOIN version v ON v.change=c.id ` + ofVersion +
		` WHERE c.store=? AND c.number BETWEEN ? AND ? ORDER BY c.number,v.id`
	changeWidth  = shapes[Change].width()
	versionWidth = shapes[Version].width()
)

// links calls do for the changes of a store with numbers in a range.
func (h *hasher) links(q db.Queryer, store, from, to int64, do func(*link) error) error {
	const before = 3 // columns before those of the change
	var change []any
	var versions [][]any
	flush := func() error {
		if change == nil {
			return nil
		}
		l := h.link(change, versions)
		change, versions = nil, nil
		return do(l)
	}
	row := make([]any, before+changeWidth+1+versionWidth)
	dest := make([]any, len(row))
	for i := range row {
		dest[i] = &row[i]
	}
	for r, err := range q.Each(linkQuery, store, from, to) {
		if err != nil {
			return err
		}
		clear(row)
		if err := r.Scan(dest...); err != nil {
			return err
		}
		if change != nil && change[0] != row[0] {
			if err := flush(); err != nil {
				return err
			}
		}
		if change == nil {
			change = append(change, row[:before+changeWidth]...)
		}
		if v := row[before+changeWidth:]; v[0] != nil {
			versions = append(versions, append([]any(nil), v...))
		}
	}
	return flush()
}

// link computes the commitments of a change and its versions.
func (h *hasher) link(change []any, versions [][]any) *link {
	l := &link{versions: len(versions), parts: make([][]byte, 1, 1+len(versions))}
	l.id, _ = change[0].(int64)
	l.number, _ = change[1].(int64)
	l.mark, _ = change[2].([]byte)
	change = change[3:]
	salt := change[0]
	for i := range versions {
		id, _ := versions[i][0].(int64)
		versions[i] = versions[i][1:]
		l.add(Version, id, versions[i][1], h.row(Version, versions[i], nil))
	}
	switch {
	case salt == nil && len(versions) == 0:
		l.salt = NewSalt()
		salt = l.salt
	case salt == nil:
		salt = h.saltOf(versions)
	}
	l.add(Change, l.id, change[1], h.row(Change, change, salt))
	return l
}

// NewSalt returns a salt for a row.
func NewSalt() []byte {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // it never fails
	return salt
}

// add adds the commitment of a row. That of the change comes first.
func (l *link) add(t Table, id int64, committed any, now []byte) {
	if committed != nil {
		l.amended = append(l.amended, entry{t, id, now})
	}
	if part := first(committed, now); t == Change {
		l.parts[0] = part
	} else {
		l.parts = append(l.parts, part)
	}
}

// Extend adds the changes of a store with numbers in a range to its chain, and records the last number, and how
// many versions each change has. It reads them from the trail. The chain can go back to the change before the one
// numbered keep, see Forget.
func Extend(x Tx, acts *Acts, store, from, to, keep int64) error {
	e, err := extending(x, acts, store, from, keep)
	if err != nil {
		return err
	}
	h := &hasher{}
	for ; from <= to; from += batch {
		var links []*link
		if err := h.links(x, store, from, min(to, from+batch-1), func(l *link) error {
			links = append(links, l)
			return nil
		}); err != nil {
			return err
		}
		for _, l := range links {
			if err := e.add(x, l); err != nil {
				return err
			}
		}
	}
	return e.end(x, to)
}

// extension is a chain that is being extended.
type extension struct {
	store, keep int64
	head, back  []byte
}

func extending(x Tx, acts *Acts, store, from, keep int64) (*extension, error) {
	e := &extension{store: store, keep: keep}
	if from > 1 {
		err := x.Row(`SELECT chain FROM store WHERE id=?`, store).Scan(&e.head)
		e.head = e.head[:min(len(e.head), hashBytes)]
		return e, err
	}
	var uid []byte
	if err := x.Row(`SELECT uid FROM store WHERE id=?`, store).Scan(&uid); err != nil {
		return e, err
	}
	e.head = genesis("changes", uid)
	return e, acts.addAmended(x, store)
}

func (e *extension) add(x Tx, l *link) error {
	if l.number == e.keep {
		e.back = e.head
	}
	e.head = chained(e.head, l.parts...)
	if l.salt != nil {
		if err := x.Exec(`UPDATE change SET salt=? WHERE id=?`, l.salt, l.id); err != nil {
			return err
		}
	}
	return x.Exec(`UPDATE change SET versions=?, mark=? WHERE id=?`, l.versions, e.head[:markBytes], l.id)
}

func (e *extension) end(x Tx, last int64) error {
	return x.Exec(`UPDATE store SET changes=?, chain=? WHERE id=?`, last, bytes.Join([][]byte{e.head, e.back}, nil), e.store)
}

const hashBytes = 32

// Forget takes the newest changes of a store from its chain: those that the last transaction that extended it
// could give up. number is the first of them. The caller deletes their rows.
func Forget(x Tx, store, number int64) error {
	return x.Exec(`UPDATE store SET changes=?-1, chain=substr(chain,?) WHERE id=?`, number, hashBytes+1, store)
}
