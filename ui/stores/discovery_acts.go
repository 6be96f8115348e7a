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
		{ID: "add", Name: "make a store of it, or open", Short: "add or open", Keys: []string{"enter"}, Do: (*Discovery).add, Why: (*Discovery).addDisabled},
		{ID: "choose", Name: "choose", Keys: []string{"space"}, Do: func(d *Discovery, _ int) tea.Cmd { d.choose(); return nil }, Why: (*Discovery).disabled},
		{ID: "choose-all", Name: "choose all", Keys: []string{"a"}, Do: func(d *Discovery, _ int) tea.Cmd { d.chooseAll(); return nil }, Why: (*Discovery).allDisabled},
		{ID: "again", Name: "look again", Keys: []string{"r"}, Do: func(d *Discovery, _ int) tea.Cmd { return d.Start() }},
		{ID: "back", Name: "back", Keys: []string{"esc", "q"}, Do: (*Discovery).back},
	}, moves[*Discovery]()...))
}

// disabled is why the folder under the cursor can't become a store.
func (d *Discovery) disabled() string {
	p := d.current()
	switch {
	case d.readOnly:
		return "read-only: nothing is written"
	case p == nil:
		return "no folder is listed"
	case p.IsStore():
		return "it is the store " + p.Store.Name + " already"
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

// choose chooses the folder, or no longer, and goes on to the next.
func (d *Discovery) choose() {
	folder := d.current().Folder
	if d.chosen[folder] {
		delete(d.chosen, folder)
	} else {
		d.chosen[folder] = true
	}
	d.step(1)
}

// chooseAll chooses all that can be added and hold a memory, or none when they are.
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

// back chooses nothing any more, or leaves.
func (d *Discovery) back(int) tea.Cmd {
	if len(d.chosen) > 0 {
		clear(d.chosen)
		return nil
	}
	return d.env.Ask(screen.Back{})
}

// addedMsg says which stores were made of folders, and why no more were.
type addedMsg struct {
	screen.Answered
	of     *Discovery
	stores []versions.StoreInfo
	err    error
}

// add makes stores of what is chosen, else of the folder under the cursor. One that is
// a store is opened.
func (d *Discovery) add(int) tea.Cmd {
	if p := d.current(); len(d.chosen) == 0 && p.IsStore() {
		if p.Store.ID == d.open { // it is behind the list of stores
			return tea.Sequence(d.env.Ask(screen.Back{}), d.env.Ask(screen.Back{}))
		}
		return d.env.Ask(screen.OpenStore{ID: p.Store.ID, Name: p.Store.Name})
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
	return d.env.Ask(screen.Work{Doing: doing, Do: func(ctx context.Context) (tea.Msg, error) {
		msg := addedMsg{of: d}
		for _, p := range all {
			info, err := finder.AddPlace(ctx, p)
			if err == nil {
				msg.stores = append(msg.stores, info)
			}
			msg.err = cmp.Or(msg.err, err)
		}
		if len(msg.stores) > 0 {
			return msg, nil
		}
		return msg, msg.err
	}})
}

// added leaves when all went well; the list of stores shows what was made.
func (d *Discovery) added(msg addedMsg) tea.Cmd {
	if msg.of != d {
		return nil
	}
	if msg.err != nil {
		return tea.Batch(d.Start(), d.env.Ask(screen.Notice{Text: msg.err.Error(), Bad: true}))
	}
	return tea.Sequence(d.env.Ask(screen.Back{}), d.env.Ask(screen.Notice{Text: made(msg.stores)}))
}
