package agents

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
)

// actKeys returns the keys that work in every part. "u" is not among them: in all panes it
// undoes the user's last change.
func actKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	return keys.New("agents", bindings, []keys.Action[*Pane]{
		keys.Act("list.open", "open the memory", (*Pane).enter, (*Pane).openDisabled).As("open"),
		keys.Act("diff", "what it changed", (*Pane).toggleDiff, (*Pane).diffDisabled, "d").As("diff"),
		keys.Act("change.undo-session", "", (*Pane).undoSession, (*Pane).undoDisabled).As("undo session").Writing(),
		keys.Act("change.reviewed", "keep", (*Pane).markReviewed, (*Pane).reviewDisabled).As("keep"),
		keys.Act("list.filter", "", (*Pane).typeFilter, nil),
		keys.Act("list.follow", "newest, and stay there", (*Pane).stayAtNewest, nil).As("newest"),
		keys.Act("change.version", "", (*Pane).showVersion, (*Pane).versionDisabled),
		keys.Act("change.blame", "", (*Pane).blame, (*Pane).blameDisabled),
		keys.Act("change.timeline", "", (*Pane).openTimeline, (*Pane).timelineDisabled).As("timeline"),
		keys.Action[*Pane]{ID: "copy.path", Why: (*Pane).emptyDisabled, Do: (*Pane).copyPath},
		keys.Action[*Pane]{ID: "copy.session", Name: "copy the session's id", Keys: []string{"y s"}, Why: (*Pane).sessionDisabled, Do: (*Pane).copySession},
		keys.Act("pane.back", "", (*Pane).back, nil),
	})
}

// moveKeys returns the keys of the two lists; in the diff these keys have other meanings.
func moveKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	page := func(id string, by int) keys.Action[*Pane] {
		return list.Move(id, func(p *Pane, n int) tea.Cmd {
			rows := p.stream.height
			if !p.InDetail {
				rows = p.Page()
			}
			return p.moveBy(by * max(n, 1) * max(rows-1, 1))
		})
	}
	return keys.New("activity", bindings, []keys.Action[*Pane]{
		{ID: "list.out", Name: "to the sessions", Hide: true, Do: func(p *Pane, _ int) tea.Cmd { p.focus(false); return nil }},
		{ID: "list.in", Name: "to what they did", Hide: true, Do: func(p *Pane, _ int) tea.Cmd { p.focus(true); return nil }},
		list.Move("down", func(p *Pane, n int) tea.Cmd { return p.moveBy(max(n, 1)) }),
		list.Move("up", func(p *Pane, n int) tea.Cmd { return p.moveBy(-max(n, 1)) }),
		page("page-down", 1),
		page("page-up", -1),
		list.Move("top", func(p *Pane, _ int) tea.Cmd { return p.newest() }),
		list.Move("bottom", func(p *Pane, _ int) tea.Cmd { return p.moveBy(1 << 30) }),
	})
}

// Keys lists the actions of the pane with their keys, except those of its diff, which belong
// to the history.
func Keys(bindings keys.Bindings) []keys.Entry {
	return slices.Concat(talkKeys(bindings).All(), besideKeys(bindings).All(), talk.Keys(bindings), actKeys(bindings).All(), moveKeys(bindings).All(), filter.Keys(bindings))
}

// Press handles a sequence of keys.
func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	defer p.fit()
	was := p.attention()
	cmd, r := p.press(seq, n)
	if p.attention() != was {
		p.follows = false
	}
	return cmd, r
}

func (p *Pane) press(seq []string, n int) (tea.Cmd, keys.Result) {
	if v := p.talk(); v != nil && p.InDetail {
		return p.pressTalk(v, seq, n)
	}
	if cmd, r := p.about.Press(p, seq, n); r != keys.None {
		return cmd, r
	}
	if cmd, r := p.acts.Press(p, seq, n); r != keys.None {
		return cmd, r
	}
	if p.stream.inDiff {
		return p.diff.Press(seq, n)
	}
	return p.moves.Press(p, seq, n)
}

// pressTalk handles keys in a conversation. The conversation's own keys take precedence.
func (p *Pane) pressTalk(v *talk.View, seq []string, n int) (tea.Cmd, keys.Result) {
	if cmd, r := v.Press(seq, n); r != keys.None {
		if r == keys.Done {
			p.follows = false
		}
		return cmd, r
	}
	for _, press := range []func([]string, int) (tea.Cmd, keys.Result){
		func(seq []string, n int) (tea.Cmd, keys.Result) { return p.about.Press(p, seq, n) },
		func(seq []string, n int) (tea.Cmd, keys.Result) { return p.aside.Press(p, seq, n) },
	} {
		if cmd, r := press(seq, n); r != keys.None {
			return cmd, r
		}
	}
	return nil, keys.None
}

