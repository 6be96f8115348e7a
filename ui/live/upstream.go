package live

import (
	"github.com/memend/memend/versions"
)

// upstreamNews records the state of a hosted store's connection, and reports when it gets
// worse or better.
func (r *Room) upstreamNews(u *versions.UpstreamState) {
	if u == nil {
		return
	}
	was := r.upstream
	r.upstream = *u
	switch {
	case u.Trouble == was.Trouble:
	case u.Trouble == versions.NoTrouble:
		r.say("the service answers again", false)
	default:
		r.say(troubleText(*u), true)
	}
}

// troubleText says what is wrong and what can be done.
func troubleText(u versions.UpstreamState) string {
	switch u.Trouble {
	case versions.Offline:
		return "the service is out of reach: the last known state can be read, nothing can be written"
	case versions.RateLimited:
		return "rate limited: the last known state can be read"
	case versions.Unauthorized:
		return "the service refuses the credentials: set ANTHROPIC_API_KEY, or MEMEND_API_KEY for another service, and start again"
	}
	if u.Trouble == versions.Gone {
		return "the store was deleted at its service: the local copy can still be read"
	}
	if u.Err != nil {
		return u.Err.Error()
	}
	return string(u.Trouble)
}
