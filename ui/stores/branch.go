package stores

import (
	"cmp"
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
)

// Brancher knows the git branches of stores.
type Brancher interface {
	BranchStates(ctx context.Context) (map[versions.StoreID]branches.State, error)
}

// Look reads the list again: syncs in the background change it.
func (p *Pane) Look() tea.Cmd { return p.load("") }

// branchable says why a store can have no branch.
func branchable(p *Pane) string {
	if why := writableRow(p); why != "" {
		return why
	}
	if p.current().Hosted() {
		return "the store is hosted: its service has its history"
	}
	return ""
}

func syncable(p *Pane) string {
	why := branchable(p)
	if why == "" && p.branches[p.current().ID].URL == "" {
		why = "the store has no branch: " + p.keys.Hint("branch") + " sets one"
	}
	return why
}

// sync syncs the store under the cursor.
func (p *Pane) sync(int) tea.Cmd { return p.order(*p.current(), screen.Sync{}) }

func (p *Pane) order(s versions.StoreInfo, order screen.Sync) tea.Cmd {
	order.Store, order.Name, order.Then = s.ID, s.Name, func() tea.Cmd { return p.load("") }
	return p.env.Do(order)
}

// branch asks for the repository and its branch, and for the folder of a store that has none yet; then it syncs.
func (p *Pane) branch(int) tea.Cmd {
	b, s := p.branches[p.current().ID], *p.current()
	return p.env.Do(screen.Prompt{Label: "git repository", Value: b.URL, Example: "a folder or an address", Then: func(url string) tea.Cmd {
		if url = strings.TrimSpace(url); url == "" {
			return nil
		}
		return p.env.Do(screen.Prompt{Label: "its branch", Value: b.Name, Example: "leave empty for its default", Then: func(name string) tea.Cmd {
			order := screen.Sync{URL: url, Branch: strings.TrimSpace(name)}
			if b.URL != "" { // its folder stays
				return p.order(s, order)
			}
			return p.env.Do(screen.Prompt{Label: "its folder", Example: "leave empty for all of it", Then: func(dir string) tea.Cmd {
				order.Subdir = strings.TrimSpace(dir)
				return p.order(s, order)
			}})
		}})
	}})
}

// branchState is the state of a store's branch in the list; the details say the rest.
func branchState(b branches.State) string {
	switch {
	case b.Erased:
		return "rewrite needed"
	case b.Failed != nil:
		return "sync failed"
	}
	first, _, _ := strings.Cut(wording.Unsynced(b.BranchState), ", ")
	return first
}

// branchFacts describe the branch of a store.
func (p *Pane) branchFacts(id versions.StoreID) (out facts) {
	b, ok := p.branches[id]
	if !ok {
		return nil
	}
	at := b.Name + " of " + git.Shown(b.URL)
	if b.Subdir != "" {
		at += ", folder " + b.Subdir
	}
	waits := ""
	if b.Waiting > 0 {
		waits = draw.Plural(b.Waiting, "waits", "wait") + " in the review queue"
	}
	th := p.env.Theme
	switch { // first what is wrong
	case b.Erased:
		out.add("git still has what was erased here: "+p.keys.Hint("store.sync")+" takes it out, and asks first", th.Warn)
	case b.Failed != nil:
		out.add(b.Failed.Error(), th.Warn)
		out.add(wording.BranchHint(b.Failed), th.Text)
	}
	out.add(join("git: "+cmp.Or(wording.Unsynced(b.BranchState), "nothing to send"), waits, b.LastLook(p.now), at), th.Text)
	return out
}
