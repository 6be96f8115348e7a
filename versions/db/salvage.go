package db

import (
	"context"
	"strings"

	"github.com/memend/memend/versions/db/pages"
	"github.com/memend/memend/versions/disk"
)

// Salvage reads the rows of a damaged database, page by page. The tree that leads to a page names
// its table. When damage cut the page off, its rows identify the table, because no two tables have
// rows of the same form.
type Salvage struct {
	Format   int              // the database's own format, or the current one when that is unreadable
	Sequence map[string]int64 // the highest row id that each table ever had, after CopyTo

	pages *pages.File
	forms []*form
	owner map[uint32]*form // the form of each page according to the trees
	of    map[uint32]*form // the form of each page that has rows
	torn  []tornRow
}

// tornRow is a row that is partly zeros. A repair uses its other values when no page has the row whole.
type tornRow struct {
	of     *form
	values []any
}

// others is the form of the tables that other programs created in the database.
var others = &form{}

// openSalvage opens a damaged database. The caller closes its pages. It refuses a database that a
// newer memend wrote.
func openSalvage(ctx context.Context, file string, schema Schema) (*Salvage, error) {
	pool := OpenFile(file, "")
	_, actual, err := schema.formats(On(ctx, pool))
	_ = pool.Close()
	p, perr := pages.Open(file)
	if perr != nil {
		return nil, disk.Bare(perr)
	}
	s := &Salvage{Format: actual, pages: p, owner: map[uint32]*form{}, of: map[uint32]*form{}, Sequence: map[string]int64{}}
	if err == nil && actual > 0 {
		return s, nil
	}
	switch stated := p.Format(); {
	case schema.newer(stated):
		p.Close()
		return nil, schema.newerFormat(stated)
	case stated < 1 || stated > len(schema):
		s.Format = len(schema)
	default:
		s.Format = stated
	}
	return s, nil
}

// CopyTo copies every readable row to a database with empty tables of the same format, and then the rows that
// are partly zeros, if they are still missing. A row that has 0 in one of the columns references,
// which hold row ids, is lost.
func (s *Salvage) CopyTo(x *Tx, references []string) (err error) {
	if s.forms, err = formsOf(x); err != nil {
		return err
	}
	s.followTrees()
	s.sortPages()
	// Pages that a tree leads to come first: when two pages have the same row, theirs is used.
	for _, reached := range []bool{true, false} {
		for n := uint32(2); n <= s.pages.Count; n++ {
			if f := s.of[n]; f != nil && !f.index && (s.owner[n] == f) == reached {
				if err := s.copyPage(x, n, f, references); err != nil {
					return err
				}
			}
		}
	}
	for _, r := range s.torn {
		r.of.insert(x, r.values)
	}
	return nil
}

// followTrees records which table or index each page belongs to. The schema's rows name the roots,
// and all pages are searched for those rows.
func (s *Salvage) followTrees() {
	for n := uint32(1); n <= s.pages.Count; n++ {
		t := s.pages.Tree(n)
		if t.Kind != pages.LeafTable {
			continue
		}
		for _, c := range t.Cells {
			if len(c.Values) != 5 || c.Values[0] != "table" && c.Values[0] != "index" {
				continue
			}
			name, _ := c.Values[1].(string)
			of, _ := c.Values[2].(string)
			root, _ := c.Values[3].(int64)
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

func (s *Salvage) follow(n uint32, f *form) {
	if n < 2 || n > s.pages.Count || s.owner[n] != nil {
		return
	}
	s.owner[n] = f
	for _, child := range s.pages.Tree(n).Children {
		s.follow(child, f)
	}
}

// sortPages determines the form of each page.
func (s *Salvage) sortPages() {
	free := s.pages.Free()
	for n := uint32(2); n <= s.pages.Count; n++ {
		if s.owner[n] == others || s.owner[n] == nil && free[n] {
			continue
		}
		if f := s.formOf(s.pages.Tree(n), s.owner[n]); f != nil {
			s.of[n] = f
		}
	}
}

// formOf returns the form that fits most rows of a page. It prefers the owner's form when that is
// among the best, or when no row fits any form. It returns nil when the form is unknown.
func (s *Salvage) formOf(t pages.Tree, owner *form) (best *form) {
	most, alone := 0, true
	for _, f := range s.forms {
		if f.tree != (t.Kind == pages.LeafIndex || t.Kind == pages.InnerIndex) {
			continue
		}
		fits := 0
		for _, c := range t.Cells {
			if f.fits(c.Values) {
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
	case most == 0 && owner != nil && owner.tree == (t.Kind == pages.LeafIndex || t.Kind == pages.InnerIndex):
		return owner
	case most > 0 && alone:
		return best
	}
	return nil
}

// copyPage copies the rows of a page.
func (s *Salvage) copyPage(x *Tx, n uint32, f *form, references []string) error {
	alias := f.alias()
	for _, c := range s.pages.Tree(n).Cells {
		switch {
		case len(c.Values) > len(f.columns):
			continue
		case f.table == sequenceTable:
			if f.fits(c.Values) {
				s.Sequence[c.Values[0].(string)] = c.Values[1].(int64)
			}
			continue
		case alias >= 0:
			c.Values[alias] = c.RowID
		}
		if torn, use := f.torn(c.Values, references); torn {
			if use {
				s.torn = append(s.torn, tornRow{f, c.Values})
			}
			continue
		}
		f.insert(x, c.Values)
	}
	return nil
}

// RowSet is a set of row ids.
type RowSet map[int64]uint64

// Add adds an id.
func (s RowSet) Add(id int64) { s[id>>6] |= 1 << (id & 63) }

// Has reports whether an id is in the set.
func (s RowSet) Has(id int64) bool { return s[id>>6]&(1<<(id&63)) != 0 }
