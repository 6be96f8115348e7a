package versions

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/scrub"
)

// TextPlace is something other than a version that contains a given text.
type TextPlace struct {
	What  string `json:"place"` // "description of store notes"
	Count int    `json:"count"`
	Stays bool   `json:"stays,omitempty"` // it can't be erased here
	file  bool   // beside the trail
}

// String returns the place and, if there are several of its kind, their number.
func (p TextPlace) String() string {
	if p.Count > 1 {
		return fmt.Sprintf("%s (%d)", p.What, p.Count)
	}
	return p.What
}

// trailText is a text in a row of the trail, other than the content of a version.
type trailText struct {
	what   string // "description of store notes"; empty for paths, which belong to versions
	store  int64  // the store it belongs to; 0: the home
	stays  bool   // redactions don't change it
	text   []byte
	copies int // in the database's file: indexes contain some texts again
}

const sessionText = "id of a session"

// Each query returns the kind of text, its store, whether it stays, the text, and its
// number of copies in the file.

// pathTexts read the paths, which belong to versions, and the rows that each redaction
// deletes.
var pathTexts = []string{
	`SELECT '',0,0,path||char(0)||coalesce(origin,''),2 FROM version WHERE path IS NOT NULL`,
	`SELECT '',0,0,path||char(0)||dest,1 FROM change`,
	`SELECT '',0,0,path,2 FROM head`,
	`SELECT '',0,0,path||char(0)||dest||char(0)||target,1 FROM intent`,
	`SELECT '',0,0,path||char(0)||origin||char(0)||agent||char(0)||session||char(0)||tool_use,1 FROM evidence`,
}

// placeTexts read all other texts. A hosted store's description stays, because the service
// would bring it back; ids that memend generated contain no text of anyone.
var placeTexts = []string{
	`SELECT 'name of store '||name,id,1,name,2 FROM store`,
	`SELECT 'folder of store '||name,id,1,folder||char(0)||home,2 FROM store`,
	`SELECT 'address of store '||name,id,1,upstream,1 FROM store WHERE upstream<>''`,
	`SELECT 'title of store '||name,id,upstream<>'',title,1 FROM store WHERE title<>''`,
	`SELECT 'description of store '||name,id,upstream<>'',description,1 FROM store WHERE description<>''`,
	`SELECT 'metadata of store '||name,id,upstream<>'',metadata,1 FROM store WHERE metadata<>'{}'`,
	`SELECT 'view of store '||name,id,0,view,1 FROM store WHERE length(view)>0`,
	`SELECT 'name of an actor',0,0,name,2 FROM actor`,
	`SELECT 'title of an actor',0,0,title,1 FROM actor WHERE title IS NOT NULL`,
	`SELECT '` + sessionText + `',0,0,uid,2 FROM session`,
	`SELECT 'instructions of an attachment of store '||s.name,s.id,0,a.instructions,1 FROM attachment a JOIN store s ON s.id=a.store WHERE a.instructions<>''`,
	`SELECT 'id of a tool call in store '||s.name,s.id,0,c.tool_use,1 FROM change c JOIN store s ON s.id=c.store WHERE c.tool_use IS NOT NULL`,
	`SELECT 'id of a tool call in store '||s.name,s.id,0,w.tool_use,1 FROM attribution w JOIN change c ON c.id=w.change JOIN store s ON s.id=c.store WHERE w.tool_use IS NOT NULL`,
	`SELECT 'id of a tool call in store '||s.name,s.id,0,r.tool_use,1 FROM read r JOIN store s ON s.id=r.store WHERE r.tool_use IS NOT NULL`,
	`SELECT 'message of a commit in store '||s.name,s.id,0,c.message,1 FROM change c JOIN store s ON s.id=c.store WHERE c.message IS NOT NULL`,
	`SELECT 'links and folders of a change in store '||s.name,s.id,0,c.others,1 FROM change c JOIN store s ON s.id=c.store WHERE c.others<>''`,
	`SELECT 'links of store '||name,id,0,links,1 FROM store WHERE links<>''`,
	`SELECT 'e-mail address of an author in store '||s.name,s.id,0,c.email,1 FROM change c JOIN store s ON s.id=c.store WHERE c.email IS NOT NULL`,
	`SELECT 'held change #'||h.id,h.store,0,i.text,1 FROM held_item i JOIN held h ON h.id=i.held WHERE i.text IS NOT NULL`,
	`SELECT 'path in held change #'||h.id,h.store,0,i.path,1 FROM held_item i JOIN held h ON h.id=i.held WHERE i.path IS NOT NULL`,
	`SELECT 'held change #'||id,store,0,path||char(0)||dest||char(0)||reason||char(0)||coalesce(tool_use,''),1 FROM held`,
	`SELECT 'policy of store '||s.name,s.id,0,p.text,1 FROM policy p JOIN store s ON s.id=p.store WHERE p.text IS NOT NULL`,
	`SELECT 'pin in store '||s.name,s.id,0,p.path,1 FROM pin p JOIN store s ON s.id=p.store`,
	`SELECT 'receipt '||id,0,0,receipt,1 FROM redaction WHERE pending<` + strconv.Itoa(stageStarted),
}

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
	for row, err := range q.Each(query) {
		if err != nil {
			return err
		}
		var x trailText
		var text sql.RawBytes
		if err := row.Scan(&x.what, &x.store, &x.stays, &text, &x.copies); err != nil {
			return err
		}
		x.text = slices.Clone(text)
		if x.what == sessionText && ids.Parse(ids.SessionPrefix, string(text)) != nil { // generated at random
			x.what = ""
		}
		if err := do(x); err != nil {
			return err
		}
	}
	return nil
}

