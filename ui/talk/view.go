package talk

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/window"
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
	pen     *markdown.Pen
	keys    *keys.Map[*View]
	typed   *keys.Map[*View]
	finding *keys.Map[*View]

	w, h    int
	focused bool
	now     time.Time

	tr              *transcript
	state           agent.State
	cleared         map[string]bool // tool results that the model does not see
	clearedThinking map[int]bool    // turns whose thinking it does not see
	last            int64           // Seq of the newest event
	sent            time.Time       // start of the current turn; zero if there is none

	watch   Watch
	opening bool
	start   int64 // recorded offset of the first event in memory
	reached int64 // how far the events of another process were read
	loads   loads
	err     error

	ticking bool
	tick    int

	at     window.Rows // of each block
	win    window.Window
	top    itemRow // where the window begins, also when blocks come and go
	follow bool
	unseen int // rows that were added below the window
	cur    int // the current block, -1 for none
	window []itemRow
	frame  []string

	field  field
	typing bool // the field has the focus
	find   find
}

// New returns an empty view.
func New(env screen.Env, c Config) *View {
	if c.Tick == nil {
		c.Tick = func(d time.Duration, f func(time.Time) tea.Msg) tea.Cmd { return tea.Tick(d, f) }
	}
	v := &View{
		c: c, env: env, tr: newTranscript(), follow: true, cur: -1, opening: true,
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
	v.pen = markdown.NewPen(markdown.NewStyles(th))
	v.light()
	v.draw()
}

// SetNow sets the current time.
func (v *View) SetNow(now time.Time) {
	if now.After(v.now) {
		v.now = now
	}
}

func (v *View) clock() time.Time { return v.now }

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
	if w != v.w { // the text is wrapped differently
		v.top.row = 0
	}
	v.w, v.h = w, h
	v.draw()
}

// layout divides the rows: the transcript, the status, the field.
func (v *View) layout() (talk, status, prompt draw.Box) {
	n := 0
	if v.hasField() {
		n = 1
		if v.typing || v.field.value != "" {
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
	if !v.typing && v.h-n-s < 2 {
		n = 0
	}
	talk = draw.At(0, 0, v.w, max(v.h-n-s, 0))
	return talk, draw.At(0, talk.H, v.w, s), draw.At(0, talk.H+s, v.w, n)
}

// hasField reports whether there is a session to prompt: one that runs here.
func (v *View) hasField() bool { return v.c.Session != nil && v.state.Phase != agent.PhaseEnded }

// draw draws the frame of the window.
func (v *View) draw() {
	v.window, v.frame = v.window[:0], v.frame[:0]
	if v.w <= 0 || v.h <= 0 {
		return
	}
	v.field.wrap(max(v.w-2, 1))
	v.arrange()
	if v.atEnd() {
		v.unseen = 0
	}
	for y := v.win.Top; y < v.win.Top+v.win.H; y++ {
		r := itemRow{-1, 0}
		if y < v.at.Len() {
			r.item = v.at.Item(y)
			r.row = y - v.at.First(r.item) - v.gap(r.item)
		}
		v.window = append(v.window, r)
	}
	v.keepCurrent()
	for y := range v.window {
		v.frame = append(v.frame, v.row(y))
	}
}

func setOf[T comparable](list []T) map[T]bool {
	m := make(map[T]bool, len(list))
	for _, x := range list {
		m[x] = true
	}
	return m
}

// row draws a row of the window.
func (v *View) row(y int) string {
	r := v.window[y]
	dst := make([]byte, 0, v.w+64)
	switch {
	case r.item < 0 && len(v.tr.items) == 0:
		p := draw.NewRow(dst, v.w)
		words := v.emptiness()
		if y < len(words) {
			p.Put(words[y], v.env.Theme.Dim)
		}
		return string(p.End())
	case r.item < 0:
		return string(text.Spaces(dst, v.w))
	case r.row < 0:
		return string(text.Spaces(dst, v.w))
	}
	return string(v.appendRow(dst, r.item, r.row))
}

// emptiness returns why the transcript is empty.
func (v *View) emptiness() []string {
	switch {
	case v.err != nil:
		return append([]string{""}, indented("The conversation can't be read: "+v.err.Error(), v.w)...)
	case v.opening:
		return []string{"", "  …"}
	case v.hasField():
		return append([]string{""}, indented("Say what the agent should do. It reads and writes the memories of its stores while you watch.", v.w)...)
	}
	return []string{"", "  Nothing was said."}
}

func indented(s string, w int) []string {
	rows := text.Rows(text.Field(s), w-4, 20)
	for i := range rows {
		rows[i] = "  " + rows[i]
	}
	return rows
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
		case y == t.H-1 && v.moreBelow() != "" && t.W > 8:
			dst = v.appendMoreBelow(dst, t.W)
		case y < t.H && y < len(v.frame):
			dst = append(dst, v.frame[y]...)
		case y < t.H:
			dst = text.Spaces(dst, v.w)
		case status.H > 0 && y == status.Y:
			dst = v.appendMiddle(dst)
		case status.H > 1 && y == status.Y+1:
			dst = v.appendFigures(dst, v.w)
		default:
			dst = v.appendField(dst, y-prompt.Y, prompt.H)
		}
	}
	return string(dst)
}

