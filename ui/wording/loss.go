package wording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/versions"
)

// UndoLoss says what restores the memories of a mass deletion. It undoes nothing that the same program did before or after it.
func UndoLoss(b versions.Bulk) string {
	var undos []string
	for _, n := range slices.Backward(b.Deleting) {
		undos = append(undos, fmt.Sprintf("`memend undo %d`", n))
	}
	does := "restores them"
	switch {
	case len(undos) > 1 && len(undos) == len(b.Changes):
		undos = []string{fmt.Sprintf("`memend undo %d --bulk`", b.Last())}
	case len(undos) > 1:
		does = "restore them"
	}
	if b.Mixed {
		does += ", and the other memories of the same change as they were"
	}
	return strings.Join(undos, " and ") + " " + does
}
