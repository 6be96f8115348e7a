package live

import (
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
)

// setUpstream records the state of a hosted store's connection, and reports when it gets worse or
// better, or when the reason changes.
func (r *Room) setUpstream(u *versions.UpstreamState) {
	if u == nil {
		return
	}
	was := r.upstream
	r.upstream = *u
	switch {
	case u.SameProblem(was):
	case u.Trouble == versions.NoTrouble:
		r.say("the service answers again", false)
	default:
		r.say(upstreamProblem(*u), true)
	}
}

// upstreamProblem says what is wrong and what can be done.
func upstreamProblem(u versions.UpstreamState) string {
	const possible = "the last known state can be read, nothing can be written"
	what := wording.Trouble(u.Trouble, u.Until)
	switch u.Trouble {
	case versions.Unauthorized:
		return what + ": set ANTHROPIC_API_KEY, or MEMEND_API_KEY for another service, and start again"
	case versions.Offline:
		if why := u.Reason(); why != "" {
			what += ": " + why
		}
		return what + " · " + possible
	case versions.RateLimited:
		return what + ": " + possible
	case versions.Gone:
		return what + ": " + possible
	}
	if u.Err != nil {
		return u.Err.Error()
	}
	return what
}
