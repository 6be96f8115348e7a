package terminal

import (
	"errors"
	"io"
	"os"
)

var hangups []os.Signal

// tty is unused on Windows, where Bubble Tea's own renderer is used.
type tty struct{ in, out *os.File }

func openTTY(io.Reader, io.Writer) (*tty, bool) { return nil, false }

func (t *tty) raw() error                  { return nil }
func (t *tty) cooked() error               { return nil }
func (t *tty) size() (w, h int, err error) { return 0, 0, nil }

func signals() (ch chan os.Signal, stop func()) { return nil, func() {} }
func stop() error                               { return errors.ErrUnsupported }
func meaning(os.Signal) order                   { return ended }
func fromKeyboard(os.Signal) bool               { return false }
