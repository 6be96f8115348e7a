package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/signal"
	"syscall"

	"github.com/memend/memend/agent/storesapi"
	"github.com/memend/memend/versions"
	"github.com/spf13/cobra"
)

func (p *program) serveCommand() *cobra.Command {
	f := &serveFlags{listenFlags: listenFlags{flag: "--listen"}}
	cmd := &cobra.Command{
		Use:         "serve",
		Annotations: map[string]string{creates: ""},
		Short:       "Serve the stores through the memory-stores API",
		Args:        cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.stdio() && f.given() {
				return misusef(cmd.CommandPath(), "--listen stdio: there is no port and no token: leave out --token-file, --no-token, --tls-cert, --tls-key and --insecure")
			}
			return p.withDoor(cmd.Context(), "serve", func(ctx context.Context, d *door) error {
				return p.serve(ctx, d, f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.address, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 picks a free port, stdio serves one client over standard input and output")
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

func (f *serveFlags) stdio() bool { return f.address == "stdio" }

// serve serves until ctx ends, or the client of --listen stdio does, and then finishes the requests
// in progress.
func (p *program) serve(ctx context.Context, d *door, f *serveFlags) error {
	local := false
	if !f.stdio() {
		var err error
		if local, err = f.check("memend serve"); err != nil {
			return err
		}
	}
	return p.withTrail(ctx, func(t *versions.Trail) error {
		o := storesapi.Options{Trail: t, Erase: f.erase, Local: local, Log: d.log, Release: release().Version}
		if f.stdio() && p.actor != "" {
			by, err := p.by(versions.APIKey, "")
			if err != nil {
				return err
			}
			o.Actor = by.Actor
		}
		var err error
		if o.Attached, err = p.attachments(ctx, t, f.attach); err != nil {
			return err
		}
		if f.stdio() {
			api := storesapi.New(o)
			return errors.Join(p.serveStream(ctx, d, api), api.Close())
		}
		if o.Guard, err = p.guard(&f.listenFlags); err != nil {
			return err
		}
		api := storesapi.New(o)
		server, err := p.listen(ctx, d, &f.listenFlags, api)
		if err != nil {
			return errors.Join(err, api.Close())
		}
		server.RegisterOnShutdown(api.EndWaiting)
		p.println("%s", server.url)
		if o.Guard.Token != "" {
			p.println("ANTHROPIC_BASE_URL=%s ANTHROPIC_API_KEY=%s", server.url, f.tokenText(o.Guard))
		}
		if err := p.out.Flush(); err != nil {
			return errors.Join(&outputError{err}, server.listener.Close(), api.Close())
		}
		d.log.Info("open", "url", server.url, "token", o.Guard.Token != "", "erase", f.erase, "home", t.Home())
		return errors.Join(server.answer(ctx, d), api.Close())
	})
}

// serveStream serves the client that started the program, which may have many requests under
// way at once: the streams carry HTTP/2.
func (p *program) serveStream(ctx context.Context, d *door, api *storesapi.Server) error {
	signal.Ignore(syscall.SIGPIPE) // a client that is gone is a normal end
	if isTerminal(p.in) {
		fmt.Fprintln(p.err, "memend serve --listen stdio waits for a client on standard input: another program starts it, such as ssh.")
	}
	s := newServer(d, listenOn(p.in, p.stdout), api)
	s.RegisterOnShutdown(api.EndWaiting)
	s.ReadTimeout, s.IdleTimeout = 0, 0 // the client keeps its connection
	s.Protocols = &http.Protocols{}
	s.Protocols.SetUnencryptedHTTP2(true)
	d.log.Info("open", "over", "standard input")
	return s.answer(ctx, d)
}
