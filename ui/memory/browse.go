package memory

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/terminal"
)

// browse opens an address in the browser, or copies it if there is none.
func browse(address string) tea.Cmd {
	return func() tea.Msg {
		if err := openOutside(address); err != nil {
			return screen.Copy{What: address + ", because there is no browser here", Text: address}
		}
		return screen.Notice{Text: "opened " + address}
	}
}

var errNoBrowser = errors.New("no browser")

// openOutside passes an address to the system. external has checked that it begins with its
// scheme, so no program takes it for an option or a file. Tests replace it.
var openOutside = func(address string) error {
	if !external(address) || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return errNoBrowser
	}
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	default: // without a display the browser would take over this terminal
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return errNoBrowser
		}
	}
	program, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	terminal.Go(func() { _ = cmd.Wait() })
	return nil
}

// address returns the address of the selected link, or of the first link in the current
// line.
func (m *Pane) address() string {
	if !m.shown() {
		return ""
	}
	if m.chosen() {
		if external(m.link.link.Target) {
			return m.link.link.Target
		}
		return ""
	}
	for _, l := range m.doc.linksOf(m.lineHere()) {
		if external(l.Target) {
			return l.Target
		}
	}
	return ""
}

func (m *Pane) addressDisabled() string {
	if m.address() == "" {
		return "no link with an address is chosen: ]l goes to the next link"
	}
	return ""
}

func (m *Pane) openAddress(int) tea.Cmd { return browse(m.address()) }
