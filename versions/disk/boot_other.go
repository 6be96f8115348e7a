//go:build !linux && !darwin

package disk

// BootID returns "" because this system doesn't identify its boots.
func BootID() string { return "" }
