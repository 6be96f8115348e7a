package redact

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/journal"
	"github.com/memend/memend/versions/policy"
	"github.com/memend/memend/versions/scrub"
)

// trailText is a text in a row of the trail, other than the content of a version.
type trailText struct {
	what   string // "description of store notes"; empty for paths, which belong to versions
	store  int64  // the store it belongs to; 0: the home
	stays  bool   // redactions don't change it
	text   []byte // as the file has it
	words  []byte // what of it may be somebody's words
	copies int    // in the database's file: indexes contain some texts again
}

const (
	sessionText = "id of a session"
	receiptText = "receipt "
)

// pathTexts read the paths, which belong to versions, and the rows that each redaction
// deletes. Each query returns the kind of text, its store, whether it stays, the text, and its number of copies in the file.
var pathTexts = []string{
	`SELECT '',0,0,path||char(0)||coalesce(origin,''),2 FROM version WHERE path IS NOT NULL`,
	`SELECT '',0,0,path||char(0)||dest,1 FROM change`,
	`SELECT '',0,0,path,2 FROM head`,
	`SELECT '',0,0,path||char(0)||dest||char(0)||target,1 FROM intent`,
	`SELECT '',0,0,path||char(0)||origin||char(0)||agent||char(0)||session||char(0)||tool_use,1 FROM evidence`,
}

// place is where texts are that belong to no version: columns of a table.
type place struct {
	what    string // SQL for what it is
	table   string // its alias is x
	join    string // what else the SQL needs
	columns []string
	store   string // SQL for its store; empty: the home
	stays   string // SQL that says whether redactions leave it; empty: they don't
	copies  int    // in the database's file: indexes contain some texts again
	key     string // the column that finds its row; empty: id
	kept    bool   // eraseTexts leaves it: another step erases it, or it stays
	mask    masker // nil: the text becomes a mark of what was erased
}

// masker returns what masks the text of a row.
type masker func(x core.TrailTxn, n *scrub.Needle, id int64) func(string) string

// ofStore are the columns of stores, which a hosted one can't mask: the service would bring them back.
func ofStore(column string, stays string, mask masker) place {
	what := map[string]string{"upstream": "address", "parted": "former address", "home": "folder"}[column]
	return place{what: "'" + cmp.Or(what, column) + " of store '||x.name", table: "store", columns: []string{column}, store: "x.id", stays: stays, copies: 2, mask: mask}
}

func withinStore(what, table, store, column string, mask masker) place {
	return place{what: "'" + what + " in store '||s.name", table: table, join: "JOIN store s ON s.id=" + store, columns: []string{column}, store: "s.id", copies: 1, mask: mask}
}

// elsewhere are columns of the log's secrets that are no places: their texts are erased with versions and held changes, or
// they have no text of anybody.
var elsewhere = []string{"change.path", "change.dest", "version.path", "version.origin", "version.mode", "version.blob", "rejected.hash", "actor.kind", "store.salt"}

// places are all texts but those of pathTexts: those that need a word of their own, and then each text of the log that is not
// among them.
var places = withOthers(named, journal.Secrets())

// withOthers adds to places the texts of secrets that are no places yet, so that a redaction masks what a new kind of the log
// has. It panics for a table of which it can't tell one row from another.
func withOthers(all []place, secrets []journal.Secret) []place {
	known := map[string]bool{}
	for _, column := range elsewhere {
		known[column] = true
	}
	for _, p := range all {
		for _, column := range p.columns {
			known[p.table+"."+column] = true
		}
	}
	for _, s := range secrets {
		if known[s.Table+"."+s.Column] {
			continue
		}
		if !s.ByID {
			panic("say in places how a redaction finds " + s.Table + "." + s.Column)
		}
		p := place{what: "'" + s.Noun + "'", table: s.Table, columns: []string{s.Column}, copies: 1}
		if s.OfStore {
			p = withinStore(s.Noun, s.Table, "x.store", s.Column, nil)
		}
		all = append(all, p)
	}
	return all
}

