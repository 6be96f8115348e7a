//go:build !linux && !darwin

package cli

// ancestors is unknown here.
func ancestors() []Process { return nil }
