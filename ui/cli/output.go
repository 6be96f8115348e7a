package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
	"github.com/spf13/cobra"
)

// console is where a command reads its input and prints its results, in the form that the
// flags select.
type console struct {
	in        io.Reader
	out       *bufio.Writer // to stdout
	stdout    io.Writer     // for programs that memend starts
	err       io.Writer
	terminal  bool // out is a terminal: contents must be escaped
	now       func() time.Time
	json      bool
	writes    bool // the command changes memories or stores
	null      bool // print only names in lists, separated by NUL
	long      bool // print ids and changes in lists of memories
	pages     bool // long output may go through a pager
	noPager   bool // --no-pager
	pager     *pager
	named     string // the store that -s named, for hints
	unencoded error  // why an object could not be encoded as JSON
}

// stdStream stands for standard input or output where a file is expected.
const stdStream = "-"

// streamName returns the name of a file in messages.
func streamName(file, stream string) string {
	if file == stdStream {
		return stream
	}
	return file
}

// safe escapes a text from elsewhere, such as a name, for use in a line. A pipe may lead to a terminal too, so there
// the control characters are escaped, and other characters stay.
func (p *console) safe(s string) string {
	if p.terminal {
		return text.Field(s)
	}
	return controls.ReplaceAllStringFunc(s, text.Field)
}

// controls are the control characters but the tab, which moves nothing but what follows it.
var controls = regexp.MustCompile(`[^\P{Cc}\t]`)

// content escapes a text of a memory, or a path that a program reads, for a terminal. In a pipe its bytes stay.
func (p *console) content(s string) string {
	if p.terminal {
		return text.Field(s)
	}
	return s
}

// nullFlag adds --null to a command that lists memories.
func nullFlag(p *console, cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&p.null, "null", "0", false, "print only the paths, each followed by NUL, for xargs -0")
}

// limitFlag adds --limit to a command that lists something; without the flag everything is
// listed.
func limitFlag(cmd *cobra.Command, limit *int, about string) {
	cmd.Flags().IntVarP(limit, "limit", "n", 0, about)
}

// checkList refuses flags that contradict each other or select nothing.
func checkList(p *console, cmd *cobra.Command) error {
	limit, err := cmd.Flags().GetInt("limit")
	switch {
	case err == nil && cmd.Flags().Changed("limit") && limit < 1:
		return misusef(cmd.CommandPath(), "--limit %d: must be 1 or more; leave it out for all", limit)
	case p.json && has(cmd, noJSON) && (cmd.Annotations[noJSON] == always || cmd.Flags().Changed(cmd.Annotations[noJSON])):
		return misusef(cmd.CommandPath(), "--json: there is no JSON of what it prints")
	case p.null && p.json:
		return misusef(cmd.CommandPath(), "--null and --json exclude each other")
	}
	return nil
}

// printName writes a name followed by NUL; no character in it can end it early.
func (p *console) printName(name string) {
	p.out.WriteString(p.content(name)) // errors are reported by the flush
	p.out.WriteByte(0)
}

// println writes a line; texts from elsewhere in it must have gone through safe.
func (p *console) println(format string, args ...any) {
	fmt.Fprintf(p.out, format+"\n", args...)
}

// emit writes a JSON object. Control characters in it are escaped as JSON allows, so the object
// is the same, and on a terminal invisible characters too. The command reports an object that
// can't be encoded at its end.
func (p *console) emit(v any) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && p.unencoded == nil {
		p.unencoded = fmt.Errorf("encode output: %w", err)
	}
	escaped := unicode.IsControl // a pipe may lead to a terminal too
	if p.terminal {
		escaped = undrawable
	}
	if line, ok := strings.CutSuffix(b.String(), "\n"); ok {
		p.out.WriteString(escapeJSON(line, escaped) + "\n") // errors are reported by the flush
	}
}

// flush writes what was printed so far.
func (p *console) flush() error {
	if err := p.out.Flush(); err != nil {
		return &outputError{err}
	}
	return nil
}

// answer prints a JSON object with --json, and a line otherwise.
func (p *console) answer(object any, format string, args ...any) {
	if p.json {
		p.emit(object)
	} else {
		p.println(format, args...)
	}
}

// undrawable reports whether a character is not safe to draw, or invisible.
func undrawable(r rune) bool {
	if r < utf8.RuneSelf {
		return unicode.IsControl(r)
	}
	c := string(r)
	return text.Field(c) != c || unicode.Is(unicode.Cf, r)
}

