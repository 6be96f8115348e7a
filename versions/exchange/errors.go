package exchange

import "errors"

var (
	// ErrGitPath: git keeps such names for itself.
	ErrGitPath = errors.New("git can't hold a file of this name")
	// ErrNotLinear: the commits of a stream are not one line.
	ErrNotLinear = errors.New("the commits are not one line of history")
	// ErrNotEmpty: a folder to export into holds something.
	ErrNotEmpty = errors.New("folder is not empty")
	// ErrUnknownFormat: nothing says what a file is.
	ErrUnknownFormat = errors.New("not a history that memend can read")
)