// Entries returns the actions that are available now.
func (p *Pane) Entries() []keys.Entry {
	switch {
	case p.typed.On():
		return p.typed.Entries()
	case p.talk() != nil && p.InDetail:
		v := p.talk()
		if v.TakesText() {
			return v.Entries()
		}
		own, aside := v.Entries(), p.aside.Entries(p)
		const first = 3                                                          // the most frequent ones, stop, prompt and open; then undoing the session
		about := slices.DeleteFunc(p.about.Entries(p), func(e keys.Entry) bool { // the conversation's own keys take precedence
			return slices.ContainsFunc(own, func(o keys.Entry) bool { return o.Hint() == e.Hint() })
		})
		return slices.Concat(own[:first], aside[:1], own[first:], about, aside[1:])
	case p.stream.inDiff:
		return slices.Concat(p.acts.Entries(p), p.diff.Entries())
	}
	if !p.InDetail {
		acts := p.acts.Entries(p)
		const first = 3 // open, diff, undo the session
		return slices.Concat(acts[:first], p.about.Entries(p), acts[first:], p.moves.Entries(p))
	}
	return slices.Concat(p.acts.Entries(p), p.about.Entries(p), p.moves.Entries(p))
}

// TakesText reports whether a filter or a prompt is being typed.
func (p *Pane) TakesText() bool {
	if v := p.talk(); v != nil && p.InDetail {
		return v.TakesText()
	}
	return p.typed.On()
}

// moveBy moves the cursor of the focused list.
func (p *Pane) moveBy(n int) tea.Cmd {
	if !p.InDetail {
		return p.choose(p.Cur + n)
	}
	return p.moveTo(p.stream.Cur + min(n, p.stream.len()))
}

// moveTo moves the cursor to a row of the stream, within bounds.
func (p *Pane) moveTo(row int) tea.Cmd {
	s := &p.stream
	s.move(row)
	if s.Cur > 0 {
		s.follow = false
	} else {
		s.unseen = 0
	}
	return p.stream.more()
}

// newest moves to the newest activity, and stays at the newest when more comes.
func (p *Pane) newest() tea.Cmd {
	if !p.InDetail {
		return p.choose(0)
	}
	cmd := p.moveTo(0)
	p.stream.follow = true
	return cmd
}

// stayAtNewest moves to the end of the conversation, or to the newest activity.
func (p *Pane) stayAtNewest() tea.Cmd {
	p.stream.inDiff = false
	p.focus(true)
	if v := p.talk(); v != nil {
		v.ToEnd()
		return nil
	}
	return p.newest()
}

// back leaves the diff, the filter, the sessions, or the pane.
func (p *Pane) back() tea.Cmd {
	switch {
	case p.stream.inDiff:
		p.closeDiff()
		return nil
	case p.stream.query.text != "":
		return p.setFilter("")
	}
	return p.env.Do(screen.Back{})
}

// selectedSession returns the session of the row under the cursor, in the focused list.
func (p *Pane) selectedSession() (versions.Actor, versions.SessionID) {
	if !p.InDetail || p.talk() != nil {
		x := p.chosen()
		return x.Actor, x.ID
	}
	if a, ok := p.stream.current(); ok {
		return a.Actor, a.Session
	}
	return versions.Actor{}, ""
}

// Session returns the selected session, or "" if there is none, or if it is a person's.
func (p *Pane) Session() versions.SessionID {
	who, session := p.selectedSession()
	if who.Kind == versions.Person {
		return ""
	}
	return session
}

// chosen returns the session under the cursor; the row of everybody has none.
func (p *Pane) chosen() versions.Session {
	x, _ := p.sessions.at(p.Cur)
	return x
}

// choose moves to a row of the sessions.
func (p *Pane) choose(row int) tea.Cmd {
	p.Step(row - p.Cur)
	return p.Moved()
}

// Moved shows the activity of the session under the cursor, or of all sessions.
func (p *Pane) Moved() tea.Cmd {
	id, more := p.chosen().ID, p.sessions.more()
	if id == p.stream.session {
		return more
	}
	p.stream.session, p.stream.inDiff = id, false
	return tea.Batch(more, p.stream.begin(), p.openTalk())
}
