package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/storesapi"
	"github.com/memend/memend/versions/engine"
)

func serveCommand(p *program) *cobra.Command {
	f := &serveFlags{listenFlags: listenFlags{flag: "--listen"}}
	cmd := &cobra.Command{
		Use:         "serve",
		Annotations: map[string]string{overview: "serve by HTTP", creates: "", noJSON: always},
		Short:       "Serve the stores through the memory-stores API",
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withDoor(cmd.Context(), "serve", func(ctx context.Context, d *door) error {
				return serveAPI(ctx, &p.storeOpener, d, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.address, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 picks a free port")
	flags.StringArrayVar(&f.attach, "attach", nil, "serve only this store, `NAME[:ro]`; may be repeated")
	flags.BoolVar(&f.erase, "allow-erase", false, "let clients redact versions and delete stores, which can't be undone")
	complete(cmd, "attach", p.completeStores)
	f.flags(cmd)
	return cmd
}

type serveFlags struct {
	listenFlags
	attach []string
	erase  bool
}

// serveAPI serves until ctx ends, and then finishes the requests in progress.
func serveAPI(ctx context.Context, p *storeOpener, d *door, f *serveFlags) error {
	local, err := f.check("memend serve")
	if err != nil {
		return err
	}
	return p.withTrail(ctx, func(t *engine.Trail) error {
		o := storesapi.Options{Trail: t, Erase: f.erase, Local: local, Log: d.log}
		if o.Attached, err = attachments(ctx, &p.invocation, t, f.attach); err != nil {
			return err
		}
		if o.Guard, err = listenGuard(&p.console, &p.environment, &f.listenFlags); err != nil {
			return err
		}
		api := storesapi.New(o)
		server, err := listen(ctx, &p.console, d, &f.listenFlags, api)
		if err != nil {
			return errors.Join(err, api.Close())
		}
		p.println("%s", server.url)
		if o.Guard.Token != "" {
			p.println("ANTHROPIC_BASE_URL=%s ANTHROPIC_API_KEY=%s", server.url, f.tokenText(o.Guard))
		}
		if err := p.flush(); err != nil {
			return errors.Join(err, server.listener.Close(), api.Close())
		}
		d.log.Info("open", "url", server.url, "token", o.Guard.Token != "", "erase", f.erase, "home", t.Home())
		return errors.Join(server.answer(ctx, d), api.Close())
	})
}
