package stores

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Keys lists the actions of the screens with their keys.
func Keys(bindings keys.Bindings) []keys.Entry {
	return slices.Concat(actions(bindings).All(), discoveryActions(bindings).All(), connectActions(bindings).All())
}

func actions(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("stores", bindings, append([]keys.Action[*Pane]{
		{ID: "list.open", Do: (*Pane).choose, Why: row},
		{ID: "store.sync", Writes: true, Name: "sync with git", Short: "sync", Do: (*Pane).sync, Why: syncable},
		{ID: "list.new", Writes: true, Name: "make a store", Do: (*Pane).create, Why: writable},
		{ID: "discover", Name: "find those of other tools", Short: "find others", Keys: []string{"f"}, Do: func(p *Pane, _ int) tea.Cmd {
			d := p.Discovery()
			return p.env.Do(screen.Show{Pane: d})
		}},
		{ID: "connect", Name: "connect a hosted store", Short: "connect", Keys: []string{"c"}, Do: func(p *Pane, _ int) tea.Cmd {
			c := p.Connecting()
			return p.env.Do(screen.Show{Pane: c})
		}},
		{ID: "branch", Writes: true, Name: "its git repository", Short: "git", Keys: []string{"b"}, Do: (*Pane).branch, Why: branchable},
		{ID: "mirror", Writes: true, Name: "mirror all of its service", Short: "mirror", Keys: []string{"m"}, Do: (*Pane).mirror, Why: hostedRow},
		{ID: "disconnect", Writes: true, Name: "disconnect", Keys: []string{"D"}, Do: (*Pane).disconnect, Why: disconnectable},
		{ID: "list.filter", Do: func(p *Pane, _ int) tea.Cmd { p.typing = true; p.step(0); return nil }},
		{ID: "list.rename", Writes: true, Do: (*Pane).rename, Why: writableRow},
		{ID: "change.edit", Writes: true, Name: "describe", Do: (*Pane).describe, Why: writableRow},
		{ID: "archive", Writes: true, Name: "archive", Keys: []string{"A"}, Do: (*Pane).archive, Why: writableRow},
		{ID: "copy.path", Name: "copy the folder", Do: func(p *Pane, _ int) tea.Cmd {
			return p.env.Do(screen.Copy{What: "the folder", Text: p.current().Folder})
		}, Why: row},
		{ID: "copy.id", Do: func(p *Pane, _ int) tea.Cmd {
			return p.env.Do(screen.Copy{What: "the store's id", Text: string(p.current().ID)})
		}, Why: row},
		{ID: "screen.back", Do: (*Pane).back},
	}, moves[*Pane]()...))
}

func row(p *Pane) string {
	if p.current() == nil {
		return "no store is listed"
	}
	return ""
}

func writable(p *Pane) string {
	if p.readOnly {
		return "read-only: nothing is written"
	}
	return ""
}

func writableRow(p *Pane) string {
	switch {
	case p.current() == nil:
		return "no store is listed"
	case !p.current().Archived.IsZero():
		return "the store is archived: it stays as it is"
	}
	return writable(p)
}

// enter opens the store under the cursor.
func (p *Pane) enter() tea.Cmd {
	if p.current() == nil {
		return nil
	}
	return p.choose(0)
}

// Entries returns the actions of the list, or of the filter while it is typed.
func (p *Pane) Entries() []keys.Entry {
	if p.typing {
		return p.words.keys.Entries(&p.words)
	}
	return p.Split.Entries(p.keys.Entries(p))
}

// back clears the filter, or leaves.
func (p *Pane) back(int) tea.Cmd {
	switch {
	case p.InDetail:
		p.Focus(false)
		return nil
	case p.input.Value != "":
		p.showAll()
		return nil
	}
	return p.env.Do(screen.Back{})
}

// choose opens the store under the cursor.
func (p *Pane) choose(int) tea.Cmd {
	if p.current().ID == p.open {
		return p.env.Do(screen.Back{})
	}
	return p.env.Do(screen.OpenStore{ID: p.current().ID, Name: p.current().Name})
}

func (p *Pane) act(doing, did string, do func(context.Context, Home) (versions.StoreInfo, error)) tea.Cmd {
	home := p.home
	return p.env.Do(screen.Work{Doing: doing, Do: func(ctx context.Context) (tea.Msg, error) {
		info, err := do(ctx, home)
		if err != nil {
			return screen.Notice{Text: err.Error(), Bad: true}, err
		}
		return screen.Then(func() tea.Cmd {
			return tea.Batch(p.load(info.ID), p.env.Do(screen.Notice{Text: did}))
		}), nil
	}})
}

// Discovery returns the screen that finds folders in which other tools keep memories. The list
// shows the stores made from them.
func (p *Pane) Discovery() *Discovery {
	d := NewDiscovery(p.env, p.home, p.open, p.readOnly)
	d.changed = p.load
	return d
}

// create asks for a name and a folder. Without a folder, the home creates one.
func (p *Pane) create(int) tea.Cmd {
	return p.env.Do(screen.Prompt{Label: "name of the new store", Then: func(name string) tea.Cmd {
		name = strings.TrimSpace(name)
		if name == "" {
			return nil
		}
		return p.env.Do(screen.Prompt{Label: "its folder", Example: "empty: memend makes one", Then: func(folder string) tea.Cmd {
			folder = strings.TrimSpace(folder)
			return p.act("make the store "+name, "made the store "+name+" · "+p.keys.Hint("list.open")+" opens it", func(ctx context.Context, h Home) (versions.StoreInfo, error) {
				return h.CreateStore(ctx, name, "", folder)
			})
		}})
	}})
}

func (p *Pane) rename(int) tea.Cmd {
	s := *p.current()
	return p.env.Do(screen.Prompt{Label: "name of the store", Value: s.Name, Then: func(name string) tea.Cmd {
		name = strings.TrimSpace(name)
		if name == "" || name == s.Name {
			return nil
		}
		return p.act("rename the store "+s.Name, "the store "+s.Name+" is called "+name+" now; its folder keeps its own", func(ctx context.Context, h Home) (versions.StoreInfo, error) {
			return h.UpdateStore(ctx, s.ID, versions.StoreUpdate{Name: &name})
		})
	}})
}

func (p *Pane) describe(int) tea.Cmd {
	s := *p.current()
	return p.env.Do(screen.Prompt{Label: "what " + s.Name + " is for", Value: s.Description, Then: func(text string) tea.Cmd {
		return p.act("describe "+s.Name, "described "+s.Name, func(ctx context.Context, h Home) (versions.StoreInfo, error) {
			return h.UpdateStore(ctx, s.ID, versions.StoreUpdate{Description: &text})
		})
	}})
}

// archive asks for confirmation first. At a service it can't be undone.
func (p *Pane) archive(int) tea.Cmd {
	s := *p.current()
	text, label := "Nothing can be written to an archived store until `memend stores archive --undo`.", "archive it"
	if s.Hosted() {
		text, label = "It is archived at its service, for everybody and for good: nothing can be written to it any more.", "archive it for good"
	}
	text += " It can be read, searched and exported; memories can still be deleted and redacted."
	return p.env.Do(screen.Choose{
		Title: "archive " + s.Name,
		Text:  text,
		Options: []screen.Option{
			{Key: "y", Label: label, Then: func() tea.Cmd {
				return p.act("archive "+s.Name, "archived "+s.Name, func(ctx context.Context, h Home) (versions.StoreInfo, error) { return h.ArchiveStore(ctx, s.ID) })
			}},
			{Key: "n", Label: "leave it as it is"},
		},
	})
}
