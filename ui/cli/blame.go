package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/units"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

func blameCommand(p *program) *cobra.Command {
	var lines string
	cmd := &cobra.Command{
		Use:               "blame PATH[@N][:LINES]|VERSION",
		Annotations:       map[string]string{overview: "who wrote it", pages: ""},
		Short:             "Show who wrote each line of a memory",
		ValidArgsFunction: p.completeVersions,
	}
	cmd.RunE = func(c *cobra.Command, args []string) error {
		from, to, err := lineRange(lines)
		if err != nil {
			return &misuse{err, c.CommandPath()}
		}
		return refCommand(&p.storeOpener, func(ctx context.Context, s *engine.Store, refs []ref) error {
			return printBlame(ctx, &p.console, s, refs[0], from, to)
		})(c, args)
	}
	cmd.Flags().StringVarP(&lines, "lines", "L", "", "only these `LINES`: 10,20 or 10,+5 or 10, or ,20")
	return cmd
}

// lineRange parses the value of -L; to is 0 if the range ends with the text.
func lineRange(s string) (from, to int, err error) {
	if s == "" {
		return 1, 0, nil
	}
	first, last, two := strings.Cut(s, ",")
	number := func(s string, otherwise int) int {
		if s == "" && two {
			return otherwise
		}
		n, nerr := strconv.Atoi(s)
		if nerr != nil || n < 1 {
			err = fmt.Errorf("--lines %s: write 10,20 or 10,+5; lines are counted from 1", s)
		}
		return n
	}
	from = number(first, 1)
	switch count, relative := strings.CutPrefix(last, "+"); {
	case !two:
		to = from
	case relative:
		to = from + number(count, 0) - 1
	default:
		to = number(last, 0)
	}
	if err == nil && to != 0 && to < from {
		err = fmt.Errorf("--lines %s: ends before it begins", s)
	}
	return from, to, err
}

func printBlame(ctx context.Context, p *console, s *engine.Store, r ref, from, to int) error {
	v, of, err := versionAndLines(ctx, s, "memend blame", r)
	switch {
	case err != nil:
		return err
	case !of.all() && (from > 1 || to > 0):
		return misusef("memend blame", "%s names lines already: leave out --lines", r.arg)
	case !of.all():
		from, to = of.from, of.to
	}
	b, err := history.Blame(ctx, s, v.ID)
	switch {
	case errors.Is(err, versions.ErrDeletion) && v.Number > 1:
		return &hinted{err, fmt.Sprintf("name the version before it: `memend blame %s`", shellWord(fmt.Sprintf("%s@%d", v.Path.Tool(), v.Number-1)))}
	case err != nil:
		return err
	}
	total := 0
	if n := len(b.Runs); n > 0 {
		total = b.Runs[n-1].Start + b.Runs[n-1].Lines - 1
	}
	if from > total && from > 1 || from < 1 {
		return &hinted{fmt.Errorf("blame %s: there is no line %d, it has %s", v.Path.Tool(), from, plural(total, "line")), "`memend blame PATH` shows all of them"}
	}
	if to == 0 || to > total {
		to = total
	}
	width := 0 // of the numbers of versions
	for _, r := range b.Runs {
		width = max(width, text.Width(blameNumber(r)))
	}
	line := 0
	for content := range strings.Lines(string(b.Content)) {
		for len(b.Runs) > 1 && b.Runs[1].Start <= line+1 {
			b.Runs = b.Runs[1:]
		}
		if line++; line < from || line > to {
			continue
		}
		printBlameLine(p, b.Runs[0], line, content, width, len(strconv.Itoa(to)))
	}
	return nil
}

// blameNumber returns the number of the version that wrote a run, as far as it is known. The @ tells it from that of a change.
func blameNumber(r versions.BlameRun) string {
	n := fmt.Sprintf("@%d", r.By.Number)
	if r.Since < r.By.Number {
		n = fmt.Sprintf("@%d-%d", r.Since, r.By.Number)
	}
	if r.Coarse {
		n = "~" + n
	}
	if r.Store != "" {
		n = r.Store + ":" + n
	}
	return n
}

// sessionWidth is how much of a session's id is printed: enough to distinguish sessions.
const sessionWidth = 13

type blameJSON struct {
	Line      int    `json:"line"`
	Store     string `json:"store,omitempty"` // set if it came from another memory, by a copy or merge: the store of that one
	VersionID string `json:"memory_version_id"`
	Number    int    `json:"number"`
	Since     int    `json:"since_number,omitempty"` // set if versions from this one on were redacted and may have written the line
	Coarse    bool   `json:"coarse,omitempty"`       // an earlier version may have written it
	Change    int64  `json:"change"`
	authorJSON
	At int `json:"original_line"`
	textJSON
}

func printBlameLine(p *console, r versions.BlameRun, line int, content string, width, digits int) {
	if p.json {
		j := blameJSON{Line: line, Store: r.Store, VersionID: string(r.By.ID), Number: r.By.Number, Coarse: r.Coarse, Change: r.By.Change,
			authorJSON: authorOf(*r.By), At: r.At + line - r.Start}
		if r.Since < r.By.Number {
			j.Since = r.Since
		}
		j.textJSON = textOf([]byte(content))
		p.emit(j)
		return
	}
	content = strings.TrimSuffix(content, "\n")
	if !utf8.ValidString(content) {
		content = "not UTF-8 text: " + units.Bytes(int64(len(content)))
	}
	if p.terminal {
		content = strings.TrimSuffix(content, "\r")
	}
	number := p.safe(blameNumber(r))
	p.println("%s%s  %s  %s  %s  %*d  %s", strings.Repeat(" ", max(0, width-text.Width(number))), number, actorColumn(p, maker(r.By.Actor, r.By.Inferred)),
		p.column(string(r.By.Session), sessionWidth), when(r.By.Time), digits, line, p.content(content))
}