// named are the texts that need a word of their own. What another step erases: the view and the links of a store, which are only
// what was seen; what held changes contain; pins.
var named = []place{
	kept(ofStore("name", "1", nil)), kept(ofStore("folder", "1", nil)), kept(ofStore("home", "1", nil)), kept(ofStore("upstream", "1", nil)), kept(ofStore("files", "1", nil)), kept(ofStore("parted", "1", nil)),
	ofStore("title", "x.upstream<>''", nil), ofStore("description", "x.upstream<>''", nil), ofStore("metadata", "x.upstream<>''", maskMetadata),
	kept(ofStore("view", "", nil)), kept(ofStore("links", "", nil)),
	{what: "'name of an actor'", table: "actor", columns: []string{"name"}, copies: 2, mask: maskName("actor", "name", "kind")},
	{what: "'title of an actor'", table: "actor", columns: []string{"title"}, copies: 1},
	{what: "'" + sessionText + "'", table: "session", columns: []string{"uid"}, copies: 2, mask: maskName("session", "uid", "''")},
	{what: "'instructions of an attachment of store '||s.name", table: "attachment", join: "JOIN store s ON s.id=x.store", columns: []string{"instructions"}, store: "s.id", copies: 1, key: "session"},
	withinStore("id of a tool call", "change", "x.store", "tool_use", nil),
	withinStore("id of a tool call", "attribution", "(SELECT store FROM change WHERE id=x.change)", "tool_use", nil),
	withinStore("id of a tool call", "read", "x.store", "tool_use", nil),
	withinStore("message of a commit", "change", "x.store", "message", nil),
	withinStore("links and folders of a change", "change", "x.store", "others", noText), // a masked path or target would be restored as it is
	withinStore("e-mail address of an author", "change", "x.store", "email", nil),
	{what: "'held change #'||x.held", table: "held_item", join: "JOIN held h ON h.id=x.held", columns: []string{"text"}, store: "h.store", copies: 1, kept: true},
	{what: "'path in held change #'||x.held", table: "held_item", join: "JOIN held h ON h.id=x.held", columns: []string{"path"}, store: "h.store", copies: 1, kept: true},
	{what: "'held change #'||x.id", table: "held", columns: []string{"path", "dest", "reason", "tool_use", "rule"}, store: "x.store", copies: 1},
	{what: "'policy of store '||s.name", table: "policy", join: "JOIN store s ON s.id=x.store", columns: []string{"text"}, store: "s.id", copies: 1, mask: maskPolicy},
	kept(withinStore("pin", "pin", "x.store", "path", nil)),
	kept(withinStore("what is reviewed of a memory", "look", "x.store", "kept", nil)), kept(withinStore("what is reviewed of a memory", "look", "x.store", "kept_path", nil)),
	{what: "'" + receiptText + "'||x.id", table: "redaction", columns: []string{"receipt"}, stays: "x.pending>=" + strconv.Itoa(tables.StageStarted), copies: 1, mask: maskReceipt},
}

func kept(p place) place {
	p.kept = true
	return p
}

// text is SQL for the texts of the place in one.
func (p *place) text() string {
	if len(p.columns) == 1 {
		return "x." + p.columns[0]
	}
	return "coalesce(x." + strings.Join(p.columns, ",'')||char(0)||coalesce(x.") + ",'')"
}

// query reads the texts in the form of pathTexts. A receipt that stays is one with work to do, and no place.
func (p *place) query() string {
	q := fmt.Sprintf(`SELECT %s,%s,%s,%s,%d FROM %s x %s WHERE length(%[4]s)>0`, p.what, cmp.Or(p.store, "0"), cmp.Or(p.stays, "0"), p.text(), p.copies, p.table, p.join)
	if p.table == "redaction" {
		q += ` AND NOT (` + p.stays + `)`
	}
	return q
}

var placeTexts = sync.OnceValue(func() (out []string) {
	for _, p := range places {
		out = append(out, p.query())
	}
	return out
})

// eachText calls do with the texts that the queries return.
func eachText(q db.Queryer, queries []string, do func(trailText) error) error {
	for _, query := range queries {
		if err := eachTextOf(q, query, do); err != nil {
			return err
		}
	}
	return nil
}

func eachTextOf(q db.Queryer, query string, do func(trailText) error) error {
	var x trailText
	rows := q.Rows(query)
	for range rows.Each(&x.what, &x.store, &x.stays, &x.text, &x.copies) {
		if x.what == sessionText && ids.Parse(ids.SessionPrefix, string(x.text)) != nil { // generated at random
			x.what = ""
		}
		x.words = x.text
		if strings.HasPrefix(x.what, receiptText) {
			x.words = wordsIn(x.text)
		}
		if err := do(x); err != nil {
			return err
		}
	}
	return rows.Err()
}

// eraseTexts masks the given text in the texts of the trail, of one store or of all, and
// of the home.
func eraseTexts(x core.TrailTxn, n *scrub.Needle, store int64, all bool) error {
	for _, p := range places {
		if p.kept {
			continue
		}
		for _, column := range p.columns {
			if err := eraseIn(x, p, column, n, store, all); err != nil {
				return err
			}
		}
	}
	if err := erasePins(x, n, store, all); err != nil {
		return err
	}
	x.Exec(`UPDATE store SET view=x'', links=NULL`) // what was on screen, of any store, and links as the next scan finds them
	return x.Err()
}

