// Command memend shows what AI agents remember, keeps every version of it, and undoes bad
// edits.
package main

import (
	"os"

	"github.com/memend/memend/ui/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
