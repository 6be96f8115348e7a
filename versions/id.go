package versions

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"strings"
)

const uidBytes = 15 // 24 letters and digits without padding

var uidText = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

const (
	storePrefix   = "memstore_"
	memoryPrefix  = "mem_"
	versionPrefix = "memver_"
	sessionPrefix = "sesn_"
)

func newUID() []byte {
	b := make([]byte, uidBytes)
	_, _ = rand.Read(b) // never fails
	return b
}

func formatUID(prefix string, uid []byte) string {
	if len(uid) != uidBytes {
		s := strings.TrimRight(string(uid), "\x00")
		if whole, ok := strings.CutPrefix(s, wholeMark); ok {
			return whole
		}
		return prefix + s
	}
	return prefix + uidText.EncodeToString(uid)
}

// parseUID gives the bytes of an id, nil when it is none of that kind.
func parseUID(prefix, id string) []byte {
	s, ok := strings.CutPrefix(id, prefix)
	if !ok {
		return wholeUID(prefix, id)
	}
	b, err := uidText.DecodeString(s)
	if err == nil && len(b) == uidBytes {
		return b
	}
	if prefix == memoryPrefix || prefix == versionPrefix {
		return foreignUID(s)
	}
	return nil
}

// isUID reports whether the bytes can be those of an id: ours, or another service's.
func isUID(uid []byte) bool {
	return len(uid) == uidBytes || foreignUID(strings.TrimPrefix(strings.TrimRight(string(uid), "\x00"), wholeMark)) != nil
}

// maxForeign bounds ids of memories and versions that another service made.
const maxForeign = 64

// wholeMark begins the bytes of an id that another service made without our prefix.
const wholeMark = "="

// wholeUID keeps an id of a memory or a version that has another prefix than ours, or
// none: ids are opaque. nil when it can't be one, or is of something else.
func wholeUID(prefix, id string) []byte {
	for _, known := range []string{storePrefix, memoryPrefix, versionPrefix, sessionPrefix} {
		if strings.HasPrefix(id, known) {
			return nil
		}
	}
	if prefix != memoryPrefix && prefix != versionPrefix || foreignUID(id) == nil {
		return nil
	}
	return paddedUID(wholeMark + id)
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
	if len(s) == uidBytes {
		s += "\x00"
	}
	return []byte(s)
}

// NewSession makes an id for one run of an agent or a person.
func NewSession() SessionID { return SessionID(formatUID(sessionPrefix, newUID())) }

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
