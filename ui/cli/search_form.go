package cli

import (
	"errors"

	"github.com/memend/memend/versions/match"
	"github.com/spf13/cobra"
)

// searchForm selects how a search matches and what it prints for each memory.
type searchForm struct {
	anyCase bool
	paths   bool // only the path
	counts  bool // the path and the number of lines
	around  int  // lines of context before and after
}

func (f *searchForm) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&f.anyCase, "ignore-case", "i", false, "ignore case, even if the query has a capital letter")
	flags.BoolVarP(&f.paths, "files-with-matches", "l", false, "print only the paths of the memories found")
	flags.BoolVarP(&f.counts, "count", "c", false, "print only how many lines are found in each memory")
	flags.IntVarP(&f.around, "context", "C", 0, "also print `N` lines before and after each line found")
}

// check refuses flags that contradict each other.
func (f *searchForm) check(p *program, cmd *cobra.Command) error {
	n := 0
	for _, set := range []bool{f.paths, f.counts, p.null, p.json} {
		if set {
			n++
		}
	}
	switch {
	case f.around < 0:
		return misusef(cmd.CommandPath(), "--context %d: must not be negative", f.around)
	case n > 1 && (f.paths || f.counts):
		return &misuse{errors.New("-l, -c, --null and --json exclude each other"), cmd.CommandPath()}
	}
	return nil
}

// lists reports whether anything other than the matching lines was asked for.
func (f *searchForm) lists() bool { return f.paths || f.counts || f.around > 0 }

// short prints a memory as a path or a count, if that was asked for.
func (h *hitPrinter) short(name string, lines []match.Line) bool {
	switch {
	case h.form.paths:
		h.p.println("%s", h.p.safe(name))
	case h.form.counts:
		n := 0
		for _, l := range lines {
			if len(l.Spans) > 0 {
				n++
			}
		}
		h.p.println("%s:%d", h.p.safe(name), n)
	default:
		return false
	}
	h.n++
	return true
}

// gap prints a separator if lines are left out between two groups.
func (h *hitPrinter) gap(before, after []match.Line) {
	if n := len(before); h.form.around > 0 && n > 0 && before[n-1].Number+1 < after[0].Number {
		h.p.println("--")
	}
}
