package cli

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/exchange"
)

// misuse is an invalid command line.
type misuse struct {
	err     error
	command string // the command whose help to suggest; "": the list of commands
}

func (e *misuse) Error() string { return e.err.Error() }
func (e *misuse) Unwrap() error { return e.err }

func misusef(command, format string, args ...any) error {
	return &misuse{fmt.Errorf(format, args...), command}
}

// outputError means that the output could not be written.
type outputError struct{ err error }

func (e *outputError) Error() string { return "write output: " + e.err.Error() }
func (e *outputError) Unwrap() error { return e.err }

// hinted is an error with a hint that is known only where the error occurred.
type hinted struct {
	err  error
	hint string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }

// refusal is an error of a command that was refused; nothing was written.
type refusal struct{ err error }

func (e *refusal) Error() string { return e.err.Error() }
func (e *refusal) Unwrap() error { return e.err }

// errReported ends a command as failed without another message.
var errReported = errors.New("already reported")

// ofCommand adds the command to an error of the system that has no words of ours.
func ofCommand(cmd *cobra.Command, err error) error {
	for {
		joined, ok := err.(interface{ Unwrap() []error }) // errors.Join of one
		if !ok || len(joined.Unwrap()) != 1 || joined.Unwrap()[0].Error() != err.Error() {
			break
		}
		err = joined.Unwrap()[0]
	}
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	switch bare := err.(type) {
	case *fs.PathError:
		return fmt.Errorf("%s %s: %w", name, bare.Path, bare.Err)
	case *os.LinkError:
		return fmt.Errorf("%s %s to %s: %w", name, bare.Old, bare.New, bare.Err)
	case *os.SyscallError:
		return fmt.Errorf("%s: %w", name, bare)
	}
	return err
}

// reportError prints an error and its hint, and returns the exit code.
func reportError(p *console, err error) int {
	if err == nil {
		return exitDone
	}
	if !errors.Is(err, errReported) {
		var b strings.Builder
		fmt.Fprintf(&b, "memend: %s\n", text.Field(said(err)))
		if h := hint(err); h != "" {
			fmt.Fprintf(&b, "  hint: %s\n", text.Field(h))
		}
		fmt.Fprint(p.err, b.String())
	}
	return exitCode(err)
}

// said returns the text of an error in one line. Of joined errors, which often have one cause, each text is
// there once.
func said(err error) string {
	var once []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !slices.Contains(once, line) {
			once = append(once, line)
		}
	}
	return strings.Join(once, "; ")
}

// hint says what to do about an error, or returns "".
func hint(err error) string {
	var hinted *hinted
	var none *noStoreHere
	var wrong *misuse
	var later *versions.LaterChangeError
	var over *versions.LimitError
	switch {
	case errors.As(err, &hinted):
		return hinted.hint
	case errors.As(err, &none):
		return none.hint()
	case errors.As(err, &wrong):
		if wrong.command == "" {
			return "`memend help` lists the commands"
		}
		return fmt.Sprintf("`%s --help` shows how it is used", wrong.command)
	case errors.As(err, new(*versions.UnnamedMemoriesError)):
		return "nothing was changed; keep a pattern that names them, delete them first with `memend rm`, or stop following them with --forget, which leaves their files as they are"
	case errors.As(err, new(*versions.ConflictError)):
		return "read it again with `memend cat`, then decide; nothing was written"
	case errors.As(err, new(*versions.StalePlanError)):
		return "nothing was written; run it again, or with --dry-run to see the new plan"
	case errors.As(err, new(*versions.ConflictsError)) && errors.As(err, &later) && later.Later > 0:
		return fmt.Sprintf("`memend show %d` shows what was done since; --conflict skip leaves what conflicts as it is, ours keeps what is there now, theirs takes what was there before", later.Later)
	case errors.As(err, new(*versions.ConflictsError)):
		return "--conflict skip leaves what conflicts as it is"
	case errors.As(err, new(*versions.OccupiedError)):
		return "--overwrite replaces them (`memend undo` undoes that); --into puts the files elsewhere"
	case errors.As(err, &later) && later.Later > 0:
		return fmt.Sprintf("see change %d with `memend show %d`; undo it first, or restore the version you want with `memend restore`", later.Later, later.Later)
	case errors.As(err, &over):
		return limitHint(over)
	case errors.As(err, &later):
		return "move or remove what is there first"
	case errors.As(err, new(*versions.AlikeError)):
		return "use that name, or rename what has it with `memend mv`; nothing was written"
	case errors.As(err, new(*versions.HeldError)):
		return "a person lists what waits with `memend review`, or in the TUI"
	case errors.As(err, new(*versions.CopiedHomeError)):
		return "use the original home, or give the store of the copy a folder of its own: `memend stores move STORE DIR`"
	case errors.As(err, new(*versions.BeforeHistoryError)):
		return "`memend log` lists the known changes, `memend log PATH` the known versions of a memory; `memend show PATH@N` prints one"
	}
	if h := hostedHint(err); h != "" {
		return h
	}
	if h := wording.BranchHint(err); h != "" {
		return h
	}
	var folder *versions.FolderError
	for _, h := range hints {
		if !errors.Is(err, h.err) {
			continue
		}
		if errors.As(err, &folder) {
			return strings.ReplaceAll(h.hint, " STORE ", " "+shellWord(folder.Store.Name)+" ")
		}
		return h.hint
	}
	return ""
}

