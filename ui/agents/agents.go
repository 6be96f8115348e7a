package agents

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// part is what has the keys within the pane.
type part uint8

const (
	inStream part = iota
	inSessions
	inDiff
	inTalk
)

// Pane shows sessions and what they do. New makes one.
type Pane struct {
	env   screen.Env
	store Store
	acts  *keys.Map[*Pane]
	moves *keys.Map[*Pane]
	about *keys.Map[*Pane] // agents
	aside *keys.Map[*Pane] // of a conversation
	now   time.Time

	w, h    int
	focused bool
	part    part
	follows bool // goes to sessions that begin here

	sessions sessions
	stream   stream
	loads    loads

	query query
	typed *filter.Line

	host  Host
	talks talks

	diff   *diffview.View // shown while diffing
	diffed string         // what it is of
	shows  bool           // the diff stands in the place of the stream
}

// New makes an empty pane; Start fills it. The commands that it returns end with ctx.
func New(env screen.Env, store Store) *Pane {
	th, own := env.Theme, env.Keys
	p := &Pane{
		env: env, store: store, diff: diffview.New(th, own),
		acts: actKeys(own), moves: moveKeys(own), about: talkKeys(own), aside: besideKeys(own),
		host: Host{Unsent: map[versions.SessionID]string{}},
	}
	p.typed = p.newFilter(own)
	p.stream.follow = true
	return p
}

// Start reads what there is.
func (p *Pane) Start() tea.Cmd {
	return tea.Batch(p.moreSessions(), p.restart(0), p.listConversations(), p.ready())
}

// SetTheme changes the looks.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.diff.SetTheme(th)
	for _, v := range p.talks.views {
		v.SetTheme(th)
	}
}

// SetWrap says whether long lines of diffs are broken into rows.
func (p *Pane) SetWrap(on bool) { p.diff.SetWrap(on) }

// SetNow says what time it is, for the ages.
func (p *Pane) SetNow(now time.Time) {
	p.now = now
	for _, v := range p.talks.views {
		v.SetNow(now)
	}
}

// SetFocused says whether the pane has the keys.
func (p *Pane) SetFocused(on bool) {
	p.focused = on
	p.diff.SetFocused(on && p.part == inDiff)
	p.fit()
}

// SetSize says how many columns and rows View has.
func (p *Pane) SetSize(w, h int) {
	p.w, p.h = w, h
	p.fit()
}

// Title is what the pane shows, and how much that is.
func (p *Pane) Title() (title, info string) {
	title = "agents"
	if p.query.text != "" {
		title += " · " + p.query.text
	}
	live := 0
	for _, s := range p.sessions.list {
		if p.live(s) {
			live++
		}
	}
	if live > 0 {
		info = strconv.Itoa(live) + " live"
	}
	working := 0
	for _, c := range p.talks.known {
		if c.here && c.state.Working() {
			working++
		}
	}
	if working > 0 {
		info = draw.Plural(working, "agent", "agents") + " at work"
	}
	return title, info
}

// liveFor is how long after its last act a session counts as live.
const liveFor = time.Minute

// live reports whether a session was seen in the last minute.
func (p *Pane) live(s versions.Session) bool { return p.clock().Sub(s.Seen) < liveFor }

// clock is the time, as well as it is known here: the root tells it now and then,
// and what happened is never in the future.
func (p *Pane) clock() time.Time {
	now := p.now
	if a, ok := p.stream.at(0); ok && a.Time.After(now) {
		now = a.Time
	}
	if len(p.sessions.list) > 0 && p.sessions.list[0].Seen.After(now) {
		now = p.sessions.list[0].Seen
	}
	return now
}

// to gives the keys to a part.
func (p *Pane) to(part part) {
	p.part = part
	p.diff.SetFocused(p.focused && part == inDiff)
	p.fit()
}
