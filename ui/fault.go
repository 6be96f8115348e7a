package ui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/memend/memend/ui/terminal"
)

// report writes to a file what is needed to debug a crash: the stack, and nothing of the
// memories except what the panic message itself quotes.
func report(fault *terminal.Fault) error {
	f, err := os.CreateTemp("", "memend-fault-*.txt") // mode 0600
	if err != nil {
		return errors.Join(fault, err)
	}
	_, err = fmt.Fprintf(f, "%v\n\n%s", fault, fault.Stack)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fault, err)
	}
	return fmt.Errorf("%w; where it failed is in %s", fault, filepath.Clean(f.Name()))
}
