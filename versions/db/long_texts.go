package db

import (
	"database/sql"
	"strconv"
	"strings"

	"github.com/memend/memend/versions/db/pages"
)

// LongTexts calls text with the texts of rows that may continue on other pages: a scan of the file
// does not find a text that spans two pages.
func LongTexts(q Queryer, text func([]byte)) error {
	return eachTable(q, func(table string, columns []Column) error {
		var texts []string
		for _, c := range columns {
			name := quotedName(c.Name)
			switch {
			case c.Type == "TEXT":
				texts = append(texts, `coalesce(`+name+`,'')`)
			case c.Type == "BLOB" && c.Name != compressed:
				if err := eachText(q, `SELECT `+name+` FROM `+quotedName(table)+` WHERE octet_length(`+name+`)>`+long, text); err != nil {
					return err
				}
			}
		}
		if len(texts) == 0 {
			return nil
		}
		all := strings.Join(texts, `||char(0)||`)
		return eachText(q, `SELECT `+all+` FROM `+quotedName(table)+` WHERE octet_length(`+all+`)>`+long, text)
	})
}

// compressed is the column of the contents, which the caller reads otherwise.
const compressed = "data"

// long is the size from which on SQLite may continue a row on another page.
var long = strconv.Itoa(pages.DefaultSize / 5)

func eachText(q Queryer, query string, text func([]byte)) error {
	var b sql.RawBytes
	rows := q.Rows(query)
	for range rows.Each(&b) {
		text(b)
	}
	return rows.Err()
}

// quotedName returns the name of a table or a column, quoted for a query.
func quotedName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
