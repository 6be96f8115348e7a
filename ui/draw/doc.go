// Package draw has what every pane draws with: rows that count columns, a text input
// field, and the short labels of sizes, ages and actors.
package draw
