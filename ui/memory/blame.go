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

// blameGutter shows who wrote each line, left of the line numbers.
type blameGutter struct {
	on    bool
	asks  screen.Load[*blame]
	lines *blame // nil until loaded
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

func (g *blameGutter) forget() {
	g.asks.Stop()
	g.lines, g.err = nil, nil
}

// ShowBlame turns the gutter on.
func (m *Pane) ShowBlame() tea.Cmd {
	if m.text.blame.on {
		return nil
	}
	return m.toggleBlame(0)
}

func (m *Pane) toggleBlame(int) tea.Cmd {
	m.text.setBlame(!m.text.blame.on)
	return m.askBlame()
}

// blameDisabled excludes files that are too large to be a memory.
func (m *Pane) blameDisabled() string {
	switch {
	case !m.shown():
		return "no memory is open"
	case m.text.blame.on:
		return ""
	case m.text.doc.partial:
		return tooLarge
	case m.text.doc.nul:
		return "no text"
	case m.head == nil:
		return "it has no version yet"
	}
	return ""
}

// askBlame requests the blame, once the version shown is known.
func (m *Pane) askBlame() tea.Cmd {
	if !m.text.blame.on || m.head == nil || !m.shown() || m.text.doc.partial {
		return nil
	}
	store, version, content := m.store, m.head.ID, m.text.doc.text
	return m.text.blame.asks.Begin(m.env.Ctx, func(ctx context.Context) (*blame, error) {
		b, err := store.Blame(ctx, version)
		if err != nil {
			return nil, err
		}
		return fit(b, content), nil
	}, func(b *blame, err error) tea.Cmd {
		if m.text.doc == nil || errors.Is(err, context.Canceled) {
			return nil
		}
		m.text.blame.lines, m.text.blame.err = b, err
		m.text.scroll(0) // the width of names may have changed
		if err != nil {
			return m.env.Do(screen.Notice{Text: "blame: " + err.Error(), Bad: true})
		}
		return nil
	})
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

const ageWidth = 4

// minAges is the width from which there is room for ages in words, beside the marks.
const minAges = 48

// width returns the width of the gutter in a pane of w columns.
func (g *blameGutter) width(w int) int {
	switch {
	case !g.on || w < minGutter:
		return 0
	case w < minAges:
		return 2 + g.nameWidth(w) + 1
	}
	return 2 + g.nameWidth(w) + 1 + ageWidth + 1
}

// nameWidth returns the width for writers' names: as wide as the names, but at most a third
// of the pane, and one word if there is little room.
func (g *blameGutter) nameWidth(w int) int {
	most := 7
	if w >= minAges {
		most = min(w/3, 16)
	}
	if g.lines != nil {
		return min(most, max(g.lines.names, 4))
	}
	return min(most, 8)
}

// blame draws who wrote a line: on its first row its age, as a mark, and in words if
// the writer differs from that of the line above.
func (p *pen) blame(dst []byte, line int, begins, named bool) []byte {
	g := &p.v.blame
	w := g.width(p.v.w)
	if w == 0 {
		return dst
	}
	out := draw.NewRow(dst, w)
	r := g.lines.run(line)
	switch {
	case g.lines == nil || line >= len(g.lines.of):
		if begins && named && g.err == nil {
			out.Put("…", p.th.Dim)
		}
	case r == nil:
		out.Put("+", p.th.Changed)
		out.Space(1)
		if named && begins {
			out.Clip("unsaved", out.Left()-1, p.th.Dim)
		}
	default:
		st := p.th.Actor(string(r.By.Actor.Kind))
		out.Put(ageMark(p.now.Sub(r.By.Time)), st)
		out.Space(1)
		if named && begins {
			p.writer(&out, r, st)
		}
	}
	return out.End()
}

func (p *pen) writer(out *draw.Row, r *versions.BlameRun, st theme.Style) {
	most := p.v.blame.nameWidth(p.v.w)
	end := out.Used + most
	name := actors.Fitting(actors.ShortInferred(r.By.Actor, r.By.Inferred), most)
	if i := strings.IndexAny(name, "- _"); i > 0 && text.Width(name) > most && text.Width(name[:i]) <= most {
		name = name[:i] // keep the first word, such as support of support-agent
	}
	out.Clip(name, most, st)
	out.Space(end + 1 - out.Used)
	if p.v.w >= minAges {
		out.Right(draw.Age(p.now, r.By.Time), ageWidth, p.th.Dim)
	}
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

// blameLabel describes in the title what wrote the line at the cursor.
func (m *Pane) blameLabel() string {
	g := &m.text.blame
	switch {
	case !g.on:
		return ""
	case g.err != nil:
		return "blame: " + g.err.Error()
	case m.head == nil:
		return "blame: it has no version yet"
	case g.lines == nil && m.text.doc.partial:
		return "blame: too large"
	case g.lines == nil:
		return "blame…"
	}
	r := g.lines.run(m.text.cur.line)
	if r == nil {
		return "in no version yet"
	}
	return versionName(r) + " " + actors.ShortInferred(r.By.Actor, r.By.Inferred) + ago(m.now, *r.By)
}

// ids names what a session had seen before it wrote a line, the session, and the call. In the title there is room for these only
// beside a short path.
func (b *blame) ids(line int) (out []string) {
	r := b.run(line)
	if r == nil {
		return nil
	}
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
