package stores

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func discoveryActions(bindings keys.Bindings) *keys.Map[*Discovery] {
	return keys.New("discovery", bindings, append([]keys.Action[*Discovery]{
		{ID: "list.open", Name: "make a store of it, or open", Short: "add or open", Do: (*Discovery).add, Why: (*Discovery).addDisabled},
		{ID: "list.choose", Do: func(d *Discovery, _ int) tea.Cmd { d.choose(); d.step(1); return nil }, Why: (*Discovery).disabled},
		{ID: "list.choose-all", Do: func(d *Discovery, _ int) tea.Cmd { d.chooseAll(); return nil }, Why: (*Discovery).allDisabled},
		{ID: "stores.again", Name: "look again", Keys: []string{"g r"}, Do: func(d *Discovery, _ int) tea.Cmd { return d.Start() }},
		{ID: "screen.back", Do: (*Discovery).back},
	}, moves[*Discovery]()...))
}

// disabled returns why the folder under the cursor can't become a store.
func (d *Discovery) disabled() string {
	p := d.current()
	switch {
	case d.readOnly:
		return "read-only: nothing is written"
	case p == nil:
		return "no folder is listed"
	case p.IsStore():
		return "it is the store " + p.Store.Name + " already"
	case p.Unknown != "":
		return p.Unknown
	case !p.CanBeAdded():
		return "it lies in the folder of the store " + p.Within.Name
	}
	return ""
}

func (d *Discovery) addDisabled() string {
	if p := d.current(); len(d.chosen) > 0 && !d.readOnly || len(d.chosen) == 0 && p != nil && p.IsStore() {
		return ""
	}
	return d.disabled()
}

func (d *Discovery) allDisabled() string {
	if d.readOnly {
		return "read-only: nothing is written"
	}
	for i := range d.found.Places {
		if worthAdding(&d.found.Places[i]) {
			return ""
		}
	}
	return "there is no folder that could become a store"
}

func worthAdding(p *places.Place) bool { return p.CanBeAdded() && !p.IsEmpty() }

// choose toggles the folder under the cursor.
func (d *Discovery) choose() {
	folder := d.current().Folder
	if d.chosen[folder] {
		delete(d.chosen, folder)
	} else {
		d.chosen[folder] = true
	}
}

// chooseAll chooses all folders that can be added and contain a memory, or none if all are
// chosen already.
func (d *Discovery) chooseAll() {
	more := false
	for i := range d.found.Places {
		if p := &d.found.Places[i]; worthAdding(p) && !d.chosen[p.Folder] {
			d.chosen[p.Folder], more = true, true
		}
	}
	if !more {
		clear(d.chosen)
	}
}

// back clears the choice, or leaves.
func (d *Discovery) back(int) tea.Cmd {
	switch {
	case d.InDetail:
		d.Focus(false)
		return nil
	case len(d.chosen) > 0:
		clear(d.chosen)
		return nil
	}
	return d.env.Do(screen.Back{})
}

// add makes stores of the chosen folders, or of the folder under the cursor. A folder that is
// a store already is opened.
func (d *Discovery) add(int) tea.Cmd {
	if p := d.current(); len(d.chosen) == 0 && p.IsStore() {
		if p.Store.ID == d.open { // it is the screen behind the list of stores
			return tea.Sequence(d.env.Do(screen.Back{}), d.env.Do(screen.Back{}))
		}
		return d.env.Do(screen.OpenStore{ID: p.Store.ID, Name: p.Store.Name})
	}
	var all []places.Place
	for _, p := range d.found.Places {
		if d.chosen[p.Folder] {
			all = append(all, p)
		}
	}
	doing := "make stores of the chosen folders"
	if len(all) == 0 {
		all = []places.Place{*d.current()}
		doing = "make the store " + d.current().Name()
	}
	finder := d.finder
	return d.env.Do(screen.Work{Doing: doing, Do: func(ctx context.Context) (tea.Msg, error) {
		stores, err := addPlaces(ctx, finder, all)
		then := screen.Then(func() tea.Cmd { return d.added(stores, err) })
		if len(stores) > 0 {
			return then, nil
		}
		return then, err
	}})
}

// addPlaces makes a store of each folder and returns the first error.
func addPlaces(ctx context.Context, finder Finder, all []places.Place) (stores []versions.StoreInfo, err error) {
	for _, p := range all {
		info, wrong := finder.AddPlace(ctx, p)
		if wrong == nil {
			stores = append(stores, info)
		}
		err = cmp.Or(err, wrong)
	}
	return stores, err
}

// added shows the new stores in the list, and leaves if there was no error.
func (d *Discovery) added(stores []versions.StoreInfo, err error) tea.Cmd {
	var cmd tea.Cmd
	if d.changed != nil && len(stores) > 0 {
		cmd = d.changed(stores[0].ID)
	}
	if err != nil {
		return tea.Batch(cmd, d.Start(), d.env.Do(screen.Notice{Text: err.Error(), Bad: true}))
	}
	return tea.Batch(cmd, tea.Sequence(d.env.Do(screen.Drop{Pane: d}), d.env.Do(screen.Notice{Text: createdText(stores, actions(d.env.Keys).Hint("list.open"))})))
}
