//go:build !linux && !darwin

package cli

import "strings"

// fileSystem recognizes a network share by its path.
func fileSystem(dir string) (kind string, remote bool) {
	return "share", strings.HasPrefix(dir, `\\`) && !strings.HasPrefix(dir, `\\?\`) && !strings.HasPrefix(dir, `\\.\`)
}

// freeBytes is unknown here.
func freeBytes(string) (int64, bool) { return 0, false }

// maxWatches reports no limit: there is none here.
func maxWatches() (int, bool) { return 0, false }
