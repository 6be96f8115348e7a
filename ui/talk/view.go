package talk

import (
	"cmp"
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Config is the configuration of a View.
type Config struct {
	ID        versions.SessionID
	Session   Session  // nil if it does not run in this process
	Recorded  Recorded // nil if earlier events are unknown
	Elsewhere bool     // it runs in another process
	Record    bool     // it is only read here, wherever it runs
	Call      string   // to begin at this call; empty: at the end
	// Store returns a store, to show what a call changed. If it is nil, changes are not shown.
	// It may block.
	Store func(context.Context, versions.StoreID) (Store, error)
	// Here is the open store: only its memories can be opened.
	Here versions.StoreID
	// Resume continues a session that does not run, and ResumeDisabled returns why that is
	// impossible. Both are nil if no session can be resumed.
	Resume         func() tea.Cmd
	ResumeDisabled func() string
	// Tick is tea.Tick; tests replace it to avoid waiting.
	Tick func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
}

// View is the conversation widget. New returns one, Start loads it, Close ends its watch.
type View struct {
	env     screen.Env
	c       Config
	end     context.CancelFunc
	keys    *keys.Map[*View]
	typed   *keys.Map[*View]
	finding *keys.Map[*View]

	w, h    int
	focused bool
	pulse   pulse

	blocks blocks
	state  agent.State
	last   int64     // Seq of the newest event
	sent   time.Time // start of the current turn; zero if there is none

	watch   Watch
	opening bool
	start   int64 // recorded offset of the first event in memory
	reached int64 // how far the events of another process were read
	loads   loads
	err     error

	ticking bool

	pen   painter
	frame []string // the rows of the blocks
	field field
	find  find
}

// New returns an empty view.
func New(env screen.Env, c Config) *View {
	if c.Tick == nil {
		c.Tick = func(d time.Duration, f func(time.Time) tea.Msg) tea.Cmd { return tea.Tick(d, f) }
	}
	v := &View{
		c: c, env: env, blocks: newBlocks(), opening: true,
		keys: viewKeys(env.Keys), typed: typingKeys(env.Keys), finding: findKeys(env.Keys),
	}
	v.env.Ctx, v.end = context.WithCancel(env.Ctx)
	v.SetTheme(env.Theme)
	v.field.wrap(1)
	return v
}

// Close ends the watch.
func (v *View) Close() {
	v.end()
	v.watch = nil
}

// ID returns the session that is shown.
func (v *View) ID() versions.SessionID { return v.c.ID }

// Session returns the session if it runs in this process, or nil.
func (v *View) Session() Session { return v.c.Session }

// State returns the state of the session as far as it is known.
func (v *View) State() agent.State { return v.state }

// SetTheme changes the theme.
func (v *View) SetTheme(th *theme.Theme) {
	v.env.Theme = th
	v.pen = newPainter(th, v.keys.Hint("fold"))
	v.draw()
}

// SetNow sets the current time.
func (v *View) SetNow(now time.Time) {
	if now.After(v.pulse.now) {
		v.pulse.now = now
	}
}

// SetFocused sets whether the view has the focus.
func (v *View) SetFocused(on bool) {
	if v.focused != on {
		v.focused = on
		v.draw()
	}
}

// SetSize sets the columns and rows of View.
func (v *View) SetSize(w, h int) {
	if v.w == w && v.h == h {
		return
	}
	v.w, v.h = w, h
	v.draw()
}

// layout divides the rows: the transcript, the status, the field.
func (v *View) layout() (talk, status, prompt draw.Box) {
	n := 0
	if v.hasField() {
		n = 1
		if v.field.typing || v.field.value != "" {
			n = min(max(len(v.field.rows), 1), max(v.h/3, 1))
		}
	}
	switch {
	case v.h < 2:
		n = 0
	case v.h < 4:
		n = min(n, 1)
	}
	s := 0
	if v.h-n >= 3 {
		s = 1
		if v.figures() {
			s = 2
		}
	}
	if !v.field.typing && v.h-n-s < 2 {
		n = 0
	}
	talk = draw.At(0, 0, v.w, max(v.h-n-s, 0))
	return talk, draw.At(0, talk.H, v.w, s), draw.At(0, talk.H+s, v.w, n)
}

// hasField reports whether there is a session to prompt: one that runs here.
func (v *View) hasField() bool { return v.c.Session != nil && v.state.Phase != agent.PhaseEnded }

// draw draws the rows of the blocks.
func (v *View) draw() {
	v.frame = v.frame[:0]
	if v.w <= 0 || v.h <= 0 {
		v.blocks.shown = nil
		return
	}
	v.field.wrap(max(v.w-fieldMargin, 1))
	t, _, _ := v.layout()
	v.blocks.layOut(v.w, t.H)
	v.pen.pulse, v.pen.w, v.pen.exact = v.pulse, v.w, v.state.Simulated
	v.pen.text.Find = v.find.marks(v.env.Theme)
	for y, r := range v.blocks.shown {
		v.frame = append(v.frame, string(v.appendRow(make([]byte, 0, v.w+64), y, r)))
	}
}

// appendRow draws row y of the window, which shows a row of a block.
func (v *View) appendRow(dst []byte, y int, r itemRow) []byte {
	if len(v.blocks.items) == 0 {
		p := draw.NewRow(dst, v.w)
		if words := v.emptiness(); y < len(words) {
			p.Put(words[y], v.env.Theme.Dim)
		}
		return p.End()
	}
	if r.item < 0 || r.row < 0 {
		return text.Spaces(dst, v.w)
	}
	l := look{seen: v.blocks.visibilityOf(r.item)}
	if r.item == v.blocks.cur && !v.field.typing {
		l.mark = &v.env.Theme.Border
		if v.focused {
			l.mark = &v.env.Theme.BorderFocused
		}
	}
	return v.pen.appendRow(dst, v.blocks.items[r.item], r.row, l)
}

// emptiness returns why the transcript is empty.
func (v *View) emptiness() []string {
	s := "Nothing was said."
	switch {
	case v.err != nil:
		s = "The conversation can't be read: " + v.err.Error()
	case v.opening:
		s = "…"
	case v.hasField():
		s = "Say what the agent should do. It reads and writes the memories of its stores while you watch."
	}
	rows := text.Rows(text.Field(s), v.w-4, 20)
	for i := range rows {
		rows[i] = "  " + rows[i]
	}
	return append([]string{""}, rows...)
}

// View returns exactly the rows and columns of SetSize.
func (v *View) View() string {
	if v.w <= 0 || v.h <= 0 {
		return ""
	}
	t, status, prompt := v.layout()
	dst := make([]byte, 0, v.h*(v.w+64))
	for y := range v.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		switch {
		case y == t.H-1 && v.blocks.moreBelow() && t.W > 8:
			dst = v.appendMoreBelow(dst)
		case y < t.H && y < len(v.frame):
			dst = append(dst, v.frame[y]...)
		case y < t.H:
			dst = text.Spaces(dst, v.w)
		case status.H > 0 && y == status.Y:
			if v.find.typing {
				dst = v.find.appendRow(dst, v.w, v.env.Theme)
			} else {
				dst = v.status().append(dst, v.w, !v.figures())
			}
		case status.H > 1 && y == status.Y+1:
			dst = v.status().appendFigures(dst, v.w)
		default:
			dst = v.field.appendRow(dst, y-prompt.Y, prompt.H, v.w, v.fieldHint(), v.env.Theme)
		}
	}
	return string(dst)
}

