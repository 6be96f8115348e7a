package chain

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
)

// Table is a kind of row with a commitment. The numbers are in the acts of trails.
type Table byte

const (
	Change Table = iota + 1
	Version
	Actor
	Session
	Attribution
	Policy
	Held
	Redaction
	Trust  // the pins of a store and the hashes of what was rejected; its row is the store's
	Repair // no row: a repair computed the chain again from the change with this number on
	Verified
)

const (
	saltBytes = 16
	markBytes = 8
)

// shape says how the commitment of a row is computed. A select of it has the columns own, and then
// four columns for each actor and eight for each session that it refers to, in this order.
type shape struct {
	name     string
	own      []string // the salt, the commitment before the first amendment, and the row's own facts
	refers   []string // aliases of actors, and of sessions with their actors
	from     string   // the tables, with those referred to
	id       string
	store    string // the row of the store; empty if it has none
	inForce  string // the condition that acts list the row
	amending bool   // it has the column committed
}

// Joins of what rows refer to.
const (
	actorCols   = `%[1]s.salt,%[1]s.committed,%[1]s.kind,%[1]s.name`
	sessionCols = `%[1]s.salt,%[1]s.committed,%[1]s.uid,%[1]s.actor`
)

var shapes = map[Table]*shape{
	Change: {
		name: "change", id: "c.id", store: "c.store", amending: true,
		own: []string{"c.salt", "c.committed", "c.id", "c.actor", "c.session", "c.number", "c.kind", "c.path", "c.dest", "c.tool_use", "c.turn", "c.ts", "c.wall",
			"c.undoes", "c.door", "c.inputs", "c.message",
			`CASE WHEN c.others IS NULL THEN c.email ELSE concat(quote(c.email),char(0),c.others) END`}, // others came later: rows without it keep their commitment
		refers: []string{"actor a", "session s"},
		from:   `change c LEFT JOIN actor a ON a.id=c.actor LEFT JOIN session s ON s.id=c.session LEFT JOIN actor sa ON sa.id=s.actor`,
	},
	Version: {
		name: "version", id: "v.id", store: "(SELECT store FROM change WHERE id=v.change)", amending: true,
		own: []string{"v.salt", "v.committed", "v.id", "v.redacted_by", "m.uid", "m.store", "v.uid", "v.number", "v.op", "v.path", "v.origin", "b.sha", "b.size", "v.mode", "v.source",
			"v.redacted"},
		refers: []string{"actor r"},
		from:   `version v ` + ofVersion,
	},
	Actor: {
		name: "actor", id: "a.id", amending: true,
		own:  []string{"a.salt", "a.committed", "a.kind", "a.name"},
		from: `actor a`,
	},
	Session: {
		name: "session", id: "s.id", amending: true,
		own:    []string{"s.salt", "s.committed", "s.uid", "s.actor"},
		refers: []string{"actor sa"},
		from:   `session s LEFT JOIN actor sa ON sa.id=s.actor`,
	},
	Attribution: {
		name: "attribution", id: "w.id", store: "(SELECT store FROM change WHERE id=w.change)",
		own:    []string{"w.salt", "NULL", "w.change", "w.actor", "w.session", "w.tool_use", "w.turn", "w.ts", "w.inputs"},
		refers: []string{"actor a", "session s"},
		from:   `attribution w LEFT JOIN actor a ON a.id=w.actor LEFT JOIN session s ON s.id=w.session LEFT JOIN actor sa ON sa.id=s.actor`,
	},
	Policy: {
		name: "policy", id: "p.id", store: "p.store",
		own:    []string{"p.salt", "NULL", "p.store", "p.actor", "p.session", "p.text", "p.door", "p.ts"},
		refers: []string{"actor a", "session s"},
		from:   `policy p LEFT JOIN actor a ON a.id=p.actor LEFT JOIN session s ON s.id=p.session LEFT JOIN actor sa ON sa.id=s.actor`,
	},
	Held: {
		name: "held change", id: "h.id", store: "h.store",
		own: []string{"h.salt", "NULL", "h.store", "h.actor", "h.session", "h.decider", "h.kind", "h.path", "h.dest", "h.tool_use", "h.turn", "h.door", "h.inputs", "h.rule", "h.ts", "h.earlier",
			"h.state", "h.decided", "h.decider_door", "h.change", "h.reason",
			`(SELECT group_concat(concat_ws(' ',n,hex(memory),quote(base),coalesce(hex(path),'-'),quote(text)), char(10) ORDER BY n) FROM held_item WHERE held=h.id)`},
		refers: []string{"actor a", "session s", "actor d"},
		from:   `held h LEFT JOIN actor a ON a.id=h.actor LEFT JOIN session s ON s.id=h.session LEFT JOIN actor sa ON sa.id=s.actor LEFT JOIN actor d ON d.id=h.decider`,
	},
	Redaction: {
		name: "redaction", id: "x.id", store: "x.store",
		own:    []string{"x.salt", "NULL", "x.store", "x.actor", "x.session", "x.ts"},
		refers: []string{"actor a", "session s"},
		from:   `redaction x LEFT JOIN actor a ON a.id=x.actor LEFT JOIN session s ON s.id=x.session LEFT JOIN actor sa ON sa.id=s.actor`,
		// One that has erased nothing yet is not recorded. A deleted store may have had the same row id.
		inForce: ` AND x.pending<3 AND x.ts>=(SELECT created FROM store WHERE id=x.store)`,
	},
	Verified: {
		name: "verified", id: "y.id", store: "(SELECT store FROM change WHERE id=(SELECT change FROM version WHERE id=y.version))",
		own:    []string{"y.salt", "NULL", "y.version", "y.withdrawn", "y.actor", "y.ts"},
		refers: []string{"actor a"},
		from:   `verified y LEFT JOIN actor a ON a.id=y.actor`,
	},
	Trust: {
		name: "store", id: "t.id", store: "t.id",
		own: []string{"t.sealed", "NULL", "t.uid", "t.salt",
			`(SELECT group_concat(concat_ws(' ',hex(path),hex(whom),actor,ts), char(10) ORDER BY path) FROM pin WHERE store=t.id)`,
			`(SELECT group_concat(hex(hash)||held, char(10) ORDER BY hash) FROM rejected WHERE store=t.id)`},
		from: `store t`,
	},
}

