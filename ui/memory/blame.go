package memory

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
)

// blameState is the state of the gutter that shows who wrote each line.
type blameState struct {
	on    bool
	asks  screen.Load[*blame]
	blame *blame // nil until loaded
	err   error
}

// blame holds who wrote the lines shown.
type blame struct {
	runs  []versions.BlameRun
	names int     // columns of the longest name
	of    []int32 // the run of each line; -1 if no version contains it yet
}

// run returns who wrote a line, or nil if no version contains it.
func (b *blame) run(line int) *versions.BlameRun {
	if b == nil || line >= len(b.of) || line < 0 || b.of[line] < 0 {
		return nil
	}
	return &b.runs[b.of[line]]
}

// first reports whether a line is the first of a run.
func (b *blame) first(line int) bool {
	return b == nil || line == 0 || line >= len(b.of) || b.of[line] != b.of[line-1]
}

func (g *blameState) forget() {
	g.asks.Stop()
	g.blame, g.err = nil, nil
}

// ShowBlame turns the gutter on.
func (m *Pane) ShowBlame() tea.Cmd {
	if m.blame.on {
		return nil
	}
	m.blame.on = true
	m.scroll(0)
	return m.askBlame()
}

func (m *Pane) toggleBlame(int) tea.Cmd {
	if !m.blame.on {
		return m.ShowBlame()
	}
	m.blame.forget()
	m.blame.on = false
	m.scroll(0)
	return nil
}

// blameDisabled excludes files that are too large to be a memory.
func (m *Pane) blameDisabled() string {
	switch {
	case !m.shown():
		return "no memory is open"
	case m.blame.on:
		return ""
	case m.doc.partial:
		return tooLarge
	case m.doc.nul:
		return "no text"
	case m.head == nil:
		return "it has no version yet"
	}
	return ""
}

// askBlame requests the blame, once the version shown is known.
func (m *Pane) askBlame() tea.Cmd {
	if !m.blame.on || m.head == nil || !m.shown() || m.doc.partial {
		return nil
	}
	store, version, content := m.store, m.head.ID, m.doc.text
	return m.blame.asks.Begin(m.env.Ctx, func(ctx context.Context) (*blame, error) {
		b, err := store.Blame(ctx, version)
		if err != nil {
			return nil, err
		}
		return fit(b, content), nil
	}, m.blameLoaded)
}

// fit maps the blame of a version to the text shown, which another program may have changed
// since.
func fit(b *versions.Blame, shown []byte) *blame {
	out := &blame{runs: b.Runs}
	for i, r := range b.Runs {
		out.names = max(out.names, text.Width(actors.ShortInferred(r.By.Actor, r.By.Inferred)))
		for range r.Lines {
			out.of = append(out.of, int32(i))
		}
	}
	if bytes.Equal(b.Content, shown) {
		return out
	}
	of := make([]int32, 0, len(out.of))
	at := 0
	for _, e := range diff.Lines(b.Content, shown).Edits() {
		of = append(of, out.of[at:e.Old]...)
		for range e.NewLines {
			of = append(of, -1)
		}
		at = e.Old + e.OldLines
	}
	out.of = append(of, out.of[at:]...)
	return out
}

func (m *Pane) blameLoaded(b *blame, err error) tea.Cmd {
	if m.doc == nil || errors.Is(err, context.Canceled) {
		return nil
	}
	m.blame.blame, m.blame.err = b, err
	m.scroll(0) // the width of names may have changed
	if err != nil {
		return m.env.Do(screen.Notice{Text: "blame: " + err.Error(), Bad: true})
	}
	return nil
}

// blameWidth returns the width of the blame gutter.
func (m *Pane) blameWidth() int {
	if !m.blame.on || m.doc == nil || m.w < 24 {
		return 0
	}
	w := 2 + m.blameName() + 1
	if m.blameAges() {
		w += ageWidth + 1
	}
	return w
}

const ageWidth = 4

// blameAges reports whether there is room for ages in words, beside the marks.
func (m *Pane) blameAges() bool { return m.w >= 48 }

// blameName returns the width for writers' names: as wide as the names, but at most a third
// of the pane, and one word if there is little room.
func (m *Pane) blameName() int {
	most := 7
	if m.blameAges() {
		most = min(m.w/3, 16)
	}
	if b := m.blame.blame; b != nil {
		return min(most, max(b.names, 4))
	}
	return min(most, 8)
}

