// Package shell finds the files that a shell's command line names, and what the command may do with them. It runs
// nothing and reads nothing.
//
// The command line is parsed as bash parses it. A name counts if it is absolute, begins with ~, $HOME or a variable
// that the line itself sets, or is relative to the working directory, which cd changes. What it can't know is what a
// script or another program does by itself, and what a variable of the environment holds.
package shell

import (
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Use is what a command may do with a file.
type Use uint8

// The uses. What is unknown is a write.
const (
	Read    Use = iota // it only reads
	Entered            // it is the working directory of a command that may write
	Written            // it may write, or what it does is unknown
	Moved              // it takes the file, or the folder with all that is in it, away
	Deleted            // it deletes the file
)

// Name is a file or folder that a command line names.
type Name struct {
	Path string // absolute, cleaned
	// Pattern is not empty if the names are known only when the command runs: they are in the folder Path, or below it, and
	// their first element matches.
	Pattern string
	Use     Use
}

const (
	maxNames = 1000 // that are kept of a command line
	maxDepth = 8    // of shells within shells
	maxPath  = 4096
)

// Names returns the files that a command line names, in its order. An empty dir or home is unknown.
func Names(line, dir, home string) []Name {
	w := &walk{dir: dir, home: home, vars: map[string]string{}, own: map[string]bool{}}
	w.line(line)
	if w.flows {
		for i, n := range w.names {
			if n.Use == Read {
				w.names[i].Use = Written
			}
		}
	}
	return w.names
}

// walk goes through a command line in the order in which it runs.
type walk struct {
	dir, home string
	entered   string            // the directory that cd went into
	vars      map[string]string // those that the line sets to a known text
	own       map[string]bool   // functions that the line defines
	names     []Name
	depth     int

	// flows means that a command that may write takes a name from elsewhere: from a pipe, a loop or another command. It may
	// be any that the line names.
	flows bool
}

func (w *walk) line(text string) {
	if w.depth++; w.depth > maxDepth {
		w.flows = true
		return
	}
	defer func() { w.depth-- }()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil { // another shell may accept it
		w.pieces(text, Written, false)
		return
	}
	w.stmts(file.Stmts)
}

func (w *walk) stmts(all []*syntax.Stmt) {
	for _, s := range all {
		w.stmt(s)
	}
}

func (w *walk) stmt(s *syntax.Stmt) {
	if s == nil {
		return
	}
	for _, r := range s.Redirs {
		w.redirect(r)
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		w.call(c, s.Redirs)
	case *syntax.Subshell:
		dir, entered := w.dir, w.entered
		w.stmts(c.Stmts)
		w.dir, w.entered = dir, entered
	case *syntax.FuncDecl:
		if c.Name != nil {
			w.own[c.Name.Value] = true
		}
		w.stmt(c.Body)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			w.assign(a)
		}
	default:
		w.inside(c)
	}
}

// inside goes through the commands and words of a compound command.
func (w *walk) inside(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			w.stmt(n)
			return false
		case *syntax.Word:
			w.name(w.word(n), Read, true)
			return false
		case *syntax.WordIter: // the loop's variable holds one after the other
			delete(w.vars, n.Name.Value)
		}
		return true
	})
}

func (w *walk) redirect(r *syntax.Redirect) {
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut, syntax.DplOut:
		text := w.word(r.Word)
		if r.Op == syntax.DplOut && strings.Trim(strings.TrimSuffix(text, "-"), "0123456789") == "" { // 2>&1
			return
		}
		w.flows = w.flows || strings.HasPrefix(text, unknown)
		w.name(text, Written, true)
	case syntax.RdrIn:
		w.name(w.word(r.Word), Read, true)
	case syntax.Hdoc, syntax.DashHdoc:
		w.word(r.Hdoc) // for the commands in it
	}
}

func (w *walk) assign(a *syntax.Assign) {
	if a.Name == nil || a.Append || a.Array != nil || a.Index != nil {
		return
	}
	text := ""
	if a.Value != nil {
		text = w.word(a.Value)
	}
	if w.name(text, Read, false); strings.Contains(text, unknown) {
		delete(w.vars, a.Name.Value)
		return
	}
	w.vars[a.Name.Value] = text
}

// call handles a simple command.
func (w *walk) call(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	for _, a := range c.Assigns {
		w.assign(a)
	}
	var args []string
	for _, word := range c.Args {
		args = append(args, w.word(word))
	}
	args, fed := unwrapped(args)
	if len(args) == 0 {
		return
	}
	if fed {
		args = append(args, unknown)
	}
	file, command := args[0], filepath.Base(strings.ReplaceAll(args[0], pattern, "[")) // [ is a command
	if w.own[command] {
		command = ""
	}
	args = args[1:]
	switch command {
	case "cd", "pushd":
		w.cd(args)
		return
	case "sh", "bash", "zsh", "dash", "ksh", "eval":
		if w.shell(command, args) {
			return
		}
	}
	does := classify(command, args)
	open := false
	for i, arg := range args {
		switch {
		case does.program && does.uses[i] == Written:
			w.pieces(arg, Written, true)
			continue
		case does.uses[i] != Read:
			open = open || strings.Contains(arg, unknown)
		}
		if !strings.HasPrefix(arg, "-") {
			w.name(arg, does.uses[i], !does.unknown)
		}
		w.pieces(arg, does.uses[i], false)
	}
	w.flows = w.flows || open
	if w.entered != "" && (does.unknown || open) {
		w.add(Name{Path: w.entered, Use: Entered})
	}
	if !does.unknown {
		return
	}
	w.name(file, Written, false) // a program in a store
	for _, r := range redirs {
		if r.Hdoc != nil {
			w.pieces(w.word(r.Hdoc), Written, false)
		} else if r.Op == syntax.WordHdoc {
			w.pieces(w.word(r.Word), Written, false)
		}
	}
}

