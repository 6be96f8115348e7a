//go:build !linux && !darwin

package versions

// bootID returns "" because this system doesn't identify its boots. So every file is
// synced before its change is acknowledged.
func bootID() string { return "" }
