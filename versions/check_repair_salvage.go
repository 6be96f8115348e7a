package versions

import (
	"context"
	"path/filepath"
	"strings"
)

// salvage reads the rows of a damaged database, page by page. The tree that leads to a page names
// its table. When damage cut the page off, its rows identify the table, because no two tables have
// rows of the same form. The indexes may still know parts of a lost row.
type salvage struct {
	pages  *pageFile
	format int // the database's own format, or the current one when that is unreadable
	forms  []*form
	owner  map[uint32]*form // the form of each page according to the trees
	of     map[uint32]*form // the form of each page that has rows
	have   map[string]rowSet
	lost   map[string]map[int64]map[string]any // by table and row id: what the indexes know of lost rows
	torn   []tornRow
}

// tornRow is a row that is partly zeros. A repair uses its other values when the indexes know
// nothing of the row.
type tornRow struct {
	of     *form
	values []any
}

// others is the form of the tables that other programs created in the database.
var others = &form{}

// openSalvage opens the damaged database of a home. The caller closes it. It refuses a database
// that a newer memend wrote.
func openSalvage(ctx context.Context, home string) (*salvage, error) {
	file := filepath.Join(home, trailFile)
	db := openFile(file, "", 1)
	_, made, err := formats(ctx, db)
	_ = db.Close()
	p, perr := openPages(file)
	if perr != nil {
		return nil, perr
	}
	s := &salvage{pages: p, format: made, owner: map[uint32]*form{}, of: map[uint32]*form{},
		have: map[string]rowSet{}, lost: map[string]map[int64]map[string]any{}}
	if err == nil && made > 0 {
		return s, nil
	}
	switch says := p.says(); {
	case newer(says):
		p.close()
		return nil, newerFormat(says)
	case says < 1 || says > len(migrations):
		s.format = len(migrations)
	default:
		s.format = says
	}
	return s, nil
}

// copyTo copies every readable row to a database with empty tables. It also stores the rows that
// only the indexes know, with the columns that they know.
func (s *salvage) copyTo(m *mending) (err error) {
	if s.forms, err = formsOf(m.ctx, m.tx); err != nil {
		return err
	}
	s.followTrees()
	s.sortPages()
	// Pages that a tree leads to come first: when two pages have the same row, theirs is used.
	for _, reached := range []bool{true, false} {
		for n := uint32(2); n <= s.pages.count; n++ {
			if f := s.of[n]; f != nil && !f.index && (s.owner[n] == f) == reached {
				if err := s.copyPage(m, n, f); err != nil {
					return err
				}
			}
		}
	}
	for n := uint32(2); n <= s.pages.count; n++ {
		f := s.of[n]
		if f == nil || !f.index {
			continue
		}
		s.readIndex(n, f)
		if f.table == "blob" {
			if err := s.moveContents(m, n, f); err != nil {
				return err
			}
		}
	}
	if err := m.insertLost(s.lost); err != nil {
		return err
	}
	for _, r := range s.torn {
		if err := m.Exec(r.of.insert(len(r.values)), r.values...); err != nil {
			return err
		}
	}
	return nil
}

// followTrees records which table or index each page belongs to. The schema's rows name the roots,
// and all pages are searched for those rows.
func (s *salvage) followTrees() {
	for n := uint32(1); n <= s.pages.count; n++ {
		t := s.pages.tree(n)
		if t.kind != leafTable {
			continue
		}
		for _, c := range t.cells {
			if len(c.values) != 5 || c.values[0] != "table" && c.values[0] != "index" {
				continue
			}
			name, _ := c.values[1].(string)
			of, _ := c.values[2].(string)
			root, _ := c.values[3].(int64)
			if strings.HasPrefix(of, "_") || strings.HasPrefix(of, "sqlite_stat") {
				s.follow(uint32(root), others)
				continue
			}
			for _, f := range s.forms {
				if f.name == name {
					s.follow(uint32(root), f)
				}
			}
		}
	}
}

