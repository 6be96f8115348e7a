package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/rules"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// status returns the content of the status line.
func (a *App) status(stored bool) frame.Status {
	s := frame.Status{Left: a.statusLeft(), Right: a.statusRight(), Stored: stored, Message: a.message()}
	if w, ok := a.jobs.Shown(); ok {
		s.Work = workSegments(a.th, a.cfg.NoAnimation, w)
	}
	s.KeepSecond = a.cfg.Banner != "" || a.live.Upstream().Trouble != versions.NoTrouble // show demo mode and problems with the service in any case
	return s
}

// message returns the visible message, with the key that undoes the change it reports.
func (a *App) message() *frame.Message {
	m := a.notices.Shown()
	if m == nil {
		return nil
	}
	shown := &frame.Message{Text: m.Text, Bad: m.Bad}
	if m.Back != "" {
		shown.Back = a.wayBack(m.Back)
	}
	return shown
}

// messageRows returns the rows of a message that does not fit in the status line.
func (a *App) messageRows() []string {
	m := a.message()
	if m == nil || a.prompt != nil || !a.frame.Tall() || m.Back != "" && (a.overlay != nil || a.front().TakesText()) {
		return nil // undo takes more keys in this state, and is not urgent
	}
	return a.canvas().MessageRows(*m, a.w)
}

func (a *App) statusLeft() []frame.Segment {
	th := a.th
	left := []frame.Segment{{Text: a.info.Name, Style: th.StatusStrong}}
	if a.cfg.Banner != "" {
		left = append(left, frame.Segment{Text: a.cfg.Banner, Style: th.StatusWarn})
	}
	if a.info.Hosted() {
		left = append(left, upstreamSegment(th, a.live.Upstream(), a.now))
	}
	if a.cfg.ReadOnly || a.live.Unwritable() != nil {
		left = append(left, frame.Segment{Text: "read-only", Style: th.StatusWarn})
	}
	if name := rules.Short(a.live.Policy()); name != "" {
		left = append(left, frame.Segment{Text: "policy: " + name, Style: th.StatusStrong, Click: request.Policy{}})
	}
	if a.live.Last().Number > 0 {
		last := a.live.Last()
		change := "change #" + strconv.FormatInt(last.Number, 10) + " by " + actors.ShortInferred(last.Actor, last.Inferred)
		switch age := draw.Age(a.now, last.Time); age {
		case "":
		case "now":
			change += " just now"
		default:
			change += " " + age + " ago"
		}
		left = append(left, frame.Segment{Text: change, Style: th.Status, Click: request.ShowChange{Change: last.Number}})
	}
	if d := a.tree.Data(); d != nil {
		count, size := d.Total()
		memories := draw.Plural(count, "memory", "memories")
		if n := d.Others(); n > 0 {
			memories += ", " + strconv.Itoa(n) + " not versioned"
		}
		left = append(left, frame.Segment{Text: memories, Style: th.Status})
		left = append(left, frame.Segment{Text: draw.TokenCount(size), Style: th.Status})
	}
	return left
}

func (a *App) statusRight() []frame.Segment {
	th := a.th
	var right []frame.Segment
	if pending := a.pending.String(); pending != "" {
		right = append(right, frame.Segment{Text: pending, Style: th.StatusStrong})
	}
	if n := a.live.Waiting(); n > 0 {
		right = append(right, frame.Segment{Text: keyed(a.queueKey, draw.Plural(n, "waits", "wait")+" for you"), Style: th.StatusWarn, Click: request.Queue{}, Urgent: true})
	}
	if n := a.tree.Changed(); n > 0 {
		right = append(right, frame.Segment{Text: "● " + strconv.Itoa(n) + " to review", Style: th.StatusWarn, Click: request.ReviewNext{By: 1}})
	}
	if n := a.live.AtWork(); n > 0 {
		right = append(right, frame.Segment{Text: "» " + draw.Plural(n, "agent", "agents") + " at work", Style: th.StatusStrong})
	}
	switch watch, adopted, skipped := a.live.Watch(); watch {
	case live.NotWatching:
		if skipped {
			right = append(right, frame.Segment{Text: "folder not scanned", Style: th.StatusWarn})
		} else if !adopted {
			right = append(right, frame.Segment{Text: "looking at the folder…", Style: th.Status})
		}
	case live.Watching:
		if a.live.Upstream().Trouble != versions.NoTrouble { // problems with the service take precedence
			break
		}
		right = append(right, frame.Segment{Text: a.followState(), Style: th.Status})
	case live.Polling:
		right = append(right, frame.Segment{Text: "polling", Style: th.StatusWarn})
	case live.Lost:
		right = append(right, frame.Segment{Text: "folder out of reach", Style: th.StatusWarn})
	}
	return right
}

