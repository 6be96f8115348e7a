package outside

import (
	"slices"
	"strings"
)

// Claude Code changes the text that it is asked to write: it stamps the frontmatter of a memory with
// the time and the session. So the content after an Edit is not the original with the old string
// replaced. It is the original with the result's structuredPatch applied.
//
// The patch is made for display, though: it shows each leading tab of a line as two spaces. The
// replaced text has the tabs, and everything right except the frontmatter.

// hunk is one hunk of a structuredPatch. Its lines begin with a space, -, + or \.
type hunk struct {
	OldStart int      `json:"oldStart"` // counted from 1, also of a hunk that only adds lines
	Lines    []string `json:"lines"`
}

// stamped reports whether Claude Code may have changed a text while it wrote it.
func stamped(text string) bool { return strings.HasPrefix(text, "---\n") }

// written returns the text after an edit, or nil if it is unknown.
func written(original *string, edits []oneEdit, patch []hunk) *string {
	replaced := edited(original, edits)
	if original == nil || len(patch) == 0 {
		if replaced != nil && stamped(*replaced) { // the stamp is unknown
			return nil
		}
		return replaced
	}
	shown, ok := patched(strings.SplitAfter(untabbed(*original), "\n"), patch)
	switch {
	case !ok:
		return nil
	case replaced == nil && !tabbed(original, edits):
		return &shown
	case replaced == nil:
		return nil
	case shown == untabbed(*replaced):
		return replaced
	}
	return stamp(strings.SplitAfter(*replaced, "\n"), strings.SplitAfter(shown, "\n"))
}

// tabbed reports whether there are tabs that a patch may show as spaces.
func tabbed(original *string, edits []oneEdit) bool {
	return strings.Contains(*original, "\t") || slices.ContainsFunc(edits, func(e oneEdit) bool { return strings.Contains(e.NewString, "\t") })
}

// stamp returns a text with the frontmatter of the displayed one, or nil if they differ elsewhere.
func stamp(text, shown []string) *string {
	first, last := 0, 0 // number of equal lines at the beginning and at the end
	for first < min(len(text), len(shown)) && untabbed(text[first]) == shown[first] {
		first++
	}
	for last < min(len(text), len(shown))-first && untabbed(text[len(text)-1-last]) == shown[len(shown)-1-last] {
		last++
	}
	if !inFrontmatter(text, first, len(text)-last) || !inFrontmatter(shown, first, len(shown)-last) {
		return nil
	}
	out := strings.Join(text[:first], "") + strings.Join(shown[first:len(shown)-last], "") + strings.Join(text[len(text)-last:], "")
	return &out
}

// inFrontmatter reports whether lines of a text are in its frontmatter.
func inFrontmatter(text []string, from, to int) bool {
	if from == 0 || text[0] != "---\n" {
		return false
	}
	for i := 1; i < len(text); i++ {
		if strings.TrimRight(text[i], "\n") == "---" {
			return to <= i
		}
	}
	return false
}

// patched returns a text, given in lines, with a patch applied; false if the patch does not fit.
func patched(original []string, patch []hunk) (string, bool) {
	var out strings.Builder
	at := 0 // lines of the original that were copied
	for _, h := range patch {
		if h.OldStart-1 < at || h.OldStart-1 > len(original) {
			return "", false
		}
		for ; at < h.OldStart-1; at++ {
			out.WriteString(original[at])
		}
		for i, line := range h.Lines {
			if line == "" {
				return "", false
			}
			end := "\n"
			if i+1 < len(h.Lines) && strings.HasPrefix(h.Lines[i+1], `\`) {
				end = ""
			}
			text := line[1:] + end
			switch line[0] {
			case '+':
				out.WriteString(text)
			case ' ', '-':
				if at == len(original) || original[at] != text {
					return "", false
				}
				if at++; line[0] == ' ' {
					out.WriteString(text)
				}
			case '\\':
			default:
				return "", false
			}
		}
	}
	for ; at < len(original); at++ {
		out.WriteString(original[at])
	}
	return out.String(), true
}

// untabbed returns a text as a patch displays it, with each leading tab of a line as two spaces.
func untabbed(text string) string {
	if !strings.Contains(text, "\t") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		rest := strings.TrimLeft(line, "\t")
		lines[i] = strings.Repeat("  ", len(line)-len(rest)) + rest
	}
	return strings.Join(lines, "")
}
