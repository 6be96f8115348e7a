package wording

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/gitsync"
)

// Unsynced says what a sync would do, as far as it is known here: "2 to send, 1 to take in". It is empty if that is
// nothing.
func Unsynced(b versions.BranchState) string {
	var parts []string
	if b.ToSend > 0 {
		parts = append(parts, fmt.Sprintf("%d to send", b.ToSend))
	}
	if b.Delayed > 0 {
		parts = append(parts, fmt.Sprintf("%d to send after the review", b.Delayed))
	}
	if b.Comes > 0 {
		parts = append(parts, fmt.Sprintf("%d to take in", b.Comes))
	}
	return strings.Join(parts, ", ")
}

// Synced says what a sync did.
func Synced(r gitsync.Result) string {
	var parts []string
	add := func(n int, format string, one, many string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, draw.Plural(n, one, many)))
		}
	}
	add(len(r.Taken)+r.Imported, "took in %s", "change", "changes")
	add(r.Sent, "sent %s", "change", "changes")
	switch {
	case r.Sent > 0 && !r.Pushed:
		parts = append(parts, "not pushed")
	case len(parts)+len(r.Held) > 0:
	case r.Pushed:
		parts = append(parts, "pushed")
	default:
		parts = append(parts, "nothing new")
	}
	add(len(r.Queue), "%s in the review queue", "waits", "wait")
	add(r.Waiting, "%s after the review", "goes out", "go out")
	return strings.Join(parts, ", ")
}

// AsksRewrite reports whether a person may replace the branch after an error of a sync.
func AsksRewrite(err error) bool {
	return errors.As(err, new(*gitsync.RewrittenError)) || errors.As(err, new(*gitsync.ErasedError))
}

// AskRewrite asks whether to replace a branch by what is in a store, or by one without what was erased.
func AskRewrite(b versions.Branch, store string) string {
	what := "Replace branch " + b.Name + " of " + git.Shown(b.URL) + " with "
	if b.Erased {
		return what + "one without the text that was erased here? Everything else in it stays. Existing clones still have the text: delete them and clone again."
	}
	return what + "the content of store " + store + "? Commits that exist only in the branch are lost."
}

// BranchHint says what to do about an error of a sync, or returns "".
func BranchHint(err error) string {
	var refused *gitsync.RefusedError
	var moved *gitsync.MovedError
	switch {
	case errors.As(err, new(*gitsync.RewrittenError)):
		return "nothing was done; ask who rewrote it. `memend sync --rewrite` replaces the branch with the content of the store, and drops commits that exist only in the branch"
	case errors.As(err, &moved) && moved.Rewrite:
		return "nothing was replaced; ask who pushed them. `memend sync --rewrite` again drops them"
	case errors.As(err, &moved):
		return "leave out --push: a sync takes them in first"
	case errors.As(err, new(*gitsync.ErasedError)):
		return "nothing was done; `memend sync --rewrite` removes the text from the branch and keeps everything else; then delete the clones and clone again"
	case errors.As(err, new(*gitsync.UnrelatedError)):
		return "nothing was done; another repository needs a store of its own: `memend stores create NAME`"
	case errors.As(err, new(*gitsync.NoBranchError)):
		return "`git ls-remote URL` lists its branches; name one with --branch"
	case errors.As(err, &refused) && refused.CheckedOut():
		return "share a bare repository (`git init --bare`, `git clone --bare`), or let this one follow: `git config receive.denyCurrentBranch updateInstead` in it"
	case errors.As(err, &refused):
		return "the commits wait here, and the next sync sends them; ask who administers that repository"
	case errors.Is(err, gitsync.ErrURL):
		return "name a folder, or an address such as git@host:team/notes.git or https://host/team/notes.git"
	case errors.Is(err, git.ErrNone):
		return "install it, or import a file of `memend export` or a folder of files"
	case errors.Is(err, git.ErrUnsound):
		return "`git fsck` in the repository says more"
	case errors.As(err, new(*git.CommandError)):
		return "`git ls-remote URL` shows whether git can reach it; the changes wait here"
	}
	return ""
}
