//go:build !unix

package cli

import "os"

// foreground reports whether a person types this process's input.
func foreground() bool { return isTerminal(os.Stdin) }
