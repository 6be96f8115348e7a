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

// picked returns the chosen versions if they are several, or else that of the selected row.
func (p *Pane) picked() []versions.Version {
	if list := p.chosen.versions(p.list()); len(list) > 0 {
		return list
	}
	v, _ := p.list().version()
	return []versions.Version{v}
}

func (p *Pane) copyVersion() tea.Cmd {
	list := p.picked()
	what := "the id of version " + strconv.Itoa(list[0].Number)
	if len(list) > 1 {
		what = "the ids of " + draw.Plural(len(list), "version", "versions")
	}
	return p.copyLines(what, list, func(v versions.Version) string { return string(v.ID) })
}

func (p *Pane) copyPath() tea.Cmd {
	list, what := p.picked(), "the path"
	if len(list) > 1 {
		slices.SortFunc(list, func(a, b versions.Version) int { return strings.Compare(a.Path.String(), b.Path.String()) })
		list = slices.CompactFunc(list, func(a, b versions.Version) bool { return a.Path == b.Path })
		what = draw.Plural(len(list), "path", "paths")
	}
	return p.copyLines(what, list, func(v versions.Version) string { return v.Path.String() })
}

// copyLines copies one line for each version.
func (p *Pane) copyLines(what string, list []versions.Version, line func(versions.Version) string) tea.Cmd {
	lines := make([]string, len(list))
	for i, v := range list {
		lines[i] = line(v)
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
