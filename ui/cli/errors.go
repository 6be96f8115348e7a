package cli

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/wording"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/planning"
)

// misuse is an invalid command line.
type misuse struct {
	error
	command string // the command whose help to suggest; "": the list of commands
}

func (e *misuse) Unwrap() error { return e.error }

func misusef(command, format string, args ...any) error {
	return &misuse{fmt.Errorf(format, args...), command}
}

// outputError means that the output could not be written.
type outputError struct{ error }

func (e *outputError) Error() string { return "write output: " + e.error.Error() }
func (e *outputError) Unwrap() error { return e.error }

// hinted is an error with a hint that is known only where the error occurred.
type hinted struct {
	error
	hint string
}

func (e *hinted) Unwrap() error { return e.error }

// refusal is an error of a command that was refused; nothing was written.
type refusal struct{ error }

func (e *refusal) Unwrap() error { return e.error }

// errReported ends a command as failed without another message.
var errReported = errors.New("already reported")

// toCreate adds the hint to the error of a command that creates a file.
func toCreate(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &hinted{err, "check the spelling, or create its folder first"}
	}
	return err
}

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
	case *versions.DeniedError:
		return fmt.Errorf("%s %w", name, bare)
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
		fmt.Fprintf(&b, "memend: %s\n", text.Field(errorText(err)))
		if h := hint(err); h != "" {
			fmt.Fprintf(&b, "  hint: %s\n", text.Field(p.hintText(h)))
		}
		fmt.Fprint(p.err, b.String())
	}
	return exitCode(err)
}

// hintText adds the store that -s named to the commands in a hint that work on one: without it they may work on another.
func (p *console) hintText(hint string) string {
	if p.named == "" {
		return hint
	}
	return ofStore.ReplaceAllStringFunc(hint, func(command string) string {
		if strings.Contains(command, " -s ") || strings.Contains(command, " --help") {
			return command
		}
		return strings.TrimSuffix(command, "`") + " -s " + shellWord(p.named) + "`"
	})
}

// ofStore are commands that work on a store, as hints quote them.
var ofStore = regexp.MustCompile("`memend (agent|blame|cat|diff|edit|export|guard|import|log|ls|merge|mv|pin|policy|redact|redo|restore|review|rm|search|sessions|show|stale|sync|trace|undo|watch|write)( [^`]*)?`")

// errorText returns the text of an error in one line. Of joined errors, which often have one cause, each text is
// there once.
func errorText(err error) string {
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
	var refused *versions.ConflictsError
	var over *versions.LimitError
	var denied *versions.DeniedError
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
	case errors.As(err, &denied) && denied.Pin.For == versions.PinAll:
		return fmt.Sprintf("a person makes it writable with `memend pin --remove %s`", shellWord(denied.Pin.Path.Tool()))
	case errors.As(err, &refused):
		if h := conflictHint(refused, "what was there before"); h != "" {
			return h
		}
	case errors.As(err, &later) && later.Later > 0:
		return fmt.Sprintf("see change %d with `memend show %d`; undo it first, or restore the version you want with `memend restore`", later.Later, later.Later)
	case errors.As(err, &over):
		return limitHint(over)
	case errors.As(err, &later):
		return "move or remove what is there first"
	}
	if h := hostedHint(err); h != "" {
		return h
	}
	if h := wording.BranchHint(err); h != "" {
		return h
	}
	var folder *versions.FolderError
	var archived *versions.ArchivedError
	for _, h := range hints {
		if !h.of(err) {
			continue
		}
		name := "STORE"
		if errors.As(err, &folder) {
			name = shellWord(folder.Store.Name)
		} else if errors.As(err, &archived) {
			name = shellWord(archived.Store)
		}
		return strings.ReplaceAll(h.hint, " STORE ", " "+name+" ")
	}
	return ""
}

// conflictHint says what decides the conflicts of a plan. No decision frees a path, or brings back what is redacted.
func conflictHint(e *versions.ConflictsError, theirs string) string {
	var taken, redacted, others bool
	for _, it := range e.Conflicts {
		taken = taken || it.Clash == planning.ClashTaken
		redacted = redacted || it.Clash == planning.ClashRedacted
		others = others || it.Clash != planning.ClashTaken && it.Clash != planning.ClashRedacted
	}
	var parts []string
	if later := (*versions.LaterChangeError)(nil); errors.As(e, &later) && later.Later > 0 {
		parts = append(parts, fmt.Sprintf("`memend show %d` shows what was done since", later.Later))
	}
	if others || e.Rest {
		decide := "--conflict skip leaves what conflicts as it is, ours keeps what is there now"
		if !taken && !redacted {
			decide += ", theirs takes " + theirs
		}
		parts = append(parts, decide)
	}
	if taken {
		parts = append(parts, "move or remove what is there first")
	}
	return strings.Join(parts, "; ")
}

