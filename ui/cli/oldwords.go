package cli

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// An oldWord is a command of an earlier version, or of other programs, and what does its work here.
type oldWord struct {
	word string // without "memend"
	now  string // a command line without "memend"; "" if the feature is gone
	gone string // what to use instead of a feature that is gone
}

var oldWords = []oldWord{
	{word: "grep", now: "search -E"},
	{word: "du", now: "ls --sizes"},
	{word: "at", now: "ls --at"}, // cat and diff have the flag, too
	{word: "reads", now: "log --reads"},
	{word: "expire", now: "stale --delete"},
	{word: "unpin", now: "pin --remove"},
	{word: "keys", now: "help keys"},
	{word: "json", now: "help json"},
	{word: "man", now: "help man"},
	{word: "completion", now: "help completion"},
	{word: "stores rename", now: "stores describe --name"},
	{word: "stores unarchive", now: "stores archive --undo"},
	{word: "loads", gone: "Claude Code's /memory and Codex show what a session loads"},
	{word: "broken", gone: "`memend search` finds the names"},
	{word: "similar", gone: "`memend search` finds them, `memend merge` makes two memories one"},
	{word: "verify", gone: "`memend log` says when a memory was last changed"},
	{word: "history", now: "log"},
	{word: "versions", now: "log"},
	{word: "rollback", now: "restore"},
	{word: "revert", now: "undo"},
	{word: "list", now: "ls"},
	{word: "delete", now: "rm"},
	{word: "remove", now: "rm"},
	{word: "rename", now: "mv"},
	{word: "open", now: "DIR"},
	{word: "find", now: "search"},
	{word: "replace", now: "search --replace"},
	{word: "stores list", now: "stores"},
	{word: "tokens list", now: "tokens"},
	{word: "stores ls", now: "stores"},
	{word: "stores remove", now: "stores delete"},
}

// replaced returns the error for an old word of a command, and nil if word is none.
func replaced(cmd *cobra.Command, word string) error {
	_, in, _ := strings.Cut(cmd.CommandPath()+" ", " ")
	for _, o := range oldWords {
		switch {
		case o.word != in+word:
		case o.now == "":
			return &misuse{&hinted{fmt.Errorf("`memend %s` is gone", o.word), o.gone}, ""}
		default:
			return &misuse{fmt.Errorf("`memend %s` is now `memend %s`", o.word, o.now), strings.TrimRight("memend "+commandOf(o.now), " ")}
		}
	}
	return nil
}

// commandOf returns the words of a command line before its flags and arguments.
func commandOf(line string) string {
	if i := strings.IndexFunc(line, func(r rune) bool { return r == '-' || unicode.IsUpper(r) }); i >= 0 {
		line = line[:i]
	}
	return strings.TrimRight(line, " ")
}
