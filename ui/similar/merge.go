package similar

import (
	"context"
	"crypto/sha256"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// side is a memory that is merged, with the text that was shown.
type side struct {
	versions.SimilarMemory
	text []byte
}

func (s side) merging() versions.Merging {
	return versions.Merging{Store: s.Store, Path: s.Path, SHA256: sha256.Sum256(s.text)}
}

// chooseKept asks which of the two memories stays, and merges.
func (p *Pane) chooseKept() tea.Cmd {
	d := p.detail
	a, b := side{d.of.A, d.texts[0]}, side{d.of.B, d.texts[1]}
	ways := []screen.Option{
		{Key: "f", Label: "keep " + name(a.SimilarMemory), Then: func() tea.Cmd { return p.merge(a, b) }},
		{Key: "s", Label: "keep " + name(b.SimilarMemory), Then: func() tea.Cmd { return p.merge(b, a) }},
	}
	return p.env.Ask(screen.Choose{Title: "merge", Text: "Which memory gets the merged text? The other one is deleted; undo brings both back.",
		Options: append(ways, screen.Option{Key: "n", Label: "leave both"}), First: true})
}

// merge opens the screen that merges two texts.
func (p *Pane) merge(keep, other side) tea.Cmd {
	env := p.env
	in := merge.Input{Path: keep.Path, Name: name(keep.SimilarMemory) + " + " + name(other.SimilarMemory),
		Theirs: nonNil(keep.text), TheirsIs: "kept", TheirsName: name(keep.SimilarMemory),
		Mine: nonNil(other.text), MineIs: "other", MineName: name(other.SimilarMemory), IfDecided: true}
	var pane *merge.Pane
	in.Leave = []screen.Option{{Key: "l", Label: "leave without merging", Then: func() tea.Cmd { return env.Ask(screen.Drop{Pane: pane}) }}}
	return func() tea.Msg {
		made := merge.New(env, in, func(result []byte) tea.Msg {
			return screen.Then(func() tea.Cmd { return p.save(pane, keep, other, result) })
		})
		return screen.Then(func() tea.Cmd {
			pane = made
			return env.Ask(screen.Show{Pane: made})
		})
	}
}

// save merges the memories. If that fails, the screen of the merge stays.
func (p *Pane) save(pane *merge.Pane, keep, other side, text []byte) tea.Cmd {
	if !pane.Shown() {
		return nil
	}
	home, by, here := p.cfg.Home, p.cfg.By, p.cfg.Here.ID
	did := "merged " + name(other.SimilarMemory) + " into " + name(keep.SimilarMemory)
	if keep.Store != here && other.Store != here {
		did += "; undo it in store " + keep.Name
	}
	return p.env.Ask(request.Act{Doing: "merge " + name(other.SimilarMemory) + " into " + name(keep.SimilarMemory), Did: did,
		Do: func(ctx context.Context) (versions.Change, error) {
			kept, deleted, err := home.MergeInto(ctx, by, keep.merging(), other.merging(), text)
			switch here {
			case keep.Store:
				return kept, err
			case other.Store:
				return deleted, err
			}
			return versions.Change{}, err
		},
		Done: func(_ versions.Change, err error) tea.Msg {
			if err != nil {
				return nil
			}
			return screen.Then(func() tea.Cmd {
				p.env.Ask(screen.Drop{Pane: pane})
				return p.load()
			})
		}})
}

// nonNil returns a text that is not nil: to the merge, nil means no memory.
func nonNil(text []byte) []byte {
	if text == nil {
		return []byte{}
	}
	return text
}
