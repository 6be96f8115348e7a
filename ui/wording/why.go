// Package wording has the messages that screens and commands share: errors, the state of a
// service, syncs with git, and the receipt of a redaction.
package wording

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions"
)

// Why returns the message of an error for the user of a screen.
func Why(err error) string {
	var path *memfs.PathError
	var op *memfs.OpError
	var denied *versions.DeniedError
	var left *versions.OriginalError
	if errors.As(err, &left) {
		return fmt.Sprintf("the %s is in store %s, but the original is still here: %s", left.What, left.Store, Why(left.Err))
	}
	if text, ok := hostedWhy(err); ok {
		return text
	}
	switch {
	case errors.As(err, &path): // the path that was typed is on the screen
		return path.Err.Error()
	case errors.As(err, &denied): // in the notation of the screens
		return deniedWhy(denied)
	case errors.Is(err, versions.ErrNothing):
		return "nothing to do"
	case errors.As(err, &op) && errors.Is(err, memfs.ErrExist): // what was to come there is on the screen
		return op.Path.String() + " already exists: choose another name"
	case errors.Is(err, memfs.ErrExist):
		return named(err) + ": choose another name"
	}
	return named(err)
}

// deniedWhy returns the message for a change that a policy or a pin prevents.
func deniedWhy(e *versions.DeniedError) string {
	why := e.Why
	if e.Pin.For != "" {
		why = e.Pin.Refusal(e.Pin.Path.String())
	}
	if e.Pin.For == versions.PinAll {
		why += ": unpin it first"
	}
	if e.Pin.For != "" && e.Pin.Path == e.Path {
		return "denied: " + why
	}
	return e.Path.String() + ": denied: " + why
}

// named returns the message of an error. An operation that failed names its path in the
// notation of the screens; an error about something else that it was part of has its own text.
func named(err error) string {
	op, ok := err.(*memfs.OpError)
	switch {
	case !ok:
		return err.Error()
	case op.Path.IsRoot():
		return op.At("in the store's folder")
	}
	return op.At(op.Path.String())
}

// hostedWhy returns the message for a request that a service refused.
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
		return "no answer came: the change may have been made; it shows when the service answers again", true
	}
	if cause, ok := troubleWhy(err); ok {
		return cause + ": nothing was written", true
	}
	return err.Error(), true
}

// troubleWhy returns why a service can't be reached now.
func troubleWhy(err error) (string, bool) {
	var trouble *versions.UpstreamError
	if !errors.As(err, &trouble) {
		return "", false
	}
	switch trouble.Trouble {
	case versions.Offline, versions.RateLimited, versions.Unauthorized:
		return Trouble(trouble.Trouble, trouble.Until), true
	}
	return "", false
}

// Trouble describes the problem with the service of a hosted store; until is when it accepts
// requests again.
func Trouble(t versions.Trouble, until time.Time) string {
	switch t {
	case versions.Offline:
		return "the service is out of reach"
	case versions.RateLimited:
		return "rate limited; retry at " + until.Local().Format("15:04:05")
	case versions.Unauthorized:
		return "the service refuses the credentials"
	case versions.Gone:
		return "the store was deleted at its service"
	case versions.InvalidResponse:
		return "invalid response from the service"
	}
	return string(t)
}

// partlyWhy describes how much of an operation was done, and why the rest was not.
func partlyWhy(e *versions.PartlyError) string {
	done := strconv.Itoa(len(e.Done)) + " of " + draw.Plural(len(e.Done)+len(e.Left), "memory was", "memories were") + " done, as change " + strconv.FormatInt(e.Change, 10)
	for _, p := range e.Aside {
		done += ", one is at " + p.String() + " meanwhile"
	}
	if e.Stopped() {
		return "stopped: " + done
	}
	cause, ok := troubleWhy(e.Err)
	if !ok {
		cause = e.Err.Error()
	}
	return done + "; then " + cause
}
