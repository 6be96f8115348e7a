package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/gitsync"
)

// Exit codes.
const (
	exitDone    = 0
	exitFailed  = 1
	exitMisuse  = 2
	exitRefused = 3
	exitHeld    = 4
)

// exitMeans says what each code means, in README.md, the help and the manual.
var exitMeans = []string{
	exitDone:    "done, or nothing to do or to report",
	exitFailed:  "failed, or done only in part; an unreadable file; `search` found nothing; `guard` or `check` found something",
	exitMisuse:  "misuse: unknown command, flag, value or store; no store; no terminal to ask on",
	exitRefused: "refused by a precondition, a conflict, a limit or the policy; nothing was written",
	exitHeld:    "held until a person accepts it; nothing of it was written",
}

// exits are the codes of errors; the first row that has the error decides. Any other error is a failure.
var exits = []struct {
	code int
	of   []func(error) bool
}{
	{exitFailed, []func(error) bool{as[*versions.PartlyError], as[*versions.OriginalError]}}, // something was written
	{exitMisuse, []func(error) bool{as[*misuse], is(versions.ErrNoStore), is(errNoTerminal)}},
	{exitHeld, []func(error) bool{as[*versions.HeldError]}},
	{exitRefused, []func(error) bool{
		// by the policy, or because of who asks
		as[*versions.DeniedError], as[*versions.DecidedError], is(versions.ErrPersonsOnly), is(versions.ErrAdministers), is(versions.ErrUnidentified),
		is(versions.ErrUnattached), is(versions.ErrAttached),
		is(errReadOnlyMode), is(versions.ErrReadingOnly), is(versions.ErrReadOnly), is(versions.ErrArchived),
		// by a conflict
		as[*versions.ConflictError], as[*versions.LaterChangeError], as[*versions.ConflictsError], as[*versions.StalePlanError], as[*versions.OccupiedError],
		as[*versions.HostedRefusal],
		// by a precondition or a limit
		as[*refusal], as[*versions.LimitError], as[*versions.UnnamedMemoriesError], as[*versions.BeforeHistoryError],
		as[*versions.OtherError], as[*versions.AlikeError], is(versions.ErrNotUndoable), is(memfs.ErrTooBig),
		is(memfs.ErrExist), is(fs.ErrExist), is(memfs.ErrUnnamed), is(memfs.ErrNamedOnly), is(exchange.ErrNotEmpty), is(exchange.ErrOtherCommits),
		is(versions.ErrUndoneTogether), is(versions.ErrUndone), is(versions.ErrNotUndone), is(versions.ErrFound), is(versions.ErrNoBulk), is(versions.ErrHasHistory),
		is(versions.ErrCurrent), is(versions.ErrNameTaken), is(versions.ErrConnected),
		is(versions.ErrSameFolder), is(versions.ErrHoldsStore), is(versions.ErrNested), is(versions.ErrHomeInside), is(errNoContent), is(errReadsUnknown),
		as[*gitsync.RewrittenError], as[*gitsync.UnrelatedError], as[*gitsync.ErasedError], as[*gitsync.MovedError],
	}},
}

func is(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }

func as[E error](err error) bool { return errors.As(err, new(E)) }

func exitCode(err error) int {
	for _, row := range exits {
		for _, has := range row.of {
			if has(err) {
				return row.code
			}
		}
	}
	return exitFailed
}

// exitsText is the table of exit codes for the help.
var exitsText = sync.OnceValue(func() string {
	var b strings.Builder
	for code, means := range exitMeans {
		fmt.Fprintf(&b, "  %d  %s\n", code, strings.ReplaceAll(means, "; ", ";\n     "))
	}
	return b.String()
})
