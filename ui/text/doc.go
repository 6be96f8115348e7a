// Package text makes text that is not ours safe to draw. Every byte of a
// memory, a file name, an agent's words or an error passes through here on its
// way to the screen, and nothing in it reaches the terminal as a control
// sequence:
//
//   - C0 control characters and DEL are drawn as ^X;
//   - C1 controls, bidi controls, zero-width characters, tags and stray
//     variation selectors are drawn as <U+202E>, bytes that are no UTF-8 as <9F>;
//   - tabs become spaces up to the next stop;
//   - everything else is drawn by grapheme cluster, so that a line is never cut
//     inside a wide or combined character.
//
// Characters that a terminal would swallow are how an instruction is hidden in a
// memory, so they are shown and counted, not dropped.
//
// The package draws by appending to a byte slice and never measures more of a
// line than fits the screen. Widths are those of grapheme clusters; a terminal
// that adds up code points instead is the root's business, which fits each row
// to what the terminal counts. Styles are SGR prefixes; each ends with Reset.
package text
