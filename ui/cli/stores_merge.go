package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/plan"
)

func storesMergeCommand(p *program) *cobra.Command {
	var f planFlags
	var into string
	cmd := &cobra.Command{
		Use:         "merge FOLDER",
		Annotations: map[string]string{changes: always},
		Short:       "Merge the memories of a project that is gone into a store",
		RunE: func(cmd *cobra.Command, args []string) error {
			choice, err := f.choice(cmd.CommandPath())
			if err != nil {
				return err
			}
			return p.withTrail(cmd.Context(), func(t *engine.Trail) error {
				ctx := cmd.Context()
				from, err := placeNamed(ctx, t, args[0])
				if err != nil {
					return err
				}
				info, err := mergeTarget(ctx, &p.console, t, from, into)
				if err != nil {
					return err
				}
				texts, err := from.Texts()
				if err != nil {
					return fmt.Errorf("merge %s: %w", from.Folder, err)
				}
				return withOpen(ctx, t, info, synced(ctx, &p.console, func(s *engine.Store) error {
					pl, err := plan.Make(ctx, s, plan.MergeTexts(texts))
					if err != nil {
						return err
					}
					return applyPlan(ctx, &p.caller, s, pl, &f, choice)
				}))
			})
		},
	}
	cmd.Flags().StringVar(&into, "into", "", "merge into this `STORE`")
	f.add(cmd)
	return cmd
}

// placeNamed returns the place in a folder.
func placeNamed(ctx context.Context, t *engine.Trail, folder string) (places.Place, error) {
	fi, err := os.Stat(folder)
	if err != nil || !fi.IsDir() {
		return places.Place{}, &hinted{fmt.Errorf("no such folder: %s", folder), "`memend stores discover` lists the folders of other tools"}
	}
	roots, err := places.Here(folder)
	if err != nil {
		return places.Place{}, err
	}
	found, err := findPlaces(ctx, t, roots)
	if err != nil {
		return places.Place{}, err
	}
	at, err := placeAt(found.Places, folder, fi, func(string) ([]places.Place, error) { return nil, nil })
	if err != nil {
		return places.Place{}, err
	}
	return at[0], nil
}

// mergeTarget returns the store to merge a place into: the named one, the one that the place itself shows, or the one that the person answers.
func mergeTarget(ctx context.Context, p *console, t *engine.Trail, from places.Place, into string) (versions.StoreInfo, error) {
	all, err := t.Stores(ctx)
	if err != nil {
		return versions.StoreInfo{}, err
	}
	info := versions.StoreInfo{}
	if into == "" {
		info = from.Heir(all)
	}
	if into == "" && info.ID == "" && p.canAsk() {
		into = strings.TrimSpace(p.ask(fmt.Sprintf("Merge %s into which store? ", from.Folder)))
	}
	switch {
	case info.ID != "":
	case into == "":
		return info, &refusal{&hinted{fmt.Errorf("merge %s: the store that it belongs to now is unknown", from.Folder), cmp.Or(needsStore(from), "name it with --into STORE")}}
	default:
		if info, err = t.FindStore(ctx, into); err != nil {
			return info, err
		}
	}
	if info.ID == from.Store.ID {
		return info, &refusal{errors.New("merge: a store can't be merged into itself")}
	}
	return info, nil
}

// needsStore says that the project that goes on has no store yet.
func needsStore(from places.Place) string {
	if from.Living == "" {
		return ""
	}
	return fmt.Sprintf("it was a worktree of %s: add that with `memend stores discover --add`, or name a store with --into", from.Living)
}
