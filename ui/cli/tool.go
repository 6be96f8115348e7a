package cli

import (
	"bufio"
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

func toolCommand(p *program) *cobra.Command {
	var attach []string
	var handler string
	cmd := &cobra.Command{
		Use:         "tool",
		Annotations: map[string]string{overview: "memory tool", attaches: "", creates: ""},
		Short:       "Run an agent's memory-tool commands",
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("handler") {
				return printHandler(&p.console, cmd.CommandPath(), handler)
			}
			by, err := p.shellIdentity(versions.Agent, "agent")
			if err != nil {
				return err
			}
			by.Door = versions.DoorTool
			if err := checkAttach(&p.invocation, cmd.CommandPath(), attach); err != nil {
				return err
			}
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error {
				as, err := attachments(cmd.Context(), &p.invocation, t, attach)
				if err != nil {
					return err
				}
				if len(as) > 0 {
					return attached(cmd.Context(), &p.console, &p.invocation, t, by, as)
				}
				info, err := agentsStore(cmd.Context(), &p.console, &p.invocation, t)
				if err != nil {
					return err
				}
				return withOpen(cmd.Context(), t, info, func(s *engine.Store) error {
					if err := pullUpstream(cmd.Context(), &p.console, s); err != nil {
						return err
					}
					return runTool(cmd.Context(), &p.console, current{s}, by)
				})
			})
		},
	}
	attachFlag(&p.environment, cmd, &attach)
	cmd.Flags().StringVar(&handler, "handler", "", "print a handler for an SDK's memory tool; `LANGUAGE` is python, typescript or java")
	return cmd
}

// current is a store that adopts outside changes only for the memories that a command
// names, so that the cost of a command does not depend on the size of the store.
type current struct{ *engine.Store }

func (s current) Tool(ctx context.Context, by versions.By, c memfs.Command, o memfs.Options) (memfs.Result, versions.Change, error) {
	if _, err := s.SyncPaths(ctx, s.named(c)...); err != nil && !versions.IsUnwritable(err) {
		return memfs.Result{}, versions.Change{}, err
	}
	return s.Store.Tool(ctx, by, c, o)
}

// named returns the memories that a command names, except folders that are only listed.
func (s current) named(c memfs.Command) (out []memfs.Path) {
	to, from := agent.CommandPaths(c)
	_, view := c.(memfs.View)
	for _, name := range []string{from, to} {
		if name == "" {
			continue
		}
		p, err := memfs.ParseToolPath(name)
		if err != nil || p.IsRoot() || view && s.IsFolder(p) {
			return nil // the command reports it, or lists what exists
		}
		out = append(out, p)
	}
	return out
}

// attached runs commands on attached stores.
func attached(ctx context.Context, p *console, who *invocation, t *engine.Trail, by versions.By, as []versions.Attachment) error {
	if cmp.Or(who.session, who.me.session) == "" { // not the session of the shell's agent, which may change other stores
		by.Session = versions.NewSession()
	}
	a, err := stores.Attach(ctx, t, by, as)
	if err != nil {
		return err
	}
	if err = a.Sync(ctx); err == nil {
		err = runTool(ctx, p, a, by)
	}
	return errors.Join(err, a.Close())
}

// attachments returns the named stores, read-only with :ro. Without names it returns the
// stores that the session began with.
func attachments(ctx context.Context, p *invocation, t *engine.Trail, names []string) ([]versions.Attachment, error) {
	if len(names) == 0 && p.store == "" && p.session != "" {
		return stores.Attachments(ctx, t, versions.SessionID(p.session))
	}
	var as []versions.Attachment
	for _, name := range names {
		info, access, err := attachment(ctx, p, t, name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(as, func(a versions.Attachment) bool { return a.Store == info.ID }) {
			return nil, &misuse{fmt.Errorf("--attach: store %s is attached twice", info.Name), ""}
		}
		as = append(as, versions.Attachment{Store: info.ID, Access: access})
	}
	return as, nil
}

// attachment parses NAME, NAME:rw or NAME:ro. A name may itself contain a colon.
func attachment(ctx context.Context, p *invocation, t *engine.Trail, arg string) (versions.StoreInfo, versions.Access, error) {
	info, err := p.namedStore(ctx, t, arg)
	i := strings.LastIndexByte(arg, ':')
	if err == nil || i <= 0 {
		return info, versions.ReadWrite, err
	}
	name, access := arg[:i], arg[i+1:]
	known, nerr := p.namedStore(ctx, t, name)
	switch {
	case nerr == nil && access == "ro":
		return known, versions.ReadOnly, nil
	case nerr == nil && access == "rw":
		return known, versions.ReadWrite, nil
	case nerr == nil:
		return info, "", &misuse{&hinted{fmt.Errorf("--attach %s: unknown access %q", arg, access), "write ro for read-only, rw or nothing for read-write"}, ""}
	case access == "ro" || access == "rw":
		return info, "", nerr
	}
	return info, "", err
}

type toolResultJSON struct {
	ToolUseID string `json:"tool_use_id,omitempty"`
	Content   string `json:"content"`
	IsError   bool   `json:"is_error"`
}

// runTool answers each line at once, because the caller waits for it.
func runTool(ctx context.Context, p *console, s agent.Memory, by versions.By) error {
	var failed error
	in := bufio.NewReader(p.in)
	for {
		line, whole, rerr := agent.ReadLine(in, agent.MaxLine)
		if len(line) > 0 || !whole {
			called := agent.Called{Result: memfs.Result{Text: fmt.Sprintf("Error: the line is longer than %d bytes; nothing was done", agent.MaxLine), IsError: true}}
			var err error
			if whole {
				called, err = agent.Call(ctx, s, by, line)
			}
			answer := toolResultJSON{called.ToolUse, called.Result.Text, called.Result.IsError}
			if err != nil {
				fmt.Fprintf(p.err, "memend: %s\n", text.Field(err.Error()))
				failed = errReported
			}
			p.emit(answer)
			if err := p.flush(); err != nil {
				return err
			}
		}
		if errors.Is(rerr, io.EOF) {
			return failed
		}
		if rerr != nil {
			return fmt.Errorf("read standard input: %w", rerr)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// handlerFiles connect the memory tools of the official SDKs to `memend tool`. Developers of
// agents copy them.
//
//go:embed handlers
var handlerFiles embed.FS

var handlers = map[string]string{"python": "memory_tool.py", "typescript": "memory_tool.ts", "java": "MemendMemoryTool.java"}

// printHandler prints the source of the handler for a language.
func printHandler(p *console, command, language string) error {
	name, ok := handlers[language]
	switch {
	case language == "go": // a program in Go needs no process between it and the store
		return &hinted{misusef(command, "--handler go: a program in Go imports the package agent/messages instead"),
			"agent/messages/example_test.go shows the tool runner of the official SDK with a store"}
	case !ok:
		return misusef(command, "--handler %s: must be %s", language, oneOf(slices.Sorted(maps.Keys(handlers))))
	}
	b, err := handlerFiles.ReadFile("handlers/" + name)
	if err != nil {
		return err
	}
	_, err = p.out.Write(b)
	return err
}