// moreBelow returns the notice that there is more below the window.
func (v *View) moreBelow() string {
	if v.follow || v.unseen == 0 {
		return ""
	}
	return " " + draw.Plural(v.unseen, "new line", "new lines") + " ↓ G "
}

func (v *View) appendMoreBelow(dst []byte, w int) []byte {
	s := v.moreBelow()
	n := min(text.Width(s), w)
	p := draw.NewRow(dst, w)
	p.Space((w - n) / 2)
	p.Put(s, v.env.Theme.Selected)
	return p.End()
}

// appendMiddle draws the row between the transcript and the field.
func (v *View) appendMiddle(dst []byte) []byte {
	if v.find.typing {
		p := draw.NewRow(dst, v.w)
		p.Put("find ", v.env.Theme.HintKey)
		none := " nothing found "
		room := v.w - p.Used - text.Width(none)
		if !v.find.none || room < 8 {
			p.Input(&v.find.input, p.Left(), v.env.Theme.Input)
			return p.End()
		}
		p.Input(&v.find.input, room, v.env.Theme.Input)
		p.Put(none, v.env.Theme.Warn)
		return p.End()
	}
	return v.appendStatus(dst, v.w)
}

// appendField draws a row of the field.
func (v *View) appendField(dst []byte, n, h int) []byte {
	margin := draw.NewRow(dst, min(fieldMargin, v.w))
	st := v.env.Theme.Dim
	if v.typing {
		st = v.env.Theme.HintKey
	}
	if n == 0 {
		margin.Put("> ", st)
	}
	dst = margin.End()
	if v.field.value != "" && v.w-fieldMargin == v.field.w { // otherwise it is too narrow for its layout
		in := v.env.Theme.Input
		if !v.typing {
			in = v.env.Theme.Dim
		}
		return v.field.append(dst, n, max(h, 1), in)
	}
	p := draw.NewRow(dst, max(v.w-fieldMargin, 0))
	if v.field.value == "" && n == 0 {
		s := v.keys.Hint("agent.prompt") + " writes a prompt"
		if v.typing {
			s = "what should the agent do?"
		}
		if len(v.state.Queue) > 0 {
			s = draw.Plural(len(v.state.Queue), "prompt waits", "prompts wait") + " for the end of this one"
		}
		p.Put(s, v.env.Theme.Dim)
	}
	return p.End()
}

// fieldMargin is how many columns precede the field.
const fieldMargin = 2

// Cursor returns the place of the terminal's cursor.
func (v *View) Cursor() (x, y int, ok bool) {
	_, status, prompt := v.layout()
	switch {
	case v.find.typing && status.H > 0 && v.w > 5:
		_, x = v.find.input.Append(nil, v.w-5, v.env.Theme.Input)
		return 5 + x, status.Y, true
	case v.typing && prompt.H > 0 && v.w > 2:
		row, col := v.field.row()
		row -= v.field.top(prompt.H)
		if row < 0 || row >= prompt.H {
			return 0, 0, false
		}
		return min(2+col, v.w-1), prompt.Y + row, true
	}
	return 0, 0, false
}

// Title returns what the conversation is about.
func (v *View) Title() string {
	s := strings.TrimSpace(v.state.Title)
	if s == "" {
		s = "conversation"
	}
	return s
}

// Runs reports whether the session runs in this process, Elsewhere whether it runs in
// another one.
func (v *View) Runs() bool      { return v.c.Session != nil }
func (v *View) Elsewhere() bool { return v.c.Elsewhere }

// Over reports whether the session has ended.
func (v *View) Over() bool { return v.state.Phase == agent.PhaseEnded }

// Unsent returns the prompt that is typed but not sent; SetUnsent sets it.
func (v *View) Unsent() string { return v.field.value }
func (v *View) SetUnsent(s string) {
	v.field.set(s)
	v.draw()
}