var hints = []struct {
	err  error
	hint string
}{
	{agent.ErrNoCredentials, "`memend demo` runs scripted agents without any"},
	{agent.ErrNoModel, "name one with --model, $ANTHROPIC_MODEL or agent.model in `memend config`"},
	{conversations.ErrRunning, "`memend watch` follows it; it can be resumed when that program has ended"},
	{errNoTerminal, "`memend help` lists commands that need none"},
	{versions.ErrGoneUpstream, "the local copy can still be read and exported; `memend stores disconnect` deletes it"},
	{versions.ErrUnfinished, "`memend log` shows it; free some space, or make the folder writable, and run any command"},
	{versions.ErrNoStore, "`memend stores` lists the stores; `memend stores create NAME` creates one"},
	{versions.ErrFolderLink, "nothing was read or written; put the folder back, or name the one that holds the memories with `memend stores move STORE DIR`"},
	{versions.ErrFolderOther, "nothing was read or written; mount the disk or put the folder back; if its memories were deleted, `memend stores move STORE DIR --deleted` records that"},
	{versions.ErrFolderGone, "if it was moved, `memend stores move STORE DIR` sets the new place; if it is lost, add --deleted to use an empty folder, and undo that change to write the memories there"},
	{versions.ErrNoMemory, "`memend ls` lists the memories"},
	{memfs.ErrNotExist, "`memend ls` lists the memories"},
	{versions.ErrNoVersion, "`memend log PATH` lists the versions of a memory"},
	{versions.ErrNoChange, "`memend log` lists the changes"},
	{versions.ErrNoHeld, "`memend review` lists what is held"},
	{versions.ErrNoSession, "`memend sessions` lists the sessions"},
	{conversations.ErrNotFound, "`memend sessions` lists the sessions"},
	{versions.ErrReadingOnly, "nothing was written; --read-only=false allows writes"},
	{versions.ErrReadOnly, "nothing was written; another session may be allowed to write there"},
	{versions.ErrUnattached, "nothing was written; another session may be allowed to write there"},
	{versions.ErrUnidentified, "nothing was done; --session names the session of an agent"},
	{versions.ErrAdministers, "nothing was done; leave out --session, or name another one"},
	{versions.ErrAttached, "a session keeps the stores that it began with; name the same ones, or another session with --session"},
	{versions.ErrCurrent, "nothing was written; with --match, --mask replaces the text in it; else change it with `memend write` or delete it with `memend rm` first"},
	{versions.ErrArchived, "its memories can be read, deleted and redacted; `memend stores archive --undo` makes a store of this home writable again"},
	{versions.ErrLost, "`memend log PATH` lists the versions around it; an old export or a backup of the folder may still hold it"},
	{versions.ErrRedacted, "redacted text can't be recovered; `memend log` shows the versions around it"},
	{versions.ErrForgotten, "restore an existing version: `memend log PATH` lists them"},
	{versions.ErrConnected, "`memend stores` lists the stores of this home"},
	{versions.ErrHereToo, "use that store, or connect from another home (--home)"},
	{versions.ErrDeletion, "restore the version before it"},
	{versions.ErrUndoneTogether, "`memend undo` of that change undoes all of them"},
	{versions.ErrUndone, "`memend redo` redoes an undone change"},
	{versions.ErrHoldsStore, "a file can be in one store only: choose a folder that does not hold the other, or delete that store first (its files stay)"},
	{versions.ErrSameFolder, "a folder has one store only: name that store with --store, or delete it first (its files stay)"},
	{versions.ErrNested, "name that store with --store, and the memory by its path in it"},
	{versions.ErrHomeGone, "restart this process; writes meanwhile were refused"},
	{versions.ErrHomeInside, "choose another folder, or another home with --home"},
	{versions.ErrDamaged, "keep a copy of memend's home, then run `memend check --repair`"},
	{versions.ErrFound, "`memend rm` deletes memories; nothing was written"},
	{versions.ErrTrailLost, "nothing was changed; restore trail.db from a backup, or begin a new history with `memend check --repair`"},
	{versions.ErrHasHistory, "a history needs a store of its own: `memend stores create NAME`, then `memend import -s NAME …`; files of a folder can be imported into any store (--format folder)"},
	{versions.ErrRedactedMeanwhile, "delete what was written, because it may contain erased text, and export again"},
	{exchange.ErrOtherCommits, "export into a new repository; after a redaction, too, the commits are others. `memend sync` works on a branch with others"},
	{exchange.ErrNotEmpty, "name another folder, or let files be replaced with --overwrite"},
	{exchange.ErrGitPath, "`memend export` as JSON lines supports every path"},
	{exchange.ErrNoCommits, "commit the memories, or import them as they are now with --format folder"},
	{exchange.ErrStream, "import the repository: `memend import DIR`; of a stream, make one first: `git init DIR`, then `git -C DIR fast-import`; of a bundle, `git clone`"},
	{exchange.ErrUnknownFormat, "name the format with --format"},
	{versions.ErrUnsound, "nothing was imported"},
	{fs.ErrExist, "name another file, or replace it with --overwrite"},
	{versions.ErrTrailFormat, "use the version of memend that wrote it, or a newer one"},
	{memfs.ErrUnnamed, "nothing was written; `memend stores describe STORE` lists the files of the store"},
	{memfs.ErrEscape, "name the memory by its path in the store"},
	{memfs.ErrExist, "choose another name, or remove what is there first"},
	{memfs.ErrNoSpace, "nothing was written; free some space and try again"},
	{memfs.ErrReadOnlyDisk, "nothing was written; what is there can still be read"},
	{memfs.ErrNoPermission, "check the owner of the file and its folder; memend changes no permissions"},
	{memfs.ErrLinkOut, "memend reads and writes only the files of the store; `memend ls` shows where the link leads"},
	{memfs.ErrNotRegular, "only regular files are memories"},
	{versions.ErrNotUndoable, "nothing was written; move or remove it with another program"},
	{memfs.ErrTooBig, "only texts up to 8 MiB are kept as memories; move or remove the file with another program"},
	{memfs.ErrUnstable, "another program is writing it; try again"},
	{io.ErrUnexpectedEOF, "the file is cut or damaged: use another copy of it"},
	{gzip.ErrHeader, "the file is not compressed by gzip, or damaged: use another copy of it"},
	{gzip.ErrChecksum, "the file is damaged: use another copy of it"},
	{tar.ErrHeader, "the file is no tar archive, or damaged: use another copy of it"},
	{errNoBackup, "name a file or folder that `memend backup` wrote"},
	{fs.ErrNotExist, "check the spelling, or create its folder first"}, // last: others are of this kind
	{fs.ErrPermission, "check the owner and the mode of the file and its folder"},
}

// oneOf lists the allowed values of an argument.
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