// eraseIn masks the text in one column of a place.
func eraseIn(x core.TrailTxn, p place, column string, n *scrub.Needle, store int64, all bool) error {
	key := cmp.Or(p.key, "id")
	where := "x." + column + " IS NOT NULL"
	if p.stays != "" {
		where += " AND NOT (" + p.stays + ")"
	}
	if p.store != "" {
		where += " AND (" + p.store + "=?1 OR ?2)"
	}
	rows, err := rowsWith(n, x, `SELECT x.`+key+`,x.`+column+`,NULL FROM `+p.table+` x `+p.join+` WHERE `+where, store, all)
	if err != nil {
		return err
	}
	for _, id := range rows {
		mask := n.Erased
		if p.mask != nil {
			mask = p.mask(x, n, id)
		}
		if err := rewrite(x, p.table, key, column, id, mask); err != nil {
			return err
		}
	}
	return nil
}

// rewrite masks a text of a row. The key of an attachment may have several rows.
func rewrite(x core.TrailTxn, table, key, column string, id int64, mask func(string) string) error {
	texts, err := db.Values[string](x.Rows(`SELECT DISTINCT `+column+` FROM `+table+` WHERE `+key+`=? AND `+column+` IS NOT NULL`, id))
	if err != nil {
		return err
	}
	for _, text := range texts {
		if now := mask(text); now != text {
			x.Exec(`UPDATE `+table+` SET `+column+`=? WHERE `+key+`=? AND `+column+`=?`, now, id, text)
		}
	}
	return nil
}

func noText(core.TrailTxn, *scrub.Needle, int64) func(string) string {
	return func(string) string { return "" }
}

func maskMetadata(_ core.TrailTxn, n *scrub.Needle, _ int64) func(string) string {
	return func(text string) string { return maskedMetadata(n, text) }
}

func maskedMetadata(n *scrub.Needle, text string) string {
	var m map[string]string
	if json.Unmarshal([]byte(text), &m) != nil {
		return n.Masked(text)
	}
	out, some := map[string]string{}, false
	for _, k := range slices.Sorted(maps.Keys(m)) {
		key, value := n.Masked(k), n.Masked(m[k])
		some = some || key != k || value != m[k]
		out[unusedKey(out, key)] = value
	}
	if !some { // keep the original formatting
		return text
	}
	b, err := json.Marshal(out)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}

func unusedKey(m map[string]string, key string) string {
	for i := 2; ; i++ {
		if _, taken := m[key]; !taken && key != "" {
			return key
		}
		key = strings.TrimRight(key, "-0123456789") + "-" + strconv.Itoa(i)
	}
}

// maskName masks a name that identifies a row within a group. If two become equal, a number distinguishes them. A generated
// id of a session has no text of anyone.
func maskName(table, column, group string) masker {
	return func(x core.TrailTxn, n *scrub.Needle, id int64) func(string) string {
		return func(name string) string {
			if table == "session" && ids.Parse(ids.SessionPrefix, name) != nil {
				return name
			}
			base := n.Masked(name)
			for now, i := base, 2; ; now, i = base+"-"+strconv.Itoa(i), i+1 {
				var taken bool
				if err := x.Row(`SELECT EXISTS(SELECT 1 FROM `+table+` t WHERE `+column+`=? AND id<>? AND `+group+`=(SELECT `+group+` FROM `+table+` WHERE id=?))`, now, id, id).Scan(&taken); err != nil || now != "" && !taken {
					return now
				}
			}
		}
	}
}

// maskPolicy masks a policy. One that is not valid any more becomes one that holds every agent's change.
func maskPolicy(_ core.TrailTxn, n *scrub.Needle, _ int64) func(string) string {
	return func(text string) string {
		masked := n.Masked(text)
		if _, err := policy.Parse(masked); err != nil {
			strict, _ := policy.ByName("review")
			return strict.Text
		}
		return masked
	}
}

// wordsIn are the words of a stored receipt: of one that can't be read, all of it.
func wordsIn(receipt []byte) []byte {
	e, err := decode(string(receipt))
	if err != nil {
		return receipt
	}
	var out []byte
	for _, text := range wordsOf(&e.Receipt) {
		out = append(append(out, *text...), 0)
	}
	return out
}

// maskReceipt masks the receipt of an earlier redaction.
func maskReceipt(_ core.TrailTxn, n *scrub.Needle, _ int64) func(string) string {
	return func(text string) string {
		e, err := decode(text)
		if err != nil {
			return n.Masked(text)
		}
		e.Receipt = masked(e.Receipt, n)
		return encode(e)
	}
}
