package shell

import (
	"slices"
	"strings"
)

// readers are the commands that only read, with the flags that make them write.
var readers = map[string]flags{
	"[": {}, "ag": {}, "awk": {"-i"}, "basename": {}, "bat": {}, "cat": {}, "cksum": {}, "cmp": {}, "column": {}, "comm": {}, "cut": {}, "date": {},
	"df": {}, "diff": {"--output"}, "dirname": {}, "du": {}, "echo": {}, "egrep": {}, "exit": {}, "expr": {}, "false": {}, "fgrep": {}, "file": {"-C"},
	"find": {"-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf", "-fls"}, "fmt": {}, "fold": {}, "grep": {}, "head": {},
	"hexdump": {}, "jq": {}, "less": {"-o", "-O", "--log-file", "--LOG-FILE"}, "ls": {}, "md5sum": {}, "more": {}, "nl": {}, "od": {}, "paste": {}, "popd": {}, "printf": {},
	"pwd": {}, "read": {}, "readlink": {}, "realpath": {}, "return": {}, "rev": {}, "rg": {"--pre"}, "sed": {"-i", "--in-place"}, "seq": {}, "set": {}, "sha1sum": {},
	"sha256sum": {}, "sleep": {}, "sort": {"-o", "--output"}, "stat": {}, "strings": {}, "sum": {}, "tac": {}, "tail": {}, "test": {}, "tr": {},
	"tree": {"-o"}, "true": {}, "type": {}, "uniq": {}, "unset": {}, "wait": {}, "wc": {}, "which": {}, ":": {},
	"memend": {}, // it asks the policy itself
}

// scripted are the readers whose arguments are programs that may write files of their own.
var scripted = []string{"awk", "sed"}

// gitReads are the commands of git that change no file of a working tree.
var gitReads = []string{"add", "blame", "cat-file", "commit", "diff", "fetch", "grep", "log", "ls-files", "ls-tree", "push", "rev-list", "rev-parse", "shortlog", "show", "status"}

// flags are options of a command; a short one also counts among others: -ni has -i.
type flags []string

func (f flags) in(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return slices.ContainsFunc(f, func(flag string) bool {
			switch {
			case strings.HasPrefix(flag, "--"):
				return arg == flag || strings.HasPrefix(arg, flag+"=")
			case len(flag) == 2:
				return strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.Contains(arg, flag[1:])
			}
			return arg == flag
		})
	})
}

// writers are commands whose uses of their arguments are known, although they write.
var writers = map[string]func(args []string) []Use{
	"rm": all(Deleted), "unlink": all(Deleted), "shred": all(Deleted), "rmdir": all(Moved), "chmod": all(Moved), "chown": all(Moved),
	"mv": mv, "cp": cp, "touch": all(Written), "mkdir": all(Written), "tee": all(Written), "ln": all(Written), "truncate": all(Written),
}

func all(use Use) func([]string) []Use {
	return func(args []string) []Use { return slices.Repeat([]Use{use}, len(args)) }
}

// cp reads all but the last of its operands.
func cp(args []string) []Use {
	uses := make([]Use, len(args))
	for i := len(args) - 1; i >= 0; i-- {
		if strings.HasPrefix(args[i], "-t") || strings.HasPrefix(args[i], "--target-directory") {
			uses[i], uses[min(i+1, len(args)-1)] = Written, Written
			return uses
		}
	}
	if len(args) > 0 {
		uses[len(args)-1] = Written
	}
	return uses
}

// mv takes away what cp reads.
func mv(args []string) []Use {
	uses := cp(args)
	for i, use := range uses {
		if use == Read {
			uses[i] = Moved
		}
	}
	return uses
}

// doing is what a command does.
type doing struct {
	uses    []Use // of each of its arguments
	unknown bool  // it may also write what it doesn't name
	program bool  // what it writes is named in a program among its arguments
}

// classify returns what a command does with its arguments.
func classify(command string, args []string) doing {
	if f, ok := writers[command]; ok {
		return doing{uses: f(args)}
	}
	reads := make([]Use, len(args))
	write, isReader := readers[command]
	switch {
	case command == "git" && gitReader(args):
		return doing{uses: reads}
	case command == "find" && write.in(args):
		return doing{uses: all(Moved)(args)}
	case !isReader || write.in(args):
		return doing{uses: all(Written)(args), unknown: !isReader}
	case command == "uniq": // its second operand is its output
		if n := len(args); n > 1 && !strings.HasPrefix(args[n-2], "-") {
			reads[n-1] = Written
		}
	case slices.Contains(scripted, command):
		for i, arg := range args {
			if strings.ContainsAny(arg, " >|") {
				reads[i] = Written
			}
		}
		return doing{uses: reads, program: true}
	}
	return doing{uses: reads}
}

// gitReader reports whether a command of git changes no file of a working tree.
func gitReader(args []string) bool {
	i := slices.IndexFunc(args, func(arg string) bool { return slices.Contains(gitReads, arg) })
	for n, arg := range args[:max(i, 0)] { // what comes before are options, and their values
		if !strings.HasPrefix(arg, "-") && (n == 0 || !strings.HasPrefix(args[n-1], "-")) {
			return false
		}
	}
	return i >= 0 && !flags{"--output"}.in(args)
}

// wrappers are commands that run the command in their arguments.
var wrappers = []string{"builtin", "command", "doas", "env", "exec", "nice", "nohup", "stdbuf", "sudo", "time", "timeout", "xargs"}

// unwrapped returns the command that wrappers run. fed means that it takes further arguments from a pipe.
func unwrapped(args []string) (inner []string, fed bool) {
	for len(args) > 0 && slices.Contains(wrappers, args[0][strings.LastIndex(args[0], "/")+1:]) {
		fed = fed || strings.HasSuffix(args[0], "xargs")
		args = args[1:]
		for len(args) > 1 && (strings.HasPrefix(args[0], "-") || strings.Contains(args[0], "=") || strings.Trim(args[0], "0123456789.smhd{}") == "") {
			args = args[1:]
		}
	}
	return args, fed
}
