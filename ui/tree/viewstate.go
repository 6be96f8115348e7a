package tree

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// State that is kept from one run of the program to the next: how the store is shown is saved when the program or the store is
// left, and now and then before. What was reviewed is saved at once (package deciding), and if that failed with the rest.

// viewState is how a store was shown. It contains no paths, only hashes of folders: what is
// stored beside the history must not reveal what a redaction erases.
type viewState struct {
	By       sorting           `json:"by,omitempty"`
	Flat     bool              `json:"flat,omitempty"`
	Columns  int               `json:"columns,omitempty"`
	Unfolded bool              `json:"unfolded,omitempty"`
	Turned   []uint64          `json:"turned,omitempty"` // folders that differ from Unfolded
	Here     versions.MemoryID `json:"here,omitempty"`
	Folder   uint64            `json:"folder,omitempty"` // set if the cursor is on a folder
	Open     versions.MemoryID `json:"open,omitempty"`
	To       versions.StoreID  `json:"to,omitempty"` // where memories were transferred last
}

// maxTurned limits the number of saved folds.
const maxTurned = 2000

func decodeViewState(b []byte) (k viewState) {
	if json.Unmarshal(b, &k) != nil || k.By < 0 || k.By >= sortings {
		return viewState{}
	}
	k.Columns = min(max(k.Columns, 0), 1) // earlier releases had more sets
	return k
}

func (k viewState) order() order { return order{by: k.By, flat: k.Flat} }

// hashOf returns the hash of a folder's path.
func (t *Pane) hashOf(p memfs.Path) uint64 {
	h := fnv.New64a()
	h.Write([]byte(t.info.ID))
	h.Write([]byte(p.String()))
	return h.Sum64()
}

// viewState returns how the store is shown now.
func (t *Pane) viewState() viewState {
	k := viewState{By: t.order.by, Flat: t.order.flat, Columns: t.Draw.columns, Unfolded: t.unfolded, To: t.sentTo}
	for p, toggled := range t.toggled {
		if toggled && t.data.Has(p) {
			k.Turned = append(k.Turned, t.hashOf(p))
		}
	}
	slices.Sort(k.Turned)
	k.Turned = k.Turned[:min(len(k.Turned), maxTurned)]
	switch n := t.current(); {
	case n == nil:
	case n.folder():
		k.Folder = t.hashOf(n.path())
	case n.memory():
		k.Here = n.entry.Memory
	}
	if e := t.data.Entry(t.Draw.open); e != nil {
		k.Open = e.Memory
	}
	return k
}

// restore applies the saved view to the first reading. It opens the memory that was open,
// unless another one was requested.
func (t *Pane) restore(b []byte) tea.Cmd {
	if len(b) == 0 {
		t.unfolded, t.undecided = len(t.data.Entries) <= openAtFirst, !t.scanned
		t.flatten()
		return nil
	}
	k := decodeViewState(b)
	t.order, t.Draw.columns, t.unfolded, t.sentTo = k.order(), k.Columns, k.Unfolded, k.To
	var here *node
	for _, n := range t.data.folders[1:] {
		h := t.hashOf(n.path())
		if h == k.Folder {
			here = n
		}
		if _, found := slices.BinarySearch(k.Turned, h); found {
			t.toggled[n.path()] = true
		}
	}
	if n := t.data.memory(k.Here); n != nil {
		here = n
	}
	t.flatten()
	if here != nil {
		t.moveTo(here)
	}
	if open := t.data.memory(k.Open); open != nil && t.reopen {
		return t.env.Do(screen.Open{Path: open.path(), Stay: true, Again: true})
	}
	return nil
}

// SentTo returns the store that memories were moved or copied to last; empty if there is none.
func (t *Pane) SentTo() versions.StoreID { return t.sentTo }

// SetSentTo notes where memories are moved or copied to.
func (t *Pane) SetSentTo(id versions.StoreID) tea.Cmd {
	t.sentTo = id
	return t.saveSoon()
}

// saveWait is the delay before state is saved, so that going through memories costs one
// write.
const saveWait = 2 * time.Second

// saveSoon saves the state after saveWait.
func (t *Pane) saveSoon() tea.Cmd {
	if t.saving {
		return nil
	}
	t.saving = true
	return t.env.Later(saveWait, screen.Then(t.save))
}

// save saves the state. A failure is not reported.
func (t *Pane) save() tea.Cmd {
	t.saving = false
	ctx, write, seen := t.env.Ctx, t.Saver(), maps.Clone(t.Review.unsaved)
	return screen.Run(func() error { return write(ctx) }, func(err error) tea.Cmd {
		if err == nil {
			t.Review.Saved(seen)
		}
		return nil
	})
}

// Saver returns a function that saves everything not saved yet, as it is now.
func (t *Pane) Saver() func(context.Context) error {
	store, seen := t.store, maps.Clone(t.Review.unsaved)
	var view []byte
	if t.data != nil {
		view, _ = json.Marshal(t.viewState()) // only numbers and strings: it can't fail
	}
	return func(ctx context.Context) error {
		if len(seen) > 0 {
			if _, err := store.MarkReviewed(ctx, seen); err != nil {
				return err
			}
		}
		if view == nil {
			return nil
		}
		return store.SetView(ctx, view)
	}
}
