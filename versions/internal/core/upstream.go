package core

import (
	"time"

	"github.com/memend/memend/versions/ids"
)

// Hosted reports whether the store is a replica of a store at a service.
func Hosted(s *Store) bool { return s.Opened.Hosted() }

// maxListed is how many memories, and how many versions, a service may list.
const maxListed = 5_000_000

// NewsPace is the pause between two pulls after news, while somebody watches a hosted store.
const NewsPace = 3 * time.Second

// FreshUID returns an id for a version or a memory that is made here.
func FreshUID(s *Store) []byte {
	if Hosted(s) {
		return ids.NewUnsent()
	}
	return ids.New()
}

// CountUpstream is an SQL expression for the number of versions that a redaction still lists for its service.
const CountUpstream = `iif(json_valid(receipt),coalesce(json_array_length(receipt,'$.there'),0),0)`
