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
	"github.com/memend/memend/ui/split"
)

// Pane shows sessions and their activity. New returns one.
type Pane struct {
	env   screen.Env
	store Store
	acts  *keys.Map[*Pane]
	moves *keys.Map[*Pane]
	about *keys.Map[*Pane] // agents
	aside *keys.Map[*Pane] // beside a conversation
	now   time.Time

	*split.Split      // the sessions, and beside them the stream, a diff or a conversation
	follows      bool // shows the conversation with the agent that works

	sessions sessions
	stream   stream
	typed    *filter.Line
	talks    talks

	diff   *diffview.View // of the current activity, while the stream is in it
	diffed string         // what it is of
	diffs  screen.Load[*diffview.Document]
}

// New returns an empty pane; Start loads it. Its commands end with ctx.
func New(env screen.Env, store Store) *Pane {
	th, own := env.Theme, env.Keys
	p := &Pane{
		env: env, store: store, diff: diffview.New(th, own),
		acts: actKeys(own), moves: moveKeys(own), about: talkKeys(own), aside: besideKeys(own),
	}
	p.sessions = sessions{ctx: env.Ctx, store: store, changed: p.fit, page: func() int { return p.Page() }}
	p.stream = stream{ctx: env.Ctx, store: store, changed: p.fit, follow: true}
	p.talks = talks{ctx: env.Ctx, took: p.took}
	p.Connect(Host{})
	p.typed = p.newFilter(own)
	p.Split = split.With(th, activity{p}, p)
	p.Above, p.Marks, p.Share, p.List, p.InDetail = p, p.news, p.share, &p.sessions.List, true
	p.Beside, p.Below = besideFrom, bothFrom
	p.fit()
	return p
}

// Start loads the sessions and the stream.
func (p *Pane) Start() tea.Cmd {
	return tea.Batch(p.sessions.more(), p.stream.restart(), p.talks.refresh(), p.talks.check())
}

// SetTheme changes the theme.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.Split.SetTheme(th)
	p.diff.SetTheme(th)
	for _, v := range p.talks.views {
		v.SetTheme(th)
	}
}

// SetWrap sets whether long lines of diffs are wrapped.
func (p *Pane) SetWrap(on bool) { p.diff.SetWrap(on) }

// SetNow sets the time that ages are relative to.
func (p *Pane) SetNow(now time.Time) {
	p.now = now
	for _, v := range p.talks.views {
		v.SetNow(now)
	}
}

// Title returns what the pane shows and a count of it.
func (p *Pane) Title() (title, info string) {
	title = "agents"
	if p.stream.query.text != "" {
		title += " · " + p.stream.query.text
	}
	recent := 0
	for _, s := range p.sessions.list {
		if p.talks.live(s, p.clock()) {
			recent++
		}
	}
	if recent > 0 {
		info = strconv.Itoa(recent) + " active in the last minute"
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

// clock returns the current time as far as the pane knows it. The root sets the time only from
// time to time, so the newest activity may be later than the time set last.
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
