// Package markdown renders a memory's Markdown in rows: parsed once, laid out once
// for each width, and drawn row by row, so that the cost of a frame depends only on the
// rows on the screen.
//
//	doc := markdown.Parse(source)          // in a command: milliseconds
//	l := doc.Layout(width, fold)           // when the size changes: wraps the text
//	dst = l.Append(dst, row, pen)          // in View: one row, exactly width columns
//
// Documents and layouts are immutable, so commands may create them while others are
// drawn. A Pen must be used by one goroutine.
//
// # What is shown
//
// Rendering leaves nothing out: comments, HTML, titles of links, definitions,
// cells without a head and the targets of links are all shown, because a reviewer looks
// for what a memory hides from its reader. Only markup characters are replaced: by
// bold, italic and underlined text, bullets, boxes, bars and lines. They are kept
// if there would be no difference without colours: around code, before headings. All
// text is drawn by package text: control characters, bidi controls and zero-width
// characters are shown as marks, also those that come from an entity.
//
// Lines of a paragraph are joined if the author only broke a long line, and
// kept if a line ends before it is full or the next one begins with a label in bold.
// Tables get columns as wide as there is room for, and wrap; without room for columns, a
// row is one text with bars, as in the source. Several empty lines in the source become one, and there is one above each heading.
//
// # Where rows come from
//
// Each row has its place in the source (Source, LineOf), and each place its row
// (RowOf), so that line numbers, search hits and the position on the screen
// survive a change between source and rendered text. Sources of rows never decrease: a
// lower row comes from the same place or a later one.
//
// # Links
//
// Links are found by their place in the source (LinksOn) and on the screen
// (Layout.Links, LinkAt). Resolve finds the memory that a link refers to, and
// Document.Anchor the line. Neither leaves the store.
//
// # Limits
//
// The parser is goldmark (CommonMark 0.31, as of v1.8.7) with GitHub's tables,
// tasks, strikethrough and bare addresses, and [[links]], footnotes and front
// matter. Its time is bounded by a small multiple of the size: blocks nest up to
// a hundred deep, and a paragraph that opens many elements without closing them is
// plain text from some point on. A memory of more than 2 GiB can't be shown; callers set
// their limit far below.
package markdown
