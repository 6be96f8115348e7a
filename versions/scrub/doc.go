// Package scrub searches files for erased texts, to prove that nothing of them is left.
//
// [Pieces] are short windows of the erased texts, which define the search without keeping the texts themselves. A [Needle] is a text
// that a person named. A [Scanner] searches one stream or text for both, as it is and with the escapes of JSON and Go resolved. A
// [Search] scans all files of some folders, unpacks compressed ones (gzip, zstd, bzip2, zlib, zip), and reports what could not be
// searched: a result without such reports is certain for runs of at least [Pieces.Run] bytes.
//
// Nothing here writes. A Scanner is safe for concurrent use; other values are not.
package scrub
