package live

import (
	"errors"

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
		r.say(upstreamProblem(*u, r.cfg.Store.Info().Folder), true)
	}
}

// upstreamProblem says what is wrong and what can be done with a store that is in step with a folder, or
// with none.
func upstreamProblem(u versions.UpstreamState, folder string) string {
	var trouble *versions.UpstreamError
	if errors.As(u.Err, &trouble) && trouble.Hint != "" && trouble.Err != nil {
		return trouble.Err.Error() + " · " + trouble.Hint
	}
	what := wording.Trouble(u.Trouble, u.Until)
	switch u.Trouble {
	case versions.Unauthorized:
		return what + ": set ANTHROPIC_API_KEY, or MEMEND_API_KEY for another service, and start again"
	case versions.Offline:
		if why := u.Reason(); why != "" {
			what += ": " + why
		}
		return what + " · " + possible(folder)
	case versions.RateLimited:
		return what + ": " + possible(folder)
	case versions.Gone:
		return what + ": " + possible("")
	}
	if u.Err != nil {
		return u.Err.Error()
	}
	return what
}

// possible says what can be done without the service.
func possible(folder string) string {
	if folder != "" {
		return "what changes in " + folder + " is sent when it answers"
	}
	return "the last known state can be read, nothing can be written"
}
