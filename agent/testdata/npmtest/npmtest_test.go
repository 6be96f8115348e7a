package npmtest

import (
	"os"
	"path/filepath"
	"testing"
)

// CI runs this test first: packages of tests that run side by side are installed once.
func TestInstall(t *testing.T) {
	if os.Getenv(cacheEnv) == "" {
		t.Skipf("%s is not set", cacheEnv)
	}
	for _, p := range []Package{SDK, CompactingSDK, TypeScript, ClaudeCode, AgentSDK, Inspector, Conformance} {
		t.Run(p.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(p.Folder(t), "package.json")); err != nil {
				t.Error(err)
			}
		})
	}
}
