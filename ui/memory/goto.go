package memory

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

func (m *Pane) askGoTo(int) tea.Cmd {
	label := "go to 42, 50% or 0x200"
	if m.hex.on {
		label = "go to 512, 50% or 0x200"
	}
	return m.env.Ask(screen.Prompt{Label: label, Then: m.goToTyped})
}

// goToTyped goes to the typed position: 42 is a line (a byte in the bytes view), 50% a
// part, 0x200 and 512b are bytes.
func (m *Pane) goToTyped(s string) tea.Cmd {
	if !m.shown() {
		return nil
	}
	s = strings.TrimSpace(s)
	m.atEnd, m.resume = false, place{}
	m.jumps.Stop()
	if n, ok := parsePart(s); ok {
		if m.hex.on {
			m.hex.scrollTo(int64(n*float64(m.doc.size)), m.doc.size, m.h)
			return m.Fetch()
		}
		return m.jumpTo(int(n * float64(max(m.doc.index.lines-1, 0))))
	}
	if n, ok := parseByte(s, m.hex.on); ok {
		return m.goToByte(n)
	}
	if n, err := strconv.Atoi(s); err == nil && n > 0 && !m.hex.on {
		return m.jumpTo(n - 1)
	}
	return m.env.Ask(screen.Notice{Text: "go to: “" + s + "” is no line number, no part like 50% and no byte like 0x200", Bad: true})
}

// parsePart parses 50%.
func parsePart(s string) (float64, bool) {
	part, ok := strings.CutSuffix(s, "%")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
	return n / 100, err == nil && n >= 0 && n <= 100
}

// parseByte parses 0x200 and 512b, and with bare also a plain number.
func parseByte(s string, bare bool) (int64, bool) {
	digits, named := strings.CutSuffix(s, "b")
	if strings.HasPrefix(s, "0x") {
		digits, named = s, true
	}
	if !named && !bare {
		return 0, false
	}
	base := 10
	if hex, ok := strings.CutPrefix(digits, "0x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseInt(digits, base, 64)
	return n, err == nil && n >= 0
}

// jumpTo goes to a line, from 0, and extends the selection if lines are being selected.
func (m *Pane) jumpTo(line int) tea.Cmd {
	m.goTo(line)
	if m.sel.on {
		m.sel.extend(m.here)
	}
	return m.Fetch()
}

// goToByte goes to the line that contains a byte, and shows the byte.
func (m *Pane) goToByte(at int64) tea.Cmd {
	d := m.doc
	at = min(at, max(d.size-1, 0))
	switch {
	case m.hex.on:
		m.hex.scrollTo(at, d.size, m.h)
		return m.Fetch()
	case d.whole:
		before := d.text[:min(at, int64(len(d.text)))]
		cmd := m.jumpTo(bytes.Count(before, []byte{'\n'}))
		m.reach(spot{line: m.here, at: len(before) - (bytes.LastIndexByte(before, '\n') + 1)})
		return cmd
	}
	line, offset := d.index.before(at)
	f := d.file
	return m.jumps.Begin(m.env.Ctx, func(context.Context) (int, error) {
		n, err := countLines(io.NewSectionReader(f, offset, at-offset))
		return line + n, err
	}, m.byteFound)
}

// byteFound goes to the line of a requested byte.
func (m *Pane) byteFound(line int, err error) tea.Cmd {
	if !m.shown() || m.hex.on {
		return nil
	}
	if err != nil {
		m.err = err
		return nil
	}
	return m.jumpTo(line)
}

// countLines counts the line ends in r.
func countLines(r io.Reader) (n int, err error) {
	buf := make([]byte, 256<<10)
	for {
		k, err := r.Read(buf)
		n += bytes.Count(buf[:k], []byte{'\n'})
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
