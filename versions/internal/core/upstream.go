package core

import (
	"time"

	"github.com/memend/memend/versions/ids"
)

// Hosted reports whether the store is a replica of a store at a service.
func Hosted(s *Store) bool { return s.Opened.Hosted() }

const (
	maxListed = 5_000_000 // memories, and versions
)

const (
	NewsPace = 3 * time.Second // after news
)

// FreshUID returns an id for a version or a memory that is made here.
func FreshUID(s *Store) []byte {
	if Hosted(s) {
		return ids.NewUnsent()
	}
	return ids.New()
}

const (
	CountUpstream = `iif(json_valid(receipt),coalesce(json_array_length(receipt,'$.there'),0),0)`
)
