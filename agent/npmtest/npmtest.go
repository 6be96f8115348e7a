// Package npmtest gets what tests ask that are written in JavaScript: official SDKs,
// inspectors, conformance suites.
package npmtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// cache names, in the environment, a folder in which packages stay between runs.
const cache = "MEMEND_TEST_NPM"

// Package installs a package of npm, NAME@VERSION, and gives its folder. Where that
// can't be done, since there is no node of this age or no network, it skips the test
// and says so; so it does in short runs.
func Package(t *testing.T, name string, oldestNode int, options ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skipf("-short: %s is not asked", name)
	}
	hasNode(t, name, oldestNode)
	at := strings.LastIndexByte(name, '@')
	dir := os.Getenv(cache)
	if dir == "" {
		dir = t.TempDir()
	}
	dir = filepath.Join(dir, strings.NewReplacer("@", "", "/", "-").Replace(name[:at])+"-"+name[at+1:])
	folder := filepath.Join(dir, "node_modules", filepath.FromSlash(name[:at]))
	if _, err := os.Stat(filepath.Join(folder, "package.json")); err == nil {
		return folder
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	args := append([]string{"install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--fetch-retries=0", "--prefix", dir}, options...)
	npm := exec.CommandContext(ctx, "npm", append(args, name)...)
	npm.Dir, npm.WaitDelay = dir, time.Second
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm can't get %s, so it is not asked: %v\n%s", name, err, out)
	}
	return folder
}

func hasNode(t *testing.T, name string, oldest int) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no %s here: %s is not asked", program, name)
		}
	}
	version, err := exec.Command("node", "-p", "parseInt(process.versions.node)").Output()
	if err != nil {
		t.Skipf("node does not run: %s is not asked", name)
	}
	if major, _ := strconv.Atoi(strings.TrimSpace(string(version))); major < oldest {
		t.Skipf("node is older than %d, which %s needs: it is not asked", oldest, name)
	}
}
