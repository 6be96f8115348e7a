package memfs

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// Result is what the model reads back: the whole text of the tool_result, to
// which no runner may add anything, and its error flag.
//
// The strings of this file are the protocol (memory_20250818). Some errors begin
// with "Error: " and some do not; that is how the model has learned them.
type Result struct {
	Text    string
	IsError bool
}

func ok(text string) Result      { return Result{Text: text} }
func refuse(text string) *Result { return &Result{Text: text, IsError: true} }
func wrong(text string) Result   { return Result{Text: text, IsError: true} }

const (
	fileHeader    = "Here's the content of %s with line numbers:\n"
	folderHeader  = "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n"
	snippetHeader = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
)

const maxViewLines = 999_999

// How a view ends that has more characters than it may. The protocol knows none
// of this; what counts is that the model is told what it sees and how to go on.
const (
	pageEnd     = "%s\n[cut at %d characters, after line %d; use view_range [%d, %d] to read on]"
	lineCut     = "%s\n[cut at %d characters in the middle of line %d, whose rest can't be viewed; use view_range [%d, %d] to read on after it]"
	lastLineCut = "%s\n[cut at %d characters in the middle of line %d, whose rest can't be viewed; nothing comes after it]"
)

func invalid(field string) *Result { return refuse("Error: missing or invalid `" + field + "`") }

func tooManyLines(p string) Result {
	return wrong("File " + p + " exceeds maximum line limit of 999,999 lines.")
}

func notUTF8(p string) Result { return wrong("Error: File " + p + " is not valid UTF-8 text") }

func tooLong(p string, size, limit int64) Result {
	return wrong(fmt.Sprintf("Error: File %s would have %d bytes; the limit is %d. Keep it shorter, or split it into several files", p, size, limit))
}

// TooLong answers a write that a limit refuses.
func TooLong(c Command, size, limit int64) Result { return tooLong(c.path(), size, limit) }

// Full answers a command that would make one file too many.
func Full(c Command, limit int64) Result {
	return wrong(fmt.Sprintf("Error: Could not %s %s: the memory directory is full; it may hold %d files. Delete or merge some first", c.Name(), c.path(), limit))
}

// Refused answers a command that may not be carried out, whatever the folder
// holds; why must hold no path of the host.
func Refused(c Command, why string) Result {
	p := c.path()
	if r, ok := c.(Rename); ok {
		p += " to " + r.NewPath
	}
	return wrong("Error: Could not " + c.Name() + " " + p + ": " + why)
}

func created(p string) Result        { return ok("File created successfully at: " + p) }
func edited(p string) Result         { return ok("The file " + p + " has been edited.") }
func deleted(p string) Result        { return ok("Successfully deleted " + p) }
func renamed(from, to string) Result { return ok("Successfully renamed " + from + " to " + to) }
func fileExists(p string) Result     { return wrong("Error: File " + p + " already exists") }
func destinationExists(p string) Result {
	return wrong("Error: The destination " + p + " already exists")
}
func isRoot(verb string) Result {
	return wrong("Error: Cannot " + verb + " the /memories directory itself")
}

func notFoundIn(p, old string) Result {
	return wrong("No replacement was performed, old_str `" + old + "` did not appear verbatim in " + p + ".")
}

func notUnique(old string, lines []int) Result {
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ", "), "[]")
	return wrong("No replacement was performed. Multiple occurrences of old_str `" + old + "` in lines: " + list + ". Please ensure it is unique")
}

func lineOutside(line int64, n int) Result {
	return wrong(fmt.Sprintf("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]", line, n))
}

// notExist differs from command to command in the protocol.
func notExist(c Command, p string) Result {
	switch c.(type) {
	case View:
		return wrong("The path " + p + " does not exist. Please provide a valid path.")
	case StrReplace:
		return wrong("Error: The path " + p + " does not exist. Please provide a valid path.")
	}
	return wrong("Error: The path " + p + " does not exist")
}

// badPath answers a path that is refused before the folder is touched.
func badPath(p string, err error) Result {
	switch {
	case errors.Is(err, ErrOutsideMemories):
		return wrong("Error: Path must start with /memories, got: " + p)
	case errors.Is(err, ErrEscape):
		return wrong("Error: Path " + p + " would escape /memories directory")
	case errors.Is(err, ErrNameTooLong):
		return wrong("Error: Path is too long; a name may have 255 bytes")
	case errors.Is(err, ErrControlInPath):
		return wrong("Error: Path may hold no control characters")
	}
	return wrong("Error: Path is not valid UTF-8")
}

// ResultOf is the answer to c when carrying it out met err: the protocol's
// string where it has one, else the bare cause. It never shows a path of the
// host.
func ResultOf(err error, c Command) Result {
	p := c.path()
	if pe := (*PathError)(nil); errors.As(err, &pe) {
		return badPath(pe.Path, pe.Err)
	}
	rename, isRename := c.(Rename)
	switch {
	case errors.Is(err, ErrIsRoot):
		return isRoot(c.Name())
	case errors.Is(err, ErrLinkOut):
		return wrong("Error: Path would escape /memories directory via symlink")
	case errors.Is(err, ErrExist) && isRename:
		return destinationExists(rename.NewPath)
	case errors.Is(err, ErrExist):
		return fileExists(p)
	case errors.Is(err, ErrNotExist):
		return notExist(c, p)
	case errors.Is(err, ErrIntoItself):
		return wrong("Error: Cannot rename " + p + " into itself")
	}
	return Refused(c, plainCause(err))
}

// plainCause is an error's text if it is one that surely holds no host path.
func plainCause(err error) string {
	for _, known := range []error{
		ErrNotRegular, ErrIsFolder, ErrNotFolder, ErrNotEmpty, ErrLinkLoop, ErrUnstable, ErrTooBig,
		ErrNoSpace, ErrNoPermission, ErrReadOnlyDisk, ErrNameTooLong, ErrName, ErrControlFile, ErrReserved,
	} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return "the memory store failed"
}
