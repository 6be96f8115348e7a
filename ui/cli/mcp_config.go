package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtrail/memtrail/agent/mcp"
	"github.com/memtrail/memtrail/agent/tokens"
	"github.com/memtrail/memtrail/versions"
)

// mcpName is what clients call us; their tools are called mcp__memtrail__memory and
// the like.
const mcpName = "memtrail"

// mcpClient is how a client is told of a server that it starts, or that listens.
type mcpClient struct {
	where string // the snippet goes
	print func(*program, mcpServer) error
	local bool // it starts its servers, and connects to none
}

// mcpServer is a server in a client's settings: one that it starts, or one with a URL.
type mcpServer struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// The shapes are those of November 2026.
var mcpClientsByName = map[string]mcpClient{
	"claude-code":    {"Run this, or leave --scope user out for this project only:", (*program).printClaudeCode, false},
	"claude-project": {"Put this into .mcp.json in the project's folder:", printServers("mcpServers", "stdio"), false},
	"claude-desktop": {"Put this into claude_desktop_config.json (Settings, Developer, Edit Config):", printServers("mcpServers", ""), true},
	"cursor":         {"Put this into ~/.cursor/mcp.json, or into .cursor/mcp.json in the project's folder:", printServers("mcpServers", ""), false},
	"vscode":         {"Put this into .vscode/mcp.json, or where `MCP: Open User Configuration` leads:", printServers("servers", "stdio"), false},
}

func mcpClients() []string { return slices.Sorted(maps.Keys(mcpClientsByName)) }

// printMCPConfig prints the settings that have a client start this program.
func (p *program) printMCPConfig(ctx context.Context, w mcpWishes) error {
	client, ok := mcpClientsByName[w.config]
	if !ok {
		return misusef("memtrail mcp", "--print-config %s: there are %s", w.config, strings.Join(mcpClients(), ", "))
	}
	server, err := p.mcpServer(ctx, w)
	if err != nil {
		return err
	}
	if client.local && server.URL != "" {
		return misusef("memtrail mcp", "--print-config %s: it starts its servers itself and takes no URL; leave out --http", w.config)
	}
	fmt.Fprintln(p.err, client.where)
	return client.print(p, server)
}

// mcpServer is the server that the flags ask for.
func (p *program) mcpServer(ctx context.Context, w mcpWishes) (s mcpServer, err error) {
	if w.address == "" {
		if s.Command, err = os.Executable(); err == nil {
			s.Args, err = p.mcpArgs(ctx, w)
		}
		return s, err
	}
	if _, err := w.check("memtrail mcp"); err != nil {
		return s, err
	}
	_, port, _ := net.SplitHostPort(w.address)
	if port == "0" || port == "" {
		return s, misusef("memtrail mcp", "--print-config: name the port that the server will listen on, as in --http 127.0.0.1:4100")
	}
	addr, err := net.ResolveTCPAddr("tcp", w.address)
	if err != nil {
		return s, err
	}
	var guard tokens.Guard
	if err := p.withTrail(ctx, func(*versions.Trail) error { guard, err = p.guard(&w.listening); return err }); err != nil {
		return s, err
	}
	s.URL = urlOf(w.scheme(), addr) + mcp.Endpoint
	if guard.Token != "" {
		s.Headers = map[string]string{"Authorization": "Bearer " + guard.Token}
	}
	return s, nil
}

// mcpArgs are the arguments that lead a client, which starts the program wherever it
// likes, to the same stores.
func (p *program) mcpArgs(ctx context.Context, w mcpWishes) ([]string, error) {
	args := []string{"mcp"}
	if p.home != "" || os.Getenv("MEMTRAIL_HOME") != "" {
		home, err := p.homeFolder()
		if err == nil {
			home, err = filepath.Abs(home)
		}
		if err != nil {
			return nil, err
		}
		args = append(args, "--home", home)
	}
	err := p.withTrail(ctx, func(t *versions.Trail) error {
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
		info, err := p.agentsStore(ctx, t)
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

func (p *program) printClaudeCode(s mcpServer) error {
	words := []string{"claude mcp add --scope user"}
	if s.URL != "" {
		words = append(words, "--transport http", mcpName, s.URL)
		for name, value := range s.Headers {
			words = append(words, "--header", shellWord(name+": "+value))
		}
	} else {
		words = append(words, mcpName, "--", shellWord(s.Command))
		for _, arg := range s.Args {
			words = append(words, shellWord(arg))
		}
	}
	p.println("%s", strings.Join(words, " "))
	return nil
}

// printServers prints a file of settings with the server below a key. Kind is what the
// client wants to be told of one that it starts.
func printServers(key, kind string) func(*program, mcpServer) error {
	return func(p *program, s mcpServer) error {
		if s.Type = kind; s.URL != "" {
			s.Type = "http"
		}
		enc := json.NewEncoder(p.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]map[string]mcpServer{key: {mcpName: s}})
	}
}
