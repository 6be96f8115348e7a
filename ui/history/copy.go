package history

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func (p *Pane) copyVersion() tea.Cmd {
	if list := p.chosen.versions(p.list()); len(list) > 0 {
		return copyLines(p, "the ids of "+draw.Plural(len(list), "version", "versions"), list, func(v versions.Version) string { return string(v.ID) })
	}
	v, _ := p.list().version()
	return p.env.Do(screen.Copy{What: "the id of version " + strconv.Itoa(v.Number), Text: string(v.ID)})
}

func (p *Pane) copyPath() tea.Cmd {
	if list := p.chosen.versions(p.list()); len(list) > 0 {
		list = slices.CompactFunc(slices.SortedFunc(slices.Values(list), byPath), func(a, b versions.Version) bool { return a.Path == b.Path })
		return copyLines(p, draw.Plural(len(list), "path", "paths"), list, func(v versions.Version) string { return v.Path.String() })
	}
	v, _ := p.list().version()
	return p.env.Do(screen.Copy{What: "the path", Text: v.Path.String()})
}

func byPath(a, b versions.Version) int { return strings.Compare(a.Path.String(), b.Path.String()) }

// copyLines copies one line for each element.
func copyLines[T any](p *Pane, what string, list []T, line func(T) string) tea.Cmd {
	lines := make([]string, len(list))
	for i, x := range list {
		lines[i] = line(x)
	}
	return p.env.Do(screen.Copy{What: what, Text: strings.Join(lines, "\n")})
}

// copyContent copies the text of the selected version.
func (p *Pane) copyContent() tea.Cmd {
	v, _ := p.list().version()
	ctx, store := p.env.Ctx, p.store
	return func() tea.Msg {
		b, why, err := content(ctx, store, v)
		switch {
		case err != nil:
			return screen.Notice{Text: "copy: " + err.Error(), Bad: true}
		case why != "":
			return screen.Notice{Text: "copy: " + why, Bad: true}
		}
		return screen.Copy{What: versionName(v) + " of " + v.Path.String(), Text: string(b)}
	}
}

// copyDiff copies the diff in the format of git and patch.
func (p *Pane) copyDiff() tea.Cmd {
	c := p.shown
	return func() tea.Msg {
		return screen.Copy{What: "the diff", Text: string(c.doc.Unified(side("a", c.left), side("b", c.right)))}
	}
}

// side returns the name of a text in git's format.
func side(letter string, v *versions.Version) string {
	if v == nil || v.Operation == versions.Deleted {
		return "/dev/null"
	}
	return letter + v.Path.String()
}

// diffDisabled returns why there is no diff to copy.
func (p *Pane) diffDisabled() string {
	if _, n := p.Diff.Hunk(); p.shown.right == nil || n == 0 {
		return "there are no differences"
	}
	return ""
}
