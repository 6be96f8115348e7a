package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/agent/mcp"
	"github.com/memend/memend/agent/tokens"
	"github.com/memend/memend/versions"
)

// claudeProject is the client name for Claude Code's settings in a project's folder.
const claudeProject = "claude-project"

func mcpClients() []string {
	names := append(clients.Names(), claudeProject)
	slices.Sort(names)
	return names
}

// printMCPConfig prints the settings that make a client start this program.
func (p *program) printMCPConfig(ctx context.Context, w mcpFlags) error {
	name, scope := w.config, clients.User
	if name == claudeProject {
		name, scope = "claude-code", clients.Project
	}
	client, ok := clients.Find(name)
	if !ok {
		return misusef("memend mcp", "--print-config %s: must be %s", w.config, oneOf(mcpClients()))
	}
	server, err := p.mcpServer(ctx, w)
	if err != nil {
		return err
	}
	if client.Local && server.URL != "" {
		return misusef("memend mcp", "--print-config %s: it starts its servers itself and takes no URL; leave out --http", w.config)
	}
	if w.config == "claude-code" {
		fmt.Fprintln(p.err, "Run this, or leave --scope user out for this project only:")
		p.println("%s", claudeCommand(server))
		return nil
	}
	files, err := printedFiles(client, scope)
	if err != nil {
		return err
	}
	settings, err := client.Settings(server)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.err, "Put this into %s (or run `memend setup`):\n", files)
	_, err = p.out.WriteString(settings)
	return err
}

// printedFiles describes the files that a client's settings belong in.
func printedFiles(c clients.Client, first clients.Scope) (string, error) {
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

// mcpServer returns the server that the flags describe.
func (p *program) mcpServer(ctx context.Context, w mcpFlags) (s clients.Server, err error) {
	if w.address == "" {
		if s.Command, err = programPath(); err == nil {
			s.Args, err = p.mcpArgs(ctx, w)
		}
		return s, err
	}
	if _, err := w.check("memend mcp"); err != nil {
		return s, err
	}
	_, port, _ := net.SplitHostPort(w.address)
	if port == "0" || port == "" {
		return s, misusef("memend mcp", "--http %s: name the port that the server will listen on, as in --http 127.0.0.1:4100", w.address)
	}
	addr, err := net.ResolveTCPAddr("tcp", w.address)
	if err != nil {
		return s, err
	}
	var guard tokens.Guard
	if err := p.withTrail(ctx, func(*versions.Trail) error { guard, err = p.guard(&w.listenFlags); return err }); err != nil {
		return s, err
	}
	s.URL = urlOf(w.scheme(), addr) + mcp.Endpoint
	if guard.Token != "" {
		s.Headers = map[string]string{"Authorization": "Bearer " + guard.Token}
	}
	return s, nil
}

// mcpArgs returns the arguments that make a client, which may start the program in any
// folder, use the same stores.
func (p *program) mcpArgs(ctx context.Context, w mcpFlags) ([]string, error) {
	flags, err := p.homeFlags()
	if err != nil {
		return nil, err
	}
	args := append([]string{"mcp"}, flags...)
	err = p.withTrail(ctx, func(t *versions.Trail) error {
		for _, name := range w.attach {
			info, access, err := p.attachment(ctx, t, name)
			if err != nil {
				return err
			}
			if name = info.Name; access == versions.ReadOnly {
				name += ":ro"
			}
			args = append(args, "--attach", name)
		}
		if len(w.attach) > 0 {
			return nil
		}
		info, err := p.selectStore(ctx, t, false)
		if errors.As(err, new(*noStoreHere)) { // the server then uses the home's own store
			if info, err = t.FindStore(ctx, defaultStore); errors.Is(err, versions.ErrNoStore) {
				return nil
			}
		}
		args = append(args, "-s", info.Name)
		return err
	})
	if w.tools != mcpTools[0] {
		args = append(args, "--tools", w.tools)
	}
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
