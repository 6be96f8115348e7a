package setup

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/ui/text"
)

// footer returns the rows below the form: the description of the field, and the preview.
func (p *Pane) footer() []string {
	var out []string
	x := p.f.current()
	help := x.help
	if text.Width(x.label) > p.f.labelCols()-1 { // the label is cut
		help = x.label + ": " + help
	}
	if len(x.offers) > 0 {
		help += " " + p.keys.Hint("offer") + " chooses among " + draw.Plural(len(x.offers), "model", "models") + "."
	}
	out = append(out, help)
	if p.c.Session != nil {
		out = append(out, p.effect())
	}
	if p.notice != "" {
		out[len(out)-1] = p.notice
	}
	return out
}

// effect describes the effect of the settings on the next request.
func (p *Pane) effect() string {
	switch {
	case p.asks.Waiting():
		return "the next request: …"
	case p.unseen != nil:
		return "the effect on the next request is unknown: " + p.unseen.Error()
	case !p.asked:
		return "the next request: put right what is wrong first"
	}
	about := ""
	if p.preview.Estimated {
		about = "≈"
	}
	now, then := p.preview.Now, p.preview.Then
	s := "the next request: " + about + talk.Number(now.Tokens) + " tokens"
	if then.Tokens != now.Tokens {
		s += " → " + about + talk.Number(then.Tokens)
	}
	return s + clears(now.Cleared, then.Cleared)
}

// clears describes what would be cleared, if that differs from now.
func clears(now, then agent.Cleared) string {
	n, m := len(then.ToolUses), len(then.Thinking)
	s := ""
	if n > 0 {
		s += " · ≈ clears " + draw.Plural(n, "tool result", "tool results")
	}
	if m > 0 {
		s += " · ≈ clears " + draw.Plural(m, "block of thinking", "blocks of thinking")
	}
	switch was := len(now.ToolUses) + len(now.Thinking); {
	case n+m == 0 && was > 0:
		return " · clears nothing any more"
	case n+m == 0:
		return " · clears nothing"
	case was != n+m:
		s += " (now " + strconv.Itoa(was) + ")"
	}
	return s
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	foot := p.foot()
	dst := make([]byte, 0, p.h*(p.w+64))
	for y := range p.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		if y < p.f.h {
			dst = p.f.append(dst, y)
			continue
		}
		r := draw.NewRow(dst, p.w)
		if i := y - p.f.h - p.gap(); i >= 0 && i < len(foot) {
			st := p.env.Theme.Dim
			if i >= p.helpRows() {
				st = p.env.Theme.Text
			}
			r.Put(" "+foot[i], st)
		}
		dst = r.End()
	}
	return string(dst)
}

func (p *Pane) helpRows() int { return min(2, max(p.h/5, 1)) }

// gap returns 1 if there is room for an empty row between the form and the description.
func (p *Pane) gap() int {
	if p.h < 16 {
		return 0
	}
	return 1
}

// foot returns the footer in rows: the description always has the same number of rows, so that
// nothing moves.
func (p *Pane) foot() []string {
	if p.h < 6 {
		return nil
	}
	words := p.footer()
	var out []string
	for i, s := range words {
		most := p.helpRows()
		switch {
		case i > 0:
			most = 2
		case len(words) == 1: // there is nothing else to show
			most++
		}
		rows := text.Rows(text.Field(s), p.w-2, 4)
		if len(rows) > most {
			rows[most-1] = string(clipped(rows[most-1], p.w-2))
		}
		for k := range most {
			if k < len(rows) {
				out = append(out, rows[k])
			} else if i == 0 {
				out = append(out, "")
			}
		}
	}
	return out
}

// clipped returns a row of a text, with a mark if the text is cut.
func clipped(s string, w int) []byte {
	out, _ := text.ClipMore(nil, strings.TrimRight(s, " ")+" …", max(w, 1))
	return out
}

// SetSize sets the columns and rows of View.
func (p *Pane) SetSize(w, h int) {
	p.w, p.h = w, h
	foot := 0
	if h >= 6 {
		foot = p.helpRows() + p.gap()
		if p.c.Session != nil {
			foot += 2
		} else {
			foot++
		}
	}
	p.f.w, p.f.h = w, max(h-foot, 0)
	p.f.clamp()
}

// Cursor returns the place of the terminal's cursor.
func (p *Pane) Cursor() (x, y int, ok bool) { return p.f.cursor() }

// Title returns the purpose of the form.
func (p *Pane) Title() (name, info string) {
	if p.c.Session != nil {
		return "settings of the session", ""
	}
	return "ask an agent", ""
}

// SetTheme changes the theme.
func (p *Pane) SetTheme(th *theme.Theme) { p.env.Theme, p.f.theme = th, th }

// TakesText returns true: every key comes through Update.
func (p *Pane) TakesText() bool { return true }

// Entries returns the available actions.
func (p *Pane) Entries() []keys.Entry {
	out := p.keys.Entries(&p.acts)
	if p.f.current().kind == choice {
		turns := p.turns.Entries(&p.acts)
		out = slices.Concat(out[:1], turns, out[1:])
	}
	return out
}
