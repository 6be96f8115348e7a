package tree

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
)

// exporting holds the memories to export.
type exporting struct {
	entries []versions.Entry
	what    string
	single  bool // a single memory was selected: it may become a file of any name
}

// export asks where to write the selected memories, and writes them there: to a folder
// under their paths, or a single one to a file.
func (t *Pane) export(int) tea.Cmd {
	nodes, targets := t.targetMemories(), t.targets()
	if len(nodes) == 0 {
		return t.env.Ask(screen.Notice{Text: "export: there is no memory to export", Bad: true})
	}
	ex := exporting{what: targets[0].path().String(), single: len(targets) == 1 && targets[0].memory()}
	if len(targets) > 1 || !ex.single {
		ex.what = draw.Plural(len(nodes), "memory", "memories")
	}
	for _, n := range nodes {
		ex.entries = append(ex.entries, *n.entry)
	}
	example := "a folder: ~/memories"
	if ex.single {
		example = "a file or a folder/: ~/" + nodes[0].name()
	}
	return t.env.Ask(screen.Prompt{Label: "export " + ex.what + " to", Example: example, Then: func(s string) tea.Cmd {
		if strings.TrimSpace(s) == "" {
			return t.env.Ask(screen.Notice{Text: "export: name a folder", Bad: true})
		}
		t.choseAct()
		return t.exportTo(ex, s, false)
	}})
}

func (t *Pane) exportTo(ex exporting, to string, overwrite bool) tea.Cmd {
	ctx, store := t.env.Ctx, t.store
	content := func(e versions.Entry) ([]byte, error) { return store.Content(ctx, e.Version) }
	return func() tea.Msg {
		place, err := hostPath(to)
		if err == nil {
			place, err = ex.write(place, strings.HasSuffix(to, "/"), content, overwrite)
		}
		switch {
		case err == nil:
			return screen.Notice{Text: "exported " + ex.what + " to " + place}
		case errors.Is(err, fs.ErrExist) || errors.Is(err, exchange.ErrNotEmpty):
			return t.askOverwrite(ex, to, place)
		}
		return screen.Notice{Text: "export to " + to + ": " + err.Error(), Bad: true}
	}
}

// askOverwrite asks before a file outside the store is replaced, because that can't be
// undone.
func (t *Pane) askOverwrite(ex exporting, to, place string) tea.Msg {
	q := screen.Choose{Title: "export", Text: place + " already exists. Replace it?"}
	do := "replace it"
	if info, err := os.Stat(place); err == nil && info.IsDir() {
		q.Text = place + " already contains files. Files with the same names are replaced, others stay."
		do = "write to it"
	}
	q.Options = []screen.Option{
		{Key: "y", Label: do, Then: func() tea.Cmd { return t.exportTo(ex, to, true) }},
		{Key: "n", Label: "write nothing"},
	}
	return q
}

// hostPath returns the absolute path of a typed path: ~ is the home, and a relative path
// begins at the working directory.
func hostPath(s string) (string, error) {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		s = home + rest
	}
	return filepath.Abs(s)
}

// write writes the memories and returns where.
func (ex exporting) write(place string, folder bool, content func(versions.Entry) ([]byte, error), overwrite bool) (string, error) {
	if !ex.single {
		_, err := exchange.WriteFolder(place, ex.entries, content, overwrite)
		return place, err
	}
	e := ex.entries[0]
	if info, err := os.Stat(place); folder || err == nil && info.IsDir() {
		if err := os.MkdirAll(place, 0o700); err != nil {
			return place, err
		}
		place = filepath.Join(place, e.Path.Base())
	}
	b, err := content(e)
	if err != nil {
		return place, err
	}
	return place, exchange.WriteFile(place, b, overwrite)
}