// eraseTexts masks the given text in the texts of the trail, of one store or of all, and
// of the home.
func (x trailTxn) eraseTexts(n *scrub.Needle, store int64, all bool) error {
	for _, c := range []struct{ table, key, column, where string }{
		{"store", "id", "title", `upstream='' AND (id=?1 OR ?2)`},
		{"store", "id", "description", `upstream='' AND (id=?1 OR ?2)`},
		{"attachment", "session", "instructions", `store=?1 OR ?2`},
		{"change", "id", "tool_use", `tool_use IS NOT NULL AND (store=?1 OR ?2)`},
		{"attribution", "id", "tool_use", `tool_use IS NOT NULL AND (?2 OR change IN (SELECT id FROM change WHERE store=?1))`},
		{"change", "id", "message", `message IS NOT NULL AND (store=?1 OR ?2)`},
		{"change", "id", "others", `others<>'' AND (store=?1 OR ?2)`},
		{"change", "id", "email", `email IS NOT NULL AND (store=?1 OR ?2)`},
		{"held", "id", "tool_use", `tool_use IS NOT NULL AND (store=?1 OR ?2)`},
		{"held", "id", "reason", `store=?1 OR ?2`},
		{"held", "id", "path", `store=?1 OR ?2`},
		{"held", "id", "dest", `store=?1 OR ?2`},
		{"read", "id", "tool_use", `tool_use IS NOT NULL AND (store=?1 OR ?2)`},
	} {
		rowIDs, err := rowsWith(n, x, `SELECT `+c.key+`,`+c.column+`,NULL FROM `+c.table+` WHERE `+c.where, store, all)
		if err != nil {
			return err
		}
		masked := n.Erased
		if c.column == "others" { // a masked path or target would be restored as it is
			masked = func(string) string { return "" }
		}
		for _, id := range rowIDs {
			if err := x.rewrite(c.table, `SELECT DISTINCT `+c.column+` FROM `+c.table+` WHERE `+c.key+`=?`,
				`UPDATE `+c.table+` SET `+c.column+`=? WHERE `+c.key+`=? AND `+c.column+`=?`, id, masked); err != nil {
				return err
			}
		}
	}
	if err := x.eraseTrust(n, store, all); err != nil {
		return err
	}
	if err := x.eraseMetadata(n, store, all); err != nil {
		return err
	}
	if err := x.eraseNames(n, "actor", "name", "kind"); err != nil {
		return err
	}
	if err := x.eraseTitles(n); err != nil {
		return err
	}
	if err := x.eraseNames(n, "session", "uid", "''"); err != nil {
		return err
	}
	if err := x.Exec(`UPDATE store SET view=x'', links=NULL`); err != nil { // what was on screen, of any store, and links as the next scan finds them
		return err
	}
	return x.eraseReceipts(n)
}

