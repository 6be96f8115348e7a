package chain

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memend/memend/versions/ids"
)

// Head is where the chains of a store end. Kept elsewhere, it shows later whether the history up
// to there is still the same.
type Head struct {
	Store    ids.Store
	Change   int64 // the number of the last change
	Changes  ids.Hash
	Act      int64
	ActsHash ids.Hash
}

// String returns the head on one line, which ParseHead reads.
func (h Head) String() string {
	return fmt.Sprintf("%s %d %s %d %s", h.Store, h.Change, h.Changes, h.Act, h.ActsHash)
}

// ErrHead means that a text is not a head.
var ErrHead = errors.New("not a head; it is a line of `memend check --head`")

// ParseHead parses a head.
func ParseHead(line string) (h Head, err error) {
	f := strings.Fields(line)
	if len(f) != 5 || ids.Parse(ids.StorePrefix, f[0]) == nil {
		return h, ErrHead
	}
	h.Store = ids.Store(f[0])
	var errs [4]error
	h.Change, errs[0] = strconv.ParseInt(f[1], 10, 64)
	h.Changes, errs[1] = parseHash(f[2])
	h.Act, errs[2] = strconv.ParseInt(f[3], 10, 64)
	h.ActsHash, errs[3] = parseHash(f[4])
	if errors.Join(errs[:]...) != nil || h.Change < 0 || h.Act < 0 {
		return h, ErrHead
	}
	return h, nil
}

func parseHash(s string) (h ids.Hash, err error) {
	b, err := hex.DecodeString(s)
	if err == nil && len(b) != len(h) {
		err = ErrHead
	}
	copy(h[:], b)
	return h, err
}
