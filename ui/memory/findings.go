package memory

import (
	"bytes"
	"context"
	"fmt"
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/guard"
)

// checkText requests what the guard finds in the open text, unless old, which was shown before, has the same text.
func (m *Pane) checkText(old *document) tea.Cmd {
	d := m.doc
	if old != nil && old.path == d.path && old.checked && bytes.Equal(old.text, d.text) {
		d.findings, d.checked = old.findings, true
		m.layout()
	}
	if d.checked || d.partial || d.binary {
		m.checks.Stop()
		return nil
	}
	path, content := d.path.Tool(), d.text
	return m.checks.Begin(m.env.Ctx, func(context.Context) ([]guard.Finding, error) {
		return guard.Check(path, content), nil
	}, m.textChecked)
}

func (m *Pane) textChecked(found []guard.Finding, _ error) tea.Cmd {
	if !m.shown() {
		return nil
	}
	m.doc.findings, m.doc.checked = found, true
	if len(found) == 0 {
		return nil
	}
	m.layout()
	return nil
}

// findingIn returns the first finding in the lines [from, to), or nil.
func (d *document) findingIn(from, to int) *guard.Finding {
	i := sort.Search(len(d.findings), func(i int) bool { return d.findings[i].Line > from })
	if i < len(d.findings) && d.findings[i].Line <= to {
		return &d.findings[i]
	}
	return nil
}

// findingsLabel returns the note about findings for the title. Hidden characters have a note of their own.
func (d *document) findingsLabel() string {
	n := 0
	for _, f := range d.findings {
		if f.Kind != guard.Hidden {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return "! " + draw.Plural(n, "finding", "findings")
}

// findingBar draws the line that explains the finding of the cursor's line, or else the first one.
func (m *Pane) findingBar(dst []byte) []byte {
	th := m.env.Theme
	p := draw.NewRow(dst, m.w)
	f := m.doc.findingIn(m.cur.line, m.cur.line+1)
	if f == nil {
		f = &m.doc.findings[0]
	}
	p.Put("! ", th.Warn)
	p.Clip(f.Rule, m.w-p.Used, th.Warn)
	p.Clip(fmt.Sprintf(" · line %d", f.Line), m.w-p.Used, th.Dim)
	p.Clip(" · "+f.Why, m.w-p.Used, th.Dim)
	return p.End()
}

// topLine draws the line over the text: that it is only a part, or the finding of the cursor's line, else the review, else the first
// finding. It is also drawn while the next memory is being opened.
func (m *Pane) topLine(dst []byte) []byte {
	d := m.doc
	switch {
	case d.partial:
		return m.partBar(dst)
	case d.review != nil && d.findingIn(m.cur.line, m.cur.line+1) == nil:
		return m.reviewBar(dst)
	case len(d.findings) > 0:
		return m.findingBar(dst)
	}
	return text.Spaces(dst, m.w)
}

// partBar draws the line that says that only the beginning of a file is shown. The key that shows it whole works where the focus is.
func (m *Pane) partBar(dst []byte) []byte {
	p := draw.NewRow(dst, m.w)
	note := "part of " + draw.Bytes(m.doc.size)
	if m.focused {
		note += ": " + m.keys.Hint("external-editor") + " opens it in your pager"
	}
	p.Clip(note, m.w, m.env.Theme.Warn)
	return p.End()
}

// redact redacts the secret that the guard found on the cursor's line, or else every version of the
// memory. If there is a secret elsewhere, it asks which.
func (m *Pane) redact(int) tea.Cmd {
	all := screen.Redact{Memory: m.head.Memory, Path: m.doc.path}
	var first *guard.Finding
	for i := range m.doc.findings {
		f := &m.doc.findings[i]
		if f.Kind != guard.Secret || f.End <= f.Start {
			continue
		}
		if f.Line == m.cur.line+1 {
			return m.env.Do(m.redaction(f))
		}
		if first == nil {
			first = f
		}
	}
	if first == nil {
		return m.env.Do(all)
	}
	secret := m.redaction(first)
	return m.env.Do(screen.Choose{Title: "redact", Text: "Redact what?", Options: []screen.Option{
		{Key: "t", Label: fmt.Sprintf("the secret on line %d: %s", first.Line, first.Rule), Then: func() tea.Cmd { return m.env.Do(secret) }},
		{Key: "m", Label: "every version of " + m.doc.path.String(), Then: func() tea.Cmd { return m.env.Do(all) }},
		{Key: "n", Label: "nothing"},
	}})
}

func (m *Pane) redaction(f *guard.Finding) screen.Redact {
	return screen.Redact{Match: string(m.doc.text[f.Start:f.End]), Mask: "[redacted]"}
}
