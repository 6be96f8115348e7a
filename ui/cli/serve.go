package cli

import (
	"context"
	"errors"

	"github.com/memend/memend/agent/storesapi"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) serveCommand() *cobra.Command {
	l := &listenFlags{flag: "--listen"}
	var erase bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the stores through the memory-stores API",
		Long: `Serve the stores of the home over HTTP, through the memory-stores API. The
official SDKs work with them when their base URL is the one that is printed
first. The TUI shows what clients write at once, and clients see what is written
in the TUI and by other programs.

Clients send a token where the SDKs send their API key. The home's own token is
in the file "token"; the second line of output shows it. "memend tokens create
NAME" makes a token for one client, which is then recorded under that name and
can be revoked alone. With --no-token, every program and every user of this
machine can read and change all stores, and each key that is sent is recorded as
a separate actor, by its hash.

Clients can't redact versions or delete stores, unless --allow-erase is given.

By default it listens only on this machine, on a free port. To listen elsewhere,
pass a certificate with --tls-cert and --tls-key, or --insecure.

An interrupt ends it once the running requests are answered. It logs what it
does, without contents and keys, in log/serve.log in the home.`,
		Example: `  memend serve
  memend serve --listen 127.0.0.1:4000
  memend serve --allow-erase
  memend serve --listen 0.0.0.0:4000 --tls-cert cert.pem --tls-key key.pem`,
		Args: misused(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withDoor(cmd.Context(), "serve", func(ctx context.Context, d *door) error {
				return p.serve(ctx, d, l, erase)
			})
		},
	}
	cmd.Flags().StringVar(&l.address, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 picks a free port")
	cmd.Flags().BoolVar(&erase, "allow-erase", false, "let clients redact versions and delete stores, which can't be undone")
	l.flags(cmd)
	return cmd
}

// serve serves until ctx ends, and then finishes the requests in progress.
func (p *program) serve(ctx context.Context, d *door, l *listenFlags, erase bool) error {
	local, err := l.check("memend serve")
	if err != nil {
		return err
	}
	return p.withTrail(ctx, func(t *versions.Trail) error {
		guard, err := p.guard(l)
		if err != nil {
			return err
		}
		api := storesapi.New(storesapi.Options{Trail: t, Guard: guard, Erase: erase, Local: local, Log: d.log})
		server, err := p.listen(ctx, d, l, api)
		if err != nil {
			return errors.Join(err, api.Close())
		}
		p.println("%s", server.url)
		if guard.Token != "" {
			p.println("ANTHROPIC_BASE_URL=%s ANTHROPIC_API_KEY=%s", server.url, l.tokenText(guard))
		}
		if err := p.out.Flush(); err != nil {
			return errors.Join(&outputError{err}, server.listener.Close(), api.Close())
		}
		d.log.Info("open", "url", server.url, "token", guard.Token != "", "erase", erase, "home", t.Home())
		return errors.Join(server.answer(ctx, d), api.Close())
	})
}
