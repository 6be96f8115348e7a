package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/memtrail/memtrail/ui/cli/demo"
	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

func (p *program) demoCommand() *cobra.Command {
	var folder string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Look around in a made-up store while a scripted agent writes",
		Long: `Open the screens on a store of made-up memories with a week of history, in a
temporary home that is removed at the end, while a scripted agent goes on
writing into its folder "live". Nothing needs a key or the network.

Two mistakes are in it for you to find and take back.`,
		Example: `  memtrail demo
  memtrail demo --make /tmp/demo && memtrail --home /tmp/demo log`,
		Args: misused(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if folder != "" {
				return p.makeDemo(cmd.Context(), folder)
			}
			return p.demo(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&folder, "make", "", "make the demo's home in `DIR`, for other commands, and leave")
	p.screenFlags(cmd, false)
	return cmd
}

// demo shows the store in a home that does not outlive it.
func (p *program) demo(ctx context.Context) (err error) {
	conf, err := p.settings()
	if err != nil {
		return err
	}
	if !p.terminal || !isTerminal(p.in) {
		return errNoTerminal
	}
	// A signal must not leave the home behind.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	home, err := os.MkdirTemp("", "memtrail-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	return p.withDemo(ctx, home, func(t *versions.Trail, info versions.StoreInfo) error {
		s, err := t.OpenStore(ctx, info.ID)
		if err != nil {
			return err
		}
		by, err := p.person()
		if err != nil {
			return errors.Join(err, s.Close())
		}
		playing, stop := context.WithCancel(ctx)
		played := make(chan error, 1)
		go func() { played <- demo.Play(playing, s) }()
		err = p.run(ctx, conf, s, by, nil, nil, demo.Banner)
		stop()
		return errors.Join(err, <-played, s.Close())
	})
}

// withDemo makes the demo's home and runs do in it.
func (p *program) withDemo(ctx context.Context, home string, do func(*versions.Trail, versions.StoreInfo) error) error {
	clock := demo.NewClock(p.now)
	t, err := versions.Open(ctx, home, versions.Options{Now: clock.Now})
	if err != nil {
		return err
	}
	info, err := demo.Make(ctx, t, clock)
	if err == nil {
		err = do(t, info)
	}
	return errors.Join(err, t.Close())
}

func (p *program) makeDemo(ctx context.Context, folder string) error {
	if entries, err := os.ReadDir(folder); err == nil && len(entries) > 0 {
		return misusef("memtrail demo", "%s is not empty", folder)
	}
	return p.withDemo(ctx, folder, func(t *versions.Trail, info versions.StoreInfo) error {
		if p.json {
			return p.emit(storeOf(info))
		}
		p.println("made the demo's home; look at it with `memtrail --home %s --store %s ls`", p.safe(filepath.Clean(folder)), info.Name)
		return nil
	})
}
