package actions

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// Home are the stores that memories can be moved and copied to. *versions.Trail implements it.
type Home interface {
	Stores(ctx context.Context) ([]versions.StoreInfo, error)
	Transfer(ctx context.Context, by versions.By, from, to versions.StoreID, moves bool, what ...versions.Transfer) (here, there versions.Change, err error)
}

// SetHome sets the stores besides the one of the room.
func (r *Room) SetHome(h Home) { r.home = h }

// transferring is a transfer that is being asked about.
type transferring struct {
	paths  []memfs.Path
	stores []versions.StoreInfo // those that it can go to, the proposed one first
	to     versions.StoreInfo
	folder memfs.Path
}

// target says where the memories would go.
func (t transferring) target() string {
	return t.to.Name + ":" + strings.TrimSuffix(t.folder.String(), "/") + "/"
}

// Transfer asks where to move or copy memories, and proposes a store.
func (r *Room) Transfer(paths []memfs.Path) tea.Cmd {
	if len(paths) == 0 {
		return nil
	}
	if r.home == nil {
		r.sayNoOther()
		return nil
	}
	home, store, last := r.home, r.store.Info(), r.tree.SentTo()
	return r.work("list the stores", func(ctx context.Context) (tea.Msg, error) {
		all, err := home.Stores(ctx)
		t := transferring{paths: paths, stores: proposed(all, store.ID, last), folder: paths[0].Dir()}
		return screen.Then(func() tea.Cmd { return r.chooseTransfer(t) }), err
	})
}

// sayNoOther says that there is nowhere to move or copy to, and what to do.
func (r *Room) sayNoOther() tea.Cmd {
	return r.say("there is no other store to move or copy to: make one in the stores ("+r.env.Hint("global.stores")+")", true)
}

// proposed returns the stores that memories can go to: the one of last time, then, for a project's store, those of
// no project, and for another store those of projects; of these, the one used last. Hosted stores come last, because
// their service gets the memories.
func proposed(all []versions.StoreInfo, here, last versions.StoreID) []versions.StoreInfo {
	ofProject := func(s versions.StoreInfo) bool { return s.Metadata["project"] != "" }
	project := slices.ContainsFunc(all, func(s versions.StoreInfo) bool { return s.ID == here && ofProject(s) })
	out := slices.DeleteFunc(slices.Clone(all), func(s versions.StoreInfo) bool { return s.ID == here || !s.Archived.IsZero() })
	rank := func(s versions.StoreInfo) int {
		switch {
		case s.ID == last:
			return 0
		case s.Hosted():
			return 3
		case ofProject(s) != project:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(out, func(a, b versions.StoreInfo) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), b.LastUsed.Compare(a.LastUsed))
	})
	return out
}

// chooseTransfer asks whether to move or to copy.
func (r *Room) chooseTransfer(t transferring) tea.Cmd {
	if len(t.stores) == 0 {
		r.sayNoOther()
		return nil
	}
	if t.to.ID == "" {
		t.to = t.stores[0]
	}
	do := func(moves bool) func() tea.Cmd {
		return func() tea.Cmd { return r.transfer(t, moves) }
	}
	return r.env.Do(screen.Choose{Title: "to another store", Text: entries(t.paths) + " to " + t.target(), First: true, Options: []screen.Option{
		{Key: "m", Label: "move", Then: do(true)},
		{Key: "c", Label: "copy", Then: do(false)},
		{Key: "o", Label: "to another place", Then: func() tea.Cmd { r.askPlace(t); return nil }},
		{Key: "n", Label: "leave"},
	}})
}

// askPlace asks for a store and a folder in it.
func (r *Room) askPlace(t transferring) tea.Cmd {
	return r.env.Do(screen.Prompt{Topic: "transfer", Label: "to STORE:FOLDER", Value: t.target(), Then: func(s string) tea.Cmd {
		name, folder, _ := strings.Cut(strings.TrimSpace(s), ":")
		i := slices.IndexFunc(t.stores, func(s versions.StoreInfo) bool { return s.Name == name })
		if i < 0 {
			return r.say("no other store is called "+name, true)
		}
		t.to, t.folder = t.stores[i], memfs.Root
		if strings.Trim(folder, "/ ") != "" {
			var err error
			if t.folder, err = memfs.ParsePath(strings.TrimRight(folder, "/ ")); err != nil {
				return r.say("to another store: "+wording.Why(err), true)
			}
		}
		r.chooseTransfer(t)
		return nil
	}})
}

func (r *Room) transfer(t transferring, moves bool) tea.Cmd {
	var what []versions.Transfer
	for _, from := range t.paths {
		to, err := t.folder.Join(from.Base())
		if err != nil {
			return r.say("to another store: "+wording.Why(err), true)
		}
		what = append(what, versions.Transfer{From: from, To: to})
	}
	rest := entries(t.paths) + " to " + t.target()
	doing, did := "copy "+rest, "copied "+rest
	if moves {
		doing, did = "move "+rest, "moved "+rest+" · an undo here keeps the copy"
	}
	home, by, from := r.home, r.by, r.store.Info().ID
	r.tree.Chosen.Clear()
	saved := r.tree.SetSentTo(t.to.ID)
	r.change(doing, did, func(ctx context.Context) (versions.Change, error) {
		here, _, err := home.Transfer(ctx, by, from, t.to.ID, moves, what...)
		return here, err
	})
	return saved
}
