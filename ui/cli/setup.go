package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/memend/memend/agent/clients"
	"github.com/spf13/cobra"
)

// setupFlags holds the flags of setup.
type setupFlags struct {
	address string   // of a server of this machine that the client connects to; "" makes the client start one
	attach  []string // the stores that the server works on
	scope   string
	only    string
	remove  bool
	yes     bool
	dryRun  bool
	print   bool
}

const onlyHooks, onlyMCP = "hooks", "mcp"

func setupCommand(p *program) *cobra.Command {
	var w setupFlags
	cmd := &cobra.Command{
		Use:               "setup [CLIENT]",
		Annotations:       map[string]string{overview: "connect a tool", changes: withName},
		Short:             "Connect an agent's program, such as Claude Code, to memend",
		ValidArgsFunction: cobra.FixedCompletions(clients.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := w.check(cmd.CommandPath(), &p.invocation); err != nil {
				return err
			}
			if len(args) == 0 {
				return setupList(&p.console)
			}
			client, ok := clients.Find(args[0])
			if !ok {
				return misusef(cmd.CommandPath(), "unknown client %s: must be %s", args[0], oneOf(clients.Names()))
			}
			// A home is made for a token, and for the calls of hooks.
			p.creates = p.creates || !w.dryRun && !w.remove && (w.address != "" || w.only == onlyHooks)
			if w.print {
				return printSetup(cmd.Context(), &p.storeOpener, client, w)
			}
			return runSetup(cmd.Context(), &p.storeOpener, client, w)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&w.scope, "scope", string(clients.User), "whose settings: `user` or project")
	flags.StringVar(&w.only, "only", "", "set up only this `PART`: hooks or mcp")
	flags.BoolVar(&w.remove, "remove", false, "remove memend from the settings")
	flags.BoolVar(&w.yes, "yes", false, "write without asking")
	flags.BoolVar(&w.dryRun, "dry-run", false, "show what would change, and write nothing")
	flags.StringVar(&w.address, "http", "", "make the client connect to `ADDRESS` instead of starting the server")
	attachFlag(&p.environment, cmd, &w.attach)
	flags.BoolVar(&w.print, "print", false, "print the settings, and write nothing")
	complete(cmd, "scope", cobra.FixedCompletions([]string{string(clients.User), string(clients.Project)}, cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "only", cobra.FixedCompletions([]string{onlyHooks, onlyMCP}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check refuses flags that contradict each other.
func (w *setupFlags) check(command string, who *invocation) error {
	switch {
	case w.scope != string(clients.User) && w.scope != string(clients.Project):
		return misusef(command, "--scope %s: must be user or project", w.scope)
	case w.only != "" && w.only != onlyHooks && w.only != onlyMCP:
		return misusef(command, "--only %s: must be hooks or mcp", w.only)
	case w.print && (w.remove || w.yes || w.dryRun || w.only != ""):
		return misusef(command, "--print writes nothing, and prints only the settings of the server; leave the other flags out")
	}
	if err := checkAttach(who, command, w.attach); err != nil || w.address == "" {
		return err
	}
	local, err := loopback(w.address)
	switch _, port, _ := net.SplitHostPort(w.address); {
	case err != nil:
		return misusef(command, "--http %s: %v", w.address, err)
	case !local:
		return misusef(command, "--http %s: must be an address of this machine, as in --http 127.0.0.1:4100; for another machine, change what --print prints", w.address)
	case port == "0" || port == "":
		return misusef(command, "--http %s: name the port that the server will listen on, as in --http 127.0.0.1:4100", w.address)
	}
	return nil
}

// runSetup connects a client, or disconnects it.
func runSetup(ctx context.Context, p *storeOpener, c clients.Client, w setupFlags) error {
	if c.Manual() {
		return misusef("memend setup", "%s: memend does not write its settings; `memend setup %s --print` prints what to add to them", c.Title, c.Name)
	}
	at, err := clientPlaces()
	if err != nil {
		return err
	}
	s := setting{client: c, scope: clients.Scope(w.scope)}
	if w.only != onlyHooks {
		s.servers = c.ServersFile(at, s.scope)
	}
	if w.only != onlyMCP {
		s.hooks = c.HooksFile(at, s.scope)
	}
	if s.servers == "" && s.hooks == "" {
		only := ""
		if w.only != "" {
			only = " --only " + w.only
		}
		return misusef("memend setup", "%s: it has no settings for --scope %s%s", c.Name, w.scope, only)
	}
	if !w.remove {
		if s.servers != "" && w.address == "" && len(w.attach) == 0 {
			if err := setupStore(ctx, p, c, p.canAsk() && !w.yes && !w.dryRun, w.yes); err != nil {
				return err
			}
		}
		if err := fillSetting(ctx, p, &s, w); err != nil {
			return err
		}
	}
	edits, err := s.edits(w.remove)
	if err != nil {
		return &hinted{fmt.Errorf("read the settings of %s: %w", c.Title, err), "nothing was written; fix the file, or add by hand what `memend setup " + c.Name + " --print` prints"}
	}
	out := setupJSON{Client: c.Name, Scope: w.scope, Files: []setupFile{}, Checks: []checkResult{}}
	changes := showEdits(&p.console, edits, at.Home, &out)
	if changes && !w.dryRun {
		if ok, err := confirmSetup(&p.console, len(edits), w.yes); !ok || err != nil {
			return err
		}
		if err := saveEdits(&p.console, edits, &out); err != nil {
			return err
		}
	}
	if !w.remove && !w.dryRun {
		if s.hooks != "" {
			out.Checks = append(out.Checks, checkHook(ctx, &p.environment, p.now, s.line))
		}
		if s.servers != "" {
			out.Checks = append(out.Checks, checkServer(ctx, s.server))
		}
	}
	return reportSetup(&p.console, out)
}

// setting describes what a client's files should contain.
type setting struct {
	client  clients.Client
	scope   clients.Scope
	servers string // the file with its servers; "" to leave it alone
	hooks   string
	server  clients.Server
	line    string // the command line of the hooks
}

// fillSetting computes what the files should contain.
func fillSetting(ctx context.Context, p *storeOpener, s *setting, w setupFlags) (err error) {
	if s.servers != "" {
		if s.server, err = clientServer(ctx, p, w); err != nil {
			return err
		}
		if s.scope == clients.Project && len(s.server.Headers) > 0 {
			fmt.Fprintf(p.err, "memend: the token will be in %s: do not share that file\n", p.safe(s.servers))
		}
	}
	if s.hooks != "" {
		s.line, err = hookLine(&p.environment)
	}
	return err
}

// edits returns the edits that add everything of ours to the files, or remove it.
func (s *setting) edits(remove bool) (out []clients.Edit, err error) {
	add := func(file string, set, unset func([]byte) ([]byte, error)) {
		if file == "" || err != nil {
			return
		}
		if remove {
			set = unset
		}
		var e clients.Edit
		if e, err = clients.Plan(file, set); err == nil {
			out = append(out, e)
		}
	}
	add(s.hooks, func(text []byte) ([]byte, error) { return clients.SetHooks(text, clients.Hooks(s.line)) }, clients.RemoveHooks)
	add(s.servers, func(text []byte) ([]byte, error) { return s.client.SetServer(text, s.server) }, s.client.RemoveServer)
	for i := range out {
		out[i].Secret = !remove && out[i].File == s.servers && len(s.server.Headers) > 0
	}
	return out, err
}

type setupJSON struct {
	Client string        `json:"client"`
	Scope  string        `json:"scope"`
	Files  []setupFile   `json:"edits"`
	Checks []checkResult `json:"checks"`
	ToAdd  string        `json:"to_add,omitempty"` // of --print
}

type setupFile struct {
	File    string `json:"file"`
	Unified string `json:"unified"` // the diff; "" if nothing changes
	Written bool   `json:"written"`
}

// showEdits prints the diff of each file, and reports whether there is one.
func showEdits(p *console, edits []clients.Edit, home string, out *setupJSON) (changes bool) {
	for _, e := range edits {
		f := setupFile{File: e.File}
		if e.Changes() {
			changes = true
			d := difference{old: bytes.TrimPrefix(e.Before, []byte("\ufeff")), new: bytes.TrimPrefix(e.After, []byte("\ufeff")), oldName: e.File, newName: e.File}
			if !e.Exists {
				d.oldName = nowhere
			}
			if e.Deletes() {
				d.newName, d.new = nowhere, nil
			}
			if f.Unified = string(d.unified()); !p.json {
				printDifference(p, d)
			}
		} else if !p.json {
			p.println("%s: nothing to change", p.safe(shortFolder(home, e.File)))
		}
		out.Files = append(out.Files, f)
	}
	return changes
}

// confirmSetup asks before it writes files of another program.
func confirmSetup(p *console, files int, yes bool) (bool, error) {
	if yes {
		return true, nil
	}
	if !p.canAsk() {
		return false, misusef("memend setup", "nothing was written: this is not a terminal, so pass --yes")
	}
	question := "Write this file?"
	if files > 1 {
		question = "Write these files?"
	}
	return p.confirm(question), nil
}

func saveEdits(p *console, edits []clients.Edit, out *setupJSON) error {
	for i, e := range edits {
		if !e.Changes() {
			continue
		}
		if err := e.Save(); errors.Is(err, clients.ErrChanged) {
			return &hinted{&refusal{err}, "run it again: it begins with the file as it is now"}
		} else if err != nil {
			return fmt.Errorf("write %s: %w", e.File, err)
		}
		out.Files[i].Written = true
		if !p.json {
			p.println("%s %s", map[bool]string{false: "wrote", true: "deleted, as nothing is left in it,"}[e.Deletes()], p.safe(e.File))
		}
	}
	return nil
}

// reportSetup reports the results of the checks.
func reportSetup(p *console, out setupJSON) error {
	if p.json {
		p.emit(out)
	}
	var failed error
	for _, a := range out.Checks {
		if !a.OK {
			failed = errReported
		}
		if p.json {
			continue
		}
		p.println("%s: %s", a.Door, p.safe(a.Seen))
		if a.Hint != "" {
			p.println("  hint: %s", p.safe(a.Hint))
		}
	}
	if len(out.Checks) > 0 && failed == nil && !p.json {
		p.println("restart the client: it reads its settings when it starts")
	}
	return failed
}