// escapeJSON escapes characters of an object. JSON has control characters and those that are not ASCII only in strings.
func escapeJSON(line string, escaped func(rune) bool) string {
	if !strings.ContainsFunc(line, escaped) {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		switch {
		case !escaped(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// tableLine writes a line of a table with a path after the columns. If the terminal is too
// narrow, the middle of the path is left out.
func (p *console) tableLine(columns, path, remark string) {
	p.println("%s%s%s", columns, p.shortenPath(path, p.width()-text.Width(columns)-text.Width(remark)), remark)
}

// shortenPath fits a path into a number of columns.
func (p *console) shortenPath(path string, room int) string {
	if !p.terminal {
		return path
	}
	return string(text.ClipMiddle(nil, path, max(room, minPathCols)))
}

// minPathCols is the least number of columns that a table gives a path.
const minPathCols = 14

// printFitted writes a line of a table, cut to the width of a terminal. Other programs and
// --json get the whole line.
func (p *console) printFitted(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if p.terminal {
		b, _ := text.ClipMore(nil, line, p.width())
		line = string(b)
	}
	p.println("%s", line)
}

// printContinued writes a line of a table. Its last column is on a line of its own if a
// terminal is too narrow for both.
func (p *console) printContinued(columns, last string) {
	if p.terminal && last != "" && text.Width(columns)+text.Width(last) > p.width() {
		p.println("%s", columns)
		columns = "    "
	}
	p.printFitted("%s%s", columns, last)
}

// usualWidth is the assumed width of a terminal whose width is unknown.
const usualWidth = 80

func (p *console) width() int {
	if f, ok := p.stdout.(*os.File); ok {
		if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
			return w
		}
	}
	return usualWidth
}

// idWidth is how many characters of an id, after its prefix, are enough to distinguish ids
// at a glance.
const idWidth = 8

// short returns an id, on a terminal cut to a prefix that commands accept. The id of a session may be that of a commit.
func (p *console) short(id string) string {
	if p.terminal && draw.IsCommit(id) {
		return id[:idWidth]
	}
	kind, rest, ok := strings.Cut(id, "_")
	if !p.terminal || !ok || len(rest) <= idWidth {
		return p.safe(id)
	}
	return p.safe(kind + "_" + rest[:idWidth])
}

// widest returns the width of the widest cell in a column of a table.
func widest[T any](rows []T, cell func(T) string) (width int) {
	for _, row := range rows {
		width = max(width, text.Width(text.Field(cell(row))))
	}
	return width
}

// column escapes s and pads it to a width.
func (p *console) column(s string, width int) string {
	return string(text.Pad(nil, p.safe(s), width))
}

// raw writes a content: byte for byte to a pipe, line by line and escaped to a terminal.
func (p *console) raw(content []byte) {
	if !p.terminal {
		p.out.Write(content)
		return
	}
	rest := string(content)
	for rest != "" {
		line, after, ended := strings.Cut(rest, "\n")
		p.out.WriteString(text.Field(strings.TrimSuffix(line, "\r")))
		p.out.WriteByte('\n')
		if rest = after; !ended {
			break
		}
	}
}

// when formats a time.
func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// plural returns "1 version", "2 versions".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if stem, ok := strings.CutSuffix(word, "ry"); ok {
		return fmt.Sprintf("%d %sries", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// printUnified writes lines of a difference in unified form, in colour if the terminal has colours.
func printUnified(p *console, d *diff.Diff, unified []byte, indent string) {
	if !p.terminal {
		for line := range bytes.Lines(unified) {
			p.out.WriteString(indent)
			p.out.Write(line)
		}
		return
	}
	th, blanks := styles(), markedBlanks(d)
	for line := range strings.Lines(string(unified)) {
		if marked, ok := blanks[line[1:]]; ok && line[0] != ' ' {
			line = line[:1] + marked
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		style := th.Text
		switch {
		case strings.HasPrefix(line, "@@"):
			style = th.Hunk
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
			style = th.Strong
		case strings.HasPrefix(line, "+"):
			style = th.Added
		case strings.HasPrefix(line, "-"):
			style = th.Removed
		}
		p.out.Write(append(style.Append([]byte(indent), text.Field(line)), '\n'))
	}
}

// styles returns the theme of terminal output.
func styles() *theme.Theme {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return theme.New(true, theme.Mono)
	}
	return theme.New(true, theme.Sixteen)
}

// textJSON is a content in one of the two forms that JSON can hold.
type textJSON struct {
	Content *string `json:"content,omitempty"`
	Encoded []byte  `json:"content_base64,omitempty"` // if it is not UTF-8
}

func textOf(content []byte) textJSON {
	if !utf8.Valid(content) {
		return textJSON{Encoded: content}
	}
	s := string(content)
	return textJSON{Content: &s}
}
