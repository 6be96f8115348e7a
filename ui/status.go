package ui

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/rules"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// status returns the content of the status line.
func (a *App) status() frame.Status {
	f := facts{a.th, a.info, a.cfg.Banner, a.cfg.ReadOnly, a.live, a.branches, a.tree, a.now, a.keys}
	s := frame.Status{Left: f.left(), Right: f.right(a.pending.String()), Message: a.message()}
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
	return a.canvas().MessageRows(*m, a.w, a.h)
}

// coveredRows returns how many rows of the panes a message takes: what is under the cursor must not be below it.
func (a *App) coveredRows() int { return max(len(a.messageRows())-1, 0) }

// facts are what the status line says of the store.
type facts struct {
	th       *theme.Theme
	info     versions.StoreInfo
	banner   string
	readOnly bool
	live     *live.Room
	branches *branches.Room
	tree     *tree.Pane
	now      time.Time
	keys     *keys.Map[*App]
}

func (f facts) left() []frame.Segment {
	left := []frame.Segment{{Text: f.info.Name, Style: f.th.StatusStrong}}
	if f.banner != "" {
		left = append(left, frame.Segment{Text: f.banner, Style: f.th.StatusWarn})
	}
	if f.info.Hosted() {
		left = append(left, upstreamSegment(f.th, f.live.Upstream(), f.now))
	}
	if f.readOnly || f.live.Unwritable() != nil {
		left = append(left, frame.Segment{Text: "read-only", Style: f.th.StatusWarn})
	}
	if name := rules.Short(f.live.Policy()); name != "" {
		left = append(left, frame.Segment{Text: "policy: " + name, Style: f.th.StatusStrong, Click: screen.Policy{}})
	}
	if b, _ := f.branches.State(f.info.ID); wording.Unsynced(b.BranchState) != "" {
		left = append(left, frame.Segment{Text: wording.Unsynced(b.BranchState), More: b.LastLook(f.now), Style: f.th.Status, Click: f.sync()})
	}
	if last := f.live.Last(); last.Number > 0 {
		change := "change #" + strconv.FormatInt(last.Number, 10) + " by " + actors.ShortInferred(last.Actor, last.Inferred)
		switch age := draw.Age(f.now, last.Time); age {
		case "":
		case "now":
			change += " just now"
		default:
			change += " " + age + " ago"
		}
		left = append(left, frame.Segment{Text: change, Style: f.th.Status, Click: screen.ShowChange{Change: last.Number}})
	}
	if d := f.tree.Data(); d != nil {
		count, size := d.Total()
		memories := draw.Plural(count, "memory", "memories")
		if n := d.Others(); n > 0 {
			memories += ", " + strconv.Itoa(n) + " not versioned"
		}
		left = append(left, frame.Segment{Text: memories, Style: f.th.Status})
		left = append(left, frame.Segment{Text: draw.TokenCount(size), Style: f.th.Status})
	}
	return left
}

func (f facts) sync() screen.Request { return screen.Sync{Store: f.info.ID, Name: f.info.Name} }