// appendMoreBelow draws the notice that there is more below the window.
func (v *View) appendMoreBelow(dst []byte) []byte {
	s := " " + draw.Plural(v.blocks.unseen, "new line", "new lines") + " ↓ G "
	p := draw.NewRow(dst, v.w)
	p.Space((v.w - min(text.Width(s), v.w)) / 2)
	p.Put(s, v.env.Theme.Selected)
	return p.End()
}

// fieldHint returns what an empty field shows.
func (v *View) fieldHint() string {
	switch {
	case len(v.state.Queue) > 0:
		return draw.Plural(len(v.state.Queue), "prompt waits", "prompts wait") + " for the end of this one"
	case v.field.typing:
		return "what should the agent do?"
	}
	return v.keys.Hint("agent.prompt") + " writes a prompt"
}

// Cursor returns the place of the terminal's cursor.
func (v *View) Cursor() (x, y int, ok bool) {
	_, status, prompt := v.layout()
	switch {
	case v.find.typing && status.H > 0 && v.w > 5:
		_, x = v.find.input.Append(nil, v.w-5, v.env.Theme.Input)
		return 5 + x, status.Y, true
	case v.field.typing && prompt.H > 0 && v.w > fieldMargin:
		row, col := v.field.row()
		row -= v.field.top(prompt.H)
		return min(fieldMargin+col, v.w-1), prompt.Y + row, row >= 0 && row < prompt.H
	}
	return 0, 0, false
}

// Title returns what the conversation is about.
func (v *View) Title() string { return cmp.Or(strings.TrimSpace(v.state.Title), "conversation") }

// Elsewhere reports whether the session runs in another process.
func (v *View) Elsewhere() bool { return v.c.Elsewhere }

// ToEnd moves to the end of the conversation and stays there.
func (v *View) ToEnd() {
	v.blocks.toEnd()
	v.draw()
}

// Over reports whether the session has ended.
func (v *View) Over() bool { return v.state.Phase == agent.PhaseEnded }

// Unsent returns the prompt that is typed but not sent; SetUnsent sets it.
func (v *View) Unsent() string { return v.field.value }
func (v *View) SetUnsent(s string) {
	v.field.set(s)
	v.draw()
}

// figures reports whether the cost of the session has its own row: only if there is room for
// it, and if it is not beside the gauge.
func (v *View) figures() bool { return v.h >= 18 && v.w < 140 && v.state.Requests > 0 }

// status returns what the row above the field shows.
func (v *View) status() status {
	s := status{pulse: v.pulse, th: v.env.Theme, state: &v.state, where: v.c, since: v.sent}
	if k := v.stopKey(); k != "" && v.focused && v.c.Session != nil {
		s.stops = " · " + k + " stops"
	}
	return s
}
