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

func formatUID(prefix string, uid []byte) string { return prefix + uidText.EncodeToString(uid) }

// parseUID gives the bytes of an id, nil when it is none of that kind.
func parseUID(prefix, id string) []byte {
	s, ok := strings.CutPrefix(id, prefix)
	if !ok {
		return nil
	}
	b, err := uidText.DecodeString(s)
	if err != nil || len(b) != uidBytes {
		return nil
	}
	return b
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