// cd follows a change of the working directory.
func (w *walk) cd(args []string) {
	to := "~"
	for _, arg := range args {
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			to = arg
			break
		}
	}
	n := w.path(to, true)
	if w.dir = n.Path; n.Pattern != "" || to == "-" {
		w.dir = ""
	}
	w.entered = w.dir
}

// shell goes through the command line that a shell is called with. It reports whether there is one.
func (w *walk) shell(command string, args []string) bool {
	if command == "eval" {
		w.line(strings.Join(args, " "))
		return true
	}
	for i, arg := range args {
		switch {
		case !strings.HasPrefix(arg, "-"):
			return false // a script
		case !strings.HasPrefix(arg, "--") && strings.Contains(arg, "c") && i+1 < len(args):
			dir, entered := w.dir, w.entered
			w.line(args[i+1])
			w.dir, w.entered = dir, entered
			return true
		}
	}
	w.flows = true // it reads its commands from a pipe
	return false
}

// pieces finds the names in a text that is more than one name: of=FILE, --output=FILE, open('FILE').
func (w *walk) pieces(text string, use Use, onlyAbsolute bool) {
	split := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n'\"`;|&<>()=,:", r) })
	if len(split) == 1 && split[0] == text && !strings.HasPrefix(text, "-") {
		return
	}
	for _, piece := range split {
		if strings.HasPrefix(piece, "-") { // -o/tmp/file
			piece = piece[min(len(piece), strings.IndexAny(piece+"/", "/~")):]
		}
		if !onlyAbsolute || strings.HasPrefix(piece, "/") || strings.HasPrefix(piece, "~/") {
			w.name(piece, use, false)
		}
	}
}

// name adds the file that a word names, if it names one.
func (w *walk) name(word string, use Use, isPath bool) {
	if n := w.path(word, isPath); n.Path != "" {
		n.Use = use
		w.add(n)
	}
}

func (w *walk) add(n Name) {
	if len(w.names) < maxNames {
		w.names = append(w.names, n)
	}
}

// path returns the file that a word names; its path is "" if it names none or may be something else.
func (w *walk) path(word string, isPath bool) (n Name) {
	if rest, ok := strings.CutPrefix(word, "~"); ok && w.home != "" && (rest == "" || rest[0] == '/') {
		word = w.home + rest
	}
	if at := strings.IndexAny(word, unknown+pattern); at >= 0 {
		n.Pattern, _, _ = strings.Cut(word[strings.LastIndex(word[:at], "/")+1:], "/")
		n.Pattern = strings.NewReplacer(unknown, "*", pattern, "*").Replace(n.Pattern)
		word, isPath = filepath.Dir(word[:at]+"x"), isPath || at > 0 || strings.HasPrefix(word, pattern)
	}
	switch {
	case word == "", strings.HasPrefix(word, "-"), strings.HasPrefix(word, "~"), len(word) > maxPath:
	case filepath.IsAbs(word):
		n.Path = filepath.Clean(word)
	case w.dir != "" && (isPath || strings.ContainsAny(word, "./")): // else it is a command's name, mostly
		n.Path = filepath.Join(w.dir, word)
	}
	return n
}

// What is known only when the command runs: any text, and a pattern of names of files.
const unknown, pattern = "\x00", "\x01"

// word returns the text of a word, and goes through the commands in it.
func (w *walk) word(word *syntax.Word) string {
	if word == nil {
		return ""
	}
	var b strings.Builder
	w.parts(&b, word.Parts, false)
	return b.String()
}

func (w *walk) parts(b *strings.Builder, parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(literal(part.Value, quoted))
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			w.parts(b, part.Parts, true)
		case *syntax.ParamExp:
			b.WriteString(w.variable(part))
		default:
			w.inside(part)
			b.WriteString(unknown)
		}
	}
}

func (w *walk) variable(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Width || p.Index != nil || p.Slice != nil || p.Repl != nil || p.Exp != nil {
		return unknown
	}
	text, ok := w.vars[p.Param.Value]
	switch {
	case ok:
	case p.Param.Value == "HOME" && w.home != "":
		text = w.home
	case p.Param.Value == "PWD" && w.dir != "":
		text = w.dir
	default:
		return unknown
	}
	return text
}

// literal returns the text of a literal: without the backslashes that quote characters.
func literal(s string, quoted bool) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0):
			if i++; s[i] != '\n' {
				b.WriteByte(s[i])
			}
		case !quoted && strings.IndexByte("*?[{", s[i]) >= 0:
			b.WriteString(pattern)
			if end := strings.IndexByte(s[i:], map[byte]byte{'[': ']', '{': '}'}[s[i]]); end > 0 {
				i += end
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
