package ui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actions"
	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/editor"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/preview"
	"github.com/memend/memend/ui/rules"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// New returns the root of the screens.
func New(ctx context.Context, cfg Config) *App {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	a := &App{
		cfg: cfg, ctx: ctx, th: cfg.theme(true, theme.Many), keys: globalKeys(cfg.Keys), info: cfg.Store.Info(),
		unsent: map[versions.SessionID]string{}, answers: dialog.Answers{}, dark: true,
		actions: sync.OnceValue(func() []keys.Entry { return AllActions(cfg.Keys) }),
		later: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
	a.others = otherStores(cfg.Store, cfg.Stores)
	env, clip := a.env(), &editor.Clipboard{}
	a.jobs, a.notices = jobs.New(ctx, cfg.NoAnimation, env.Later), jobs.NewNotices(env.Later)
	a.memory = memory.New(env, cfg.Store)
	a.tree = tree.New(env, tree.Config{Store: cfg.Store, Me: cfg.By.Actor, Stale: cfg.Stale, Reopen: cfg.Open.Path.IsRoot()})
	a.tree.SetFocused(true)
	a.memory.SetReviews(cfg.Store, &a.tree.Review, cfg.prompt)
	a.memory.SetWrap(!cfg.NoWrap)
	a.live = live.New(env, live.Config{
		Store: cfg.Store, By: cfg.By, Home: cfg.Stores, Talks: cfg.Talks, Manager: cfg.Agents,
		Follow: cfg.Follow, NoAnimation: cfg.NoAnimation, Now: cfg.Now,
	}, a.tree, a.memory)
	a.editing = editing.New(env, editing.Config{
		Store: cfg.Store, By: cfg.By, ReadOnly: cfg.ReadOnly, Drafts: cfg.Drafts, Editor: cfg.Editor,
		Clip: clip, Now: cfg.Now,
	}, a.tree, a.memory)
	a.preview = preview.New(env, a.tree, a.memory)
	syncs := branches.Config{Every: cfg.SyncEvery, ReadOnly: cfg.ReadOnly, Now: cfg.Now}
	if cfg.Stores != nil {
		syncs.Home = cfg.Stores
	}
	a.branches = branches.New(env, syncs)
	acts := actions.New(env, cfg.Store, cfg.By, a.tree, clip, cfg.prompt)
	if cfg.Stores != nil {
		acts.SetHome(cfg.Stores)
	}
	a.root = root{a, acts, a.editing, rules.New(env, cfg.Store, a.info.Name, cfg.By), a.branches, deciding.New(env, cfg.Store, &a.tree.Review, cfg.By)}
	return a
}

// Init starts the first read and the clock. Changes by others that happened meanwhile are read
// after the first frame, and then the watch starts.
func (a *App) Init() tea.Cmd {
	cmds := []tea.Cmd{tick(time.Minute, a.cfg.Now), a.editing.Start(), a.live.Start(), a.branches.Start(), awaitBanner(a.cfg.Banners)}
	if a.cfg.Background == Auto && !a.cfg.NoColor {
		a.effects = append(a.effects, tea.RequestBackgroundColor)
	}
	if a.cfg.OpenAgents {
		cmds = append(cmds, a.toggleAgents())
	}
	if !a.cfg.Open.Path.IsRoot() {
		a.out.Do(a.cfg.Open)
	}
	return tea.Batch(cmds...)
}
