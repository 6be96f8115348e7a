package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/memtrail/memtrail/agent/mcp"
	"github.com/memtrail/memtrail/versions"
	"github.com/spf13/cobra"
)

// mcpWishes are the flags of mcp.
type mcpWishes struct {
	http      string
	tokenFile string
	attach    []string
	tools     string
	config    string
}

func (p *program) mcpCommand() *cobra.Command {
	var w mcpWishes
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Give memories to agents that speak MCP",
		Long: `Serve a store to an agent by the Model Context Protocol, on standard input and
output: the agent's program starts it. It offers the memory tool with its six
commands, and the memories as resources, of whose changes clients are told.
--print-config prints what to put into a client's settings.

Each connection is a session, and the agent has the name that the client gives
itself. What it writes and reads shows on the screens at once.

With --attach it works on the stores that are named, eight at most, and with :ro
it may only read one; several are folders in /memories. --tools six gives tools
of our own, memory_list, memory_search, memory_read, memory_write, memory_edit
and memory_delete, with structured answers and preconditions; both gives all.

With --http it listens instead, and prints its URL first. To listen to other
machines a token is needed, which clients send as a bearer token.

It ends with its client, or with an interrupt. What it does is logged in the
home, in log/mcp.log, without contents.`,
		Example: `  claude mcp add memtrail -- memtrail mcp -s work
  memtrail mcp --print-config claude-desktop
  memtrail mcp --attach work --attach team:ro
  memtrail mcp --http 127.0.0.1:4100 --tools both`,
		Args: misused(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(w.attach) > 0 && p.store != "":
				return misusef(cmd.CommandPath(), "--attach and --store both name stores")
			case w.http != "" && p.session != "":
				return misusef(cmd.CommandPath(), "--session: over HTTP each client has a session of its own")
			case w.http == "" && w.tokenFile != "":
				return misusef(cmd.CommandPath(), "--token-file goes with --http")
			case !slices.Contains(mcpTools, w.tools):
				return misusef(cmd.CommandPath(), "--tools %s: there are %s", w.tools, strings.Join(mcpTools, ", "))
			case w.config != "":
				return p.printMCPConfig(cmd.Context(), w)
			}
			return p.withDoor(cmd.Context(), "mcp", func(ctx context.Context, d *door) error { return p.mcp(ctx, d, w) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&w.http, "http", "", "listen on `ADDRESS` instead of standard input; port 0 is any that is free")
	flags.StringVar(&w.tokenFile, "token-file", "", "`FILE` with the token that clients must send")
	flags.StringArrayVar(&w.attach, "attach", nil, "a store to work on, `NAME[:ro]`; may be repeated")
	flags.StringVar(&w.tools, "tools", mcpTools[0], "which tools: `memory`, six or both")
	flags.StringVar(&w.config, "print-config", "", "print the settings for a `CLIENT`: "+strings.Join(mcpClients(), ", "))
	complete(cmd, "attach", p.completeStores)
	complete(cmd, "tools", cobra.FixedCompletions(mcpTools, cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "print-config", cobra.FixedCompletions(mcpClients(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

var mcpTools = []string{string(mcp.MemoryTool), string(mcp.SixTools), string(mcp.BothTools)}

// mcp serves until the client leaves or ctx ends.
func (p *program) mcp(ctx context.Context, d *door, w mcpWishes) error {
	token, err := readToken(w.tokenFile)
	if err != nil {
		return err
	}
	return p.withTrail(ctx, func(t *versions.Trail) error {
		o, err := p.mcpOptions(ctx, t, w)
		if err != nil {
			return err
		}
		o.Log = d.log
		s, err := mcp.New(ctx, o)
		if err != nil {
			return err
		}
		if w.http != "" {
			return errors.Join(p.mcpOverHTTP(ctx, d, s, w.http, token), s.Close())
		}
		d.log.Info("open", "over", "standard input", "home", t.Home())
		if isTerminal(p.in) {
			fmt.Fprintln(p.err, "memtrail mcp waits for a client on standard input; `memtrail mcp --print-config CLIENT` prints how one is told of it.")
		}
		err = errors.Join(p.mcpOverStreams(ctx, s), s.Close())
		d.log.Info("closed")
		return err
	})
}

// mcpOptions are what the flags ask for.
func (p *program) mcpOptions(ctx context.Context, t *versions.Trail, w mcpWishes) (o mcp.Options, err error) {
	o = mcp.Options{Trail: t, Attach: len(w.attach) > 0, Tools: mcp.Tools(w.tools), Session: versions.SessionID(p.session), Version: release().Version}
	if p.actor != "" {
		by, err := p.by(versions.Agent, "")
		if err != nil {
			return o, err
		}
		o.Actor = by.Actor
	}
	if o.Attach {
		o.Stores, err = attachments(ctx, t, w.attach)
		return o, err
	}
	info, err := p.chooseStore(ctx, t)
	o.Stores = []versions.Attachment{{Store: info.ID}}
	return o, err
}

// mcpOverStreams serves the one client that has started the program.
func (p *program) mcpOverStreams(ctx context.Context, s *mcp.Server) error {
	signal.Ignore(syscall.SIGPIPE) // a client that is gone is an end like another
	in, ok := p.in.(io.ReadCloser)
	if !ok {
		in = io.NopCloser(p.in)
	}
	return s.Serve(ctx, in, keptOpen{p.stdout})
}

// keptOpen is a stream that somebody else closes.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// mcpOverHTTP listens, and serves whoever comes.
func (p *program) mcpOverHTTP(ctx context.Context, d *door, s *mcp.Server, address, token string) error {
	local, err := loopback(address)
	if err != nil {
		return misusef("memtrail mcp", "--http %s: %v", address, err)
	}
	if !local && token == "" {
		return &hinted{fmt.Errorf("listen on %s: other machines could read and change everything", address),
			"name a file that holds a token with --token-file, or listen on 127.0.0.1"}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", address, err)
	}
	server := &http.Server{Handler: s.Handler(token), ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(d.log.Handler(), slog.LevelWarn)}
	server.RegisterOnShutdown(func() { _ = s.Close() }) // streams of events would stay open for ever
	url := urlOf(l.Addr()) + mcp.Endpoint
	p.println("%s", url)
	if err := p.out.Flush(); err != nil {
		return errors.Join(&outputError{err}, l.Close())
	}
	d.log.Info("open", "url", url, "token", token != "")
	return answerUntil(ctx, d, server, l)
}