func (s *salvage) follow(n uint32, f *form) {
	if n < 2 || n > s.pages.count || s.owner[n] != nil {
		return
	}
	s.owner[n] = f
	for _, child := range s.pages.tree(n).children {
		s.follow(child, f)
	}
}

// sortPages determines the form of each page.
func (s *salvage) sortPages() {
	free := s.pages.free()
	for n := uint32(2); n <= s.pages.count; n++ {
		if s.owner[n] == others || s.owner[n] == nil && free[n] {
			continue
		}
		if f := s.formOf(s.pages.tree(n), s.owner[n]); f != nil {
			s.of[n] = f
		}
	}
}

// formOf returns the form that fits most rows of a page. It prefers the owner's form when that is
// among the best, or when no row fits any form. It returns nil when the form is unknown.
func (s *salvage) formOf(t treePage, owner *form) (best *form) {
	most, alone := 0, true
	for _, f := range s.forms {
		if f.tree != (t.kind == leafIndex || t.kind == innerIndex) {
			continue
		}
		fits := 0
		for _, c := range t.cells {
			if f.fits(c.values) {
				fits++
			}
		}
		switch {
		case fits > most:
			best, most, alone = f, fits, true
		case fits == most && most > 0 && f == owner:
			best, alone = f, true
		case fits == most && most > 0 && best != owner:
			alone = false
		}
	}
	switch {
	case most == 0 && owner != nil && owner.tree == (t.kind == leafIndex || t.kind == innerIndex):
		return owner
	case most > 0 && alone:
		return best
	}
	return nil
}

// copyPage copies the rows of a page.
func (s *salvage) copyPage(m *mending, n uint32, f *form) error {
	if s.have[f.table] == nil {
		s.have[f.table] = rowSet{}
	}
	alias := f.alias()
	for _, c := range s.pages.tree(n).cells {
		switch {
		case len(c.values) > len(f.columns):
			continue
		case f.table == sequenceTable:
			if f.fits(c.values) {
				m.sequence[c.values[0].(string)] = c.values[1].(int64)
			}
			continue
		case alias >= 0:
			c.values[alias] = c.rowid
		}
		if torn, use := f.torn(c.values); torn {
			if use {
				s.torn = append(s.torn, tornRow{f, c.values})
			}
			continue
		}
		done, err := m.result(f.insert(len(c.values)), c.values...)
		if err != nil {
			return err
		}
		if added, err := done.RowsAffected(); err != nil || added > 0 {
			s.have[f.table].add(c.rowid)
		}
	}
	return nil
}

// readIndex records what an index page knows of rows that were not copied.
func (s *salvage) readIndex(n uint32, f *form) {
	have := s.have[f.table]
	for _, c := range s.pages.tree(n).cells {
		if !f.fits(c.values) {
			continue
		}
		last := len(c.values) - 1
		row, ok := c.values[last].(int64)
		if !ok || have.has(row) {
			continue
		}
		if s.lost[f.table] == nil {
			s.lost[f.table] = map[int64]map[string]any{}
		}
		known := s.lost[f.table][row]
		if known == nil {
			known = map[string]any{}
			s.lost[f.table][row] = known
		}
		for i, v := range c.values[:last] {
			known[f.columns[i].name] = v
		}
	}
}

// moveContents gives contents the row ids that the versions refer to. A content under another id
// would be lost, or would be mistaken for the content with that id.
func (s *salvage) moveContents(m *mending, n uint32, f *form) error {
	for _, c := range s.pages.tree(n).cells {
		if !f.fits(c.values) || s.have["blob"].has(c.values[1].(int64)) {
			continue
		}
		if err := m.Exec(`UPDATE OR IGNORE blob SET id=?2 WHERE sha=?1 AND id<>?2 AND EXISTS(SELECT 1 FROM version WHERE blob=?2)`, c.values...); err != nil {
			return err
		}
	}
	return nil
}

// rowSet is a set of row ids.
type rowSet map[int64]uint64

func (s rowSet) add(id int64)      { s[id>>6] |= 1 << (id & 63) }
func (s rowSet) has(id int64) bool { return s[id>>6]&(1<<(id&63)) != 0 }
