// Package ids has the ids of stores, memories, versions and sessions, and the hashes of
// contents.
//
// An id of our own is a prefix and 15 random bytes in base32. The trail stores these
// bytes. Ids that another service made are opaque: the trail stores their letters, and
// [Format] and [Parse] tell the two apart by their length.
package ids

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"
)

// Ids, and the hash of a content.
type (
	Store   string   // memstore_…
	Memory  string   // mem_…
	Version string   // memver_…
	Session string   // sesn_…, or what the agent's own runner calls its run
	Hash    [32]byte // SHA-256
)

// Size is the number of bytes of an id of our own.
const Size = 15

// Text is how these bytes are written: 24 letters and digits without padding.
var Text = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// The prefixes of ids of our own.
const (
	StorePrefix   = "memstore_"
	MemoryPrefix  = "mem_"
	VersionPrefix = "memver_"
	SessionPrefix = "sesn_"
)

// New makes the bytes of a new id.
func New() []byte {
	b := make([]byte, Size)
	_, _ = rand.Read(b) // never fails
	return b
}

// Format is the id with these bytes.
func Format(prefix string, uid []byte) string { return string(Append(nil, prefix, uid)) }

// Append appends the id with these bytes.
func Append(to []byte, prefix string, uid []byte) []byte {
	if len(uid) == Size {
		return Text.AppendEncode(append(to, prefix...), uid)
	}
	s := strings.TrimRight(string(uid), "\x00")
	if whole, ok := strings.CutPrefix(s, WholeMark); ok {
		return append(to, whole...)
	}
	return append(append(to, prefix...), s...)
}

// Parse gives the bytes of an id; nil when it is none of that kind.
func Parse(prefix, id string) []byte {
	s, ok := strings.CutPrefix(id, prefix)
	if !ok {
		return wholeUID(prefix, id)
	}
	b, err := Text.DecodeString(s)
	if err == nil && len(b) == Size {
		return b
	}
	if prefix == MemoryPrefix || prefix == VersionPrefix {
		return foreignUID(s)
	}
	return nil
}

// Valid reports whether the bytes can be those of an id: ours, or another service's.
func Valid(uid []byte) bool {
	return len(uid) == Size || foreignUID(strings.TrimPrefix(strings.TrimRight(string(uid), "\x00"), WholeMark)) != nil
}

// maxForeign bounds ids of memories and versions that another service made.
const maxForeign = 64

// WholeMark begins the bytes of an id that another service made without our prefix.
const WholeMark = "="

// wholeUID keeps an id of a memory or a version that has another prefix than ours, or
// none: ids are opaque. nil when it can't be one, or is of something else.
func wholeUID(prefix, id string) []byte {
	for _, known := range []string{StorePrefix, MemoryPrefix, VersionPrefix, SessionPrefix} {
		if strings.HasPrefix(id, known) {
			return nil
		}
	}
	if prefix != MemoryPrefix && prefix != VersionPrefix || foreignUID(id) == nil {
		return nil
	}
	return paddedUID(WholeMark + id)
}

// foreignUID keeps an id that another service made as it is, nil when it can't be
// one. Its bytes are its letters, and never as many as those of an id of ours.
func foreignUID(s string) []byte {
	strange := func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '_' && c != '-'
	}
	if s == "" || len(s) > maxForeign || strings.ContainsFunc(s, strange) {
		return nil
	}
	return paddedUID(s)
}

// paddedUID is never as long as an id of ours.
func paddedUID(s string) []byte {
	if len(s) == Size {
		s += "\x00"
	}
	return []byte(s)
}

// NewSession makes an id for one run of an agent or a person.
func NewSession() Session { return Session(Format(SessionPrefix, New())) }

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ParseHash reads a SHA-256 in hexadecimal.
func ParseHash(s string) (Hash, error) {
	var h Hash
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, fmt.Errorf("%q is not a SHA-256 in hexadecimal (64 digits)", s)
	}
	return Hash(b), nil
}
