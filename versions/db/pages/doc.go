// Package pages reads the pages of a SQLite file without SQLite: what damage left of them, and the free
// space in them. It never writes.
//
// SQLite finds rows through the inner pages, so one damaged inner page hides many good rows from it.
// The file format is stable (https://www.sqlite.org/fileformat2.html):
//
//	leaf page of a table    kind 13; each cell: payload size, row id, payload
//	inner page of a table   kind 5;  each cell: child page(4), row id
//	leaf page of an index   kind 10; each cell: payload size, payload
//	inner page of an index  kind 2;  each cell: child page(4), payload size, payload
//
// Tables WITHOUT ROWID are stored as indexes. A payload that does not fit into its page continues in
// a chain of overflow pages, each of which starts with the number of the next. A payload is a
// record: the size of its header, the type of each value, the values.
//
// A [File] reads the pages of a file and its log. A [Tree] is a page with all values that can still
// be read.
package pages
