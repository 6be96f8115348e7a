package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/agent/mcp"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// mcpFlags holds the flags of mcp.
type mcpFlags struct {
	listenFlags // for HTTP, if there is an address
	attach      []string
	tools       string
}

func mcpCommand(p *program) *cobra.Command {
	w := mcpFlags{listenFlags: listenFlags{flag: "--http"}}
	cmd := &cobra.Command{
		Use:         "mcp",
		Annotations: map[string]string{overview: "serve by MCP", attaches: "", creates: "", noJSON: always},
		Short:       "Serve memories to agents through MCP",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := w.problem(cmd.CommandPath(), &p.invocation); err != nil {
				return err
			}
			return p.withDoor(cmd.Context(), "mcp", func(ctx context.Context, d *door) error { return serveMCP(ctx, &p.storeOpener, d, w) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&w.address, "http", "", "listen on `ADDRESS` instead of standard input; port 0 picks a free port")
	w.flags(cmd)
	attachFlag(&p.environment, cmd, &w.attach)
	flags.StringVar(&w.tools, "tools", mcpTools[0], "which tools: `memory`, six or both")
	complete(cmd, "tools", cobra.FixedCompletions(mcpTools, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// attachFlag adds --attach to a command that makes agents work on stores.
func attachFlag(p *environment, cmd *cobra.Command, attach *[]string) {
	cmd.Flags().StringArrayVar(attach, "attach", nil, "a store to work on, `NAME[:ro]`; may be repeated")
	complete(cmd, "attach", p.completeStores)
}

// checkAttach refuses stores that are named in two ways.
func checkAttach(who *invocation, command string, attach []string) error {
	if len(attach) > 0 && who.store != "" {
		return misusef(command, "--attach and --store both name stores")
	}
	return nil
}

var mcpTools = []string{string(mcp.MemoryTool), string(mcp.SixTools), string(mcp.BothTools)}

// problem returns what is wrong with the flags.
func (w *mcpFlags) problem(command string, who *invocation) error {
	switch {
	case w.address != "" && who.session != "":
		return misusef(command, "--session: over HTTP each client has a session of its own")
	case w.address == "" && w.given():
		return misusef(command, "--token-file, --no-token, --tls-cert, --tls-key and --insecure need --http")
	case !slices.Contains(mcpTools, w.tools):
		return misusef(command, "--tools %s: must be %s", w.tools, oneOf(mcpTools))
	}
	return checkAttach(who, command, w.attach)
}

// serveMCP serves until the client disconnects or ctx ends.
func serveMCP(ctx context.Context, p *storeOpener, d *door, w mcpFlags) error {
	if w.address != "" {
		if _, err := w.check("memend mcp"); err != nil {
			return err
		}
	}
	return p.withTrail(ctx, func(t *engine.Trail) error {
		o, err := mcpOptions(ctx, &p.console, &p.invocation, t, w)
		if err != nil {
			return err
		}
		o.Log = d.log
		s, err := mcp.New(ctx, o)
		if err != nil {
			return err
		}
		if w.address != "" {
			return errors.Join(mcpOverHTTP(ctx, &p.console, &p.environment, d, s, &w.listenFlags), s.Close())
		}
		d.log.Info("open", "over", "standard input", "home", t.Home())
		if isTerminal(p.in) {
			fmt.Fprintln(p.err, "memend mcp waits for a client on standard input; `memend setup CLIENT --print` prints the settings for one.")
		}
		signal.Ignore(syscall.SIGPIPE) // a client that is gone is a normal end
		in, ok := p.in.(io.ReadCloser)
		if !ok {
			in = io.NopCloser(p.in)
		}
		err = errors.Join(s.Serve(ctx, in, nopCloser{p.stdout}), s.Close())
		d.log.Info("closed")
		return err
	})
}

// mcpOptions returns the options that the flags ask for.
func mcpOptions(ctx context.Context, p *console, who *invocation, t *engine.Trail, w mcpFlags) (o mcp.Options, err error) {
	o = mcp.Options{Trail: t, Tools: mcp.Tools(w.tools), Session: versions.SessionID(who.session), Version: release().Version}
	if w.address == "" {
		o.ClaudeCode = versions.SessionID(os.Getenv("CLAUDE_CODE_SESSION_ID"))
	}
	if who.actor != "" {
		by, err := who.identity(versions.Agent, "")
		if err != nil {
			return o, err
		}
		o.Actor = by.Actor
	}
	if o.Stores, err = attachments(ctx, who, t, w.attach); err != nil || len(o.Stores) > 0 {
		o.Attach = true
		return o, err
	}
	info, err := agentsStore(ctx, p, who, t)
	o.Stores = []versions.Attachment{{Store: info.ID}}
	return o, err
}

// nopCloser is a stream that is closed elsewhere.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// mcpOverHTTP serves clients that connect over HTTP.
func mcpOverHTTP(ctx context.Context, p *console, env *environment, d *door, s *mcp.Server, l *listenFlags) error {
	guard, err := listenGuard(p, env, l)
	if err != nil {
		return err
	}
	server, err := listen(ctx, p, d, l, s.Handler(guard))
	if err != nil {
		return err
	}
	server.RegisterOnShutdown(func() { _ = s.Close() }) // event streams would stay open otherwise
	url := server.url + mcp.Endpoint
	p.println("%s", url)
	if guard.Token != "" {
		p.println(`claude mcp add --scope user --transport http %s %s --header "Authorization: Bearer %s"`, clients.Program, url, l.tokenText(guard))
	}
	if err := p.flush(); err != nil {
		return errors.Join(err, server.listener.Close())
	}
	d.log.Info("open", "url", url, "token", guard.Token != "")
	return server.answer(ctx, d)
}
