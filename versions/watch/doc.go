// Package watch reports what happens in a store, by whomever: it adopts what other programs write to the folder, and sends
// an event for each change and for what else a screen shows. A watch ends with its context, and before its store is closed.
package watch
