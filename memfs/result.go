package memfs

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// Result is the answer that the model reads: the whole text of the tool_result, to which no
// caller may add anything, and its error flag.
//
// The strings of this file are the protocol (memory_20250818). Some errors begin with
// "Error: " and some do not; models were trained on them as they are.
type Result struct {
	Text    string
	IsError bool
}

func ok(text string) Result          { return Result{Text: text} }
func refuse(text string) *Result     { return &Result{Text: text, IsError: true} }
func errorResult(text string) Result { return Result{Text: text, IsError: true} }

const (
	fileHeader    = "Here's the content of %s with line numbers:\n"
	folderHeader  = "Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n"
	snippetHeader = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
)

const maxViewLines = 999_999

// Endings of a view that exceeds its limit. The protocol does not define them; they must tell
// the model what it sees and how to continue.
const (
	pageEnd     = "%s\n[cut at %d characters, after line %d; use view_range [%d, %d] to read on]"
	lineCut     = "%s\n[cut at %d characters in the middle of line %d, whose rest can't be viewed; use view_range [%d, %d] to read on after it]"
	lastLineCut = "%s\n[cut at %d characters in the middle of line %d, whose rest can't be viewed; nothing comes after it]"
)

func invalid(field string) *Result { return refuse("Error: missing or invalid `" + field + "`") }

func tooManyLines(p string) Result {
	return errorResult("File " + p + " exceeds maximum line limit of 999,999 lines.")
}

func notUTF8(p string) Result { return errorResult("Error: File " + p + " is not valid UTF-8 text") }

func tooLong(p string, size, limit int64) Result {
	return errorResult(fmt.Sprintf("Error: File %s would have %d bytes; the limit is %d. Keep it shorter, or split it into several files", p, size, limit))
}

// TooLong returns the answer to a write that a size limit refuses.
func TooLong(c Command, size, limit int64) Result { return tooLong(c.path(), size, limit) }

// Full returns the answer to a command that would exceed the number of files.
func Full(c Command, limit int64) Result {
	return errorResult(fmt.Sprintf("Error: Could not %s %s: the memory directory is full; it may hold %d files. Delete or merge some first", c.Name(), c.path(), limit))
}

// Refused returns the answer to a command that is not allowed, whatever the folder contains.
// why must contain no path of the host.
func Refused(c Command, why string) Result {
	p := c.path()
	if r, ok := c.(Rename); ok {
		p += " to " + r.NewPath
	}
	return errorResult("Error: Could not " + c.Name() + " " + p + ": " + why)
}

func created(p string) Result        { return ok("File created successfully at: " + p) }
func edited(p string) Result         { return ok("The file " + p + " has been edited.") }
func deleted(p string) Result        { return ok("Successfully deleted " + p) }
func renamed(from, to string) Result { return ok("Successfully renamed " + from + " to " + to) }
func fileExists(p string) Result     { return errorResult("Error: File " + p + " already exists") }
func destinationExists(p string) Result {
	return errorResult("Error: The destination " + p + " already exists")
}
func isRoot(verb string) Result {
	return errorResult("Error: Cannot " + verb + " the /memories directory itself")
}

func notFoundIn(p, old string) Result {
	return errorResult("No replacement was performed, old_str `" + old + "` did not appear verbatim in " + p + ".")
}

func notUnique(old string, lines []int) Result {
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ", "), "[]")
	return errorResult("No replacement was performed. Multiple occurrences of old_str `" + old + "` in lines: " + list + ". Please ensure it is unique")
}

func lineOutside(line int64, n int) Result {
	return errorResult(fmt.Sprintf("Error: Invalid `insert_line` parameter: %d. It should be within the range of lines of the file: [0, %d]", line, n))
}

// notExist returns the protocol's text, which differs between commands.
func notExist(c Command, p string) Result {
	switch c.(type) {
	case View:
		return errorResult("The path " + p + " does not exist. Please provide a valid path.")
	case StrReplace:
		return errorResult("Error: The path " + p + " does not exist. Please provide a valid path.")
	}
	return errorResult("Error: The path " + p + " does not exist")
}

// badPath returns the answer to a path that is refused before the folder is touched.
func badPath(p string, err error) Result {
	switch {
	case errors.Is(err, ErrOutsideMemories):
		return errorResult("Error: Path must start with /memories, got: " + p)
	case errors.Is(err, ErrEscape):
		return errorResult("Error: Path " + p + " would escape /memories directory")
	case errors.Is(err, ErrNameTooLong):
		return errorResult("Error: Path is too long; a name may have 255 bytes")
	case errors.Is(err, ErrControlInPath):
		return errorResult("Error: Path may hold no control characters")
	}
	return errorResult("Error: Path is not valid UTF-8")
}

// ResultOf returns the answer to c when it failed with err: the protocol's string if there is
// one, else the bare cause. It never contains a path of the host.
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
		return errorResult("Error: Path would escape /memories directory via symlink")
	case errors.Is(err, ErrExist) && isRename:
		return destinationExists(rename.NewPath)
	case errors.Is(err, ErrExist):
		return fileExists(p)
	case errors.Is(err, ErrNotExist):
		return notExist(c, p)
	case errors.Is(err, ErrIntoItself):
		return errorResult("Error: Cannot rename " + p + " into itself")
	}
	return Refused(c, plainCause(err))
}

// plainCause returns an error's text if it certainly contains no path of the host.
func plainCause(err error) string {
	if unnamed := (*UnnamedError)(nil); errors.As(err, &unnamed) {
		return unnamed.Error()
	}
	for _, known := range classes {
		if errors.Is(err, known.err) {
			return known.err.Error()
		}
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return "the memory store failed"
}
