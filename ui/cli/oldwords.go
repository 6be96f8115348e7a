package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/memend/memend/ui/config"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
	{word: "tree", now: "ls"},
	{word: "view", now: "cat"},
	{word: "add", now: "write"},
	{word: "new", now: "write"},
	{word: "create", now: "write"},
	{word: "history", now: "log"},
	{word: "versions", now: "log"},
	{word: "rollback", now: "restore"},
	{word: "checkout", now: "restore"},
	{word: "revert", now: "undo"},
	{word: "reset", now: "restore --at"},
	{word: "list", now: "ls"},
	{word: "delete", now: "rm"},
	{word: "remove", now: "rm"},
	{word: "forget", now: "rm"},
	{word: "clean", now: "stale --delete"},
	{word: "init", now: "stores create --folder"},
	{word: "info", now: "status"},
	{word: "rename", now: "mv"},
	{word: "open", now: "DIR"},
	{word: "find", now: "search"},
	{word: "replace", now: "search --replace"},
	{word: "stores list", now: "stores"},
	{word: "stores add", now: "stores create"},
	{word: "stores new", now: "stores create"},
	{word: "stores show", now: "stores describe"},
	{word: "stores info", now: "stores describe"},
	{word: "stores rm", now: "stores delete"},
	{word: "tokens list", now: "tokens"},
	{word: "tokens add", now: "tokens create"},
	{word: "tokens delete", now: "tokens revoke"},
	{word: "tokens remove", now: "tokens revoke"},
	{word: "tokens rm", now: "tokens revoke"},
	{word: "policy list", now: "policy show"},
	{word: "review list", now: "review"},
	{word: "review approve", now: "review accept"},
	{word: "config list", now: "config"},
	{word: "config show", now: "config"},
	{word: "config get", now: "config"},
	{word: "config set", gone: "`memend config` names the file to edit"},
	{word: "config edit", gone: "`memend config` names the file to edit"},
	{word: "stores ls", now: "stores"},
	{word: "stores remove", now: "stores delete"},
}

// oldFlags are the flags of an earlier version, or of other programs, and what does their work here.
var oldFlags = []struct{ command, flags, now string }{
	{"search", "e", "-E reads the words as a regular expression"},
	{"search", "n c C 0", "-l lists the memories; --json, head and wc do the rest"},
	{"ls", "unverified", "`memend stale` lists the memories that no agent reads any more"},
	{"log", "each", "--stat prints the changes of a bulk edit one by one"},
	{"redact", "memory", "`memend redact PATH` erases the past versions of a memory"},
	{"redact", "list", "`memend redact` lists the receipts"},
	{"redact", "delete", "`memend rm` deletes it first"},
	{"redact", "replace", "`memend write` changes it first; --mask=TEXT replaces the text of --match"},
	{"redact", "shared", "--match finds every version with the text"},
	{"redact", "e", "-E reads the text as a regular expression"},
	{"mcp", "print-config", "`memend setup CLIENT --print` prints the settings"},
	{"setup", "tools token-file no-token tls-cert tls-key insecure", "`memend mcp` has this flag: change what `memend setup CLIENT --print` prints"},
	{"serve", "stdio", "`memend sync` keeps machines in step through a git repository"},
	{"agent", "max-tokens", "MEMEND_AGENT_MAX_TOKENS sets it for one run"},
	{"agent", "thinking", "MEMEND_AGENT_THINKING sets it for one run"},
	{"agent", "guidance", "MEMEND_AGENT_GUIDANCE sets it for one run"},
	{"agent", "edits", "MEMEND_AGENT_EDITS sets them for one run"},
	{"agent", "compaction", "MEMEND_AGENT_COMPACTION_MODE sets it for one run"},
	{"agent", "threshold", "MEMEND_AGENT_COMPACTION_THRESHOLD sets it for one run"},
	{"rm", "i interactive", "`memend undo` restores what rm deleted"},
	{"cp", "r R a recursive archive", "a folder is copied with everything in it: leave the flag out"},
	{"cp", "f i n force interactive no-clobber", "nothing is ever replaced: `memend rm` deletes what is there first"},
	{"mv", "f i n force interactive no-clobber", "nothing is ever replaced: `memend rm` deletes what is there first"},
	{"stores describe", "remove-metadata", "--metadata KEY= removes it"},
}

// flagError returns the error for flags that can't be parsed: those of an earlier version or another program, also
// of a command that is gone, name their successor.
func flagError(cmd *cobra.Command, err error) error {
	if old := replaced(cmd, cmd.Flags().Arg(0)); old != nil {
		return old
	}
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		for _, o := range oldFlags {
			if cmd.CommandPath() == "memend "+o.command && slices.Contains(strings.Fields(o.flags), unknown.GetSpecifiedName()) {
				return &misuse{&hinted{err, o.now}, ""}
			}
		}
	}
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		err = notANumber(invalid)
	}
	return &misuse{err, cmd.CommandPath()}
}

// notANumber says it without the words of strconv if the value of a flag is no number, or one that is too large.
func notANumber(err *pflag.InvalidValueError) error {
	var number *strconv.NumError
	if f := err.GetFlag(); errors.As(err, &number) && number.Func != "ParseBool" {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if errors.Is(number, strconv.ErrRange) {
			return fmt.Errorf("%s: %s is out of range", name, err.GetValue())
		}
		return fmt.Errorf("%s: %q is not a number", name, err.GetValue())
	}
	return err
}

// replaced returns the error for an old word of a command, and nil if word is none.
func replaced(cmd *cobra.Command, word string) error {
	_, in, _ := strings.Cut(cmd.CommandPath()+" ", " ")
	for _, o := range oldWords {
		switch {
		case o.word != in+word:
		case o.now == "":
			return &misuse{&hinted{fmt.Errorf("no command `memend %s`", o.word), o.gone}, ""}
		default:
			return &misuse{fmt.Errorf("no command `memend %s`: use `memend %s`", o.word, o.now), strings.TrimRight("memend "+commandOf(o.now), " ")}
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

// unknownCommand returns an error for an unknown subcommand, with a suggestion.
func unknownCommand(cmd *cobra.Command, word string) error {
	if err := replaced(cmd, word); err != nil {
		return err
	}
	err := fmt.Errorf("unknown command %q for %q", word, cmd.CommandPath())
	if near := config.Nearest(word, commandNames(cmd)); near != "" {
		return &misuse{&hinted{err, fmt.Sprintf("did you mean `%s %s`? `%s --help` lists the commands", cmd.CommandPath(), near, cmd.CommandPath())}, ""}
	}
	if cmd.HasParent() {
		return &misuse{err, cmd.CommandPath()}
	}
	return &misuse{err, ""}
}

// unknownWord returns an error for a first argument that is neither a command nor a store.
func unknownWord(root *cobra.Command, word string, stores []string) error {
	if err := replaced(root, word); err != nil {
		return err
	}
	err := fmt.Errorf("no such command or store: %s", word)
	const lists = "`memend help` lists the commands, `memend stores` the stores"
	commands := commandNames(root)
	near := config.Nearest(word, slices.Concat(commands, stores))
	fi, serr := os.Stat(word)
	switch {
	case serr == nil && fi.IsDir():
		return &misuse{&hinted{err, fmt.Sprintf("`memend %s` opens the folder", shellWord("./"+word))}, ""}
	case near != "":
		return &misuse{&hinted{err, fmt.Sprintf("did you mean `memend %s`? %s", near, lists)}, ""}
	}
	return &misuse{&hinted{err, lists}, ""}
}

func commandNames(cmd *cobra.Command) (out []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, c.Name())
		}
	}
	return out
}
