// Package text makes untrusted text safe to draw. Every byte of a
// memory, a file name, an agent's output or an error passes through it on its
// way to the screen, and none of it reaches the terminal as a control
// sequence:
//
//   - C0 control characters and DEL are drawn as ^X;
//   - C1 controls, bidi controls, zero-width characters, tags and stray
//     variation selectors are drawn as <U+202E>, invalid UTF-8 as <9F>;
//   - tabs become spaces up to the next stop;
//   - everything else is drawn by grapheme cluster, so that a line is never cut
//     inside a wide or combined character.
//
// Invisible characters can hide an instruction in a memory, so they are shown and
// counted, not dropped.
//
// The package draws by appending to a byte slice and never measures more of a
// line than fits the screen. Widths are those of grapheme clusters; after a
// cluster that terminals count differently, package terminal places the cursor again. Styles are SGR
// prefixes; each ends with Reset.
package text