// followState returns whether follow mode is on, with the key that changes it.
func (a *App) followState() string {
	state := "follow: off"
	if a.live.Follows() {
		state = "follow: on"
	}
	return keyed(a.followKey, state)
}

// keyed puts a key before a text, if there is one.
func keyed(key, text string) string {
	if key == "" {
		return text
	}
	return key + " " + text
}

// helpKey returns the key that shows the keys, or "" if there is none.
func (a *App) helpKey() string {
	switch {
	case a.overlay != nil || a.prompt != nil:
		return ""
	case !a.front().TakesText():
		return "?"
	}
	for _, e := range a.typingActions() {
		if e.ID == "global.help" {
			return e.Hint()
		}
	}
	return ""
}

// hints returns the actions to show as hints: the first ones of the pane in front, then some
// of the root, then the rest.
func (a *App) hints() []keys.Entry {
	if a.overlay != nil {
		return shown(a.overlay.Entries())
	}
	if a.prompt != nil {
		return a.prompt.Entries()
	}
	own := besideWork(shown(a.entriesOf(a.front())), a.jobs.CanCancel())
	if a.front().TakesText() {
		for _, e := range a.typingActions() {
			if e.ID == "global.palette" {
				own = slices.Insert(own, min(len(own), beforePalette), e)
			}
		}
		return own
	}
	const first, roots = 5, 8
	n := min(len(own), first)
	out := append([]keys.Entry{}, own[:n]...)
	everywhere := slices.DeleteFunc(shown(a.besideFront()), func(e keys.Entry) bool { return len(e.Keys) == 0 })
	if len(a.screens) == 0 {
		out = append(out, everywhere[:min(len(everywhere), roots)]...)
	}
	return append(out, own[n:]...)
}

// beforePalette is how many hints of a pane that takes text come before the palette.
const beforePalette = 4

// besideWork removes Esc from other actions while it cancels work, as the line above shows.
// They are shown with another key.
func besideWork(entries []keys.Entry, cancels bool) []keys.Entry {
	if !cancels {
		return entries
	}
	for i := range entries {
		entries[i].Keys = slices.DeleteFunc(slices.Clone(entries[i].Keys), func(k string) bool { return k == "esc" })
	}
	return entries
}

// shown removes actions that are disabled or not shown as hints.
func shown(entries []keys.Entry) []keys.Entry {
	return slices.DeleteFunc(entries, func(e keys.Entry) bool { return e.Hide || e.Why != "" })
}

// upstreamSegment returns the part of the status line that shows that the store is hosted, and
// problems with its service.
func upstreamSegment(th *theme.Theme, u versions.UpstreamState, now time.Time) frame.Segment {
	text, style := "hosted", th.Status
	switch u.Trouble {
	case versions.NoTrouble:
		if !u.Asked {
			text = "hosted…"
		}
	case versions.Offline:
		text, style = "offline since "+u.Since.In(now.Location()).Format("15:04"), th.StatusWarn
	case versions.RateLimited:
		text, style = "rate limited until "+u.Until.In(now.Location()).Format("15:04:05"), th.StatusWarn
	case versions.Unauthorized:
		text, style = "unauthorized", th.StatusWarn
	case versions.Gone:
		text, style = "deleted at its service", th.StatusWarn
	default:
		text, style = "invalid response", th.StatusWarn
	}
	return frame.Segment{Text: text, Style: style}
}

// wayBack returns which keys undo a change in the current context: "u undoes".
func (a *App) wayBack(id string) string {
	does := map[string]string{"undo": "undoes", "redo": "redoes it"}[id]
	for _, e := range a.keys.Entries(a) {
		if e.ID != "global."+id || e.Hint() == "" {
			continue
		}
		bound := func(p screen.Pane) bool { // there the key acts on the selected change
			return slices.ContainsFunc(p.Entries(), func(own keys.Entry) bool { return slices.Contains(own.Keys, e.Keys[0]) })
		}
		var first []string
		if a.overlay != nil || a.prompt != nil || a.front().TakesText() || a.whyDeciding() != "" || len(a.screens) > 0 && bound(a.front()) {
			first = append(first, "Esc")
		}
		if below := a.pane(a.frame.Focus()); (len(first) > 0 || len(a.screens) == 0) && !below.TakesText() && bound(below) {
			first = append(first, a.env().Hint("global.next-pane"))
		}
		way := e.Hint() + " " + does
		if len(first) > 0 {
			way = strings.Join(first, " ") + ", then " + way
		}
		return way
	}
	return ""
}
