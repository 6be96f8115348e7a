//go:build !linux && !darwin

package cli

import "strings"

// fileSystem knows a network's folder by its name here.
func fileSystem(dir string) (kind string, remote bool) {
	return "share", strings.HasPrefix(dir, `\\`) && !strings.HasPrefix(dir, `\\?\`) && !strings.HasPrefix(dir, `\\.\`)
}

// freeBytes is not known here.
func freeBytes(string) (int64, bool) { return 0, false }

// maxWatches: there is no such limit here.
func maxWatches() (int, bool) { return 0, false }
