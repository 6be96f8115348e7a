package exchange

import "errors"

var (
	// ErrGitPath reports a path that git reserves for itself.
	ErrGitPath = errors.New("git can't store a file with this name")
	// ErrNoCommits reports a repository without commits.
	ErrNoCommits = errors.New("the repository has no commits")
	// ErrOtherCommits reports a repository that can't get a history because its branch has other commits.
	ErrOtherCommits = errors.New("branch main of the repository has commits that the history does not have")
	// ErrStream reports a stream of git fast-export, or a bundle.
	ErrStream = errors.New("a stream of git can't be imported, only a repository")
	// ErrNotEmpty reports that a folder to export into is not empty.
	ErrNotEmpty = errors.New("folder is not empty")
	// ErrUnknownFormat reports a file of unknown format.
	ErrUnknownFormat = errors.New("not a history that memend can read")
)
