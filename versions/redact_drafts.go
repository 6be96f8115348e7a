package versions

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// eraseDrafts erases what a redaction is about from the drafts of the home: a draft
// that holds a piece of it goes, and of one that was only made of it, or is put
// together with it, the hash does.
// It gives how many went, and what could not be seen to.
func (t *Trail) eraseDrafts(ctx context.Context, look *pieces, p RedactPlan) (gone int, unknown []string) {
	dir := filepath.Join(t.home, draftFolder)
	files, err := draftFiles(dir)
	if err != nil {
		return 0, []string{fmt.Sprintf("drafts: %v", bare(err))}
	}
	if len(files) == 0 {
		return 0, nil
	}
	stores, err := t.Stores(ctx)
	if err != nil {
		return 0, []string{fmt.Sprintf("drafts: %v", err)}
	}
	for _, file := range files {
		name := filepath.Join(dir, file)
		went, err := eraseDraft(name, look, p, stores)
		if went {
			gone++
		}
		if err != nil {
			unknown = append(unknown, fmt.Sprintf("%s: %v", name, bare(err)))
		}
	}
	return gone, unknown
}

func eraseDraft(name string, look *pieces, p RedactPlan, stores []StoreInfo) (gone bool, err error) {
	b, err := os.ReadFile(name)
	if err != nil {
		if os.IsNotExist(err) {
			return false, nil
		}
		return false, err
	}
	h := hits{}
	if err := look.findIn(bytes.NewReader(b), h, func(int) error { return nil }); err != nil {
		return false, err
	}
	x, err := readDraft(name)
	if look.ofNamed(h) > 0 || err == nil && p.concerns(x, stores) {
		return true, eraseFile(name)
	}
	if err != nil || !p.forget(&x) {
		return false, nil // half of a draft that holds nothing is nobody's concern
	}
	return false, rewriteDraft(name, x)
}

// forget takes the hashes of what is erased out of a draft, and reports whether there
// were any. What was decided of a merge holds for these very texts only.
func (p RedactPlan) forget(x *Draft) (some bool) {
	erased := func(h Hash) bool {
		return h != (Hash{}) && slices.ContainsFunc(p.Erase, func(v PlannedVersion) bool { return v.SHA256 == h })
	}
	if erased(x.Base) {
		x.Base, x.Lost, x.Merge, some = Hash{}, true, nil, true
	}
	if x.Merge != nil && erased(x.Merge.Theirs) {
		x.Merge, some = nil, true
	}
	return some
}

// rewriteDraft replaces a draft, and what the file held before.
func rewriteDraft(name string, x Draft) error {
	old, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := writeDraft(name, x); err != nil {
		_ = old.Close()
		return err
	}
	return zero(old)
}

// concerns reports whether a draft must go for what is known of it, whatever pieces
// it holds: short texts have none.
func (p RedactPlan) concerns(x Draft, stores []StoreInfo) bool {
	switch {
	case !slices.ContainsFunc(stores, func(s StoreInfo) bool { return s.ID == x.Store }): // it was deleted
		return true
	case p.Target.Memory != "":
		return x.Memory == p.Target.Memory
	case p.Target.Match == nil:
		return false
	case !p.Target.AllStores && !p.store(x.Store):
		return false
	}
	if x.Merge != nil && slices.ContainsFunc(x.Merge.Picks, func(d DraftPick) bool { return bytes.Contains(d.Text, p.Target.Match) }) {
		return true
	}
	return bytes.Contains(x.Text, p.Target.Match) || strings.Contains(x.Path.String(), string(p.Target.Match))
}

// store reports whether versions of a store are erased.
func (p RedactPlan) store(id StoreID) bool {
	return slices.ContainsFunc(p.Erase, func(v PlannedVersion) bool { return v.StoreID == id })
}
