package cli

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/ui"
	"github.com/memend/memend/ui/agents"
	"github.com/memend/memend/ui/config"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/ui/welcome"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/engine"
)

// screensOrLines opens the TUI on the named store, or on the one that screenStore chooses.
func screensOrLines(p *program, cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	ref := p.requestedStore()
	if len(args) > 0 {
		ref = args[0]
	}
	conf, err := p.settings()
	if err != nil {
		return err
	}
	drawn := p.terminal && isTerminal(p.in)
	p.makes = drawn || conf.Accessible
	p.creates = p.makes && isFolder(ref) && isDir(ref)
	cfg := screenConfig(&p.caller, &p.environment, conf)
	var first welcomeScreen
	if drawn && !conf.Accessible && os.Getenv("TERM") != "dumb" {
		first = func(ctx context.Context, t *engine.Trail) (chosen bool, err error) {
			choice, err := ui.Welcome(ctx, cfg, &homeStores{Home: local.Home{Trail: t}, by: cfg.By})
			return choice == welcome.Choose, err
		}
	}
	return p.withTrail(ctx, func(t *engine.Trail) error {
		info, err := screenStore(ctx, &p.storeOpener, t, ref, first)
		switch {
		case errors.Is(err, versions.ErrNoStore) && len(args) > 0 && !isFolder(ref):
			all, serr := t.Stores(ctx)
			if serr != nil {
				return serr
			}
			return unknownWord(cmd, ref, storeNames(all))
		case errors.Is(err, errNoStoreYet):
			return errNoTerminal
		case err != nil:
			return err
		}
		if conf.Accessible {
			return lineMode(ctx, &p.storeOpener, t, info, conf.Transcripts)
		}
		if !drawn {
			return errNoTerminal
		}
		api, err := newAPI()
		if err != nil {
			return err
		}
		home := &homeStores{Home: local.Home{Trail: t}, by: cfg.By}
		s, err := home.open(ctx, info.ID)
		if err != nil {
			return err
		}
		defer p.tune(&cfg)()
		first := ui.ReadFirst(ctx, ui.Config{Store: local.Store{Store: s}, By: cfg.By, Stale: cfg.Stale})
		manager := newManager(t, api, agent.ManagerOptions{Settings: conf.Agent})
		stop := func() {}
		if conf.Transcripts { // the TUI reads the results from the trail
			stop = (&callRecorder{now: p.now, t: t, open: home.isOpen}).followTranscripts(ctx, func([]agent.Event) {})
		}
		err = runScreens(ctx, cfg, show{store: s, first: first, trail: t, manager: manager, others: home, drafts: t.Drafts(info.ID)})
		stop()
		return errors.Join(err, manager.Close(), home.close())
	})
}

// A welcomeScreen is the first screen of an empty home. The person may choose there to choose from a list.
type welcomeScreen = func(context.Context, *engine.Trail) (choose bool, err error)

// homeStores are the stores of a home as the TUI opens them, one after the other.
type homeStores struct {
	local.Home
	by   versions.By // the person at the keyboard
	demo bool        // nothing of the person's own is shown: no other tool's memories, no service

	mu     sync.Mutex
	opened map[versions.StoreID]*engine.Store
	drafts []*drafts.Keeper
	failed map[versions.StoreID]error // of the last sync of each store
}

