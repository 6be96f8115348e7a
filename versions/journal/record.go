package journal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
)

// Tx is a transaction that writes.
type Tx interface {
	db.Queryer
	Exec(query string, args ...any)
	Try(query string, args ...any) error
	Err() error // the first error of Exec
}

const (
	saltBytes = 16
	hashBytes = sha256.Size
)

// state is what the tables say of a noun.
type state struct {
	id           int64
	head, secret []byte // secret is without its salt
}

// rows decodes a state: for each table the columns of its rows, in the order of the noun's list.
func (s state) rows(n *noun) (out [][][]any, err error) {
	head, secret := values{b: s.head}, values{b: s.secret}
	for _, t := range n.tables {
		if len(head.b) == 0 {
			break
		}
		count := head.uint()
		var wide, hidden uint64
		if count > 0 {
			wide, hidden = head.uint(), head.uint()
		}
		if count > uint64(len(s.head)) || wide > uint64(len(t.head)) || hidden > uint64(len(t.secret)) {
			head.bad = true
			break
		}
		var rows [][]any
		for range count {
			row := make([]any, len(t.head)+len(t.secret))
			for i := range wide {
				row[i] = head.next()
			}
			for i := range hidden {
				row[uint64(len(t.head))+i] = secret.next()
			}
			rows = append(rows, row)
		}
		out = append(out, rows)
	}
	if head.bad || secret.bad || len(head.b)+len(secret.b) > 0 {
		return nil, fmt.Errorf("%w: a record of %s %d in the log", versions.ErrDamaged, n.name, s.id)
	}
	return out, nil
}

// atOnce is how many nouns are read at once.
const atOnce = 1000

// statesOf reads the nouns of a kind with ids in a range, in the order of their ids.
func statesOf(q db.Queryer, k Kind, from, to int64) ([]state, error) {
	var out []state
	at := map[int64]int{}
	n := byKind(k)
	for i, t := range n.tables {
		counts := map[int64]uint64{}
		var rows []tableRow
		width := len(t.head) + len(t.secret)
		values, dest := make([]any, width+1), make([]any, width+1)
		for j := range dest {
			dest[j] = &values[j]
		}
		found := q.Rows(t.selects(), from, to)
		for range found.Each(dest...) {
			id, ok := values[0].(int64)
			if !ok {
				return nil, fmt.Errorf("%w: the %s of a row of %s is not a number", versions.ErrDamaged, t.noun, t.name)
			}
			if _, known := at[id]; !known {
				if i > 0 {
					continue // it belongs to nothing
				}
				at[id] = len(out)
				out = append(out, state{id: id})
			}
			counts[id]++
			r := tableRow{id: id}
			for _, v := range values[1 : 1+len(t.head)] {
				r.head = appendValue(r.head, v)
			}
			for _, v := range values[1+len(t.head):] {
				r.secret = appendValue(r.secret, v)
			}
			rows = append(rows, r)
		}
		if err := found.Err(); err != nil {
			return nil, err
		}
		for j := range out {
			s := &out[j]
			s.head = binary.AppendUvarint(s.head, counts[s.id])
			if counts[s.id] > 0 {
				s.head = binary.AppendUvarint(binary.AppendUvarint(s.head, uint64(len(t.head))), uint64(len(t.secret)))
			}
		}
		for _, r := range rows {
			s := &out[at[r.id]]
			s.head, s.secret = append(s.head, r.head...), append(s.secret, r.secret...)
		}
	}
	return out, nil
}

// tableRow is a row of a table of a noun.
type tableRow struct {
	id           int64
	head, secret []byte
}

// near is how many rows may lie between two nouns that are read at once.
const near = 8

// statesAt reads the nouns with some ids in order: those that are near each other at once.
func statesAt(q db.Queryer, k Kind, ids []int64) (map[int64]*state, error) {
	out := make(map[int64]*state, len(ids))
	for len(ids) > 0 {
		n := 1
		for n < min(len(ids), atOnce) && ids[n]-ids[n-1] <= near {
			n++
		}
		all, err := statesOf(q, k, ids[0], ids[n-1])
		if err != nil {
			return nil, err
		}
		for i := range all {
			out[all[i].id] = &all[i]
		}
		ids = ids[n:]
	}
	return out, nil
}

const (
	tagNull = iota
	tagInt
	tagText
	tagBlob
	tagOther // in a damaged row
	tagSmall // and above: an integer from 0 to maxSmall

	maxSmall = 255 - tagSmall
)

func appendValue(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, tagNull)
	case int64:
		if v >= 0 && v <= maxSmall {
			return append(b, tagSmall+byte(v))
		}
		return binary.AppendVarint(append(b, tagInt), v)
	case string:
		return append(binary.AppendUvarint(append(b, tagText), uint64(len(v))), v...)
	case []byte:
		return append(binary.AppendUvarint(append(b, tagBlob), uint64(len(v))), v...)
	}
	s := fmt.Sprint(v)
	return append(binary.AppendUvarint(append(b, tagOther), uint64(len(s))), s...)
}

// values reads values from the bytes of a record.
type values struct {
	b   []byte
	bad bool // the bytes are no values
}

func (r *values) uint() (n uint64) {
	n, size := binary.Uvarint(r.b)
	if size <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[size:]
	return n
}

// next returns the next value.
func (r *values) next() any {
	if len(r.b) == 0 {
		r.bad = true
		return nil
	}
	tag := r.b[0]
	r.b = r.b[1:]
	if tag >= tagSmall {
		return int64(tag - tagSmall)
	}
	switch tag {
	case tagNull:
		return nil
	case tagInt:
		n, size := binary.Varint(r.b)
		if size <= 0 {
			break
		}
		r.b = r.b[size:]
		return n
	case tagText, tagBlob:
		size := r.uint()
		if r.bad || size > uint64(len(r.b)) {
			break
		}
		b := r.b[:size:size]
		r.b = r.b[size:]
		if tag == tagText {
			return string(b)
		}
		return b
	}
	r.bad, r.b = true, nil
	return nil
}

// record is a row of the log.
type record struct {
	n, id, store, ts  int64
	kind              Kind
	head, secret, was []byte
	hash              []byte

	sound bool // its hash fits the one before
}

// removed reports whether the record says that the noun is not there any more.
func (r *record) removed() bool { return len(r.head) == 0 }

// commitment returns what the hash covers of the secret.
func (r *record) commitment() []byte {
	switch {
	case r.was != nil:
		return r.was
	case r.secret == nil:
		return nil
	}
	sum := sha256.Sum256(r.secret)
	return sum[:]
}

// chained returns the hash of the record, which comes after one with the hash before.
func (r *record) chained(before []byte) []byte {
	b := append([]byte("memend log 1"), before...)
	for _, v := range []any{r.n, int64(r.kind), r.id, r.store, r.ts, r.head, r.commitment()} {
		b = appendValue(b, v)
	}
	sum := sha256.Sum256(b)
	return sum[:]
}

// salted returns a secret with a new salt.
func salted(secret []byte) []byte {
	salt := make([]byte, saltBytes, saltBytes+len(secret))
	_, _ = rand.Read(salt) // it never fails
	return append(salt, secret...)
}
