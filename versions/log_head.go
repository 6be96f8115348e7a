package versions

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memend/memend/versions/ids"
)

// LogHead is where the log ended when a store was looked at: the history up to a moment in one line of text. Kept elsewhere, it
// shows later whether the history up to there is still the same. See package journal for what it proves.
type LogHead struct {
	Store  StoreID
	Change int64 // the number of the store's last change
	Record int64 // the number of the last record
	Hash   Hash
}

// String returns the head on one line, which ParseLogHead reads.
func (h LogHead) String() string {
	return fmt.Sprintf("%s %d %d %s", h.Store, h.Change, h.Record, h.Hash)
}

// Errors of ParseLogHead: the text is not a head, or a head of the chains that a home had before it was converted.
var (
	ErrHead    = errors.New("not a head; it is a line of `memend check --head`")
	ErrOldHead = errors.New("this head is of an earlier format of the trail, whose chains ended when the home was converted; the copy that the conversion left in the home has them")
)

// ParseLogHead parses a head.
func ParseLogHead(line string) (h LogHead, err error) {
	f := strings.Fields(line)
	if len(f) == 5 && ids.Parse(ids.StorePrefix, f[0]) != nil {
		return h, ErrOldHead
	}
	if len(f) != 4 || ids.Parse(ids.StorePrefix, f[0]) == nil {
		return h, ErrHead
	}
	h.Store = StoreID(f[0])
	var errs [2]error
	h.Change, errs[0] = strconv.ParseInt(f[1], 10, 64)
	h.Record, errs[1] = strconv.ParseInt(f[2], 10, 64)
	b, err := hex.DecodeString(f[3])
	if errors.Join(errs[0], errs[1], err) != nil || len(b) != len(h.Hash) || h.Change < 0 || h.Record < 0 {
		return LogHead{}, ErrHead
	}
	copy(h.Hash[:], b)
	return h, nil
}
