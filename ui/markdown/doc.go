// Package markdown shows a memory's Markdown in rows: parsed once, laid out once
// for each width, and drawn row by row, so that a frame costs the rows that are on
// the screen.
//
//	doc := markdown.Parse(source)          // in a command: milliseconds
//	l := doc.Layout(width, fold)           // at a change of size: wraps the text
//	dst = l.Append(dst, row, pen)          // in View: one row, exactly width columns
//
// Documents and layouts never change, so commands may make them while others are
// drawn. A Pen belongs to one goroutine.
//
// # What is shown
//
// Rendering leaves nothing out: comments, HTML, titles of links, definitions,
// cells without a head and the targets of links are all shown, since what a memory
// hides from its reader is what a reviewer looks for. Only signs are replaced: by
// bold, italic and underlined text, by bullets, boxes, bars and lines. Signs stay
// where colour alone would tell: around code, before headings. All text is drawn
// by package text: control characters, bidi controls and what has no width show as
// marks, whether they stand in the source or come from an entity.
//
// Lines of a paragraph are joined where their author only broke a long line, and
// kept where a line ended before it had to or the next begins with a label in bold. Tables get columns as wide as there is
// room for, wrap, and become lists where there is none. Empty lines stand where
// the source has some, one for several, and above each heading.
//
// # Where rows come from
//
// Each row knows its place in the source (Source, LineOf), and each place its row
// (RowOf), so that line numbers, hits of a search and the place on the screen
// outlast a change between source and rendered text. Rows never go back: a lower
// row comes from the same place or a later one.
//
// # Links
//
// Links are known by their place in the source (LinksOn) and on the screen
// (Layout.Links, LinkAt). Resolve finds the memory that one leads to, and
// Document.Anchor the line. Neither leaves the store.
//
// # Limits
//
// The parser is goldmark (CommonMark 0.31, as of v1.8.7) with GitHub's tables,
// tasks, strikethrough and bare addresses, and [[links]], footnotes and front
// matter. Its time is bounded by a small multiple of the size: blocks nest up to
// a hundred deep, and a paragraph that opens much and closes nothing is text from
// some point on. A memory of more than 2 GiB can't be shown; callers set their
// limit far below.
package markdown
