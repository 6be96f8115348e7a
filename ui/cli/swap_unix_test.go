//go:build unix && !linux

package cli

func swap(a, b string) error { return overwrite(a, b) }
