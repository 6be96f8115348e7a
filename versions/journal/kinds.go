package journal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Kind is a kind of noun. The numbers are in the records.
type Kind int64

const (
	Store Kind = iota + 1
	Actor
	Session
	Change
	Undone // the change by which a change was undone
	Attribution
	Policy
	Pins
	Held
	Redaction
	Verified
	Repair // no noun: a repair computed the hashes again from the record id on
)

// noun says what a kind of noun consists of. Its first table has one row for each noun, unless the noun is a list.
type noun struct {
	kind   Kind
	name   string // as people know it
	store  string // SQL for the store of the noun ?1; empty: the home, unless storeFirst
	tables []*table

	storeFirst bool // the first column of the head is the store
}

// table is one of the tables of a noun.
type table struct {
	name   string
	alias  string   // in from
	from   string   // the tables that a select needs
	noun   string   // the column with the noun's id
	where  string   // which rows count; empty: all
	head   []string // columns
	secret []string
	order  string // columns that order the rows of a noun

	upsert  string            // the column by which a row is found again, because others refer to it; empty: it is written anew
	unique  []string          // its columns that no other row may share
	only    bool              // the row is another noun's, and gets the one column
	value   map[string]string // SQL that reads a column, if it is not the column itself
	set     map[string]string // SQL that writes it; column1 is the noun's id, and the columns follow
	further [2]string         // columns that a new row needs, and their values

	selects, writes, writesMany func() string // see query and write
}

func cols(names string) []string { return strings.Fields(names) }

// nouns are in the order in which rows refer to each other.
var nouns = [...]*noun{
	{kind: Store, name: "store", store: "?1", tables: []*table{{name: "store", noun: "id", upsert: "id", unique: cols("uid name folder"),
		head:    cols("uid created archived began max_bytes max_memories view_chars agents"),
		secret:  cols("name title description metadata folder home files upstream parted salt"),
		further: [2]string{"updated,used", "0,0"}}}},
	{kind: Actor, name: "actor", tables: []*table{{name: "actor", noun: "id", upsert: "id", unique: cols("name"), secret: cols("kind name")}}},
	{kind: Session, name: "session", tables: []*table{{name: "session", noun: "id", upsert: "id", unique: cols("uid"), head: cols("actor"), secret: cols("uid"),
		further: [2]string{"started,seen", "0,0"}}}},
	{kind: Change, name: "change", storeFirst: true, tables: []*table{
		{name: "change", noun: "id", upsert: "id", unique: cols("number"),
			head:   cols("store number kind actor session turn ts wall undoes door inputs"),
			secret: cols("path dest tool_use message email others"),
			value:  map[string]string{"wall": "nullif(wall,ts)"}, set: map[string]string{"wall": "coalesce(?,column8)"}},
		{name: "memory", alias: "m", upsert: "id", unique: cols("uid"), from: "version v JOIN memory m ON m.id=v.memory", noun: "v.change", where: "v.number=1", order: "m.id",
			head: cols("m.id m.uid m.store")},
		{name: "version", alias: "v", from: "version v JOIN change c ON c.id=v.change LEFT JOIN blob b ON b.id=v.blob", noun: "v.change", order: "v.id",
			head: cols("v.id v.uid v.memory v.number v.op v.source v.redacted v.redacted_by"), secret: cols("v.path v.origin v.mode v.blob"),
			value: map[string]string{"v.blob": "b.sha", "v.path": "iif(v.path=c.path,0,v.path)",
				"v.op": "CASE v.op WHEN 'created' THEN 1 WHEN 'modified' THEN 2 WHEN 'deleted' THEN 3 ELSE v.op END"},
			set: map[string]string{"v.blob": "(SELECT id FROM blob WHERE sha=?)", "v.path": "iif(?=0,(SELECT path FROM change WHERE id=column1),?)",
				"v.op": "CASE ? WHEN 1 THEN 'created' WHEN 2 THEN 'modified' WHEN 3 THEN 'deleted' ELSE ? END"}},
	}},
	{kind: Undone, name: "undoing of change", store: "(SELECT store FROM change WHERE id=?1)", tables: []*table{
		{name: "change", noun: "id", where: "undone_by IS NOT NULL", head: cols("undone_by"), only: true}}},
	{kind: Attribution, name: "attribution", store: "(SELECT c.store FROM attribution w JOIN change c ON c.id=w.change WHERE w.id=?1)", tables: []*table{
		{name: "attribution", noun: "id", head: cols("change actor session turn ts inputs"), secret: cols("tool_use")}}},
	{kind: Policy, name: "policy", storeFirst: true, tables: []*table{
		{name: "policy", noun: "id", head: cols("store session actor door ts"), secret: cols("text")}}},
	{kind: Pins, name: "pins of store", store: "?1", tables: []*table{
		{name: "pin", noun: "store", order: "path", head: cols("whom actor ts"), secret: cols("path")}}},
	{kind: Held, name: "held change", storeFirst: true, tables: []*table{
		{name: "held", noun: "id",
			head:   cols("store kind actor session turn door inputs ts earlier state decided decider decider_door change"),
			secret: cols("path dest tool_use rule reason")},
		{name: "held_item", noun: "held", order: "n", head: cols("n memory base"), secret: cols("path text")},
		{name: "rejected", noun: "held", order: "store,hash", head: cols("store"), secret: cols("hash")},
	}},
	{kind: Redaction, name: "redaction", tables: []*table{{name: "redaction", noun: "id",
		head: cols("store change actor session ts versions pending"), secret: cols("receipt")}}},
	{kind: Verified, name: "verified mark", store: "(SELECT c.store FROM verified y JOIN version v ON v.id=y.version JOIN change c ON c.id=v.change WHERE y.id=?1)",
		tables: []*table{{name: "verified", noun: "id", head: cols("version withdrawn actor ts")}}},
}