// hints are the hints for errors; the first row that has the error decides.
var hints = []struct {
	of   func(error) bool
	hint string
}{
	{as[*versions.UnnamedMemoriesError], "nothing was changed; keep a pattern that names them, delete them first with `memend rm`, or stop following them with --forget, which leaves their files as they are"},
	{as[*versions.ConflictError], "read it again with `memend cat`, then decide; nothing was written"},
	{as[*versions.StalePlanError], "nothing was written; run it again, or with --dry-run to see the new plan"},
	{as[*versions.OccupiedError], "--overwrite replaces them (`memend undo` undoes that); --into puts the files elsewhere"},
	{as[*versions.AlikeError], "use that name, or rename what has it with `memend mv`; nothing was written"},
	{as[*versions.HeldError], "a person lists what waits with `memend review`, or in the TUI"},
	{as[*versions.CopiedHomeError], "use the original home, or give the store of the copy a folder of its own: `memend stores move STORE DIR`"},
	{as[*versions.BeforeHistoryError], "`memend log` lists the known changes, `memend log PATH` the known versions of a memory; `memend show PATH@N` prints one"},
	{is(agent.ErrNoCredentials), "`memend demo` runs scripted agents without credentials"},
	{is(agent.ErrNoModel), "name one with --model, $ANTHROPIC_MODEL or agent.model in `memend config`"},
	{is(conversations.ErrRunning), "`memend watch` follows it; it can be resumed when that program has ended"},
	{is(errNoTerminal), "`memend help` lists the commands, most of which need no terminal"},
	{is(versions.ErrGoneUpstream), "the local copy can still be read and exported; `memend stores disconnect` deletes it"},
	{is(versions.ErrUnfinished), "`memend log` shows it; free some space, or make the folder writable, and run any command"},
	{is(versions.ErrNoStore), "`memend stores` lists the stores; `memend stores create NAME` creates one"},
	{is(versions.ErrNameTaken), "choose another name; `memend stores` lists those that are taken, and `memend stores describe STORE --name NAME` changes one"},
	{is(versions.ErrFolderLink), "nothing was read or written; put the folder back, or name the one that holds the memories with `memend stores move STORE DIR`"},
	{is(versions.ErrFolderOther), "nothing was read or written; mount the disk or put the folder back; if its memories were deleted, `memend stores move STORE DIR --deleted` records that"},
	{is(versions.ErrFolderGone), "if it was moved, `memend stores move STORE DIR` sets the new place; if it is lost, add --deleted to use an empty folder, and undo that change to write the memories there"},
	{is(versions.ErrNoMemory), "`memend ls` lists the memories"},
	{is(memfs.ErrNotExist), "`memend ls` lists the memories"},
	{is(versions.ErrNoVersion), "`memend log PATH` lists the versions of a memory"},
	{is(versions.ErrNoChange), "`memend log` lists the changes"},
	{is(versions.ErrNoBulk), "without --bulk, `memend undo` undoes the change alone"},
	{is(versions.ErrNotPinned), "`memend pin` lists what is pinned"},
	{is(versions.ErrNoHeld), "`memend review` lists what is held"},
	{is(versions.ErrNoSession), "`memend sessions` lists the sessions"},
	{is(conversations.ErrNotFound), "`memend sessions` lists the sessions"},
	{is(versions.ErrReadingOnly), "nothing was written; --read-only=false allows writes"},
	{is(versions.ErrReadOnly), "nothing was written; another session may be allowed to write there"},
	{is(versions.ErrUnattached), "nothing was written; another session may be allowed to write there"},
	{is(versions.ErrUnidentified), "nothing was done; --session names the session of an agent"},
	{is(versions.ErrAdministers), "nothing was done; leave out --session, or name another one"},
	{is(versions.ErrAttached), "a session keeps the stores that it began with; name the same ones, or another session with --session"},
	{is(versions.ErrInPath), "nothing was written; `memend mv` renames it, `memend rm` deletes it"},
	{is(versions.ErrCurrent), "nothing was written; with --match, --mask replaces the text in it; else change it with `memend write` or delete it with `memend rm` first"},
	{is(versions.ErrArchived), "its memories can be read, deleted and redacted; `memend stores archive STORE --undo` makes a store of this home writable again"},
	{is(versions.ErrLost), "`memend log PATH` lists the versions around it; an old export or a backup of the folder may still hold it"},
	{is(versions.ErrRedacted), "redacted text can't be recovered; `memend log` shows the versions around it"},
	{is(versions.ErrForgotten), "restore an existing version: `memend log PATH` lists them"},
	{is(versions.ErrConnected), "`memend stores` lists the stores of this home"},
	{is(versions.ErrHereToo), "use that store, or connect from another home (--home)"},
	{is(versions.ErrDeletion), "restore the version before it"},
	{is(versions.ErrUndoneTogether), "`memend undo` of that change undoes all of them"},
	{is(versions.ErrUndone), "`memend redo` redoes an undone change"},
	{is(versions.ErrHoldsStore), "a file can be in one store only: choose a folder that does not hold the other, or delete that store first (its files stay)"},
	{is(versions.ErrSameFolder), "a folder has one store only: name that store with --store, or delete it first (its files stay)"},
	{is(versions.ErrNested), "name that store with --store, and the memory by its path in it"},
	{is(versions.ErrHomeGone), "restart this process; writes meanwhile were refused"},
	{is(versions.ErrHomeInside), "choose another folder, or another home with --home"},
	{is(versions.ErrDamaged), "keep a copy of memend's home, then run `memend check --repair`"},
	{is(versions.ErrFound), "`memend rm` deletes memories; nothing was written"},
	{is(versions.ErrTrailLost), "nothing was changed; restore trail.db from a backup, or begin a new history with `memend check --repair`"},
	{is(versions.ErrHasHistory), "a history needs a store of its own: `memend stores create NAME`, then `memend import -s NAME …`; files of a folder can be imported into any store (--format folder)"},
	{is(versions.ErrRedactedMeanwhile), "delete what was written, because it may contain erased text, and export again"},
	{is(exchange.ErrOtherCommits), "export into a new repository; after a redaction, too, the commits are others. `memend sync` works on a branch with others"},
	{is(exchange.ErrNotEmpty), "name another folder, or let files be replaced with --overwrite"},
	{is(exchange.ErrGitPath), "`memend export` as JSON lines supports every path"},
	{is(exchange.ErrNoCommits), "commit the memories, or import them as they are now with --format folder"},
	{is(exchange.ErrStream), "import the repository: `memend import DIR`; of a stream, make one first: `git init DIR`, then `git -C DIR fast-import`; of a bundle, `git clone`"},
	{is(exchange.ErrUnknownFormat), "name a file that `memend export` wrote, a folder or a git repository; `memend write PATH --file FILE` writes one text"},
	{is(versions.ErrUnsound), "nothing was imported"},
	{is(fs.ErrExist), "name another file, or replace it with --overwrite"},
	{is(versions.ErrTrailFormat), "use the version of memend that wrote it, or a newer one"},
	{is(memfs.ErrUnnamed), "nothing was written; `memend stores describe STORE` lists the files of the store"},
	{is(memfs.ErrEscape), "name the memory by its path in the store"},
	{is(memfs.ErrExist), "choose another name, or remove what is there first"},
	{is(memfs.ErrNoSpace), "nothing was written; free some space and try again"},
	{is(memfs.ErrReadOnlyDisk), "nothing was written; what is there can still be read"},
	{is(memfs.ErrNoPermission), "check the owner of the file and its folder; memend changes no permissions"},
	{is(memfs.ErrLinkOut), "memend reads and writes only the files of the store; `memend ls` shows where the link leads"},
	{is(memfs.ErrNotRegular), "only regular files are memories"},
	{is(versions.ErrNotUndoable), "nothing was written; move or remove it with another program"},
	{is(memfs.ErrTooBig), "only texts up to 8 MiB are kept as memories; move or remove the file with another program"},
	{is(memfs.ErrUnstable), "another program is writing it; try again"},
	{is(io.ErrUnexpectedEOF), "the file is cut or damaged: use another copy of it"},
	{is(gzip.ErrHeader), "the file is not compressed by gzip, or damaged: use another copy of it"},
	{is(gzip.ErrChecksum), "the file is damaged: use another copy of it"},
	{is(tar.ErrHeader), "the file is no tar archive, or damaged: use another copy of it"},
	{is(errNoBackup), "name a file or folder that `memend backup` wrote"},
	{is(syscall.EISDIR), "name a file; it is a folder"},
	{is(fs.ErrNotExist), "check the spelling"}, // last: others are of this kind
	{is(fs.ErrPermission), "check the owner and the mode of the file and its folder"},
}

// oneOf lists the allowed values of an argument.
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
