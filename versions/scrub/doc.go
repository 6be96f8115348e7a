// Package scrub searches files for erased texts, to prove that nothing of them is left.
//
// [Pieces] are short windows of the erased texts, which say what to search for without
// the texts themselves. A [Needle] is a text that somebody named. A [Scanner] searches
// one stream or text for both, as it stands and with the escapes of JSON and of Go
// undone. A [Search] scans all files of some folders, unpacks what is packed (gzip,
// zstd, bzip2, zlib, zip), and says what could not be searched: an outcome without such
// a note is certain for runs of at least [Pieces.Run] bytes.
//
// Nothing here writes. Values may be used by one goroutine at a time.
package scrub