// right lists what is going on, after the keys typed so far of a sequence.
func (f facts) right(pending string) (right []frame.Segment) {
	if pending != "" {
		right = append(right, frame.Segment{Text: pending, Style: f.th.StatusStrong})
	}
	if n := f.live.Waiting(); n > 0 {
		right = append(right, frame.Segment{Text: keyed(f.keys.Key("review"), draw.Plural(n, "waits", "wait")+" for you"), Style: f.th.StatusWarn, Click: screen.Queue{}, Urgent: true})
	}
	if n := f.tree.Review.Changed(); n > 0 {
		right = append(right, frame.Segment{Text: "● " + strconv.Itoa(n) + " to review", Style: f.th.StatusWarn, Click: screen.ReviewNext{By: 1}, Urgent: true})
	}
	switch b, _ := f.branches.State(f.info.ID); {
	case b.Erased:
		right = append(right, frame.Segment{Text: "git has what was erased", Style: f.th.StatusWarn, Click: f.sync()})
	case b.Failed != nil:
		right = append(right, frame.Segment{Text: "sync failed", Style: f.th.StatusWarn, Click: f.sync()})
	}
	if n := f.live.AtWork(); n > 0 {
		right = append(right, frame.Segment{Text: "» " + draw.Plural(n, "agent", "agents") + " at work", Style: f.th.StatusStrong})
	}
	switch watch, adopted, skipped := f.live.Watch(); watch {
	case live.NotWatching:
		if skipped {
			right = append(right, frame.Segment{Text: "folder not scanned", Style: f.th.StatusWarn})
		} else if !adopted {
			right = append(right, frame.Segment{Text: "looking at the folder…", Style: f.th.Status})
		}
	case live.Watching:
		if f.live.Upstream().Trouble != versions.NoTrouble { // problems with the service take precedence
			break
		}
		state := "follow: off"
		if f.live.Follows() {
			state = "follow: on"
		}
		right = append(right, frame.Segment{Text: keyed(f.keys.Key("follow"), state), Style: f.th.Status})
	case live.Polling:
		right = append(right, frame.Segment{Text: "polling", Style: f.th.StatusWarn})
	case live.Lost:
		right = append(right, frame.Segment{Text: "folder out of reach", Style: f.th.StatusWarn})
	}
	return right
}

// helpKey returns the key that shows the keys, or "" if there is none.
func (a *App) helpKey() string {
	switch {
	case a.overlay != nil || a.prompt != nil:
		return ""
	case !a.front().TakesText():
		return "?"
	}
	help, _ := find(a.available().whileTyping(), func(e keys.Entry) bool { return e.ID == helpID })
	return help.Hint()
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
	av := a.available()
	beside := shown(av.beside())
	own := besideWork(a.inFolder(shown(av.front)), a.jobs.CanCancel())
	if av.typing {
		if e, ok := find(av.whileTyping(), func(e keys.Entry) bool { return e.ID == paletteID }); ok {
			own = slices.Insert(own, min(len(own), beforePalette), e)
		}
		return own
	}
	const ownFirst, roots = 4, 2
	n := min(len(own), ownFirst)
	out := append([]keys.Entry{}, own[:n]...)
	everywhere := slices.DeleteFunc(beside, func(e keys.Entry) bool { return len(e.Keys) == 0 })
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

// inFolder removes what fails in a folder in which memend can't write. The keys still work: folders in it may
// be writable.
func (a *App) inFolder(hints []keys.Entry) []keys.Entry {
	if a.live.Unwritable() == nil {
		return hints
	}
	return slices.DeleteFunc(hints, func(e keys.Entry) bool { return e.ID == "list.new" || e.ID == "tree.delete" })
}

// upstreamSegment returns the part of the status line that shows that the store is hosted, and
// problems with its service.
func upstreamSegment(th *theme.Theme, u versions.UpstreamState, now time.Time) frame.Segment {
	text, more, style := "hosted", "", th.Status
	switch u.Trouble {
	case versions.NoTrouble:
		if !u.Asked {
			text = "hosted…"
		}
	case versions.Offline:
		text, more, style = "offline since "+u.Since.In(now.Location()).Format("15:04"), short(u.Reason()), th.StatusWarn
	case versions.RateLimited:
		text, style = "rate limited until "+u.Until.In(now.Location()).Format("15:04:05"), th.StatusWarn
	case versions.Unauthorized:
		text, style = "unauthorized", th.StatusWarn
	case versions.Gone:
		text, style = "deleted at its service", th.StatusWarn
	default:
		text, style = "invalid response", th.StatusWarn
	}
	return frame.Segment{Text: text, More: more, Style: style}
}

// short returns the end of an error, which says what happened; its beginning names where.
func short(reason string) string {
	for _, before := range []string{"; ", ": "} {
		if i := strings.LastIndex(reason, before); i >= 0 {
			reason = reason[i+len(before):]
		}
	}
	return strings.TrimSuffix(reason, ".")
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
		if a.overlay != nil || a.prompt != nil || a.front().TakesText() || a.screens.deciding() != "" || len(a.screens) > 0 && bound(a.front()) {
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
