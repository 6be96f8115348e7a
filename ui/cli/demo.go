package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/messages"
	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/ui"
	"github.com/memend/memend/ui/cli/demo"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// errDemo means that the demo was asked for something of the person's own.
var errDemo = errors.New("the demo uses nothing of this machine and none of your services: run memend without demo for that")

func demoCommand(p *program) *cobra.Command {
	var folder string
	var only bool
	speed := 1.0
	cmd := &cobra.Command{
		Use:         "demo",
		Annotations: map[string]string{overview: "try it", noJSON: always},
		Short:       "Explore a sample store while scripted agents write",
		RunE: func(cmd *cobra.Command, args []string) error {
			if only && folder != "" {
				return misusef(cmd.CommandPath(), "--api and --make exclude each other")
			}
			if speed < 0.1 || speed > 100 {
				return misusef(cmd.CommandPath(), "--speed must be from 0.1 to 100")
			}
			if only {
				return demoAPI(cmd.Context(), &p.console, speed)
			}
			if folder != "" {
				return makeDemo(cmd.Context(), &p.console, folder)
			}
			return demoScreens(cmd.Context(), p, speed)
		},
	}
	cmd.Flags().StringVar(&folder, "make", "", "create the demo's home in `DIR`, for other commands, and exit")
	cmd.Flags().BoolVar(&only, "api", false, "run the scripted Messages API alone, until interrupted")
	cmd.Flags().Float64Var(&speed, "speed", 1, "run the agents this many `TIMES` as fast")
	screenFlags(&p.environment, cmd, false)
	return cmd
}

// demoAPI serves the scripted Messages API until interrupted.
func demoAPI(ctx context.Context, p *console, speed float64) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	api, err := script.New(demo.Host(speed))
	if err != nil {
		return err
	}
	p.println("%s", api.URL())
	if err := p.flush(); err != nil {
		return errors.Join(err, api.Close())
	}
	<-ctx.Done()
	return api.Close()
}

// demoScreens opens the demo store in a temporary home.
func demoScreens(ctx context.Context, p *program, speed float64) (err error) {
	conf, err := p.settings()
	if err != nil {
		return err
	}
	if !p.terminal || !isTerminal(p.in) {
		return errNoTerminal
	}
	cfg := screenConfig(&p.caller, &p.environment, conf)
	defer p.tune(&cfg)()
	// A signal must not leave the temporary home behind.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	home, err := os.MkdirTemp("", "memend-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	return withDemo(ctx, &p.console, home, func(t *engine.Trail, info versions.StoreInfo) error {
		return withOpen(ctx, t, info, func(s *engine.Store) error { return playDemo(ctx, cfg, t, s, speed) })
	})
}

// playDemo opens the TUI while the scripted agents work.
func playDemo(ctx context.Context, cfg ui.Config, t *engine.Trail, s *engine.Store, speed float64) error {
	api, err := script.New(demo.API(speed))
	if err != nil {
		return err
	}
	client, err := messages.New(messages.Options{BaseURL: api.URL(), APIKey: "scripted"})
	if err != nil {
		return errors.Join(err, api.Close())
	}
	manager := newManager(t, client, agent.ManagerOptions{Settings: demo.Settings(), Simulated: true})
	playing, stop := context.WithCancel(ctx)
	played := make(chan error, 1)
	banners := make(chan ui.Banner, 1)
	report := func(status demo.Status) {
		select {
		case banners <- ui.Banner{Text: status.Banner, Notice: status.Notice}:
		case <-playing.Done():
		}
	}
	keys := demo.Keys{
		Agents: keyOf(cfg.Keys, "global.agents"), Find: keyOf(cfg.Keys, "global.find-memory"),
		UndoSession: keyOf(cfg.Keys, "change.undo-session"),
		Queue:       keyOf(cfg.Keys, "global.review"), Reject: keyOf(cfg.Keys, "change.reject"), Trace: keyOf(cfg.Keys, "global.trace"), Redact: keyOf(cfg.Keys, "change.redact"),
	}
	terminal.Go(func() { played <- demo.Play(playing, manager, t, s, demo.UsualPace.Times(speed), keys, report) })
	others := &homeStores{Home: local.Home{Trail: t}, by: cfg.By, demo: true}
	err = runScreens(ctx, cfg, show{store: s, trail: t, manager: manager, others: others, banner: demo.Banner, banners: banners, follow: true})
	stop()
	return errors.Join(err, <-played, manager.Close(), api.Close(), others.close())
}

// keyOf returns the key that is bound to an action.
func keyOf(bindings keys.Bindings, id string) string {
	for _, e := range ui.AllActions(bindings) {
		if e.ID == id {
			return e.Hint()
		}
	}
	return ""
}

// withDemo creates the demo's home and runs do in it.
func withDemo(ctx context.Context, p *console, home string, do func(*engine.Trail, versions.StoreInfo) error) error {
	clock := demo.NewClock(p.now)
	t, err := engine.Open(ctx, home, versions.Options{Now: clock.Now})
	if err != nil {
		return err
	}
	info, err := demo.Make(ctx, t, clock)
	if err == nil {
		err = do(t, info)
	}
	return errors.Join(err, t.Close())
}

func makeDemo(ctx context.Context, p *console, folder string) error {
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
		return misusef("memend demo", "%s is not empty", folder)
	}
	return withDemo(ctx, p, folder, func(t *engine.Trail, info versions.StoreInfo) error {
		p.answer(storeOf(info), "created the demo's home; try `memend --home %s --store %s ls`", p.safe(shellWord(filepath.Clean(folder))), info.Name)
		return nil
	})
}
