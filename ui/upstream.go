package ui

import (
	"errors"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions"
)

// A hosted store, as the status line and the messages speak of its service.

// upstreamNews notes how the store stands to its service, and tells the person when that
// gets worse or better.
func (a *App) upstreamNews(u *versions.UpstreamState) tea.Cmd {
	if u == nil {
		return nil
	}
	was := a.upstream
	a.upstream = *u
	switch {
	case u.Trouble == was.Trouble:
		return nil
	case u.Trouble == versions.NoTrouble:
		return a.say("the service answers again", false)
	}
	return a.say(troubleText(*u), true)
}

// troubleText says what is the matter and what can be done.
func troubleText(u versions.UpstreamState) string {
	switch u.Trouble {
	case versions.Offline:
		return "the service is out of reach: what is known can be read, nothing can be written"
	case versions.RateLimited:
		return "rate limited: the last known state can be read"
	case versions.Unauthorized:
		return "the service refuses the credentials: set ANTHROPIC_API_KEY, or MEMEND_API_KEY for another service, and start again"
	}
	if u.Trouble == versions.Gone {
		return "the store was deleted at its service: what is here can still be read"
	}
	if u.Err != nil {
		return u.Err.Error()
	}
	return string(u.Trouble)
}

// upstreamSegment says in the status line that the store is hosted, and what is wrong
// with that.
func (a *App) upstreamSegment() (segment, bool) {
	if !a.info.Hosted() {
		return segment{}, false
	}
	text, style := "hosted", a.th.Status
	switch u := a.upstream; u.Trouble {
	case versions.NoTrouble:
		if !u.Asked {
			text = "hosted…"
		}
	case versions.Offline:
		text, style = "offline since "+u.Since.In(a.now.Location()).Format("15:04"), a.th.StatusWarn
	case versions.RateLimited:
		text, style = "rate limited until "+u.Until.In(a.now.Location()).Format("15:04:05"), a.th.StatusWarn
	case versions.Unauthorized:
		text, style = "unauthorized", a.th.StatusWarn
	case versions.Gone:
		text, style = "deleted at its service", a.th.StatusWarn
	default:
		text, style = "service not sound", a.th.StatusWarn
	}
	return segment{text: text, st: style}, true
}

// hostedWhy puts what a service refused in the words of the screen.
func hostedWhy(err error) (string, bool) {
	var trouble *versions.UpstreamError
	var later *versions.LaterError
	var partly *versions.PartlyError
	switch {
	case errors.As(err, &partly):
		return partlyWhy(partly), true
	case errors.As(err, &later):
		return err.Error(), true
	case !errors.As(err, &trouble):
		return "", false
	case trouble.Trouble == versions.Offline && trouble.Unsure:
		return "no answer came: it may have been done, and shows when the service answers again", true
	}
	if cause, ok := troubleWhy(err); ok {
		return cause + ": nothing was written", true
	}
	return err.Error(), true
}

// troubleWhy says why a service can't be asked now.
func troubleWhy(err error) (string, bool) {
	var trouble *versions.UpstreamError
	if !errors.As(err, &trouble) {
		return "", false
	}
	switch trouble.Trouble {
	case versions.Offline:
		return "the service is out of reach", true
	case versions.RateLimited:
		return "rate limited; retry at " + trouble.Until.Local().Format("15:04:05"), true
	case versions.Unauthorized:
		return "the service refuses the credentials", true
	}
	return "", false
}

// partlyWhy says how much of an act was done, and why not the rest.
func partlyWhy(e *versions.PartlyError) string {
	done := strconv.Itoa(len(e.Done)) + " of " + draw.Plural(len(e.Done)+len(e.Left), "memory was", "memories were") + " done, as change " + strconv.FormatInt(e.Change, 10)
	if e.Stopped() {
		return "stopped: " + done
	}
	cause, ok := troubleWhy(e.Err)
	if !ok {
		cause = e.Err.Error()
	}
	return done + "; then " + cause
}