// blameCell draws who wrote a line: on its first row its age, as a mark, and in words if
// the writer differs from that of the line above.
func (m *Pane) blameCell(dst []byte, line int, begins, named bool) []byte {
	w := m.blameWidth()
	if w == 0 {
		return dst
	}
	p := draw.NewRow(dst, w)
	r := m.blame.blame.run(line)
	switch {
	case m.blame.blame == nil || line >= len(m.blame.blame.of):
		if begins && named && m.blame.err == nil {
			p.Put("…", m.env.Theme.Dim)
		}
	case r == nil:
		p.Put("+", m.env.Theme.Changed)
		p.Space(1)
		if named && begins {
			p.Clip("unsaved", w-p.Used-1, m.env.Theme.Dim)
		}
	default:
		st := m.env.Theme.Actor(string(r.By.Actor.Kind))
		p.Put(ageMark(m.now.Sub(r.By.Time)), st)
		p.Space(1)
		if named && begins {
			m.blameWords(&p, r, st)
		}
	}
	return p.End()
}

func (m *Pane) blameWords(p *draw.Row, r *versions.BlameRun, st theme.Style) {
	end := p.Used + m.blameName()
	name := actors.Fitting(actors.ShortInferred(r.By.Actor, r.By.Inferred), m.blameName())
	if i := strings.IndexAny(name, "- _"); i > 0 && text.Width(name) > m.blameName() && text.Width(name[:i]) <= m.blameName() {
		name = name[:i] // keep the first word, such as support of support-agent
	}
	p.Clip(name, m.blameName(), st)
	p.Space(end + 1 - p.Used)
	if !m.blameAges() {
		return
	}
	p.Right(draw.Age(m.now, r.By.Time), ageWidth, m.env.Theme.Dim)
}

// ageMark returns a mark that is wider the younger a line is.
func ageMark(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Hour:
		return "▌"
	case d < day:
		return "▍"
	case d < 7*day:
		return "▎"
	case d < 30*day:
		return "▏"
	}
	return "·"
}

// blameLabel describes in the title what wrote the line at the cursor; blameIDs names the session
// and the call, for which there is room only beside a short path.
func (m *Pane) blameLabel() string {
	switch {
	case !m.blame.on:
		return ""
	case m.blame.err != nil:
		return "blame: " + m.blame.err.Error()
	case m.head == nil && m.shown():
		return "blame: it has no version yet"
	case m.blame.blame == nil && m.doc.partial:
		return "blame: too large"
	case m.blame.blame == nil:
		return "blame…"
	}
	r := m.blame.blame.run(m.cur.line)
	if r == nil {
		return "in no version yet"
	}
	return versionName(r) + " " + actors.ShortInferred(r.By.Actor, r.By.Inferred) + m.ago(*r.By)
}

func (m *Pane) blameIDs() []string {
	r := m.blame.blame.run(m.cur.line)
	if !m.blame.on || r == nil {
		return nil
	}
	var out []string
	if s := actors.After(r.By.Inputs); s != "" {
		out = append(out, s)
	}
	if r.By.Session != "" {
		out = append(out, clipID(string(r.By.Session)))
	}
	if r.By.ToolUse != "" {
		out = append(out, clipID(r.By.ToolUse))
	}
	if r.By.Turn > 0 {
		out = append(out, "turn "+strconv.Itoa(r.By.Turn))
	}
	return out
}

// versionName names the version that wrote a run: a range if the versions between were
// redacted, with ~ if an earlier version may have written it.
func versionName(r *versions.BlameRun) string {
	s := "v" + strconv.Itoa(r.By.Number)
	if r.Since < r.By.Number {
		s = "v" + strconv.Itoa(r.Since) + "–" + s
	}
	if r.Coarse {
		s = "~" + s
	}
	return s
}

// clipID returns enough of an id to distinguish it from others.
func clipID(id string) string {
	const most = 16
	dst, _ := text.ClipMore(nil, id, most)
	return string(dst)
}

// showWriter shows the version that wrote the line at the cursor.
func (m *Pane) showWriter() tea.Cmd {
	r := m.blame.blame.run(m.cur.line)
	if r == nil {
		return m.env.Do(screen.Notice{Text: "blame: this line is in no version yet", Bad: true})
	}
	return m.env.Do(screen.History{Path: m.doc.path, Memory: r.By.Memory, Version: r.By.ID})
}
