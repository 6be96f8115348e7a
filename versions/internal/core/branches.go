package core

import (
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// Share records that a change is on the branch.
func (x *Txn) Share(id string, change, held int64) {
	x.Exec(`INSERT INTO shared(store,id,change,held) VALUES(?,?,?,?) ON CONFLICT DO NOTHING`, x.Store.Row, id, tables.Null(change), tables.Null(held))
}

// ShareAll is share for a change with several names. The number goes with the first: under that the change goes out again.
func (x *Txn) ShareAll(ids []string, change, held int64) {
	for i, id := range ids {
		if i > 0 {
			change, held = 0, 0
		}
		x.Share(id, change, held)
	}
}

// wait turns the reason why a change from elsewhere can't be made now into one to hold it.
func (h *HeldBack) wait(why error) error {
	var conflict *versions.ConflictsError
	var denied *versions.DeniedError
	var held *HeldBack
	switch {
	case h == nil:
		return why
	case errors.As(why, &conflict):
		h.Rule, h.conflicts = conflict.Conflicts[0].Reason.Error(), true
	case errors.As(why, &denied):
		h.Rule = denied.Why
	case errors.Is(why, memfs.ErrControlFile):
		h.Rule = why.Error()
	case errors.As(why, &held):
		h.Rule, h.inputs, h.earlier = held.Rule, held.inputs, held.earlier
	default:
		return why
	}
	return h
}
