package memory

import (
	"bytes"
	"context"
	"fmt"
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions/guard"
)

// checkText requests what the guard finds in the open text, unless old, which was shown before, has the same text.
func (m *Pane) checkText(old *document) tea.Cmd {
	d := m.text.doc
	if old != nil && old.path == d.path && old.checked && bytes.Equal(old.text, d.text) {
		d.findings, d.checked = old.findings, true
		m.text.layout()
	}
	if d.checked || d.partial || d.binary {
		m.checks.Stop()
		return nil
	}
	path, content := d.path.Tool(), d.text
	return m.checks.Begin(m.env.Ctx, func(context.Context) ([]guard.Finding, error) {
		return guard.Check(path, content), nil
	}, func(found []guard.Finding, _ error) tea.Cmd {
		if !m.shown() {
			return nil
		}
		m.text.doc.findings, m.text.doc.checked = found, true
		if len(found) > 0 {
			m.text.layout()
		}
		return nil
	})
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

// findingBar draws the line that explains a finding.
func findingBar(out *draw.Row, f *guard.Finding, th *theme.Theme) {
	out.Put("! ", th.Warn)
	out.Put(f.Rule, th.Warn)
	out.Put(fmt.Sprintf(" · line %d", f.Line), th.Dim)
	out.Put(" · "+f.Why, th.Dim)
}

// redact redacts the secret that the guard found on the cursor's line, or else every version of the
// memory. If there is a secret elsewhere, it asks which.
func (m *Pane) redact(int) tea.Cmd {
	d := m.text.doc
	all := screen.Redact{Memory: m.head.Memory, Path: d.path}
	var first *guard.Finding
	for i := range d.findings {
		f := &d.findings[i]
		if f.Kind != guard.Secret || f.End <= f.Start {
			continue
		}
		if f.Line == m.text.cur.line+1 {
			return m.env.Do(d.redaction(f))
		}
		if first == nil {
			first = f
		}
	}
	if first == nil {
		return m.env.Do(all)
	}
	secret := d.redaction(first)
	return m.env.Do(screen.Choose{Title: "redact", Text: "Redact what?", Options: []screen.Option{
		{Key: "t", Label: fmt.Sprintf("the secret on line %d: %s", first.Line, first.Rule), Then: func() tea.Cmd { return m.env.Do(secret) }},
		{Key: "m", Label: "every version of " + d.path.String(), Then: func() tea.Cmd { return m.env.Do(all) }},
		{Key: "n", Label: "nothing"},
	}})
}

func (d *document) redaction(f *guard.Finding) screen.Redact {
	return screen.Redact{Match: string(d.text[f.Start:f.End]), Mask: "[redacted]"}
}