func init() {
	for _, n := range nouns {
		for _, t := range n.tables {
			t.selects = sync.OnceValue(t.query)
			t.writes = sync.OnceValue(func() string { return t.write(1) })
			t.writesMany = sync.OnceValue(func() string { return t.write(manyRows) })
		}
	}
}

// byKind finds a noun.
func byKind(k Kind) *noun {
	if k < 1 || int(k) > len(nouns) {
		return nil
	}
	return nouns[k-1]
}

func (k Kind) String() string {
	if n := byKind(k); n != nil {
		return n.name
	}
	return fmt.Sprintf("kind %d", int64(k))
}

// source returns the tables that a select of the rows reads.
func (t *table) source() string {
	if t.from != "" {
		return t.from
	}
	return t.name
}

// columns returns the columns of the rows as a select reads them: those of the head first.
func (t *table) columns() string {
	var out []string
	for _, c := range t.all() {
		if v := t.value[c]; v != "" {
			c = v
		}
		out = append(out, c)
	}
	return strings.Join(out, ",")
}

func (t *table) all() []string { return append(append([]string{}, t.head...), t.secret...) }

// placed puts a parameter in place of each question mark without a number.
func placed(sql, parameter string) string {
	return numberless().ReplaceAllString(sql, parameter+"$1")
}

var numberless = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\?([^0-9]|$)`)
})

// bare returns the name of a column in its own table.
func bare(column string) string {
	_, name, found := strings.Cut(column, ".")
	if !found {
		return column
	}
	return name
}

// query selects the rows of the nouns ?1 to ?2.
func (t *table) query() string {
	q := `SELECT ` + t.noun + `,` + t.columns() + ` FROM ` + t.source() + ` WHERE ` + t.noun + ` BETWEEN ?1 AND ?2`
	if t.where != "" {
		q += ` AND ` + t.where
	}
	q += ` ORDER BY ` + t.noun
	if t.order != "" {
		q += `,` + t.order
	}
	return q
}

// manyRows is how many rows a replay writes at once: beginning a statement takes SQLite longer than writing a row.
const manyRows = 50

// width is the number of parameters for a row.
func (t *table) width() int { return 1 + len(t.head) + len(t.secret) }

// write is the statement that writes rows of nouns. The parameters of each are the noun's id and the columns, in the
// order of columns.
func (t *table) write(rows int) string {
	names, values, sets := []string{}, []string{}, []string{}
	if own := bare(t.noun); !strings.Contains(t.noun, ".") || t.alias == strings.Split(t.noun, ".")[0] {
		names, values = append(names, own), append(values, "column1")
	}
	for i, c := range t.all() {
		value := fmt.Sprintf("column%d", i+2)
		if s := t.set[c]; s != "" {
			value = placed(s, value)
		}
		names, values, sets = append(names, bare(c)), append(values, value), append(sets, bare(c)+"=excluded."+bare(c))
	}
	if t.only {
		return `UPDATE ` + t.name + ` SET ` + bare(t.head[0]) + `=?2 WHERE ` + bare(t.noun) + `=?1`
	}
	if t.further[0] != "" {
		names, values = append(names, t.further[0]), append(values, t.further[1])
	}
	row := `(?` + strings.Repeat(`,?`, t.width()-1) + `)` // SQLite finds parameters with numbers slowly when there are many
	q := `INSERT INTO ` + t.name + `(` + strings.Join(names, ",") + `) SELECT ` + strings.Join(values, ",") +
		` FROM (VALUES` + row + strings.Repeat(`,`+row, rows-1) + `) WHERE true`
	if t.upsert != "" {
		q += ` ON CONFLICT(` + t.upsert + `) DO UPDATE SET ` + strings.Join(sets, ",")
	}
	return q
}

// Secret is a column that secrets have.
type Secret struct {
	Noun, Table, Column string
	OfStore             bool // the table says in its column store whose row it is; else it is the home's
	ByID                bool // a row is one noun, with its id
}

// Secrets lists the columns that secrets have.
func Secrets() (out []Secret) {
	for _, n := range nouns {
		for _, t := range n.tables {
			for _, c := range t.secret {
				out = append(out, Secret{n.name, t.name, bare(c), slices.Contains(t.head, "store"), t.noun == "id"})
			}
		}
	}
	return out
}
