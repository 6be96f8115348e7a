package actions

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/compare"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
)

// Compare shows the diff of two memories.
func (r *Room) Compare(req screen.Compare) tea.Cmd {
	store, env := r.store, r.env
	doing := "compare " + req.From.Path.String() + " and " + req.To.Path.String()
	text := func(ctx context.Context, e versions.Entry) (compare.Text, error) {
		b, err := store.Content(ctx, e.Version)
		if err != nil {
			err = fmt.Errorf("%s: %w", e.Path, err)
		}
		return compare.Text{Path: e.Path, Content: b}, err
	}
	return r.work(doing, func(ctx context.Context) (tea.Msg, error) {
		from, err := text(ctx, req.From)
		if err != nil {
			return screen.Notice{Text: "compare " + err.Error(), Bad: true}, err
		}
		to, err := text(ctx, req.To)
		if err != nil {
			return screen.Notice{Text: "compare " + err.Error(), Bad: true}, err
		}
		return screen.Show{Pane: compare.New(env, from, to)}, nil
	})
}

// CopyDiff copies the diff of a version in the format of git and patch.
func (r *Room) CopyDiff(id versions.VersionID) tea.Cmd {
	store := r.store
	return r.work("copy the diff", func(ctx context.Context) (tea.Msg, error) {
		v, err := store.Version(ctx, id)
		if err != nil {
			return screen.Notice{Text: "copy the diff: " + err.Error(), Bad: true}, err
		}
		old, now, why := talk.Texts(ctx, store, v)
		if why != "" {
			return screen.Notice{Text: "copy the diff: " + why, Bad: true}, nil
		}
		from, to := v.Path, v.Path
		if v.Renamed() {
			from = v.From
		}
		diff := diffview.Compare(v.Path.Base(), old, now).Unified("a/"+from.Rel(), "b/"+to.Rel())
		if len(diff) == 0 {
			return screen.Notice{Text: fmt.Sprintf("copy the diff: version %d of %s changed no line", v.Number, v.Path), Bad: true}, nil
		}
		return screen.Copy{What: fmt.Sprintf("the diff of version %d of %s", v.Number, v.Path), Text: string(diff)}, nil
	})
}