// rewrite masks a text of a row. The key of an attachment may have several forms.
func (x trailTxn) rewrite(table, read, write string, id int64, masked func(string) string) error {
	var texts []string
	for row, err := range x.Each(read, id) {
		if err != nil {
			return err
		}
		var text string
		if err := row.Scan(&text); err != nil {
			return err
		}
		texts = append(texts, text)
	}
	for _, text := range texts {
		if now := masked(text); now != text {
			if err := x.Exec(write, now, id, text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x trailTxn) eraseMetadata(n *scrub.Needle, store int64, all bool) error {
	rowIDs, err := db.IDs(x, `SELECT id FROM store WHERE upstream='' AND metadata<>'{}' AND (id=? OR ?)`, store, all)
	if err != nil {
		return err
	}
	for _, id := range rowIDs {
		err := x.rewrite("store", `SELECT metadata FROM store WHERE id=?`, `UPDATE store SET metadata=? WHERE id=? AND metadata=?`, id, func(text string) string {
			return maskedMetadata(n, text)
		})
		if err != nil {
			return err
		}
	}
	return nil
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

// eraseTitles masks the titles of actors.
func (x trailTxn) eraseTitles(n *scrub.Needle) error {
	rowIDs, err := rowsWith(n, x, `SELECT id,title,NULL FROM actor WHERE title IS NOT NULL`)
	if err != nil {
		return err
	}
	for _, id := range rowIDs {
		if err := x.rewrite("title", `SELECT title FROM actor WHERE id=?`, `UPDATE actor SET title=? WHERE id=? AND title=?`, id, n.Erased); err != nil {
			return err
		}
	}
	return nil
}

// eraseNames masks the names that identify rows. If two become equal, a number
// distinguishes them.
func (x trailTxn) eraseNames(n *scrub.Needle, table, column, group string) error {
	rowIDs, err := rowsWith(n, x, `SELECT id,`+column+`,NULL FROM `+table)
	if err != nil {
		return err
	}
	for _, id := range rowIDs {
		err := x.rewrite(table, `SELECT `+column+` FROM `+table+` WHERE id=?`, `UPDATE `+table+` SET `+column+`=? WHERE id=? AND `+column+`=?`, id, func(name string) string {
			base := n.Masked(name)
			if table == "session" && ids.Parse(ids.SessionPrefix, name) != nil {
				return name
			}
			for now, i := base, 2; ; now, i = base+"-"+strconv.Itoa(i), i+1 {
				var taken bool
				if err := x.Row(`SELECT EXISTS(SELECT 1 FROM `+table+` t WHERE `+column+`=? AND id<>? AND `+group+`=(SELECT `+group+` FROM `+table+` WHERE id=?))`, now, id, id).Scan(&taken); err != nil || now != "" && !taken {
					return now
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eraseReceipts masks the text in the receipts of earlier redactions.
func (x trailTxn) eraseReceipts(n *scrub.Needle) error {
	rowIDs, err := rowsWith(n, x, `SELECT id,receipt,NULL FROM redaction WHERE pending<?`, stageStarted)
	if err != nil {
		return err
	}
	for _, id := range rowIDs {
		err := x.rewrite("redaction", `SELECT receipt FROM redaction WHERE id=?`, `UPDATE redaction SET receipt=? WHERE id=? AND receipt=?`, id, func(text string) string {
			r, err := decodeReceipt(text)
			if err != nil {
				return n.Masked(text)
			}
			return r.masked(n).encode()
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// masked returns the receipt with the text masked in what it lists as found.
func (r Receipt) masked(n *scrub.Needle) Receipt {
	r.Name = n.Masked(r.Name)
	r.Found, r.Unknown = slices.Clone(r.Found), slices.Clone(r.Unknown)
	for i := range r.Found {
		h := &r.Found[i]
		for _, text := range []*string{&h.Path, &h.File, &h.Store, &h.Place} {
			*text = n.Masked(*text)
		}
	}
	for i := range r.Unknown {
		r.Unknown[i] = n.Masked(r.Unknown[i])
	}
	return r
}
