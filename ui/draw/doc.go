// Package draw is what every pane draws with: a pen that counts columns, a field
// that text is typed into, and the short labels of sizes, ages and people.
package draw
