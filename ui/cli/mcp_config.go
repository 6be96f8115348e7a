package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memtrail/memtrail/versions"
)

// mcpName is what clients call us; their tools are called mcp__memtrail__memory and
// the like.
const mcpName = "memtrail"

// mcpClient is how a client is told of a server that it starts.
type mcpClient struct {
	where string // the snippet goes
	print func(p *program, command string, args []string) error
}

// The shapes are those of November 2026.
var mcpClientsByName = map[string]mcpClient{
	"claude-code":    {"Run this, or leave --scope user out for this project only:", (*program).printClaudeCode},
	"claude-project": {"Put this into .mcp.json in the project's folder:", printServers("mcpServers", "stdio")},
	"claude-desktop": {"Put this into claude_desktop_config.json (Settings, Developer, Edit Config):", printServers("mcpServers", "")},
	"cursor":         {"Put this into ~/.cursor/mcp.json, or into .cursor/mcp.json in the project's folder:", printServers("mcpServers", "")},
	"vscode":         {"Put this into .vscode/mcp.json, or where `MCP: Open User Configuration` leads:", printServers("servers", "stdio")},
}

func mcpClients() []string { return slices.Sorted(maps.Keys(mcpClientsByName)) }

// printMCPConfig prints the settings that have a client start this program.
func (p *program) printMCPConfig(ctx context.Context, w mcpWishes) error {
	client, ok := mcpClientsByName[w.config]
	if !ok {
		return misusef("memtrail mcp", "--print-config %s: there are %s", w.config, strings.Join(mcpClients(), ", "))
	}
	if w.http != "" {
		return misusef("memtrail mcp", "--print-config is for a server that the client starts; one that listens is told by its URL")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args, err := p.mcpArgs(ctx, w)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.err, client.where)
	return client.print(p, self, args)
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
			bare, readOnly := strings.CutSuffix(name, ":ro")
			info, err := findStore(ctx, t, bare)
			if err != nil {
				return err
			}
			if name = info.Name; readOnly {
				name += ":ro"
			}
			args = append(args, "--attach", name)
		}
		if len(w.attach) > 0 {
			return nil
		}
		info, err := p.chooseStore(ctx, t)
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

func (p *program) printClaudeCode(command string, args []string) error {
	words := []string{"claude mcp add --scope user " + mcpName + " --", shellWord(command)}
	for _, arg := range args {
		words = append(words, shellWord(arg))
	}
	p.println("%s", strings.Join(words, " "))
	return nil
}

type mcpServer struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// printServers prints a file of settings with the server below a key.
func printServers(key, kind string) func(*program, string, []string) error {
	return func(p *program, command string, args []string) error {
		enc := json.NewEncoder(p.out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(map[string]map[string]mcpServer{key: {mcpName: {kind, command, args}}})
	}
}
