package exchange

import "errors"

var (
	// ErrGitPath reports a path that git reserves for itself.
	ErrGitPath = errors.New("git can't store a file with this name")
	// ErrNotLinear reports a stream whose commits are not one line.
	ErrNotLinear = errors.New("the commits are not one line of history")
	// ErrNotEmpty reports that a folder to export into is not empty.
	ErrNotEmpty = errors.New("folder is not empty")
	// ErrUnknownFormat reports a file of unknown format.
	ErrUnknownFormat = errors.New("not a history that memend can read")
)
