package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/agent/mcp"
	"github.com/memend/memend/agent/tokens"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// printSetup prints the settings that make a client use this program.
func printSetup(ctx context.Context, p *storeOpener, c clients.Client, w setupFlags) error {
	if c.Local && w.address != "" {
		return misusef("memend setup", "%s starts its servers itself and takes no URL; leave out --http", c.Title)
	}
	server, err := clientServer(ctx, p, w)
	if err != nil {
		return err
	}
	scope := clients.Scope(w.scope)
	what, toAdd := "Run this, or leave --scope user out for this project only", claudeCommand(server)
	if c.Name != claudeCode || scope != clients.User {
		files, err := printedFiles(c, scope)
		if err != nil {
			return err
		}
		if toAdd, err = c.Settings(server); err != nil {
			return err
		}
		what = "Put this into " + files
	}
	if p.json {
		p.emit(setupJSON{Client: c.Name, Scope: string(scope), Files: []setupFile{}, Checks: []checkResult{}, ToAdd: toAdd})
		return nil
	}
	fmt.Fprintf(p.err, "%s:\n", what)
	p.println("%s", strings.TrimSuffix(toAdd, "\n"))
	return nil
}

// printedFiles describes the files that a client's settings belong in.
func printedFiles(c clients.Client, first clients.Scope) (string, error) {
	if c.Manual() {
		return "the MCP settings of " + c.Title, nil
	}
	at, err := clientPlaces()
	if err != nil {
		return "", err
	}
	at.Folder = "."
	project := c.ServersFile(at, clients.Project)
	if first == clients.Project {
		return project + " in the project's folder", nil
	}
	user := shortFolder(at.Home, c.ServersFile(at, clients.User))
	if project == "" {
		return user, nil
	}
	return user + ", or into " + project + " in the project's folder", nil
}

// clientServer returns the server that the flags describe.
func clientServer(ctx context.Context, p *storeOpener, w setupFlags) (s clients.Server, err error) {
	if w.address == "" {
		if s.Command, err = programPath(); err == nil {
			s.Args, err = clientArgs(ctx, p, w.attach)
		}
		return s, err
	}
	addr, err := net.ResolveTCPAddr("tcp", w.address)
	if err != nil {
		return s, err
	}
	var guard tokens.Guard
	if err := p.withTrail(ctx, func(*engine.Trail) error {
		guard, err = listenGuard(&p.console, &p.environment, &listenFlags{})
		return err
	}); err != nil {
		return s, err
	}
	s.URL = urlOf("http", addr) + mcp.Endpoint
	s.Headers = map[string]string{"Authorization": "Bearer " + guard.Token}
	return s, nil
}

// clientArgs returns the arguments that make a client, which may start the program in any
// folder, use the same stores.
func clientArgs(ctx context.Context, p *storeOpener, attach []string) ([]string, error) {
	flags, err := homeFlags(&p.environment)
	if err != nil {
		return nil, err
	}
	args := append([]string{"mcp"}, flags...)
	err = p.withTrail(ctx, func(t *engine.Trail) error {
		for _, name := range attach {
			info, access, err := attachment(ctx, &p.invocation, t, name)
			if err != nil {
				return err
			}
			if name = info.Name; access == versions.ReadOnly {
				name += ":ro"
			}
			args = append(args, "--attach", name)
		}
		if len(attach) > 0 {
			return nil
		}
		info, err := p.selectStore(ctx, t, forClient)
		if errors.As(err, new(*noStoreHere)) {
			return nil // the server makes it
		}
		args = append(args, "-s", info.Name)
		return err
	})
	if p.actor != "" {
		args = append(args, "--actor", p.actor)
	}
	return args, err
}

// claudeCommand returns the command with which Claude Code adds the server to its settings.
func claudeCommand(s clients.Server) string {
	words := []string{"claude mcp add --scope user"}
	if s.URL != "" {
		words = append(words, "--transport http", clients.Program, s.URL)
		for name, value := range s.Headers {
			words = append(words, "--header", shellWord(name+": "+value))
		}
	} else {
		words = append(words, clients.Program, "--", shellWord(s.Command))
		for _, arg := range s.Args {
			words = append(words, shellWord(arg))
		}
	}
	return strings.Join(words, " ")
}

// hookLine returns the command line that a hook of Claude Code runs.
func hookLine(p *environment) (string, error) {
	file, err := programPath()
	if err != nil {
		return "", err
	}
	flags, err := homeFlags(p)
	if err != nil {
		return "", err
	}
	words := []string{shellWord(file), "hook"}
	for _, flag := range flags {
		words = append(words, shellWord(flag))
	}
	return strings.Join(words, " "), nil
}

// printHooks prints the Claude Code settings that call this program as a hook.
func printHooks(p *console, env *environment) error {
	line, err := hookLine(env)
	if err != nil {
		return err
	}
	settings, err := clients.HookSettings(clients.Hooks(line))
	_, _ = p.out.WriteString(settings)
	return err
}

// shellWord quotes a text as one word of a shell's command line.
func shellWord(s string) string { return clients.Word(s) }
