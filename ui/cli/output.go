package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
	"github.com/spf13/cobra"
)

// stdStream names standard input or output where a file is named.
const stdStream = "-"

// streamName is how a file is called in a message.
func streamName(file, stream string) string {
	if file == stdStream {
		return stream
	}
	return file
}

// safe makes a name, or another text of somebody else, fit to stand in a line.
func (p *program) safe(s string) string {
	if p.terminal {
		return text.Field(s)
	}
	return s
}

// nullFlag gives a command that lists memories the flag for other programs.
func (p *program) nullFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&p.null, "null", "0", false, "print only the paths, each followed by NUL, for xargs -0")
}

// limitFlag gives a command that lists something the flag for how many; without it all are
// listed.
func limitFlag(cmd *cobra.Command, limit *int, about string) {
	cmd.Flags().IntVarP(limit, "limit", "n", 0, about)
}

// checkList refuses flags with which nothing can be listed.
func (p *program) checkList(cmd *cobra.Command) error {
	limit, err := cmd.Flags().GetInt("limit")
	switch {
	case err == nil && cmd.Flags().Changed("limit") && limit < 1:
		return misusef(cmd.CommandPath(), "--limit %d: must be 1 or more; leave it out for all", limit)
	case p.null && p.json:
		return misusef(cmd.CommandPath(), "--null and --json exclude each other")
	}
	return nil
}

// named writes a name that no character in it can end.
func (p *program) named(name string) {
	p.out.WriteString(p.safe(name)) // what fails shows when it is flushed
	p.out.WriteByte(0)
}

// println writes a line of ours; texts of others in it went through safe.
func (p *program) println(format string, args ...any) {
	fmt.Fprintf(p.out, format+"\n", args...)
}

// emit writes one object of JSON. On a terminal the characters that would do something
// there, or show nothing, are escaped as JSON has it: the object is the same. An object that
// can't be encoded is an error when the command ends.
func (p *program) emit(v any) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && p.unencoded == nil {
		p.unencoded = fmt.Errorf("encode the answer: %w", err)
	}
	line := b.String()
	if p.terminal && line != "" {
		line = drawableJSON(strings.TrimSuffix(line, "\n")) + "\n"
	}
	p.out.WriteString(line) // a failed write shows when it is flushed
}

// answer prints an object of JSON where that is asked for, else a line.
func (p *program) answer(object any, format string, args ...any) {
	if p.json {
		p.emit(object)
	} else {
		p.println(format, args...)
	}
}

// drawableJSON escapes what is not safe to draw. Outside of its strings JSON has no such
// characters.
func drawableJSON(line string) string {
	var b strings.Builder
	for _, r := range line {
		switch c := string(r); {
		case r < utf8.RuneSelf && r != 0x7f || text.Field(c) == c && !unicode.Is(unicode.Cf, r):
			b.WriteString(c)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// tableLine writes a line of a table whose second part is a path: on a terminal that is
// too narrow, the path loses its middle.
func (p *program) tableLine(columns, path, remark string) {
	p.println("%s%s%s", columns, p.shortened(path, p.width()-text.Width(columns)-text.Width(remark)), remark)
}

// shortened is a path in so many columns of a terminal.
func (p *program) shortened(path string, room int) string {
	if !p.terminal {
		return path
	}
	return string(text.ClipMiddle(nil, path, max(room, leastPath)))
}

// leastPath is how much of a path a table shows on the narrowest terminal.
const leastPath = 20

// fitted writes a line of a table, on a terminal cut to its width. Other programs and
// --json get all of it.
func (p *program) fitted(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if p.terminal {
		b, _ := text.ClipMore(nil, line, p.width())
		line = string(b)
	}
	p.println("%s", line)
}

// usualWidth is how wide a terminal is that does not say it.
const usualWidth = 80

func (p *program) width() int {
	if f, ok := p.stdout.(*os.File); ok {
		if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
			return w
		}
	}
	return usualWidth
}

// idWidth is as much of an id, behind its kind, as tells it from others at a glance.
const idWidth = 8

// short is an id of ours, on a terminal as short as commands take it.
func (p *program) short(id string) string {
	kind, rest, ok := strings.Cut(id, "_")
	if !p.terminal || !ok || len(rest) <= idWidth {
		return p.safe(id)
	}
	return p.safe(kind + "_" + rest[:idWidth])
}

// column is s safe to draw and padded to a width.
func (p *program) column(s string, width int) string {
	return string(text.Pad(nil, p.safe(s), width))
}

// raw writes a content: byte for byte into a pipe, line by line and safe to draw
// on a terminal.
func (p *program) raw(content []byte) {
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

// when is a time as people read it.
func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// size is a number of bytes in a few characters.
func size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/1000, 0
	for f >= 999.5 && unit < len(sizeUnits)-1 {
		f /= 1000
		unit++
	}
	if f < 9.95 {
		return fmt.Sprintf("%.1f %s", f, sizeUnits[unit])
	}
	return fmt.Sprintf("%.0f %s", f, sizeUnits[unit])
}

var sizeUnits = []string{"kB", "MB", "GB", "TB"}

// plural is "1 version", "2 versions".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	if stem, ok := strings.CutSuffix(word, "ry"); ok {
		return fmt.Sprintf("%d %sries", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// diff writes a unified diff, in colours where there are some.
func (p *program) diff(unified []byte) {
	if !p.terminal {
		p.out.Write(unified)
		return
	}
	th := styles()
	for line := range strings.Lines(string(unified)) {
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
		p.out.Write(append(style.Append(nil, text.Field(line)), '\n'))
	}
}

// styles is the looks of what is printed on a terminal.
func styles() *theme.Theme {
	if os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return theme.New(true, theme.Mono)
	}
	return theme.New(true, theme.Sixteen)
}

// textJSON is a content in one of the two ways that JSON can hold it.
type textJSON struct {
	Content *string `json:"content,omitempty"`
	Encoded []byte  `json:"content_base64,omitempty"` // when it is not UTF-8
}

func textOf(content []byte) textJSON {
	if !utf8.Valid(content) {
		return textJSON{Encoded: content}
	}
	s := string(content)
	return textJSON{Content: &s}
}