// Open opens a store with its drafts; close closes them all.
func (h *homeStores) Open(ctx context.Context, id versions.StoreID) (ui.Store, editing.Drafts, error) {
	s, err := h.open(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	d := h.Drafts(id)
	h.mu.Lock()
	h.drafts = append(h.drafts, d)
	h.mu.Unlock()
	return local.Store{Store: s}, d, nil
}

func (h *homeStores) open(ctx context.Context, id versions.StoreID) (*engine.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.opened[id]; s != nil {
		return s, nil
	}
	s, err := h.OpenStore(ctx, id)
	if errors.Is(err, versions.ErrFolderGone) { // its past can be read
		s, err = h.OpenPast(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	if h.opened == nil {
		h.opened = map[versions.StoreID]*engine.Store{}
	}
	h.opened[id] = s
	return s, nil
}

func (h *homeStores) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, d := range h.drafts {
		errs = append(errs, d.Close())
	}
	for _, s := range h.opened {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

// isOpen returns a store that was opened, or nil.
func (h *homeStores) isOpen(id versions.StoreID) *engine.Store {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.opened[id]
}

// newManager returns the agents that run in this program; their conversations are recorded in
// the home.
func newManager(t *engine.Trail, api agent.API, o agent.ManagerOptions) *agent.Manager {
	o.API, o.Trail, o.Journal = api, t, agent.Keep(t.Conversations())
	return agent.NewManager(o)
}

// show holds what the TUI shows.
type show struct {
	store   *engine.Store
	first   *live.First // begun already, or nil
	trail   *engine.Trail
	manager *agent.Manager
	others  *homeStores    // nil: only this store
	drafts  *drafts.Keeper // nil: unsaved texts are not kept
	banner  string
	banners <-chan ui.Banner // banners that replace it
	follow  bool             // follow the agents from the start
}

// runScreens runs the TUI.
func runScreens(ctx context.Context, cfg ui.Config, show show) error {
	cfg.Store, cfg.First = local.Store{Store: show.store}, show.first
	cfg.Agents, cfg.Talks, cfg.Trail = agents.Of(show.manager, show.trail.Conversations()), show.trail.Conversations(), local.Home{Trail: show.trail}
	cfg.Prompt, cfg.Transcript = promptElsewhere, transcriptElsewhere
	cfg.Banner, cfg.Banners = show.banner, show.banners
	cfg.Follow, cfg.OpenAgents = cfg.Follow || show.follow, show.follow
	if show.others != nil {
		cfg.Stores = show.others
	}
	if show.drafts == nil {
		return ui.Run(ctx, cfg)
	}
	cfg.Drafts = show.drafts
	return errors.Join(ui.Run(ctx, cfg), show.drafts.Close())
}

// screenConfig returns what the settings say about the screens, in which somebody acts through the TUI.
func screenConfig(p *caller, env *environment, conf *config.Config) ui.Config {
	by := p.by
	by.Door = versions.DoorTUI
	return ui.Config{
		By:          by,
		Follow:      conf.Follow,
		Background:  backgrounds[conf.Background],
		NoColor:     os.Getenv("NO_COLOR") != "",
		Theme:       conf.Theme,
		ThemeDark:   conf.ThemeDark,
		ThemeLight:  conf.ThemeLight,
		Themes:      conf.Themes,
		ASCII:       conf.Borders == config.ASCII,
		Mouse:       conf.Mouse,
		NoWrap:      !conf.Wrap,
		Reorders:    conf.Reorders,
		CursorRow:   conf.CursorOnRow(),
		Progress:    conf.Progress == config.On || conf.Progress == config.Auto && terminal.TakesProgress(os.Getenv),
		NoAnimation: !conf.Animation,
		Stale:       conf.Stale(),
		SyncEvery:   conf.SyncEvery,
		ReadOnly:    conf.ReadOnly,
		Editor:      conf.Editor,
		Settings:    conf.File,
		ReadSettings: func() error {
			_, err := env.settings()
			return err
		},
		Keys:   conf.Keys,
		Now:    p.now,
		Input:  p.in,
		Output: p.stdout,
	}
}

// transcriptElsewhere returns the events of a session of Claude Code; none if it is unknown.
func transcriptElsewhere(ctx context.Context, id versions.SessionID) (out []agent.Event, _ error) {
	config, err := outside.Config()
	if err != nil {
		return nil, nil
	}
	err = outside.Conversation(ctx, config, string(id), func(m outside.Message) error {
		out = append(out, messageEvent(agent.Event{Session: id}, m))
		return nil
	})
	if errors.Is(err, outside.ErrNoTranscript) {
		err = nil
	}
	return out, err
}

// promptElsewhere returns the first prompt of a session of Claude Code or Codex, or "" if it is
// unknown. Other agents do not name their sessions to the programs that they call.
func promptElsewhere(id versions.SessionID) string {
	ctx := context.Background()
	if config, err := outside.Config(); err == nil {
		if s := outside.Prompt(ctx, config, string(id)); s != "" {
			return s
		}
	}
	if home, err := outside.CodexHome(); err == nil {
		return outside.CodexPrompt(ctx, home, string(id))
	}
	return ""
}

var backgrounds = map[string]ui.Background{config.Auto: ui.Auto, config.Dark: ui.Dark, config.Light: ui.Light}