// ofVersion joins what the version v refers to.
const ofVersion = `LEFT JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob LEFT JOIN actor r ON r.id=v.redacted_by`

// columns returns what a select of the shape has.
func (s *shape) columns() string {
	all := append([]string{}, s.own...)
	for _, r := range s.refers {
		what, alias, _ := strings.Cut(r, " ")
		if what == "session" {
			all = append(all, fmt.Sprintf(sessionCols, alias))
			alias += "a"
		}
		all = append(all, fmt.Sprintf(actorCols, alias))
	}
	return strings.Join(all, ",")
}

// width returns the number of columns.
func (s *shape) width() int { return strings.Count(s.columns(), ",") + 1 - s.nested() }

// nested returns the number of commas inside of columns.
func (s *shape) nested() (n int) {
	for _, c := range s.own {
		n += strings.Count(c, ",")
	}
	return n
}

// hasher computes commitments. It is not safe for concurrent use.
type hasher struct{ buf []byte }

// value appends a value with its type and length.
func (h *hasher) value(v any) {
	switch v := v.(type) {
	case nil:
		h.buf = append(h.buf, 0)
	case int64:
		h.buf = binary.BigEndian.AppendUint64(append(h.buf, 1), uint64(v))
	case string:
		h.buf = binary.AppendUvarint(append(h.buf, 2), uint64(len(v)))
		h.buf = append(h.buf, v...)
	case []byte:
		h.buf = binary.AppendUvarint(append(h.buf, 3), uint64(len(v)))
		h.buf = append(h.buf, v...)
	default: // no column has such a value unless it is damaged
		s := fmt.Sprintf("%T %v", v, v)
		h.buf = binary.AppendUvarint(append(h.buf, 4), uint64(len(s)))
		h.buf = append(h.buf, s...)
	}
}

func (h *hasher) commit(t Table, salt any, facts []any) []byte {
	h.buf = append(append(h.buf[:0], "memend row 1 "...), byte(t))
	h.value(salt)
	for _, v := range facts {
		h.value(v)
	}
	sum := sha256.Sum256(h.buf)
	return sum[:]
}

// first returns the commitment of a row before it was amended.
func first(committed any, now []byte) []byte {
	if b, ok := committed.([]byte); ok {
		return b
	}
	return now
}

// actor returns the commitment of an actor from four columns; nil if there is none.
func (h *hasher) actor(v []any) any {
	if v[2] == nil {
		return nil
	}
	return first(v[1], h.commit(Actor, v[0], v[2:4]))
}

// row returns the commitment of a row from the columns of its shape. The salt is the first of them,
// unless another is given.
func (h *hasher) row(t Table, v []any, salt any) []byte {
	s := shapes[t]
	facts := append(make([]any, 0, 24), v[2:len(s.own)]...)
	rest := v[len(s.own):]
	for _, r := range s.refers {
		if strings.HasPrefix(r, "session") {
			var session any
			if rest[2] != nil {
				session = first(rest[1], h.commit(Session, rest[0], []any{rest[2], rest[3], h.actor(rest[4:8])}))
			}
			facts, rest = append(facts, session), rest[8:]
			continue
		}
		facts, rest = append(facts, h.actor(rest[:4])), rest[4:]
	}
	if salt == nil {
		salt = v[0]
	}
	return h.commit(t, salt, facts)
}

// saltOf returns the salt of a change from those of its versions.
func (h *hasher) saltOf(versions [][]any) any {
	h.buf = append(h.buf[:0], "memend salt 1"...)
	for _, v := range versions {
		h.value(v[0])
	}
	sum := sha256.Sum256(h.buf)
	return sum[:saltBytes]
}

// chained returns the next hash of a chain.
func chained(before []byte, parts ...[]byte) []byte {
	h := sha256.New()
	h.Write(before)
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// genesis returns the hash that a chain of a store begins with.
func genesis(of string, uid []byte) []byte {
	sum := sha256.Sum256(append([]byte("memend "+of+" 1\x00"), uid...))
	return sum[:]
}
